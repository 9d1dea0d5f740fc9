// The formats of tournaments: which matches follow, and who has won (docs/tournaments.md, docs/verification.md).
//
// Of the plans of `rounds` it is checked what they must fulfil: who has byes, that everybody sits once, how many pairs
// meet again. That no plan with fewer such pairs exists is not.

import { finalPlaces, finalStandings } from "./standings.mjs";
import { need } from "./table.mjs";
import { same } from "./wire.mjs";

function schedule(emit, round, pairings, reason, repeated = 0) {
  const messages = pairings.map((one) => ({ type: "Pairing", ...one }));
  emit("MatchesScheduled", { round, pairings: messages, reason, repeated_meetings: repeated });
}

const undecided = (state) => [...state.matches.values()].some((match) => !match.decided);

const knockout = {
  open(state, emit) {
    const { order } = state;
    const places = bracket(order.length);
    const team = (seed) => order[seed - 1];
    const hasBye = ([, weaker]) => weaker > order.length;
    const byes = order.filter((_, at) => places.some((place) => hasBye(place) && place[0] === at + 1));
    if (byes.length > 0) emit("ByesGiven", { round: 1, teams: byes, reason: "top_seeds" });
    const first = [];
    const second = [];
    places.forEach((place, at) => {
      if (!hasBye(place)) first.push({ number: at + 1, teams: place.map(team) });
      else if (at % 2 === 0 && hasBye(places[at + 1] ?? [0, 0])) {
        second.push({ number: at / 2 + 1, teams: [team(place[0]), team(places[at + 1][0])] });
      }
    });
    schedule(emit, 1, first, "seeds");
    if (second.length > 0) schedule(emit, 2, second, "seeds");
  },

  afterMatch(state, { id, round, number, teams, winner }, emit) {
    const last = Math.ceil(Math.log2(state.order.length));
    emit("TeamEliminated", { team: teams.find((team) => team !== winner), match: id });
    if (round === last) {
      endKnockout(state, winner, last, emit);
      return;
    }
    const isOdd = number % 2 === 1;
    const other = winnerOfPlace(state, round, isOdd ? number + 1 : number - 1);
    if (other === null) return;
    const pair = isOdd ? [winner, other] : [other, winner];
    schedule(emit, round + 1, [{ number: Math.ceil(number / 2), teams: pair }], "winners");
  },
};

// The seeds that meet in the places of the first round: 1 and the last, in such an order that the best meet late.
function bracket(teams) {
  let seeds = [1];
  while (seeds.length < teams) seeds = seeds.flatMap((seed) => [seed, 2 * seeds.length + 1 - seed]);
  return Array.from({ length: seeds.length / 2 }, (_, at) => [seeds[2 * at], seeds[2 * at + 1]]);
}

// Who comes from a place of a round: the winner, or in the first round who has a bye there; null while that is open.
function winnerOfPlace(state, round, number) {
  const match = state.matches.get(`r${round}m${number}`);
  if (match || round > 1) return match?.winner ?? null;
  return state.order[bracket(state.order.length)[number - 1][0] - 1];
}

function endKnockout(state, champion, last, emit) {
  const lostIn = new Map();
  for (const match of state.matches.values()) {
    for (const team of match.teams) if (team !== match.winner) lostIn.set(team, match.round);
  }
  const rank = (team) => (team === champion ? 1 : 2 ** (last - lostIn.get(team)) + 1);
  const order = [...state.order].sort((one, other) => rank(one) - rank(other)); // stable: of one rank by seed
  emit("TournamentEnded", { champion, order, ranks: order.map(rank), reason: "round_of_elimination" });
}

const roundRobin = {
  open(state, emit) {
    pairCircle(state, 1, emit);
  },

  afterMatch(state, { round }, emit) {
    if (undecided(state)) return;
    const teams = state.order.length;
    if (round < (teams - 1 + (teams % 2)) * state.created.cycles) pairCircle(state, round + 1, emit);
    else end(finalStandings(state), "StandingsFinal", "StandingsRow", emit);
  },
};

// The first stays, all others have moved on one place a round; who faces the empty place has the bye.
function pairCircle(state, round, emit) {
  const circle = state.order.length % 2 === 1 ? [...state.order, null] : [...state.order];
  const around = circle.length - 1;
  const [cycle, turn] = [Math.floor((round - 1) / around), (round - 1) % around];
  const at = (place) => (place === 0 ? circle[0] : circle[1 + ((place - 1 - turn + around) % around)]);
  const pairings = [];
  for (let place = 0; place < circle.length / 2; place++) {
    const pair = [at(place), at(circle.length - 1 - place)];
    if (pair.includes(null)) {
      emit("ByesGiven", { round, teams: pair.filter((team) => team !== null), reason: "odd_number" });
      continue;
    }
    const swaps = (cycle + (place === 0 ? turn : place)) % 2 === 1;
    pairings.push({ number: pairings.length + 1, teams: swaps ? pair.reverse() : pair });
  }
  schedule(emit, round, pairings, "circle");
}

const rounds = {
  open(state, emit, found) {
    planned(state, 1, emit, found);
  },

  afterMatch(state, { round }, emit, found) {
    if (undecided(state)) return;
    scoreByes(state, round, emit);
    if (round < state.created.rounds) planned(state, round + 1, emit, found);
    else end(finalPlaces(state), "PlacesFinal", "PlaceRow", emit);
  },
};

// The plan of a round as the events have it, if it is one that may be.
function planned(state, round, emit, found) {
  const { order } = state;
  const scheduled = found.find((event) => event.type === "MatchesScheduled");
  need(scheduled, "a round without a plan");
  const seated = scheduled.pairings.flatMap((pairing) => pairing.teams);
  const everybody = new Set(seated);
  const byes = found.find((event) => event.type === "ByesGiven")?.teams ?? [];
  const all = [...seated, ...byes];
  need(all.length === order.length && all.every((team) => order.includes(team)), "the seats");
  need(everybody.size === seated.length && byes.every((team) => !everybody.has(team)), "a player who sits twice");
  need(byes.length === order.length % 3, "the number of byes");
  need(scheduled.pairings.every((pairing) => pairing.teams.length === 3), "the groups");
  if (byes.length > 0) {
    checkByes(state, byes);
    emit("ByesGiven", { round, teams: byes, reason: "fewest_byes" });
  }
  for (const { teams } of scheduled.pairings) need(same(teams, inSeats(state, teams)), "the seats of a group");
  const pairs = scheduled.pairings.flatMap((pairing) => pairsOf(pairing.teams));
  const repeated = pairs.filter((pair) => haveMet(state, pair)).length;
  const bestSeeds = scheduled.pairings.map(({ teams }) => Math.min(...teams.map((team) => order.indexOf(team))));
  need(bestSeeds.every((seed, at) => at === 0 || seed > bestSeeds[at - 1]), "the order of the groups");
  const pairings = scheduled.pairings.map(({ teams }, at) => ({ number: at + 1, teams }));
  schedule(emit, round, pairings, repeated > 0 ? "fewest_meetings" : "new_meetings", repeated);
}

const pairsOf = ([one, two, three]) => [[one, two], [one, three], [two, three]];
const haveMet = (state, pair) =>
  [...state.matches.values()].some((match) => pair.every((team) => match.teams.includes(team)));

// The group in the order in which its players have had these seats least: the least sum of squares, of several the first in
// the order of their seeds.
function inSeats(state, teams) {
  const had = (team, seat) => [...state.matches.values()].filter((match) => match.teams[seat] === team).length;
  const [one, two, three] = [...teams].sort((a, b) => state.order.indexOf(a) - state.order.indexOf(b));
  const orders = [
    [one, two, three], [one, three, two], [two, one, three], [two, three, one], [three, one, two], [three, two, one],
  ];
  const cost = (order) => order.reduce((sum, team, seat) => sum + had(team, seat) ** 2, 0);
  return orders.reduce((best, order) => (cost(order) < cost(best) ? order : best));
}

// Nobody has a bye while somebody who plays has had fewer. Who has had the fewest stands first, then the last seed.
function checkByes(state, byes) {
  need(new Set(byes).size === byes.length, "a bye twice");
  const had = (team) => [...state.byes.values()].filter((teams) => teams.includes(team)).length;
  const seed = (team) => state.order.indexOf(team);
  const inOrder = [...byes].sort((one, other) => had(one) - had(other) || seed(other) - seed(one));
  need(same(byes, inOrder), "the order of the byes");
  const playing = state.order.filter((team) => !byes.includes(team));
  need(Math.max(...byes.map(had)) <= Math.min(...playing.map(had)), "a bye of somebody who has had more than another");
}

// The mean of the round for those with a bye, and for those whose table was voided too often.
function scoreByes(state, round, emit) {
  const matches = [...state.matches.values()].filter((match) => match.round === round);
  const played = matches.filter((match) => match.attempts.at(-1).status === "played");
  const totals = played.flatMap((match) => match.attempts.at(-1).totals);
  const points = totals.length > 0 ? Math.floor(totals.reduce((sum, one) => sum + one, 0) / totals.length) : 0;
  const voided = matches.filter((match) => !played.includes(match)).flatMap((match) => match.teams);
  for (const [teams, reason] of [[state.byes.get(round) ?? [], "bye"], [voided, "void"]]) {
    if (teams.length > 0) emit("ByesScored", { round, teams, halves: 4, points, reason });
  }
}

function end(rows, type, rowType, emit) {
  emit(type, { rows: rows.map((row) => ({ type: rowType, ...row })) });
  const order = rows.map((row) => row.team);
  emit("TournamentEnded", { champion: order[0], order, ranks: rows.map((row) => row.rank), reason: "standings" });
}

export const FORMATS = { 1: knockout, 2: roundRobin, 3: rounds };
