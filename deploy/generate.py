"""Make the protobuf code in engine/pinochle/wire/v1 from the files in protos/.

Run as `python -m deploy.generate [FOLDER]`; FOLDER takes the place of engine/. The generated code is
committed, so that an installation needs no compiler; a test makes it anew and compares.
"""

import sys
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
PACKAGE = Path("pinochle/wire/v1")


def generate(target: Path) -> list[Path]:
    """Write the modules of every proto file below `target`, at pinochle/wire/v1; return their paths."""
    sources = sorted(str(path.relative_to(PROTOS)) for path in (PROTOS / PACKAGE).glob("*.proto"))
    target.mkdir(parents=True, exist_ok=True)
    well_known = resources.files("grpc_tools") / "_proto"
    words = ["protoc", f"-I{PROTOS}", f"-I{well_known}", f"--python_out={target}", f"--pyi_out={target}"]
    code = protoc.main([*words, f"--grpc_python_out={target}", *sources])
    if code != 0:
        raise SystemExit(code)
    for path in (target / PACKAGE).glob("*_pb2_grpc.py"):
        # A file without a service needs no stub module.
        if "def __init__" not in path.read_text():
            path.unlink()
    return sorted((target / PACKAGE).glob("*_pb2*"))


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "engine"
    for path in generate(target):
        print(path)


if __name__ == "__main__":
    main()
