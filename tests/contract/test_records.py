"""Commands, events, options and acts are never changed once made; only the fold changes a state."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDS = {f"engine/pinochle/{name}.py" for name in ("state", "partnership_state", "stock_state", "tournament/state")}
RECORDS = {"act", "event", "command", "options", "view", "e", "c", "o", "m"}
"""What the code calls records, and states that it did not make itself."""

REMEMBERED = "options"
"""The one attribute of a state that others set: what may be done in it, which a copy forgets."""


def files(*folders: str) -> Iterator[tuple[str, ast.AST]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "v1" not in path.parts:  # generated
                yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def assigned(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """(variable, attribute, line) of every attribute that is set or deleted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield ast.unparse(node.value), node.attr, node.lineno


def test_no_code_changes_a_record() -> None:
    """They are not frozen at run time, which would cost a quarter of the engine's speed."""
    found = [
        f"{name}:{line}: {variable}.{attribute}"
        for name, tree in files("engine/pinochle", "services")
        for variable, attribute, line in assigned(tree)
        if name not in FOLDS and variable in RECORDS and attribute != REMEMBERED
    ]
    assert [] == found


def test_rule_modules_set_attributes_of_their_own_objects_alone() -> None:
    found = [
        f"{name}:{line}: {variable}.{attribute}"
        for name, tree in files("engine/pinochle")
        for variable, attribute, line in assigned(tree)
        if name.count("/") == 2 and name not in FOLDS and variable != "self" and attribute != REMEMBERED
    ]
    assert [] == found


def test_the_check_finds_assignments() -> None:
    tree = ast.parse("event.seat = 1\nact.version += 1\n(e.card, x) = 1, 2\ndel c.seat\nfor m.seat in (): pass\n")
    assert {"event", "act", "e", "c", "m"} == {variable for variable, _, _ in assigned(tree)}
