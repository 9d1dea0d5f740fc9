"""The system that faults are put into: two table services on one store, and a link between any two parts that talk."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from services.config import Settings
from services.local.processes import free_port
from services.local.supervisor import Part
from services.local.system import SERVICES, Service, System
from tests.chaos.proxy import HOST, Link
from tests.system import RunningSystem, running

SECOND = dataclasses.replace(SERVICES[0], name="table-2")
CHAOS_SERVICES = (SERVICES[0], SECOND, *SERVICES[1:])
TABLE_SERVICES = ("table", "table-2")
CLIENTS = (*(f"{kind}{seat}" for kind in "pq" for seat in range(4)), *(f"watchers-{n}" for n in range(3)), "directors")
"""Who reaches the services over links of their own, besides the services themselves."""
VOLUME_BYTES = 1 << 30
LINK_SECONDS_MAX = 10
LIMITS = {"heads_check_seconds": "0.5", "bot_lease_seconds": "2", "bot_lease_seconds_max": "8"}
"""Faults come every second here, so what was missed is looked for more often than usual."""


@dataclasses.dataclass(slots=True)
class LinkedSystem(System):
    """The embedded system with every process told of links where it would be told of the others."""

    links: dict[str, Link] = dataclasses.field(default_factory=dict)
    chance: Random = dataclasses.field(default_factory=Random)
    started: Callable[[Link], None] = dataclasses.field(default=lambda link: None)

    def _link(self, name: str, *targets: int) -> str:
        """A new link to these ports; its address."""
        taken = {*self.state.ports.values(), *(link.port for link in self.links.values())}
        link = self.links[name] = Link(name, Random(self.chance.random()), free_port(taken), targets)
        self.started(link)
        return f"{HOST}:{link.port}"

    def _part(self, service: Service, settings: Settings, logs: Path) -> Part:
        """A service behind links to all that it uses; a second table service listens at a port of its own."""
        first = settings.table_listen
        ports = self.state.ports
        if SECOND.name not in ports:
            self.state.port(SECOND.name, {*ports.values(), *(link.port for link in self.links.values())})
        second = f"{HOST}:{ports[SECOND.name]}"
        tables = (_port(first), _port(second))
        if service is self.services[0]:
            for name in CLIENTS:
                self._link(f"{name} to table", *tables)
            self._link("directors to tournament", _port(settings.tournament_listen))
        mine = second if service is SECOND else first
        told: dict[str, str] = {"redis_url": self._redis(service, settings), "table_listen": mine}
        for field in ("tables_database_url", "tournaments_database_url"):
            if field in service.told:
                told[field] = self._database(service, getattr(settings, field))
        # A table service is asked for its health where it listens; the others dial.
        is_table = service.name in TABLE_SERVICES
        told["table_address"] = mine if is_table else self._link(f"{service.name} to table", *tables)
        return System._part(self, service, dataclasses.replace(settings, **told), logs)  # type: ignore[arg-type]

    def _redis(self, service: Service, settings: Settings) -> str:
        before, _, port = settings.redis_url.rpartition(":")
        number, slash, rest = port.partition("/")
        address = self._link(f"{service.name} to redis", int(number))
        return f"{before}:{_port(address)}{slash}{rest}"

    def _database(self, service: Service, url: str) -> str:
        port = int(str(conninfo_to_dict(url)["port"]))
        address = self._link(f"{service.name} to postgres", port)
        return make_conninfo(url, host=HOST, port=_port(address))


@dataclasses.dataclass
class Arena:
    """The running system, its links by name, and the volume of the database where one could be made."""

    running: RunningSystem
    links: dict[str, Link]
    folder: Path
    has_volume: bool
    kept: bool = False

    @property
    def token(self) -> str:
        """An operator's."""
        return self.running.token

    @property
    def admin_url(self) -> str:
        """The database's owner, without any link."""
        return self.running.system.state.database_url

    @property
    def redis_url(self) -> str:
        """Redis without any link."""
        return self.running.system.state.redis_url

    def address(self, link: str) -> str:
        """What a client of this link dials."""
        return f"{HOST}:{self.links[link].port}"

    def names(self) -> list[str]:
        """Every process that is supervised."""
        return ["postgres", "valkey", *(service.name for service in CHAOS_SERVICES)]


@asynccontextmanager
async def arena(seed: int) -> AsyncIterator[Arena]:
    """Start everything, the links on this event loop; the folder stays where `kept` is set before the end."""
    loop = asyncio.get_running_loop()
    folder, has_volume = _folder()
    links: dict[str, Link] = {}
    found: Arena | None = None

    def started(link: Link) -> None:
        asyncio.run_coroutine_threadsafe(link.start(), loop).result(LINK_SECONDS_MAX)

    def make(*given: Any, **named: Any) -> LinkedSystem:
        return LinkedSystem(*given, **named, links=links, chance=Random(seed), started=started)

    system = running(CHAOS_SERVICES, folder=folder, make=make, **LIMITS)
    try:
        # In a thread, since what starts needs the links.
        found = Arena(await asyncio.to_thread(system.__enter__), links, folder, has_volume)
        try:
            yield found
        finally:
            await asyncio.to_thread(system.__exit__, None, None, None)
    finally:
        for link in links.values():
            await link.close()
        await asyncio.to_thread(_left, folder, has_volume, found is not None and found.kept)


def children(pid: int) -> list[int]:
    """The processes that this one has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(entry.name))
    return found


def send(pids: Sequence[int], number: signal.Signals) -> None:
    """A signal to each that is still there."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])


def _folder() -> tuple[Path, bool]:
    """A new folder, and whether its database has a volume of its own."""
    folder = Path(tempfile.mkdtemp(prefix="pinochle-chaos-"))
    folder.chmod(0o711)
    return folder, _mounted(folder / "postgres")


def _left(folder: Path, has_volume: bool, kept: bool) -> None:
    if has_volume:
        subprocess.run(["umount", "-l", str(folder / "postgres")], check=False, timeout=30)
    if not kept:
        shutil.rmtree(folder, ignore_errors=True)


def _mounted(folder: Path) -> bool:
    """Whether the folder is now a volume of bounded size, which root alone can make."""
    if os.geteuid() != 0:
        return False
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={VOLUME_BYTES},mode=755", "tmpfs", str(folder)]
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(words, check=False, timeout=30, capture_output=True).returncode == 0
    return False
