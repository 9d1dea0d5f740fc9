"""How a process keeps up with the others: their nudges heard, heads compared, chores repeated."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from services import metrics
from services.bus import Bus
from services.eventstore import PAGE, EventStore, StoreUnavailable
from services.handle import Streams
from services.stream import Unreadable

LOG = logging.getLogger(__name__)


async def hear(bus: Bus, topic: str, streams: Streams) -> None:
    """Catch up, for ever, with acts that other processes nudge about, at streams in memory."""
    async for nudge in bus.subscribe(topic, own=False):
        if nudge is None:
            continue
        metrics.nudge_lag_seconds.observe(max(0, streams.now_ms() - nudge.sent_ms) / 1000)
        stream = streams.named(nudge.stream)
        # One that is locked is being read, or its own act is about to find itself too late; nobody waits for either.
        if stream and stream.version < nudge.version and not stream.lock.locked():
            try:
                await streams.refresh(stream)
            except StoreUnavailable as error:
                LOG.warning("a nudge could not be followed, the heads will tell: %s", error)
            except Unreadable:
                pass  # said when it was found; it ends only what follows this stream


async def compare_heads(streams: Streams, store: EventStore) -> None:
    """Catch up with acts whose nudges were lost, at open streams in memory, once those beyond its bounds are forgotten.

    Ends the process where the store does not hold what it has confirmed: somebody restored the database under it.
    """
    streams.trim()
    held = [stream for stream in streams.cached() if (stream.stale or stream.is_open) and not stream.unreadable]
    for start in range(0, len(held), PAGE):
        page = held[start : start + PAGE]
        stood = [(stream.version, stream.hash) for stream in page]
        heads = await store.heads([stream.key for stream in page])
        for stream, (version, proof) in zip(page, stood, strict=True):
            head = heads.get(stream.key)
            if version and (head is None or head.version < version or (head.version == version and head.hash != proof)):
                raise SystemExit(
                    f"the database does not hold act {version} of {stream.id}, which it had stored: it was restored to "
                    "an older point under this process, which must not go on"
                )
            # One that is locked is being read or written; where that takes long, the others must not wait for it.
            if not stream.lock.locked() and (stream.stale or (head is not None and head.version > stream.version)):
                with suppress(Unreadable):  # said when it is found, and the others go on
                    await streams.refresh(stream)


async def clock_drift_ms(streams: Streams, store: EventStore, service: str) -> int:
    """This process's clock less the database's: the least that can be, as nobody knows when the answer was given."""
    asked_ms = streams.now_ms()
    there_ms = await store.now_ms()
    drift_ms = max(asked_ms - there_ms, min(0, streams.now_ms() - there_ms))
    metrics.clock_drift_seconds.labels(service).set(drift_ms / 1000)
    return drift_ms


async def repeat(work: Callable[[], Awaitable[None]], seconds: float, sleep: Callable[[float], Awaitable[Any]]) -> None:
    """Do a chore again and again, `seconds` apart, whatever becomes of it."""
    while True:
        await sleep(seconds)
        try:
            await work()
        except (StoreUnavailable, TimeoutError) as error:
            LOG.warning("%s: %s", work.__name__, error)
        except Exception:
            LOG.exception("%s failed", work.__name__)
