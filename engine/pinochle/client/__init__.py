"""The client: `run` plays with a bot of yours; `AsyncClient` has the single calls (needs the extra `client`)."""

from pinochle.client.bot import Played, play, run
from pinochle.client.channel import AsyncClient
from pinochle.client.errors import AccessDenied, AheadOfLog, BadBot, ClientError, NewerServer, Unreachable
from pinochle.client.stream import PlayStream
from pinochle.client.tables import SeenAct, TableView

__all__ = [
    "AccessDenied",
    "AheadOfLog",
    "AsyncClient",
    "BadBot",
    "ClientError",
    "NewerServer",
    "PlayStream",
    "Played",
    "SeenAct",
    "TableView",
    "Unreachable",
    "play",
    "run",
]
