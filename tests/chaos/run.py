"""One run: the arena under load, faults for so long, then quiet until everything has ended, and the comparison."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import psycopg

from tests.chaos import checker, ledger
from tests.chaos import record as records
from tests.chaos.arena import Arena, arena
from tests.chaos.checker import Finding
from tests.chaos.faults import Faults
from tests.chaos.load import Load, Size
from tests.chaos.record import Recorder

QUIET_EVERY_SECONDS = 60.0
QUIET_SECONDS = 1.0
STILL_SECONDS_MAX = 12.0
"""So long without an acknowledged command, and the faults wait until there is one again."""
PROGRESS_SECONDS_MAX = 120.0
"""Without faults, within this a command is acknowledged again, and everything that is open comes to its end."""
PACE_SECONDS_MAX = 30.0
"""House bots play a deal in a second or two where they are woken for each turn, and in minutes where they are not."""
DATABASE_SECONDS_MAX = 60.0
TOLD_EVERY_SECONDS = 2.0


@dataclass(slots=True)
class Result:
    """What a run came to."""

    seed: int
    minutes: float
    faults: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    tables: int = 0
    tournaments: int = 0
    acts: int = 0
    looks: int = 0  # comparisons while the load went on
    still_seconds: float = 0.0  # the longest time without an acknowledged command
    end_seconds: float = 0.0  # from the last fault until everything had ended
    waits: int = 0  # times that faults had to wait for the load
    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)  # what else was not as it must be
    errors: list[str] = field(default_factory=list)  # unexpected errors that the services have logged
    seconds: float = 0.0
    folder: Path | None = None
    left_out: str = ""

    @property
    def lost(self) -> int:
        return sum(one.sort == checker.LOST for one in self.findings)

    @property
    def doubled(self) -> int:
        return sum(one.sort == checker.DOUBLED for one in self.findings)

    @property
    def passed(self) -> bool:
        return not self.findings and not self.troubles


Say = Callable[[str], None]
Then = Callable[[Path, str], None]


async def run(
    seed: int,
    seconds: float,
    *,
    per_minute: float,
    size: Size,
    only: str = "",
    say: Say = lambda text: None,
    then: Then = lambda record, url: None,
    keep: bool = False,
) -> Result:
    """Run it; `then(record, admin_url)` is called at the end, while the database is there still."""
    began = time.monotonic()
    result = Result(seed, seconds / 60)
    async with arena(seed) as place:
        if not place.has_volume:
            result.left_out = "disk full (no volume of bounded size can be mounted here)"
        recorder = Recorder(place.folder / "told.jsonl")
        load = Load(place, recorder, Random(seed), size)
        faults = Faults(place, Random(seed + 1), per_minute, only)
        one = _Run(place, recorder, load, faults, result, say)
        try:
            await one.play(seconds)
        except Exception as error:
            result.troubles.append(f"{error.__class__.__name__}: {error}")
            await asyncio.to_thread(_photograph, place.folder)
        finally:
            faults.abandon()
            await load.stop()
            recorder.close()
        try:
            await one.judge()
        except Exception as error:
            result.troubles.append(f"the comparison failed: {error.__class__.__name__}: {error}")
        result.faults, result.acknowledged = faults.counts, recorder.acknowledged
        result.tables, result.tournaments, result.counts = load.ended, load.tournaments_ended, load.counts
        result.errors = _errors(place.folder / "logs")
        if result.passed:
            await asyncio.to_thread(then, recorder.path, place.admin_url)
        if keep or not result.passed:
            place.kept, result.folder = True, place.folder
    result.seconds = time.monotonic() - began
    return result


@dataclass(slots=True)
class _Run:
    """The parts of a run while it goes on."""

    place: Arena
    recorder: Recorder
    load: Load
    faults: Faults
    result: Result
    say: Say
    heads: dict[str, tuple[int, bytes]] = field(default_factory=dict)  # of the last comparison

    async def play(self, seconds: float) -> None:
        """Faults for so long, with a quiet moment now and then; then none, until everything has ended."""
        await self.load.start()
        self.faults.paused.set()
        working = [asyncio.create_task(self.faults.run()), asyncio.create_task(self._tell(seconds))]
        loop = asyncio.get_running_loop()
        end, quiet = loop.time() + seconds, loop.time() + QUIET_EVERY_SECONDS
        seen, moved = 0, loop.time()
        try:
            while loop.time() < end:
                await asyncio.sleep(0.25)
                self._check_tasks(working)
                self.result.still_seconds = max(self.result.still_seconds, loop.time() - moved)
                if self.recorder.acknowledged != seen:
                    seen, moved = self.recorder.acknowledged, loop.time()
                if loop.time() - moved > STILL_SECONDS_MAX:
                    await self._wait_for_progress(seen)
                    moved = loop.time()
                if loop.time() > quiet:
                    await self._look()
                    quiet = moved = loop.time()
                    quiet += QUIET_EVERY_SECONDS
            working[0].cancel()
            await self.faults.settle()
            self.say("no more faults; what is open comes to its end")
            await self.load.drain(PROGRESS_SECONDS_MAX)
            self.result.end_seconds = loop.time() - end
            await self.load.probe(PACE_SECONDS_MAX)
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)
        self._check_tasks([])

    def _check_tasks(self, working: list[asyncio.Task[None]]) -> None:
        for task in working:
            if task.done() and task.exception() is not None:
                raise task.exception()  # type: ignore[misc]
        failure = self.load.failure()
        if failure is not None:
            raise failure

    async def _wait_for_progress(self, seen: int) -> None:
        """Without faults the load goes on within its limit."""
        began = time.monotonic()
        self.faults.paused.clear()
        self.result.waits += 1
        await self.faults.settle()
        try:
            async with asyncio.timeout(PROGRESS_SECONDS_MAX):
                while self.recorder.acknowledged == seen:  # noqa: ASYNC110 (nothing tells of an answer)
                    await asyncio.sleep(0.1)
        except TimeoutError:
            text = f"no command was acknowledged in {PROGRESS_SECONDS_MAX:g} seconds without faults"
            raise TimeoutError(text) from None
        waited = STILL_SECONDS_MAX + time.monotonic() - began
        self.result.still_seconds = max(self.result.still_seconds, waited)
        self.faults.paused.set()

    async def _look(self) -> None:
        """Compare while the load goes on: what was told by now is in the database, and what it held is unchanged."""
        self.faults.paused.clear()
        await self.faults.settle()
        await asyncio.sleep(QUIET_SECONDS)
        self.recorder.flush()
        told = checker.gather(records.read(self.recorder.path))
        held = await self._ledger()
        self.result.findings += checker.check_now(told, held) + checker.check_unchanged(self.heads, held)
        self.heads = {stream: (log.version, log.head) for stream, log in held.items()}
        self.result.looks += 1
        if self.result.findings:
            raise AssertionError("the log is not as clients were told")
        self.faults.paused.set()

    async def judge(self) -> None:
        """The whole comparison, all clients gone."""
        told = checker.gather(records.read(self.recorder.path))
        held = await self._ledger()
        self.result.acts = sum(len(log.acts) for log in held.values())
        if self.result.troubles:
            found = checker.check_now(told, held)
        else:
            self.say(f"comparing {self.recorder.entries:,} entries with {self.result.acts:,} acts")
            found = checker.check_all(told, held)
        found += checker.check_unchanged(self.heads, held)
        known = set(self.result.findings)
        self.result.findings += [one for one in found if one not in known]
        self.result.troubles += self.load.surprises

    async def _ledger(self) -> ledger.Ledger:
        """What the database holds, once it answers."""

        def look() -> ledger.Ledger:
            with contextlib.closing(ledger.connected(self.place.admin_url)) as connection:
                return ledger.read(connection)

        end = time.monotonic() + DATABASE_SECONDS_MAX
        while True:
            try:
                return await asyncio.to_thread(look)
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.2)

    async def _tell(self, seconds: float) -> None:
        """A line of progress now and then."""
        began = time.monotonic()
        while True:
            await asyncio.sleep(TOLD_EVERY_SECONDS)
            passed = time.monotonic() - began
            number = sum(self.faults.counts.values())
            self.say(
                f"{min(passed, seconds):.0f} of {seconds:.0f} s, {number} faults, "
                f"{self.recorder.acknowledged:,} acknowledged, {self.load.ended} tables and "
                f"{self.load.tournaments_ended} tournaments ended, {len(self.load.tables)} open; {self.faults.last}"
            )


def _photograph(folder: Path) -> None:
    """Keep what every process is doing, for whoever looks into a failure."""
    words = ["ps", "axo", "pid,ppid,stat,wchan:20,etime,args"]
    with contextlib.suppress(OSError, subprocess.SubprocessError), (folder / "processes.txt").open("wb") as file:
        subprocess.run(words, stdout=file, check=False, timeout=10)


def _errors(logs: Path) -> list[str]:
    """The last line of each traceback in the logs of our services, with how often it came."""
    found: Counter[str] = Counter()
    for log in sorted(logs.glob("*.log*")):
        inside = False
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith("Traceback "):
                inside = True
            elif inside and line and not line.startswith((" ", "\t", "During", "The above")):
                found[f"{log.name}: {line[:200]}"] += 1
                inside = False
    return [f"{number} x {text}" for text, number in found.most_common()]
