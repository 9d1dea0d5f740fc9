"""Ask a service whether it works: `python -m deploy.health HOST:PORT` for gRPC, with --tcp for any other.

It exits with 0 where it does, with 1 and one line where it does not; for container health checks.
"""

import argparse
import socket
import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

PROBE_SECONDS_MAX = 2.0


def accepts(address: str) -> bool:
    """Whether something listens at host:port."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), PROBE_SECONDS_MAX).close()
    except OSError:
        return False
    return True


def is_serving(address: str) -> bool:
    """Whether the standard gRPC health service at host:port says that all is well."""
    if not accepts(address):
        return False
    request = health_pb2.HealthCheckRequest()
    try:
        with grpc.insecure_channel(address) as channel:
            answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=PROBE_SECONDS_MAX)
    except grpc.RpcError:
        return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.health", description="Ask a service if it works.")
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("--tcp", action="store_true", help="only see that something listens there")
    options = parser.parse_args(arguments)
    if (accepts if options.tcp else is_serving)(options.address):
        return 0
    print(f"{options.address} does not serve", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
