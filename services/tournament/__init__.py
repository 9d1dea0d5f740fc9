"""The tournament service: entries and brackets over gRPC, and the tasks that advance what has started."""
