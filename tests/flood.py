"""A client that asks for too much, in a process of its own: `python -m tests.flood KIND ADDRESS TOKEN TABLE SECONDS`.

The kinds: `calls` (unary calls, as many as a connection carries), `acts` (a Play stream of acts that are refused),
`tokens` (calls with tokens that are no good), `watches` (streams that are never read). Prints what it was answered as
one line of JSON: statuses, and whether each refusal for want of room said when to come back.
"""

import asyncio
import json
import secrets
import sys
from collections import Counter
from typing import Any

import grpc
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import table_pb2_grpc

AT_ONCE, ACTS_AT_ONCE, WATCHES = 256, 100, 64
RETRY_KEY, RESUME_KEY = "grpc-retry-pushback-ms", "pinochle-resume-after"


class Flooder:
    """Floods until its time is over, and counts what it is answered."""

    def __init__(self, address: str, token: str, table: str, seconds: float) -> None:
        self._channel = grpc.aio.insecure_channel(address)
        self._stub = table_pb2_grpc.TableServiceStub(self._channel)
        self._token = token
        self._table = table
        self._seconds = seconds
        self.answers: Counter[str] = Counter()
        self.delays_ms: list[int] = []
        self.resumes: list[int] = []

    async def run(self, kind: str) -> None:
        """Flood in one way."""
        work = {"calls": self._calls, "acts": self._acts, "tokens": self._tokens, "watches": self._watches}[kind]
        number = 1 if kind in ("acts", "watches") else AT_ONCE
        tasks = [asyncio.create_task(work()) for _ in range(number)]
        await asyncio.wait(tasks, timeout=self._seconds)
        for task in tasks:
            task.cancel()
        for found in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(found, Exception):
                raise found
        await self._channel.close()

    def _metadata(self, token: str) -> Any:
        return (("authorization", f"Bearer {token}"),)

    def _ended(self, error: grpc.aio.AioRpcError) -> None:
        self.answers[error.code().name] += 1
        for key, value in error.trailing_metadata() or ():
            if key == RETRY_KEY:
                self.delays_ms.append(int(value))
            if key == RESUME_KEY:
                self.resumes.append(int(value))

    async def _calls(self) -> None:
        while True:
            await self._view(self._token)

    async def _tokens(self) -> None:
        while True:
            await self._view("pin_" + secrets.token_urlsafe(32))

    async def _view(self, token: str) -> None:
        try:
            await self._stub.View(pb.ViewRequest(table=self._table), metadata=self._metadata(token), timeout=20)
            self.answers["OK"] += 1
        except grpc.aio.AioRpcError as error:
            self._ended(error)

    async def _acts(self) -> None:
        while True:
            call = self._stub.Play(metadata=self._metadata(self._token), timeout=30)

            async def send(call: Any = call) -> None:
                while not call.done():
                    acts = [
                        pb.ActRequest(table=self._table, expected_version=1, command_id=secrets.token_bytes(16))
                        for _ in range(ACTS_AT_ONCE)
                    ]
                    await call.write(pb.PlayRequest(acts=acts))

            sending = asyncio.create_task(send())
            try:
                async for response in call:
                    self.answers["refused"] += len(response.updates)
            except grpc.aio.AioRpcError as error:
                self._ended(error)
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)

    async def _watches(self) -> None:
        calls = [
            self._stub.Watch(pb.WatchRequest(table=self._table), metadata=self._metadata(self._token))
            for _ in range(WATCHES)
        ]
        for call in calls:
            try:
                await call.read()
                self.answers["OK"] += 1
            except grpc.aio.AioRpcError as error:
                self._ended(error)
        await asyncio.sleep(self._seconds)


def main() -> None:
    """Flood as the command line says."""
    kind, address, token, table, seconds = sys.argv[1:]

    async def flood() -> Flooder:
        flooder = Flooder(address, token, table, float(seconds))
        await flooder.run(kind)
        return flooder

    flooder = asyncio.run(flood())
    print(json.dumps({"answers": flooder.answers, "delays_ms": flooder.delays_ms, "resumes": flooder.resumes}))


if __name__ == "__main__":
    main()
