"""Lists of tables: a page ends in time, and the next one goes on behind it."""

from pinochle.commands import OpenTable
from pinochle.rules import load
from pinochle.wire.v1 import table_pb2 as pb

from services.eventstore import MemoryStore
from services.handle import Hooks, Streams
from services.table import listing
from services.table.index import KIND

OPEN = OpenTable(load("classic"), ("a", "b", "c", "d"), 0, bytes(32), b"", 1_000, 0, 1, "", "", "")
TABLES = 5


async def test_a_list_that_takes_too_long_says_where_to_go_on() -> None:
    now_ms = 0

    def clock_ms() -> int:
        nonlocal now_ms
        now_ms += listing.SCANNED_MS_MAX // 4  # a table that is read and listed takes two looks at the clock
        return now_ms

    store = MemoryStore(lambda: 1)
    hooks = Hooks(lambda stream, view: None, lambda spent: None, lambda: None)
    streams = Streams(
        KIND, store, clock_ms=clock_ms, clock=lambda: 0.0, cached_max=1, acts_max=100, retries_max=3, hooks=hooks
    )
    for number in range(TABLES):
        await streams.handle(bytes([number]) * 16, "director", b"open".ljust(16), OPEN, opens=True)
    for tournament, expected in (("", TABLES), ("another", 0)):
        found, pages, after = [], 0, ""
        while pages == 0 or after:
            request = pb.ListRequest(after=after, tournament=tournament)
            page = await listing.tables(streams, store, request, "operator")
            found += [summary.table for summary in page.tables]
            pages, after = pages + 1, page.next
        assert (expected, 3) == (len(set(found)), pages)
