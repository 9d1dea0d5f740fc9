"""PeopleService over gRPC: display names and contact of players, and their erasure."""

from __future__ import annotations

from pinochle.errors import BadInput
from pinochle.players import check_player, is_house_bot
from pinochle.wire.v1 import access_pb2 as pb

from services.auth import Principal
from services.people import People
from services.rpc import Forbidden, Guard, unary


class PeopleServicer:
    """The calls of PeopleService. A player speaks for itself, operators and directors for everybody."""

    def __init__(self, people: People, guard: Guard) -> None:
        self.guard = guard
        self._people = people

    @unary
    async def SetPerson(self, request: pb.SetPersonRequest, caller: Principal) -> pb.SetPersonResponse:
        _check(request.player)
        if not _is_self(caller, request.player) and caller.role not in ("operator", "director"):
            raise Forbidden("only the player itself, operators and directors set names")
        name = request.name if request.HasField("name") else None
        contact = request.contact if request.HasField("contact") else None
        await self._people.set_person(request.player, name, contact)
        return pb.SetPersonResponse()

    @unary
    async def GetPerson(self, request: pb.GetPersonRequest, caller: Principal) -> pb.GetPersonResponse:
        _check(request.player)
        person = await self._people.person(request.player)
        if person is None:
            return pb.GetPersonResponse()
        sees_contact = _is_self(caller, request.player) or caller.role in ("operator", "director")
        return pb.GetPersonResponse(name=person.name, contact=person.contact if sees_contact else "")

    @unary
    async def Forget(self, request: pb.ForgetRequest, caller: Principal) -> pb.ForgetResponse:
        _check(request.player)
        if not _is_self(caller, request.player) and caller.role != "operator":
            raise Forbidden("only the player itself and operators erase what is known of a player")
        return pb.ForgetResponse(texts=await self._people.forget(request.player))


def _check(player: str) -> None:
    check_player(player)
    if is_house_bot(player):
        raise BadInput(f"player: {player[:40]!r} is a house bot, and of those nothing is known")


def _is_self(caller: Principal, player: str) -> bool:
    # A token for one table or seat may lie in a program that plays there, and does not speak for the person.
    return caller.role == "player" and caller.player == player and caller.stream is None
