"""Links: TCP proxies that cut, stall, tear and half-close the connections that go through them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Sequence
from random import Random

HOST = "127.0.0.1"
HELD_BYTES_MAX = 1 << 20
"""What is kept for a side that does not read before the other side is no longer read."""


class Link:
    """One way between two parts: a port of its own, and the targets that stand behind it.

    Each connection goes to one of the targets, chosen anew; one that cannot be reached ends it at once.
    """

    def __init__(self, name: str, chance: Random, port: int, targets: Sequence[int]) -> None:
        self.name = name
        self.chance = chance
        self.port = port
        self.targets = targets
        self.pairs: set[_Pair] = set()
        self.refuses_until = 0.0
        self.connections = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Let connections through, on the running event loop."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _End(self), HOST, self.port)

    async def close(self) -> None:
        """End everything at once."""
        if self._server is None:
            return
        self._server.close()
        self.cut()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await self._server.wait_closed()

    def refuse(self, seconds: float) -> None:
        """Let nobody new through for so long."""
        self.refuses_until = asyncio.get_running_loop().time() + seconds

    def cut(self) -> int:
        """Reset every connection; how many there were."""
        return self._each(_Pair.abort)

    def tear(self) -> int:
        """Reset every connection in the middle of what is sent next, in either direction."""
        return self._each(_Pair.tear)

    def half_close(self, to_server: bool) -> int:
        """End one direction of every connection as if that side had nothing more to say."""
        return self._each(lambda pair: pair.half_close(to_server))

    def stall(self, seconds: float) -> int:
        """Hold back everything for so long, then let it go."""
        return self._each(lambda pair: pair.stall(seconds))

    def silence(self, seconds: float) -> int:
        """Let questions through and hold back the answers for so long; then reset, so that nobody gets them."""
        return self._each(lambda pair: pair.silence(seconds))

    def _each(self, do: Callable[[_Pair], None]) -> int:
        pairs = list(self.pairs)
        for pair in pairs:
            do(pair)
        return len(pairs)


class _Pair:
    """The two ends of one connection."""

    def __init__(self, link: Link, client: _End) -> None:
        self.link = link
        self.client = client
        self.server: _End | None = None
        self.torn = False
        self.silent = False
        self.gone = False
        self.stalls = 0
        self._early = bytearray()
        self.task = asyncio.ensure_future(self._reach())

    async def _reach(self) -> None:
        loop = asyncio.get_running_loop()
        port = self.link.chance.choice(self.link.targets)
        try:
            async with asyncio.timeout(5):
                _, end = await loop.create_connection(lambda: _End(self.link, self), HOST, port)
        except (OSError, TimeoutError):
            self.abort()
            return
        self.server = end
        if self.client.transport is None or self.client.transport.is_closing():
            self.abort()
            return
        if self._early:
            end.write(bytes(self._early))
            self._early.clear()

    def received(self, end: _End, data: bytes) -> None:
        """Pass on what one end has sent, unless a fault keeps it."""
        other = self.server if end is self.client else self.client
        if self.gone or (self.silent and end is self.server):
            return  # a connection may lose its end, and never something in its midst
        if self.torn:
            if other is not None and len(data) > 1:
                other.write(data[: self.link.chance.randrange(1, len(data))])
            # What was written must be on its way before the reset, so that the other side sees half a message.
            asyncio.get_running_loop().call_later(0.005, self.abort)
            self.gone = True
        elif other is None:
            self._early += data
        else:
            other.write(data)

    def ended(self, end: _End) -> None:
        """One end has nothing more to say: the other is told the same. When neither has, all is over."""
        other = self.server if end is self.client else self.client
        end.has_ended = True
        if other is None or other.has_ended:
            self.abort()
            return
        if other is not None and other.transport is not None and not self.silent and not self.gone:
            with contextlib.suppress(OSError, RuntimeError):
                if other.transport.can_write_eof():
                    other.transport.write_eof()

    def lost(self, end: _End) -> None:
        """One end is closed, and with it the other."""
        other = self.server if end is self.client else self.client
        self.link.pairs.discard(self)
        if other is not None and other.transport is not None and not other.transport.is_closing():
            other.transport.close()

    def abort(self) -> None:
        self.link.pairs.discard(self)
        if self.task is not asyncio.current_task():
            self.task.cancel()
        for end in (self.client, self.server):
            if end is not None and end.transport is not None:
                end.reset()

    def tear(self) -> None:
        self.torn = True

    def half_close(self, to_server: bool) -> None:
        end = self.server if to_server else self.client
        if end is not None and end.transport is not None:
            with contextlib.suppress(OSError, RuntimeError):
                end.transport.write_eof()
                end.closed_for_writing = True

    def stall(self, seconds: float) -> None:
        self.stalls += 1
        for end in (self.client, self.server):
            if end is not None:
                end.pause()
        asyncio.get_running_loop().call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        self.stalls -= 1
        if not self.stalls:
            for end in (self.client, self.server):
                if end is not None:
                    end.resume()

    def silence(self, seconds: float) -> None:
        self.silent = True
        asyncio.get_running_loop().call_later(seconds, self.abort)


class _End(asyncio.Protocol):
    """One end of a pair; without one it belongs to a client that has just come."""

    def __init__(self, link: Link, pair: _Pair | None = None) -> None:
        self.link = link
        self.pair = pair
        self.transport: asyncio.Transport | None = None
        self.closed_for_writing = False
        self.has_ended = False
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(HELD_BYTES_MAX)
        if self.pair is None:
            if asyncio.get_running_loop().time() < self.link.refuses_until:
                self.reset()
                return
            self.link.connections += 1
            self.pair = _Pair(self.link, self)
            self.link.pairs.add(self.pair)

    def data_received(self, data: bytes) -> None:
        if self.pair is not None:
            self.pair.received(self, data)

    def eof_received(self) -> bool:
        if self.pair is not None:
            self.pair.ended(self)
        return True  # the other direction stays open

    def connection_lost(self, error: Exception | None) -> None:
        if self.pair is not None:
            self.pair.lost(self)

    def pause_writing(self) -> None:
        if self.pair is not None and (other := self._other()) is not None:
            other.pause()

    def resume_writing(self) -> None:
        if self.pair is not None and not self.pair.stalls and (other := self._other()) is not None:
            other.resume()

    def write(self, data: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing() and not self.closed_for_writing:
            self.transport.write(data)

    def pause(self) -> None:
        if self.transport is not None and not self._paused and not self.transport.is_closing():
            self._paused = True
            self.transport.pause_reading()

    def resume(self) -> None:
        if self.transport is not None and self._paused and not self.transport.is_closing():
            self._paused = False
            self.transport.resume_reading()

    def reset(self) -> None:
        """Close without a farewell: a reset for the other side, not an orderly end."""
        assert self.transport is not None
        connection = self.transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.transport.abort()

    def _other(self) -> _End | None:
        assert self.pair is not None
        return self.pair.server if self is self.pair.client else self.pair.client
