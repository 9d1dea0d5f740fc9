"""Run the whole system on this machine: `python -m services.local up` or `python -m services.local demo`."""

import argparse
import dataclasses
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from deploy.migrate import MigrationError
from services.config import BadSettings, Settings
from services.local import state as folder_state
from services.local.processes import Clock, NotReady
from services.local.supervisor import READY_SECONDS_MAX, Supervisor
from services.local.system import System

# Three tiers start one after the other.
START_SECONDS_MAX = 3 * READY_SECONDS_MAX
STOP_SECONDS_MAX = 120.0
PORTS = ("postgres", "valkey", "table", "tournament")
REFUSALS = (BadSettings, MigrationError, NotReady, folder_state.BadState, folder_state.FolderInUse, OSError)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m services.local", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="keep the system running until Ctrl-C; the next start resumes")
    up.add_argument("--data", type=Path, default=Path("arena-data"), help="the folder that holds all its data")
    up.add_argument("--operator-token", action="store_true", help="make another operator's token and print it")
    for name in PORTS:
        up.add_argument(f"--{name}-port", type=_port, metavar="PORT", help=f"the port of {name}; else a free one")
    commands.add_parser("demo", help="run a tournament in a temporary folder (see demo --help)", add_help=False)
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command == "up":
        parser.error(f"unknown: {' '.join(rest)}")
    try:
        return _up(options) if options.command == "up" else _demo(rest)
    except REFUSALS as error:
        print(f"pinochle: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _up(options: argparse.Namespace) -> int:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    data: Path = options.data.absolute()
    with folder_state.locked(data):
        given = {name: port for name in PORTS if (port := getattr(options, f"{name}_port")) is not None}
        system, supervisor = _system(data, Settings.load(), given, _log)
        if options.operator_token:
            system.operator_token = f"pin_{_new_secret()}"
        supervisor.run(stop, lambda: show(system))
    print("stopped", flush=True)
    return 0


def _demo(arguments: list[str]) -> int:
    """Start everything in a temporary folder, run the demonstration beside it, and leave nothing behind."""
    from services.local import demo

    if {"-h", "--help"} & set(arguments):
        return demo.run(arguments, None)
    signal.signal(signal.SIGTERM, _interrupt)
    folder = Path(tempfile.mkdtemp(prefix="pinochle-demo-"))
    folder.chmod(0o711)
    try:
        with folder_state.locked(folder):
            system, supervisor = _system(folder, with_own_servers(Settings.load()), {}, _log)
            system.operator_token = f"pin_{_new_secret()}"
            return _beside(supervisor, lambda: demo.run(arguments, system))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _beside(supervisor: Supervisor, work: Callable[[], int]) -> int:
    """Run `work` in this thread while the supervisor runs in one of its own."""
    stop, started, over = threading.Event(), threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def supervise() -> None:
        try:
            supervisor.run(stop, started.set)
        except BaseException as error:
            failures.append(error)
        finally:
            over.set()
            started.set()

    thread = threading.Thread(target=supervise, name="supervisor")
    thread.start()
    try:
        if not started.wait(START_SECONDS_MAX):
            raise NotReady(f"the system did not start within {START_SECONDS_MAX:g} seconds")
        if not over.is_set():
            return work()
    finally:
        stop.set()
        thread.join(STOP_SECONDS_MAX)
    raise failures[0] if failures else NotReady("the system was stopped before it had started")


def with_own_servers(settings: Settings) -> Settings:
    """The settings without the addresses of servers that hold something: a demonstration leaves nothing there."""
    return dataclasses.replace(
        settings, database_url="", tables_database_url="", tournaments_database_url="", redis_url=""
    )


def _system(
    data: Path, settings: Settings, ports: dict[str, int], say: Callable[[str], None]
) -> tuple[System, Supervisor]:
    clock = Clock(time.monotonic, time.sleep)
    system = System(data, folder_state.load(data), settings, clock, _new_secret)
    tiers = system.tiers(ports)
    folder_state.save(data, system.state)
    return system, Supervisor(tiers, data, clock, lambda: time.time_ns() // 1_000_000, say)


def show(system: System) -> None:
    """Tell the person where everything is; the operator's token only when it was made just now."""
    state = system.state
    print(f"table service       {state.table_address}")
    print(f"tournament service  {state.tournament_address}")
    for name, address in state.metrics_addresses.items():
        print(f"metrics             http://{address}/metrics  ({name})")
    print(f"data                {system.folder}")
    if system.settings.database_url:
        print("database            the one that DATABASE_URL names, migrated; its roles have passwords of this system")
    if system.settings.redis_url:
        print("redis               the one that REDIS_URL names")
    if system.operator_token:
        print(f"operator's token    {system.operator_token}")
        print("                    (shown this once; `--operator-token` makes another)")
    print("running; Ctrl-C stops everything", flush=True)


def _log(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _new_secret() -> str:
    """43 characters that fit into an address and after `pin_`."""
    return secrets.token_urlsafe(32)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")
    return int(text)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
