"""Names of teams and rulings: their marks go into the log, their texts are joined when they are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from pinochle.game import check_reason
from pinochle.players import is_house_bot
from pinochle.texts import is_mark
from pinochle.tournament import State
from pinochle.tournament.decider import check_team_name
from pinochle.wire.v1 import tournament_pb2 as pb

from services.people import People
from services.stream import Stream

ERASED = "(erased)"
"""What is shown in place of a ruling whose text was erased."""


class Names:
    """The names of tournaments, by what is kept of people."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def of_team(self, stream: Stream, name: str, players: Iterable[str]) -> str:
        """What is entered for a team of this name: its mark, or the name itself where an older log holds it."""
        check_team_name(name)
        state: State = stream.state
        if any(team.name == name for team in state.teams.values()):
            return name
        return await self._people.mark(stream.key, name, persons(players))

    async def of_ruling(self, stream: Stream, match: str, reason: str) -> str:
        """The mark of a ruling on a match, which concerns the players of it."""
        check_reason(reason)
        state: State = stream.state
        found = state.matches.get(match)
        teams = [state.teams[team].players for team in found.teams] if found else []
        return await self._people.mark(stream.key, reason, persons(player for team in teams for player in team))

    async def join(self, shown: pb.ShowResponse) -> None:
        """Put texts in the place of their marks, and display names beside players.

        Thousands of matches are gone through in a thread, while others are served.
        """
        marks, players = await asyncio.to_thread(_marks_and_players, shown)
        texts = await self._people.texts(marks)
        names = await self._people.names(players)
        await asyncio.to_thread(_put, shown, texts, names)

    async def join_champions(self, rows: Iterable[tuple[pb.TournamentSummary, int]]) -> None:
        """Put the champions' names in the place of their marks; each row comes with the champion's number."""
        marked = [(row, team) for row, team in rows if is_mark(row.champion)]
        texts = await self._people.texts({row.champion for row, _ in marked})
        for row, team in marked:
            row.champion = texts.get(row.champion) or nameless(team)


def _marks_and_players(shown: pb.ShowResponse) -> tuple[set[str], set[str]]:
    marks = {attempt.reason for match in shown.matches for attempt in match.attempts if is_mark(attempt.reason)}
    marks |= {team.name for team in shown.teams if is_mark(team.name)}
    return marks, {player for team in shown.teams for player in persons(team.players)}


def _put(shown: pb.ShowResponse, texts: Mapping[str, str], names: Mapping[str, str]) -> None:
    for team in shown.teams:
        if is_mark(team.name):
            team.name = texts.get(team.name) or nameless(team.team)
        if any(player in names for player in team.players):
            team.player_names.extend(names.get(player, "") for player in team.players)
    for match in shown.matches:
        for attempt in match.attempts:
            if is_mark(attempt.reason):
                attempt.reason = texts.get(attempt.reason) or ERASED


def persons(players: Iterable[str]) -> list[str]:
    """The players that are no house bots."""
    return [player for player in players if not is_house_bot(player)]


def nameless(team: int) -> str:
    """What a team is called whose name was erased."""
    return f"team {team}"
