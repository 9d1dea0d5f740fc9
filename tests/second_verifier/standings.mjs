// The standings at the end of a round robin, and of rounds at tables of three (docs/tournaments.md).

import { lotOrder } from "./lots.mjs";

// Rows of StandingsRow: wins, then wins against each other, then the difference of points, then the lot.
export function finalStandings(state) {
  const nothing = () => ({ played: 0, wins: 0, points_for: 0, points_against: 0, beaten: [] });
  const tally = new Map(state.order.map((team) => [team, nothing()]));
  for (const match of state.matches.values()) {
    const loser = match.teams.find((team) => team !== match.winner);
    tally.get(match.winner).wins++;
    tally.get(match.winner).beaten.push(loser);
    const game = match.attempts.find((attempt) => !attempt.tie && attempt.status === "played");
    match.teams.forEach((team, side) => {
      tally.get(team).played++;
      tally.get(team).points_for += game?.totals[side] ?? 0;
      tally.get(team).points_against += game?.totals[1 - side] ?? 0;
    });
  }
  const groups = parts(state.order, (team) => tally.get(team).wins).flatMap((group) => byMeetings(group, "wins", tally));
  return ranked(state, groups, (team) => {
    const { beaten, ...row } = tally.get(team);
    return row;
  });
}

// Those that are level are compared by what they won against each other, again as long as that parts them.
function byMeetings(group, reason, tally) {
  if (group.length === 1) return [{ teams: group, reason }];
  const meetings = parts(group, (team) => tally.get(team).beaten.filter((other) => group.includes(other)).length);
  if (meetings.length > 1) return meetings.flatMap((part) => byMeetings(part, "head_to_head", tally));
  const difference = (team) => tally.get(team).points_for - tally.get(team).points_against;
  return parts(group, difference).map((teams) => ({ teams, reason: "difference" }));
}

// Rows of PlaceRow: place points, then total points, then the lot.
export function finalPlaces(state) {
  const tally = new Map(state.order.map((team) => [team, { played: 0, byes: 0, halves: 0, points: 0 }]));
  for (const match of state.matches.values()) {
    const { status, totals } = match.attempts.at(-1);
    if (status !== "played") continue;
    match.teams.forEach((team, side) => {
      tally.get(team).played++;
      tally.get(team).halves += match.halves[side];
      tally.get(team).points += totals[side];
    });
  }
  for (const { teams, halves, points } of state.byesScored) {
    for (const team of teams) {
      tally.get(team).byes++;
      tally.get(team).halves += halves;
      tally.get(team).points += points;
    }
  }
  const groups = parts(state.order, (team) => tally.get(team).halves).flatMap((group) => {
    const byPoints = parts(group, (team) => tally.get(team).points);
    return byPoints.map((teams) => ({ teams, reason: byPoints.length === 1 ? "place_points" : "total_points" }));
  });
  return ranked(state, groups, (team) => tally.get(team));
}

// Groups in rows; the lot parts whatever is still together.
function ranked(state, groups, rowOf) {
  const rows = [];
  for (const { teams, reason } of groups) {
    const label = `standings ${[...teams].sort((one, other) => one - other).join(",")}`;
    const order = teams.length > 1 ? lotOrder(state.created.seed, label, teams) : teams;
    for (const team of order) {
      rows.push({ rank: rows.length + 1, team, ...rowOf(team), reason: teams.length > 1 ? "lot" : reason });
    }
  }
  return rows;
}

// The teams in parts of equal value, highest first.
function parts(teams, value) {
  const values = [...new Set(teams.map(value))].sort((one, other) => other - one);
  return values.map((high) => teams.filter((team) => value(team) === high));
}
