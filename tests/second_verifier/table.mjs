// A table: what an act must be beyond its bytes, what its command leads to, and the state that its events add up to.
//
// The state is one flat object. `apply` files an event in it and never changes an array in place, so that a copy of the
// object is a copy of the state. `conclude` makes the events of a command by applying each as it is made.

import { deckOf, isKind, isPhysical, sorted } from "./cards.mjs";
import * as partnership from "./partnership.mjs";
import * as stock from "./stock.mjs";
import { rulesFrom } from "./rules.mjs";
import { commitment, SEED_BYTES, shuffled } from "./shuffle.mjs";
import { BadWire, make, same } from "./wire.mjs";

// A command that the state does not allow, or that can never be right.
export class Illegal extends Error {}

const PERSONS = ["house", "director", "operator", "tournament"];
export const WEEK_MS = 7 * 24 * 3600 * 1000;
const DEAL_LIMIT_MAX = 10_000;
const NONCE_BYTES_MAX = 64;
const LABEL_LENGTH_MAX = 200;
const REASON_LENGTH_MAX = 500;
export const PLAYER_ID = /^[A-Za-z0-9._:-]{1,64}$/;

export const BODY = "ActBody";

export function initial() {
  return {
    phase: "new", turn: null, deal: 0, scored: 0, now: 0n, deadline: 0n, prolonged: false, rules: null, opened: null,
  };
}

export const copy = (state) => ({ ...state });
export const hasEnded = (state) => state.phase === "closed";
export const stands = (state) => state.phase;
export const deals = (state) => state.deal;

// BadWire for an event that no writer would write, whatever the rules say.
export function checkEvent(event) {
  if (event.type === "TableOpened") rulesFrom(event.rules);
}

// The command of an act, with its seat; BadWire for what no writer would write.
export function commandOf(body) {
  const command = body.command;
  if (command === null || command.kind === null) throw new BadWire("a command of no kind");
  const found = { ...command.kind };
  if (found.type !== "PlayerCommand") {
    if (command.seat !== 0) throw new BadWire("a seat beside a command of the house");
    if (found.type === "OpenTable") rulesFrom(found.rules);
    return found;
  }
  if (found.kind === null) throw new BadWire("a player's command of no kind");
  if (["PassCards", "LayMeld"].includes(found.kind.type) && !same(found.kind.cards, sorted(found.kind.cards))) {
    throw new BadWire("cards that are not in display order");
  }
  return { ...found.kind, seat: command.seat, byPlayer: true };
}

// What is wrong with an act whatever the rules say: [check, text], or null.
export function check(stream, state, act) {
  const problem = authorProblem(act) ?? timeProblem(state, act);
  return problem ?? (state.phase === "new" ? openingProblem(act) : (beatProblem(state, act) ?? factProblem(state, act)));
}

function authorProblem({ author, command }) {
  let allowed = PERSONS;
  if (command.byPlayer) allowed = [`seat:${command.seat}`];
  else if (command.type === "DealCards" || command.type === "ExpireTurn") allowed = ["house"];
  if (allowed.includes(author)) return null;
  return ["author", `expected ${allowed.join(" or ")} for ${command.type}, found ${author}`];
}

function openingProblem({ events }) {
  const opened = events[0];
  if (opened?.type !== "TableOpened") return ["opening", "expected TableOpened"];
  return seedProblem(opened.commitment, opened.seed);
}

// The seed that is to have this commitment.
export function seedProblem(published, seed) {
  if (seed.length !== SEED_BYTES) return ["commitment", `expected a seed of ${SEED_BYTES} bytes, found ${seed.length}`];
  return published.equals(commitment(seed)) ? null : ["commitment", "the seed does not have the published commitment"];
}

// Notice and deadline; what every act has is checked in verify.mjs.
function timeProblem(state, { noticed, deadline, received }) {
  if (received === 0n || state.phase === "new") {
    return noticed === 0n && deadline === 0n ? null : ["time", "expected neither notice nor deadline"];
  }
  if (noticed < state.now || noticed > received) {
    return ["time", `expected notice from ${state.now} to ${received} ms, found ${noticed}`];
  }
  return deadline === state.deadline ? null : ["time", `expected the deadline ${state.deadline} ms, found ${deadline}`];
}

// At a table with a beat what seats do has a time on it, counted from the act before, unless that prolonged the turn.
function beatProblem(state, { command, at }) {
  const beat = BigInt(state.opened.beat_ms);
  if (beat === 0n || !command.byPlayer || state.prolonged) return null;
  const waited = at - state.now;
  return waited >= beat && waited % beat === 0n ? null : ["time", `expected beats of ${beat} ms, found ${waited} ms`];
}

function factProblem(state, { command, events, at, received }) {
  if (command.type === "DealCards" && state.phase === "deal") {
    const deck = shuffled(deckOf(state.rules), state.opened.seed, state.opened.nonce, state.deal + 1);
    if (!same(deck, command.deck)) return ["deck", `the deck of deal ${state.deal + 1} does not follow from the seed`];
  }
  if (command.type === "ExpireTurn" && state.deadline > 0n) {
    const [earliest, when] = [state.deadline + BigInt(state.opened.grace_ms), received || at];
    if (when < earliest) return ["time", `expected the turn to expire at ${earliest} ms or later, found ${when}`];
    if (command.at_ms > when) return ["time", `expected an expiry found by ${when} ms, found ${command.at_ms}`];
  }
  const closed = events.find((event) => event.type === "TableClosed");
  return closed ? seedProblem(state.opened.commitment, closed.seed) : null;
}

// { events, after }: what a command leads to; Illegal where it is none for this state.
export function conclude(schema, state, command) {
  const work = { state: copy(state), events: [] };
  const emit = (type, fields = {}) => {
    const event = make(schema, type, fields);
    work.events.push(event);
    apply(work.state, event);
    return work.state;
  };
  if (command.byPlayer) byPlayer(work.state, command, emit);
  else if (HOUSE[command.type]) HOUSE[command.type](work.state, command, emit);
  else throw new Illegal(`a command that is not known: ${command.type}`);
  return { events: work.events, after: work.state };
}

const gameOf = (state) => (state.rules.format === "stock" ? stock : partnership);

function byPlayer(state, command, emit) {
  if (state.phase === "new") throw new Illegal("the table is not open");
  if (state.turn === null || command.seat !== state.turn) throw new Illegal(`not the turn of seat ${command.seat}`);
  const card = command.card ?? 0;
  if ("card" in command && !(state.rules.format === "stock" ? isPhysical : isKind)(card)) throw new Illegal("no such card");
  const decide = gameOf(state).COMMANDS[command.type];
  if (!decide) throw new Illegal(`${command.type} is no command of this game`);
  decide(state, command, emit, (text) => {
    throw new Illegal(text);
  });
}

const HOUSE = {
  OpenTable(state, command, emit) {
    if (state.phase !== "new") throw new Illegal("the table is open already");
    const { players } = command;
    const rules = rulesFrom(command.rules);
    need(players.length === rules.players && players.every((player) => PLAYER_ID.test(player)), "the players");
    need(command.dealer < rules.players, "the dealer");
    need(command.seed.length === SEED_BYTES, "the seed");
    need(command.nonce.length <= NONCE_BYTES_MAX, "the nonce");
    need(command.turn_ms <= WEEK_MS && command.grace_ms <= WEEK_MS, "the times of a turn");
    need(command.deal_limit <= DEAL_LIMIT_MAX, "the limit on deals");
    need(isBeat(command.beat_ms), "the beat");
    for (const label of [command.boards, command.tournament, command.match]) need(isLabel(label), "a label");
    const { type, ...said } = command;
    emit("TableOpened", { ...said, commitment: commitment(command.seed) });
  },

  DealCards(state, command, emit) {
    if (state.phase !== "deal") throw new Illegal("no deal is due");
    if (!same(sorted(command.deck), deckOf(state.rules))) throw new Illegal("not the cards of the deck");
    gameOf(state).deal(state, command.deck, emit);
  },

  ExpireTurn(state, command, emit) {
    if (state.turn === null || command.seat !== state.turn) throw new Illegal("that seat is not due");
    const earliest = state.deadline + BigInt(state.opened?.grace_ms ?? 0);
    if (state.deadline === 0n || command.at_ms < earliest) throw new Illegal("too early");
    emit("TurnExpired", { seat: command.seat });
    byPlayer(state, { ...gameOf(state).defaultCommand(state), seat: command.seat }, emit);
  },

  ExtendTurn(state, command, emit) {
    if (state.turn === null || state.opened.turn_ms === 0) throw new Illegal("no turn that ends");
    need(command.until_ms >= 1n && command.until_ms <= state.now + BigInt(WEEK_MS), "the new deadline");
    if (command.until_ms > state.deadline) emit("TurnExtended", { until_ms: command.until_ms });
  },

  VoidTable(state, command, emit) {
    if (state.phase === "new") throw new Illegal("the table is not open");
    need(command.reason !== "" && lengthOf(command.reason) <= REASON_LENGTH_MAX, "the reason");
    if (!["over", "closed"].includes(state.phase)) emit("TableVoided", { reason: command.reason });
  },

  CloseTable(state, command, emit) {
    if (!["over", "closed"].includes(state.phase)) throw new Illegal("the game has not ended");
    if (state.phase === "over") emit("TableClosed", { seed: state.opened.seed });
  },
};

export const isBeat = (beat) => beat === 0 || (beat >= 100 && beat <= 5_000);

// Illegal where something does not hold.
export function need(holds, what) {
  if (!holds) throw new Illegal(`${what}: not allowed`);
}

export const lengthOf = (text) => [...text].length; // in characters, not in halves of them
export const isLabel = (text) => lengthOf(text) <= LABEL_LENGTH_MAX && !/[\p{C}\p{Z}]/u.test(text.replaceAll(" ", ""));

// Files one event; throws where it cannot be filed.
export function apply(state, event) {
  const file = SHARED[event.type] ?? gameOf(state).EVENTS[event.type];
  file(state, event);
}

const SHARED = {
  TableOpened(state, event) {
    const { type, rules, ...opened } = event;
    Object.assign(state, { opened, rules: rulesFrom(rules), dealer: event.dealer, phase: "deal", turn: null });
    gameOf(state).open(state);
  },
  TurnExpired() {}, // a mark only; what the house played follows
  TurnExtended(state, event) {
    state.deadline = event.until_ms;
  },
  TableVoided(state) {
    Object.assign(state, { phase: "over", turn: null, winner: null, reason: "void" });
  },
  GameEnded(state, { winner, reason }) {
    Object.assign(state, { phase: "over", turn: null, winner, reason });
  },
  TableClosed(state) {
    Object.assign(state, { phase: "closed", turn: null });
  },
};

// The clock after an act: every act but an extension begins a turn, or ends the last one.
export function settle(state, act) {
  state.now = act.at;
  state.prolonged = act.events[0]?.type === "TurnExtended";
  if (state.prolonged) return;
  state.deadline = state.turn !== null && state.opened.turn_ms > 0 ? act.at + BigInt(state.opened.turn_ms) : 0n;
}
