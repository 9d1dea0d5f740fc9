"""The settings: read from variables, checked, and never shown where they are secret."""

import dataclasses
import re
from pathlib import Path

import pytest

from services.config import BadSettings, Settings

ROOT = Path(__file__).resolve().parents[2]


def test_an_empty_environment_gives_the_defaults() -> None:
    assert Settings() == Settings.load({})


def test_a_variable_sets_the_field_of_its_name() -> None:
    assert 7 == Settings.load({"COMMIT_BATCH_ACTS_MAX": "7"}).commit_batch_acts_max


def test_every_default_lies_within_its_own_bounds() -> None:
    limits = [field for field in dataclasses.fields(Settings) if field.metadata]
    outside = [f.name for f in limits if not f.metadata["least"] <= f.default <= f.metadata["most"]]
    assert ([], True) == (outside, len(limits) > 30)


@pytest.mark.parametrize(
    ("variable", "text", "complaint"),
    [
        ("COMMIT_BATCH_ACTS_MAX", "many", "COMMIT_BATCH_ACTS_MAX: must be a whole number, not 'many'"),
        ("COMMIT_BATCH_ACTS_MAX", "1.5", "COMMIT_BATCH_ACTS_MAX: must be a whole number, not '1.5'"),
        ("COMMIT_BATCH_ACTS_MAX", "0", "COMMIT_BATCH_ACTS_MAX: must be from 1 to 10000, not 0"),
        ("CONNECT_SECONDS_MAX", "nan", "CONNECT_SECONDS_MAX: must be from 0.1 to 120, not nan"),
        ("TABLE_LISTEN", "a\x00b", "TABLE_LISTEN: must hold no control characters"),
        ("TURN_GRACE_MS", "10", "TURN_GRACE_MS must not be below CLOCK_DRIFT_MS_MAX"),
        ("TASK_SECONDS_MAX", "60", "TASK_SECONDS_MAX must be below BROKER_VISIBILITY_SECONDS"),
    ],
)
def test_a_bad_value_is_named(variable: str, text: str, complaint: str) -> None:
    with pytest.raises(BadSettings) as error:
        Settings.load({variable: text})
    assert complaint == str(error.value)


def test_every_bad_value_is_named_at_once() -> None:
    with pytest.raises(BadSettings) as error:
        Settings.load({"CONNECT_SECONDS_MAX": "x", "METRICS_PORT": "y"})
    assert 2 == len(str(error.value).splitlines())


def test_a_missing_address_is_named() -> None:
    with pytest.raises(BadSettings, match=r"^TABLES_DATABASE_URL must be set$"):
        Settings.load({"REDIS_URL": "redis://h"}).required("redis_url", "tables_database_url")


def test_secrets_are_not_shown() -> None:
    shown = repr(Settings.load({"BOTS_TOKEN": "pin_secret", "DATABASE_URL": "postgresql://u:pw@h/d"}))
    assert "pin_secret" not in shown
    assert "pw" not in shown


def test_another_process_gets_the_changed_limits_and_only_the_secrets_that_are_named() -> None:
    settings = Settings.load({"SWEEP_SECONDS": "9", "BOTS_TOKEN": "pin_b", "SERVICE_TOKEN": "pin_s"})
    assert {"SWEEP_SECONDS": "9.0", "BOTS_TOKEN": "pin_b"} == settings.environ("bots_token")


def test_what_one_process_hands_on_another_reads_back() -> None:
    settings = Settings.load({"SWEEP_SECONDS": "9", "CALL_SECONDS_MAX": "3", "METRICS_PORT": "9410"})
    assert settings == Settings.load(settings.environ())


def test_every_setting_is_read_by_some_process() -> None:
    folders = (ROOT / "services", ROOT / "deploy")
    sources = [path.read_text() for folder in folders for path in folder.rglob("*.py") if path.name != "config.py"]
    unread = [
        field.name
        for field in dataclasses.fields(Settings)
        if not any(re.search(rf"\b{field.name}\b", source) for source in sources)
    ]
    assert [] == unread
