"""The wire: protobuf messages (v1, generated), the codec between them and the library's types, and the hash chain."""
