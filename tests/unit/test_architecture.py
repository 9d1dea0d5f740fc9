"""The laws of the house: who may import whom, who may know the time, and how large a piece may be."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GENERATED = "pinochle.wire.v1"
MODULE_LINES_MAX, FUNCTION_LINES_MAX = 400, 60
VAGUE = {"common", "shared", "utils", "helpers", "lib", "core", "misc"}
DRIVERS = {"psycopg", "psycopg_pool", "redis", "celery", "kombu", "grpc", "grpc_health", "grpc_reflection"}
DRIVERS |= {"prometheus_client", "uvloop", "google"}
# The most specific row holds: what a module may import besides the standard library.
MAY_IMPORT = {
    "pinochle": {"pinochle"},
    "pinochle.wire": {"pinochle", "google"},
    "pinochle.wire.v1": {"pinochle.wire.v1", "google", "grpc"},
    "pinochle.client": {"pinochle", "grpc", "google"},
    "pinochle.cli": {"pinochle", "grpc", "google", "rich"},
    "pinochle.search": {"pinochle"},
    "pinochle.search.by_numba": {"pinochle", "numba", "numpy", "llvmlite"},
    "services": {"services", "pinochle.decider", "pinochle.errors", "pinochle.wire", *DRIVERS},
    "services.table": {"services", "pinochle", *DRIVERS},
    "services.tournament": {"services", "pinochle", *DRIVERS},
    "services.bots": {"services", "pinochle", *DRIVERS},
    "services.local": {"services", "pinochle", "deploy", "rich", *DRIVERS},
    "deploy": {"deploy", "pinochle", "services.config", "psycopg", "grpc", "grpc_health", "grpc_tools"},
}
RULES_MAY_NOT = {"time", "random", "secrets", "os", "asyncio"}
NOT_RULES = ("pinochle.client", "pinochle.cli", "pinochle.wire")
AUDITS = ("pinochle.audit", "pinochle.transcript_side")


def test_every_module_imports_only_what_its_place_allows() -> None:
    wrong = [
        f"{module} imports {name}"
        for module in modules()
        for name in imports(module)
        if name.partition(".")[0] not in sys.stdlib_module_names and not _allowed(module, name)
    ]
    assert [] == wrong


def test_no_rule_module_names_time_chance_or_the_system() -> None:
    rules = [
        module for module in modules() if _within(module, "pinochle") and not _within(module, *NOT_RULES)
    ]
    assert [] == [
        f"{module} imports {name}"
        for module in rules
        for name in imports(module)
        if name.partition(".")[0] in RULES_MAY_NOT
    ]


def test_in_the_services_only_the_entry_points_and_the_metrics_name_time_or_chance() -> None:
    allowed = [module for module in modules() if module.endswith("__main__")] + ["services.metrics"]
    assert [] == [
        f"{module} imports {name}"
        for module in modules()
        if _within(module, "services") and module not in allowed
        for name in imports(module)
        if name.partition(".")[0] in {"time", "random", "secrets"}
    ]


def test_only_the_settings_of_the_services_and_of_the_command_read_the_environment() -> None:
    readers = {
        module
        for module in modules()
        for node in ast.walk(tree(module))
        if (isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"} and _is_os(node.value))
        or (isinstance(node, ast.ImportFrom) and node.module == "os" and {"environ", "getenv"} & _names(node))
    }
    assert {"services.config", "pinochle.cli.settings"} == readers


def test_only_the_streams_and_the_audit_encode_what_is_stored() -> None:
    encoders = {"at_rest", "encode"}
    namers = {
        module
        for module in modules()
        for node in ast.walk(tree(module))
        if (isinstance(node, ast.Attribute) and node.attr in encoders and _is_codec(node.value))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").endswith("codec") and encoders & _names(node))
    }
    assert {"pinochle.audit", "services.table.index", "services.tournament.kind"} == namers


def test_no_folder_or_module_has_a_name_that_says_nothing() -> None:
    assert [] == [module for module in modules() if VAGUE & set(module.split("."))]


@pytest.mark.parametrize("what", ["modules", "functions"])
def test_no_piece_is_too_large_to_read(what: str) -> None:
    if what == "modules":
        sizes = {module: (len(source(module).splitlines()), MODULE_LINES_MAX) for module in modules()}
    else:
        sizes = {
            f"{module}.{node.name}": ((node.end_lineno or 0) - node.lineno + 1, FUNCTION_LINES_MAX)
            for module in modules()
            for node in ast.walk(tree(module))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
    assert {} == {name: lines for name, (lines, most) in sizes.items() if lines > most}


def test_every_tool_of_the_services_says_in_one_sentence_what_it_does() -> None:
    tools = [module for module in modules() if module.startswith("services.") and module.count(".") == 1]
    first_lines = {module: (ast.get_docstring(tree(module)) or "").partition("\n")[0] for module in tools}
    assert [] == [module for module, line in first_lines.items() if not line.endswith((".", ":", "`."))]


@cache
def modules() -> tuple[str, ...]:
    """Every module of ours by name, without generated code and tests."""
    found = []
    for base, package in ((ROOT / "engine", "pinochle"), (ROOT, "services"), (ROOT, "deploy")):
        for path in (base / package).rglob("*.py"):
            name = ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
            if not _within(name, GENERATED):
                found.append(name)
    return tuple(sorted(found))


@cache
def source(module: str) -> str:
    path = (ROOT / "engine" if module.startswith("pinochle") else ROOT).joinpath(*module.split("."))
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(source(module))


def imports(module: str) -> Iterator[str]:
    """Every dotted name that the module imports anywhere, `from a import b` as `a.b`."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _allowed(module: str, name: str) -> bool:
    row = max((row for row in MAY_IMPORT if _within(module, row)), key=len)
    if not _within(name, *MAY_IMPORT[row]):
        return False
    if _within(module, "services"):
        # A service folder is open to itself only; a tool knows no folder at all.
        folders = [row for row in MAY_IMPORT if row.startswith("services.")]
        return not _within(name, *(folder for folder in folders if folder != row))
    if row == "pinochle":
        # The rules know neither the wire nor the programs; the audits check stored bytes, and bytes that were shown.
        closed = NOT_RULES[:2] if module in AUDITS else NOT_RULES
        return not _within(name, *closed)
    return True


def _within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _is_codec(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.endswith("codec")


def _is_os(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "os"


def _names(node: ast.ImportFrom) -> set[str]:
    return {alias.name for alias in node.names}
