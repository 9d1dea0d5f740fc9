"""The wheel, installed alone in a fresh environment, runs vectors and plays."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "golden" / "vectors" / "meld.jsonl"
BUILD_SECONDS_MAX, RUN_SECONDS_MAX = 90, 60


@pytest.fixture(scope="module")
def pinochle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command as installed from the wheel, with nothing beside it."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "engine", source / "engine", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    build(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    build(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    (wheel,) = folder.glob("*.whl")
    build(*pip, "--python", str(folder / "venv" / "bin" / "python"), "install", "--no-deps", "--no-index", str(wheel))
    return folder / "venv" / "bin" / "pinochle"


def build(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=BUILD_SECONDS_MAX, env=clean())
    assert 0 == done.returncode, done.stderr


def run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = (str(program), *words)
    folder = program.parent
    return subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, env=clean(), cwd=folder)


def clean() -> dict[str, str]:
    """The environment without what would let other code in."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PINOCHLE_"))}


def test_it_brings_nothing_but_itself(pinochle: Path) -> None:
    for name in ("google.protobuf", "grpc"):
        assert 0 != run(pinochle.with_name("python"), "-c", f"import {name}").returncode


def test_it_runs_vectors(pinochle: Path) -> None:
    ran = run(pinochle, "vectors", str(VECTORS))
    assert (0, "") == (ran.returncode, ran.stderr)
    assert ran.stdout.endswith(" passed, 0 failed\n")


def test_it_plays_every_profile_that_tables_can_be_opened_with(pinochle: Path) -> None:
    for profile in ("classic", "danish-nobid", "double-deck-club"):
        ran = run(pinochle, "play", "--watch", "--deals", "1", "--profile", profile)
        assert (0, "") == (ran.returncode, ran.stderr)
        assert "the game is over" in ran.stdout


def test_it_says_what_is_missing_for_the_rest(pinochle: Path) -> None:
    for words in (("verify", str(VECTORS)), ("status",), ("log", str(VECTORS))):
        ran = run(pinochle, *words)
        assert 1 == ran.returncode
        assert 1 == ran.stderr.count("\n")
        assert "pip install 'pinochle-arena[client]'" in ran.stderr


def test_it_shows_the_version_that_it_was_built_as(pinochle: Path) -> None:
    assert 0 == run(pinochle, "--help").returncode
    assert "pinochle 0." in run(pinochle, "--version").stdout
