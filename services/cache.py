"""The streams in memory of one process: the longest unused are forgotten, those in use are not."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from services.stream import Stream


class StreamCache(OrderedDict[bytes, Stream]):
    """Streams by key, longest unused first: as many as `streams_max`, with `acts_max` acts in all.

    Streams that are followed, or at work, stay beyond both bounds.
    """

    def __init__(self, streams_max: int, acts_max: int) -> None:
        super().__init__()
        self._streams_max = streams_max
        self._acts_max = acts_max

    def keep(self, stream: Stream) -> Stream:
        """Hold a stream; the one that is held under its key, which need not be this one."""
        held = self.setdefault(stream.key, stream)
        self._forget(len(self) - self._streams_max, lambda stream: 1)
        return held

    def trim(self) -> None:
        """Come back within the bound on acts; for now and then, since it counts them all."""
        self._forget(sum(stream.version for stream in self.values()) - self._acts_max, lambda stream: stream.version)

    def _forget(self, excess: int, weight: Callable[[Stream], int]) -> None:
        if excess <= 0:
            return
        for key, stream in list(self.items()):
            if not stream.followers and stream.held is None and not stream.lock.locked():
                del self[key]
                excess -= weight(stream)
                if excess <= 0:
                    return
