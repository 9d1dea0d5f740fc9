"""The programs beside the engine in its benchmark: the process that holds the peers, and the compiled loop in C."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

PROGRAM = Path(__file__).with_name("peers.py")
ANSWER_SECONDS_MAX = 600
COMPILE_SECONDS_MAX = 60
RUN_SECONDS_MAX = 120
FIRST_DEALS = 20_000


class Peers:
    """A process of the peers' Python that answers requests; without one every answer is an error."""

    def __init__(self, python: str, program: Path) -> None:
        self._words = [python, str(program)] if python else []
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Peers:
        if self._words:
            self._process = subprocess.Popen(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate(timeout=10)

    def ask(self, case: str, **about: Any) -> dict[str, Any]:
        """The answer to a request; {"error": text} where the peer cannot give one."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return {"error": "there is no environment of peers"}
        deadline = threading.Timer(ANSWER_SECONDS_MAX, process.kill)
        deadline.start()
        try:
            process.stdin.write(json.dumps({"case": case, **about}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        finally:
            deadline.cancel()
        answer: dict[str, Any] = json.loads(line) if line else {"error": f"the peers' process ended during {case}"}
        return answer

    def measured(self, case: str, seconds: float, **about: Any) -> dict[str, Any]:
        """The answer of a case that must succeed, since its peer is installed."""
        answer = self.ask(case, seconds=seconds, **about)
        if "error" in answer:
            raise RuntimeError(f"{case}: {answer['error']}")
        return answer

    def compile(self, source: Path, library: Path) -> str:
        """Compile and load the loop in C++; why that is not possible, or nothing."""
        if shutil.which("c++") is None:
            return "no c++ here"
        error: str = self.ask("compile_cpp", source=str(source), library=str(library)).get("error", "")
        return error


class CLoop:
    """The loop in C, once it is compiled."""

    def __init__(self, folder: Path) -> None:
        self._program = folder / "playouts"
        self._deals = FIRST_DEALS

    def compile(self, source: Path) -> str:
        """Compile; why that is not possible, or nothing."""
        if shutil.which("cc") is None:
            return "no cc here"
        words = ["cc", "-O3", "-march=native", "-o", str(self._program), str(source)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=COMPILE_SECONDS_MAX)
        return " ".join(done.stderr.split())[:200] if done.returncode else ""

    def decisions_per_second(self, seconds: float) -> float:
        """By its own processor clock, over at least a third of these seconds."""
        while True:
            words = [str(self._program), str(self._deals)]
            done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=RUN_SECONDS_MAX)
            decisions, spent = (float(word) for word in done.stdout.split()[:2])
            if spent > seconds / 3:
                return decisions / spent
            self._deals *= 3
