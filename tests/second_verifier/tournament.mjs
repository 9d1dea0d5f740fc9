// A tournament: entries, results, what follows from them, and the root over its tables (docs/tournaments.md,
// docs/verification.md). The same interface as table.mjs.
//
// A match is { id, round, number, teams, attempts, winner (a team or null), halves }; an attempt { number, tie, status
// ("wanted", "played", "replaced") and, played, its result }. The state's maps are copied before they are changed.

import { Illegal, isBeat, isLabel, lengthOf, need, PLAYER_ID, seedProblem, WEEK_MS } from "./table.mjs";
import { sha256, eightBytes } from "./chain.mjs";
import { FORMATS } from "./formats.mjs";
import { lotOrder, lotSide, tableId } from "./lots.mjs";
import { rulesFrom } from "./rules.mjs";
import { commitment, SEED_BYTES } from "./shuffle.mjs";
import { BadWire, make, Newer, same } from "./wire.mjs";

const [KNOCKOUT, ROUND_ROBIN, ROUNDS] = [1, 2, 3];
const TEAMS_MAX = { [KNOCKOUT]: 4096, [ROUND_ROBIN]: 128, [ROUNDS]: 128 };
const LIMITS = { matches: 10_000, replays: 5, pinned: 4_000, acts: 1_000_000, name: 80, reason: 500 };
const POINTS_MAX = 10 ** 12;
const DIRECTORS = ["director", "operator"];
const AUTHORS = { RecordResult: ["house"], CloseTournament: ["house", ...DIRECTORS] };
const REASONS = ["score", "draw", "deal_limit", "void"];

export const BODY = "TournamentActBody";

export function initial() {
  return {
    phase: "new", created: null, rules: null, teams: new Map(), numbered: 0, order: [], matches: new Map(), byes: new Map(),
    byesScored: [], pinned: [], recorded: 0,
  };
}

export function copy(state) {
  return { ...state, teams: new Map(state.teams), matches: new Map(state.matches), byes: new Map(state.byes) };
}

export const hasEnded = (state) => state.phase === "closed";
export const stands = (state) => state.phase;
export const deals = (state) => state.recorded;

export function commandOf(body) {
  const command = body.command?.kind ?? null;
  if (command === null) throw new BadWire("a command of no kind");
  if (command.type === "CreateTournament") checkCreation(command);
  return command;
}

// BadWire for an event that no writer would write, whatever the rules say.
export function checkEvent(event) {
  if (event.type === "TournamentCreated") checkCreation(event);
}

function checkCreation({ format, rules }) {
  if (format > ROUNDS) throw new Newer(`format ${format} is one that this version does not know`);
  rulesFrom(rules);
}

export function check(stream, state, { author, command, events, received }) {
  const allowed = AUTHORS[command.type] ?? DIRECTORS;
  if (!allowed.includes(author)) return ["author", `expected ${allowed.join(" or ")} for ${command.type}, found ${author}`];
  if (state.phase === "new") return openingProblem(stream, events[0]);
  if (command.type === "CloseTournament" && received > 0n && command.tables.length === 0) {
    return ["root", "expected the tables of the tournament with their last hashes"];
  }
  const closed = events.find((event) => event.type === "TournamentClosed");
  return closed ? seedProblem(state.created.commitment, closed.seed) : null;
}

function openingProblem(stream, created) {
  if (created?.type !== "TournamentCreated") return ["opening", "expected TournamentCreated"];
  if (created.tournament !== stream.id) return ["opening", `expected tournament ${stream.id}`];
  return seedProblem(created.commitment, created.seed);
}

// { events, after } of a command; `found` are the events as they are stored, which plans of rounds are taken from.
export function conclude(schema, state, command, found) {
  const after = copy(state);
  const events = [];
  const emit = (type, fields) => {
    const event = make(schema, type, fields);
    events.push(event);
    apply(after, event);
  };
  const decide = COMMANDS[command.type];
  if (!decide) throw new Illegal(`a command that is not known: ${command.type}`);
  if (after.phase === "new" && command.type !== "CreateTournament") throw new Illegal("there is no tournament yet");
  decide(after, command, emit, found);
  return { events, after };
}

const isWhole = (value, low, high) => value >= low && value <= high;
const isName = (text) => isWhole(lengthOf(text), 1, LIMITS.name) && isLabel(text) && text.trim() === text;
const sidesOf = (rules) => (rules.format === "stock" ? rules.players : 2);

const COMMANDS = {
  CreateTournament(state, command, emit) {
    need(state.phase === "new", "a second creation");
    const { format } = command;
    need(isName(command.name) && command.seed.length === SEED_BYTES, "the name or the seed");
    need([KNOCKOUT, ROUND_ROBIN, ROUNDS].includes(format), "the format");
    need((sidesOf(rulesFrom(command.rules)) === 3) === (format === ROUNDS), "the format of this game");
    need(command.deals <= 1_000 && isWhole(command.deal_cap, Math.max(1, command.deals), 10_000), "the deals");
    need(command.tie_deals <= 20 && command.turn_ms <= WEEK_MS, "the deals of a tie, or the time of a turn");
    need(isBeat(command.beat_ms), "the beat");
    need(format === ROUND_ROBIN ? isWhole(command.cycles, 1, 8) : command.cycles === 1, "the cycles");
    need(format === ROUNDS ? isWhole(command.rounds, 1, 40) : command.rounds === 0, "the rounds");
    const { type, ...said } = command;
    emit("TournamentCreated", { ...said, commitment: commitment(command.seed) });
  },

  EnterTeam(state, { name, players, number }, emit) {
    need(state.phase === "entry", "an entry");
    need(isName(name) && number <= 1_000_000, "the name or number of a team");
    need(players.length * sidesOf(state.rules) === state.rules.players, "the size of a team");
    need(players.every((player) => PLAYER_ID.test(player)), "a player's id");
    need(state.teams.size < TEAMS_MAX[state.created.format], "one more team");
    const teams = [...state.teams.values()];
    need(!teams.some((team) => team.name === name), "a name that is taken");
    const persons = [...teams.flatMap((team) => team.players), ...players].filter((player) => !player.startsWith("bot:"));
    need(new Set(persons).size === persons.length, "a player who is entered twice");
    emit("TeamEntered", { team: state.numbered, name, players, number });
  },

  WithdrawTeam(state, { team }, emit) {
    need(state.phase === "entry" && state.teams.has(team), "that withdrawal");
    emit("TeamWithdrawn", { team });
  },

  StartTournament(state, command, emit, found) {
    const { created, rules, teams } = state;
    need(state.phase === "entry" && teams.size >= sidesOf(rules), "the start");
    const matches = ((teams.size * (teams.size - 1)) / 2) * (created.format === ROUND_ROBIN ? created.cycles : 0);
    need(matches <= LIMITS.matches, "so many matches");
    const given = [...new Set([...teams.values()].map((team) => team.number))];
    given.sort((one, other) => (one || Infinity) - (other || Infinity)); // without a number last
    const order = given.flatMap((number) => {
      const level = [...teams.values()].filter((team) => team.number === number).map((team) => team.team);
      return lotOrder(created.seed, `seeding ${number}`, level);
    });
    emit("Seeded", { order, numbers: order.map((team) => teams.get(team).number) });
    FORMATS[created.format].open(state, emit, found);
  },

  RecordResult(state, command, emit, found) {
    const { created } = state;
    const [match, attempt] = openAttempt(state, command);
    need(command.table === tableId(created.tournament, match.id, attempt.number), "a result of another table");
    checkResult(command, match.teams.length);
    const after = () => FORMATS[created.format].afterMatch(state, state.matches.get(match.id), emit, found);
    const { winner, reason, totals } = command;
    if (reason === "void" && replays(match) < LIMITS.replays) {
      emit("MatchReplayed", { match: match.id, attempt: attempt.number, reason });
      return;
    }
    const { type, ...result } = command;
    if (reason !== "void") emit("ResultRecorded", result);
    if (created.format === ROUNDS) {
      emit("PlacesAwarded", { match: match.id, ...(reason === "void" ? {} : placesOf(totals)), reason });
      after();
      return;
    }
    if (winner === null && reason !== "void") {
      const used = match.attempts.filter((one) => one.tie && one.status !== "replaced").length;
      if (used < created.tie_deals) {
        emit("MatchTied", { match: match.id, attempt: attempt.number, left: created.tie_deals - used - 1 });
        return;
      }
    }
    decide(state, match, attempt, winner, reason, emit);
    after();
  },

  ReplayMatch(state, command, emit) {
    const [match, attempt] = openAttempt(state, command);
    need(isWhole(lengthOf(command.reason), 1, LIMITS.reason) && replays(match) < LIMITS.replays, "that replay");
    emit("MatchReplayed", { match: match.id, attempt: attempt.number, reason: command.reason });
  },

  CloseTournament(state, { tables }, emit) {
    const { created, pinned } = state;
    need(state.phase === "over", "the close");
    if (tables.length === 0 && pinned.length === 0) {
      emit("TournamentClosed", { seed: created.seed });
      return;
    }
    const all = allTables(state);
    const expected = all.slice(pinned.length, pinned.length + LIMITS.pinned);
    need(tables.length === expected.length, "that number of tables");
    need(tables.every((table, at) => isListed(table, expected[at])), "that list of tables");
    emit("TablesPinned", { tables });
    if (state.pinned.length < all.length) return;
    emit("TournamentClosed", { seed: created.seed, root: rootOf(created.tournament, state.pinned) });
  },
};

// The last attempt of a match where it has no result yet.
function openAttempt(state, { match: id, attempt: number }) {
  const match = state.matches.get(id);
  const attempt = match?.attempts.at(-1);
  need(state.phase === "running" && attempt && attempt.number === number && attempt.status === "wanted", "that attempt");
  return [match, attempt];
}

const replays = (match) => match.attempts.filter((attempt) => attempt.status === "replaced").length;

function checkResult({ winner, totals, deals, reason }, sides) {
  need(REASONS.includes(reason) && totals.length === sides && deals <= 10_000, "that result");
  need((winner ?? 0) < sides && totals.every((total) => Math.abs(total) <= POINTS_MAX), "that result");
  if (reason !== "deal_limit") need((winner === null) === (reason === "draw" || reason === "void"), "that winner");
  if (sides === 3 && reason !== "void") {
    const best = Math.max(...totals);
    need(winner === (totals.filter((total) => total === best).length === 1 ? totals.indexOf(best) : null), "that winner");
  }
}

// The winner of a match of two sides, by the result or by lot.
function decide(state, match, attempt, winner, reason, emit) {
  let [side, why] = [winner, attempt.tie ? "tie_deal" : reason];
  if (side === null) {
    [side, why] = [lotSide(state.created.seed, match.id), "lot"];
    emit("LotDrawn", { match: match.id, winner: side, reason: reason === "void" ? "void" : "level" });
  }
  emit("MatchWon", { match: match.id, winner: match.teams[side], loser: match.teams[1 - side], reason: why });
}

// Places by totals, equal ones shared, and place points in halves: 6, 4, 2, those that are shared divided.
function placesOf(totals) {
  const places = totals.map((total) => 1 + totals.filter((other) => other > total).length);
  const halves = places.map((place) => {
    const level = places.filter((other) => other === place).length;
    return [6, 4, 2].slice(place - 1, place - 1 + level).reduce((sum, one) => sum + one, 0) / level;
  });
  return { places, halves };
}

// Every table that any attempt had, by its id: 16 bytes and whether it may never have been opened.
function allTables(state) {
  const tables = [...state.matches.values()].flatMap((match) =>
    match.attempts.map((attempt) => {
      const id = Buffer.from(tableId(state.created.tournament, match.id, attempt.number).replaceAll("-", ""), "hex");
      return { id, replaced: attempt.status === "replaced" };
    }),
  );
  return tables.sort((one, other) => Buffer.compare(one.id, other.id));
}

function isListed({ table, acts, head }, { id, replaced }) {
  const unopened = acts === 0 && same(head, Buffer.alloc(32)) && replaced;
  const opened = isWhole(acts, 1, LIMITS.acts) && head.length === 32 && !same(head, Buffer.alloc(32));
  return table.equals(id) && (unopened || opened);
}

function rootOf(tournament, tables) {
  const id = Buffer.from(tournament.replaceAll("-", ""), "hex");
  const parts = tables.flatMap(({ table, acts, head }) => [table, eightBytes(acts), head]);
  return sha256("pinochle-arena/root/1", id, ...parts);
}

export function apply(state, event) {
  EVENTS[event.type](state, event);
}

export function settle() {} // a tournament has no clock

const EVENTS = {
  TournamentCreated(state, event) {
    const { type, rules, ...created } = event;
    Object.assign(state, { created, rules: rulesFrom(rules), phase: "entry" });
  },
  TeamEntered(state, { team, name, players, number }) {
    state.teams.set(team, { team, name, players, number });
    state.numbered = team + 1;
  },
  TeamWithdrawn(state, { team }) {
    state.teams.delete(team);
  },
  Seeded(state, { order }) {
    Object.assign(state, { order, phase: "running" });
  },
  ByesGiven(state, { round, teams }) {
    state.byes.set(round, teams);
  },
  MatchesScheduled(state, { round, pairings }) {
    for (const { number, teams } of pairings) {
      const id = `r${round}m${number}`;
      const attempts = [attemptOf(1, false)];
      state.matches.set(id, { id, round, number, teams, attempts, winner: null, decided: false, halves: [] });
    }
  },
  ResultRecorded(state, { match, totals, deals, winner, reason }) {
    amend(state, match, { status: "played", totals, deals, winner, reason });
    state.recorded += deals;
  },
  MatchTied(state, { match }) {
    addAttempt(state, match, true);
  },
  MatchReplayed(state, { match }) {
    amend(state, match, { status: "replaced" });
    addAttempt(state, match, state.matches.get(match).attempts.at(-1).tie);
  },
  LotDrawn(state, { match, reason }) {
    if (reason === "void") amend(state, match, { status: "replaced" });
  },
  MatchWon(state, { match, winner }) {
    change(state, match, { winner, decided: true });
  },
  PlacesAwarded(state, { match, places, halves }) {
    if (places.length === 0) amend(state, match, { status: "replaced" });
    change(state, match, { halves, decided: true });
  },
  ByesScored(state, event) {
    state.byesScored = [...state.byesScored, event];
  },
  TeamEliminated() {},
  StandingsFinal() {},
  PlacesFinal() {},
  TournamentEnded(state) {
    state.phase = "over";
  },
  TablesPinned(state, { tables }) {
    state.pinned = [...state.pinned, ...tables];
  },
  TournamentClosed(state) {
    state.phase = "closed";
  },
};

const attemptOf = (number, tie) => ({ number, tie, status: "wanted", totals: [], deals: 0, winner: null, reason: "" });

function change(state, id, changes) {
  state.matches.set(id, { ...state.matches.get(id), ...changes });
}

function amend(state, id, changes) {
  const { attempts } = state.matches.get(id);
  change(state, id, { attempts: attempts.with(-1, { ...attempts.at(-1), ...changes }) });
}

function addAttempt(state, id, tie) {
  const { attempts } = state.matches.get(id);
  change(state, id, { attempts: [...attempts, attemptOf(attempts.length + 1, tie)] });
}
