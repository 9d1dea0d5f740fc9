"""The command `pinochle`: vectors, play, log, export, verify, tournament, token and status."""

from pinochle.cli.program import main

__all__ = ["main"]
