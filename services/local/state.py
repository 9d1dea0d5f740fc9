"""The data folder: its lock, and `state.json` with what a later start and the command line need to know.

`state.json` holds passwords and the tokens of our own processes, so only its owner may read it. The
operator's token is not in it.
"""

import dataclasses
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from services.local.processes import free_port, is_free

FILE = "state.json"


class FolderInUse(Exception):
    """Another process runs the system on this folder; the text says which."""


class BadState(Exception):
    """`state.json` can't be used; the text is one line that says why."""


@dataclass(slots=True)
class State:
    """Addresses, passwords and internal tokens of one data folder."""

    passwords: dict[str, str] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    bots_token: str = ""
    service_token: str = ""
    table_address: str = ""
    tournament_address: str = ""
    metrics_addresses: dict[str, str] = field(default_factory=dict)
    database_url: str = ""
    tables_database_url: str = ""
    tournaments_database_url: str = ""
    redis_url: str = ""

    def secret(self, name: str, new: Callable[[], str]) -> str:
        """The password of this name, made now where there is none."""
        return self.passwords.setdefault(name, new())

    def port(self, name: str, taken: set[int], given: int | None = None) -> int:
        """The port for this name: the given one, else the one it had if that is free, else a free one.

        BadState where the given one is taken.
        """
        before = self.ports.get(name)
        if given is not None:
            # Where it is the one from before, a server that is just ending may hold it still.
            if given != before and not is_free(given):
                raise BadState(f"port {given} for {name} is taken: another process listens there")
            self.ports[name] = given
        elif before is None or before in taken or not is_free(before):
            self.ports[name] = free_port(taken)
        taken.add(self.ports[name])
        return self.ports[name]


def load(folder: Path) -> State:
    """The state of a folder, an empty one where there is none yet; BadState where it makes no sense."""
    try:
        held: dict[str, Any] = json.loads((folder / FILE).read_text())
    except FileNotFoundError:
        return State()
    except (OSError, ValueError) as error:
        raise BadState(f"{folder / FILE}: {error}") from None
    if not isinstance(held, dict):
        raise BadState(f"{folder / FILE}: an object is expected")
    known = {item.name: item for item in dataclasses.fields(State)}
    for name, value in held.items():
        if name in known and not isinstance(value, type(getattr(State(), name))):
            raise BadState(f"{folder / FILE}: {name} is of the wrong kind")
    return State(**{name: value for name, value in held.items() if name in known})


def save(folder: Path, state: State) -> None:
    """Replace the state in one step, readable by its owner only."""
    draft = folder / f"{FILE}.new"
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(dataclasses.asdict(state), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / FILE)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; FolderInUse where another one has it."""
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise FolderInUse(
                f"{folder} is in use by process {file.read().strip()}; stop that one first"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
