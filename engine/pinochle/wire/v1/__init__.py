"""Generated from protos/pinochle/wire/v1 by `make protos`."""
