"""Every address, secret and limit of the services, read from the environment once at the start.

A field's variable is its name in capitals: `sweep_seconds` is SWEEP_SECONDS. To add a limit, add one
line with `limit(default, least, most)` and a comment that says why; `Settings.load()` then reads, converts
and checks it.
"""

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class BadSettings(Exception):
    """The environment holds values that can't be used; the text names each of them, one a line."""


def limit(default: float, least: float, most: float) -> Any:
    """A number from `least` to `most`, both included; whole where its field is an `int`."""
    return dataclasses.field(default=default, metadata={"least": least, "most": most})


def secret(default: str = "") -> Any:
    """Text that no representation, log or error message shows."""
    return dataclasses.field(default=default, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one process; an address or a secret that is not set is empty."""

    # Where the parts are. Database addresses hold passwords.
    database_url: str = secret()  # the owner's, for migrations only
    tables_database_url: str = secret()
    tournaments_database_url: str = secret()
    redis_url: str = secret()
    table_address: str = "127.0.0.1:7411"  # what clients dial
    table_listen: str = "127.0.0.1:7411"
    tournament_address: str = "127.0.0.1:7412"
    tournament_listen: str = "127.0.0.1:7412"
    metrics_host: str = "127.0.0.1"
    metrics_port: int = limit(0, 0, 65_535)  # 0: no metrics are served

    # Who we are to the other services.
    bots_token: str = secret()
    service_token: str = secret()

    # One act. The write path.
    conflict_retries_max: int = limit(3, 0, 10)  # more conflicts in a row than this mean a fault, not a race
    commit_batch_acts_max: int = limit(512, 1, 10_000)  # beyond it a batch only adds latency
    commit_queue_acts_max: int = limit(10_000, 1, 1_000_000)  # about 0.2 seconds of writing at full speed
    commit_outage_seconds_max: float = limit(30.0, 0.1, 600)  # how long an act waits for a lost database
    act_bytes_max: int = limit(65_536, 1_024, 1 << 20)  # the largest act is a deal of 80 cards, about 1 kB

    # Streams in memory.
    cached_streams_max: int = limit(5_000, 1, 1_000_000)
    cached_acts_max: int = limit(500_000, 1, 100_000_000)  # in them all; about 360 bytes each
    stream_acts_max: int = limit(20_000, 100, 1_000_000)  # a game that is longer is voided
    heads_check_seconds: float = limit(1.0, 0.05, 60)  # how long a lost nudge goes unnoticed
    house_tick_seconds: float = limit(0.2, 0.01, 10)  # how precisely deadlines are kept
    sweep_seconds: float = limit(2.0, 0.1, 600)
    clock_drift_ms_max: int = limit(1_000, 1, 60_000)  # from Postgres; who drifts more does not serve
    turn_ms: int = limit(60_000, 100, 604_800_000)  # to think, where a table does not say
    turn_grace_ms: int = limit(2_000, 0, 60_000)  # after the deadline; longer than the drift

    # Calls and streams.
    message_bytes_max: int = limit(1 << 20, 4_096, 16 << 20)  # a whole log goes out in pages below it
    call_seconds_max: float = limit(10.0, 0.1, 120)  # every unary call between our own processes
    calls_in_flight_max: int = limit(2_000, 1, 100_000)  # beyond it a caller is told to come back later
    connection_calls_max: int = limit(256, 1, 100_000)  # on one connection; what is beyond it waits at the client
    open_streams_max: int = limit(5_000, 1, 100_000)
    stall_seconds_max: float = limit(20.0, 0.1, 600)  # one message to a slow reader; then it is told to resume
    followers_per_stream_max: int = limit(500, 1, 100_000)  # who watch one table or tournament; each act goes to all
    play_tables_max: int = limit(512, 1, 10_000)  # tables on one player's stream
    log_page_acts_max: int = limit(500, 1, 10_000)
    heartbeat_seconds: float = limit(5.0, 0.1, 300)  # tells a watcher the head version when nothing happens
    drain_seconds_max: float = limit(5.0, 0.1, 120)  # for calls under way after SIGTERM
    connect_seconds_max: float = limit(10.0, 0.1, 120)
    tokens_cached_max: int = limit(10_000, 1, 1_000_000)
    tokens_cached_seconds: float = limit(5.0, 0.0, 5.0)  # how long a revoked token may still pass

    # One client: a player with all its tokens, or a token of another role. House bots and the tournament service are
    # not counted. A burst is what a client may do at once after a rest; the rate is what it may go on with.
    client_calls_per_second_max: float = limit(500, 0.01, 1_000_000)
    client_calls_burst_max: int = limit(2_000, 1, 10_000_000)
    directing_factor: int = limit(10, 1, 1_000)  # operators and directors may call so many times as often
    client_calls_in_flight_max: int = limit(256, 1, 100_000)
    client_acts_per_second_max: float = limit(2_000, 0.01, 1_000_000)  # 512 tables, four turns a second at each
    client_acts_burst_max: int = limit(4_000, 1, 10_000_000)
    client_act_wait_seconds_max: float = limit(1.0, 0, 60)  # a stream is read so much later; beyond it it is ended
    client_refusals_per_second_max: float = limit(20, 0.01, 1_000_000)  # a refusal may cost a look into the database
    client_refusals_burst_max: int = limit(1_000, 1, 10_000_000)
    client_streams_max: int = limit(64, 1, 10_000)  # one program with many watchers
    address_bad_tokens_per_second_max: float = limit(5, 0.01, 1_000_000)  # each costs a look into the database
    address_bad_tokens_burst_max: int = limit(200, 1, 10_000_000)
    held_refusals_max: int = limit(500, 0, 100_000)  # answers that are held back to slow down who calls too often
    held_refusal_seconds_max: float = limit(0.25, 0, 10)

    # Postgres connections of one process.
    database_connections_max: int = limit(4, 3, 100)  # two write, the others read
    people_connections_max: int = limit(2, 1, 100)  # for names and texts, which few calls need
    statement_seconds_max: float = limit(10.0, 0.1, 600)

    # Redis.
    nudge_queue_max: int = limit(10_000, 1, 1_000_000)  # dropped beyond it: the sweep finds what was lost
    redis_seconds_max: float = limit(2.0, 0.1, 60)
    redis_reconnect_seconds_max: float = limit(2.0, 0.1, 60)

    # Celery. A task must end well within the visibility timeout, or it is started a second time.
    broker_visibility_seconds: int = limit(60, 2, 3_600)
    broker_restore_seconds: int = limit(1, 1, 600)  # how often tasks of a dead worker are looked for
    task_seconds_max: int = limit(30, 1, 3_000)
    task_queue_max: int = limit(10_000, 1, 1_000_000)  # beyond it the sweep waits instead of queueing more

    # House bots.
    bot_task_tables_max: int = limit(64, 1, 10_000)  # played side by side by one task
    bot_worker_tasks_max: int = limit(16, 1, 1_000)  # rounds that one worker plays at the same time
    bot_task_turns_max: int = limit(5_000, 1, 100_000)  # then the task ends and the rest is queued anew
    bot_task_seconds_max: float = limit(2.0, 0.05, 600)  # the same; other tables may be waiting for the worker
    bot_idle_seconds_max: float = limit(1.0, 0.05, 60)  # a table that is silent for so long is let go
    bot_tables_kept_max: int = limit(1_000, 1, 100_000)  # views kept between tasks, about 10 kB a table
    bot_left_seconds_max: float = limit(60.0, 1, 3_600)  # for which a seat that fails again and again is left
    bot_gather_seconds: float = limit(0.002, 0, 1)  # what becomes due within it goes into one task
    bot_lease_seconds: float = limit(5.0, 0.1, 600)  # a table that stands still for so long is handed out anew
    bot_lease_seconds_max: float = limit(60.0, 1, 3_600)  # if that did not help, twice as long, up to this
    bot_leases_max: int = limit(10_000, 1, 1_000_000)
    bot_sweep_seconds: float = limit(1.0, 0.05, 600)
    bot_waiting_ms: int = limit(1_000, 0, 600_000)  # a bot's turn that has waited so long was missed
    bot_enqueue_tasks_max: int = limit(1_000, 1, 100_000)  # tasks that wait to be queued while the broker hangs

    # Tournaments.
    tournament_entrants_max: int = limit(1_024, 2, 100_000)
    tournament_open_tables_max: int = limit(256, 1, 100_000)  # the others follow as tables end
    tournament_debounce_seconds: float = limit(0.05, 0, 10)  # tables that end together cause one task
    tournament_task_seconds_max: float = limit(20.0, 1, 3_000)

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """The settings from `environ`, by default this process's; BadSettings names what is wrong."""
        given = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        wrong: list[str] = []
        for field in dataclasses.fields(cls):
            text = given.get(field.name.upper(), "").strip()
            if text:
                try:
                    values[field.name] = _converted(field, text)
                except ValueError as error:
                    wrong.append(f"{field.name.upper()}: {error}")
        if not wrong:
            settings = cls(**values)
            wrong = settings._contradictions()
        if wrong:
            raise BadSettings("\n".join(wrong))
        return settings

    def required(self, *names: str) -> "Settings":
        """These settings, or BadSettings naming each of `names` that is empty."""
        missing = [name.upper() for name in names if not getattr(self, name)]
        if missing:
            raise BadSettings("\n".join(f"{name} must be set" for name in missing))
        return self

    def environ(self, *names: str) -> dict[str, str]:
        """Variables that give another process each limit of this one, and the fields named."""
        variables = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name in names or (field.type is not str and value != field.default):
                variables[field.name.upper()] = str(value)
        return variables

    def _contradictions(self) -> list[str]:
        wrong = []
        if self.turn_grace_ms < self.clock_drift_ms_max:
            wrong.append("TURN_GRACE_MS must not be below CLOCK_DRIFT_MS_MAX")
        if self.task_seconds_max >= self.broker_visibility_seconds:
            wrong.append("TASK_SECONDS_MAX must be below BROKER_VISIBILITY_SECONDS")
        if self.bot_task_seconds_max >= self.task_seconds_max:
            wrong.append("BOT_TASK_SECONDS_MAX must be below TASK_SECONDS_MAX")
        return wrong


def _converted(field: "dataclasses.Field[Any]", text: str) -> Any:
    """The value of a field from its text; the error never repeats a secret."""
    if field.type is str:
        if not text.isprintable():
            raise ValueError("must hold no control characters")
        return text
    kind = int if field.type is int else float
    least, most = field.metadata["least"], field.metadata["most"]
    try:
        value = kind(text)
    except ValueError:
        raise ValueError(f"must be a {'whole ' if kind is int else ''}number, not {text!r}") from None
    if not least <= value <= most:
        raise ValueError(f"must be from {least} to {most}, not {text}")
    return value
