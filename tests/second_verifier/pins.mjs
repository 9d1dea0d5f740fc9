// What pins a log from outside (docs/verification.md, "The root of a tournament"): a noted hash, a tournament's list of
// its tables, how it wanted them opened, and the results that it recorded. Streams that are bad in themselves are left out.

import { lot } from "./shuffle.mjs";
import { tableId, tableSeed } from "./lots.mjs";
import { same } from "./wire.mjs";

export class Pins {
  constructor(root) {
    this.root = root;
    this.tables = new Map();
    this.tournaments = new Map(); // the state of one that only a newer version can read is null
    this.heads = new Map();
    this.twice = [];
    this.hasBadTournament = false;
  }

  // Takes what was found of one stream; of a table little of it is kept.
  add(header, { outcome, acts, head, problem, state }) {
    const { kind, stream } = header;
    if (outcome === "bad") {
      this.hasBadTournament ||= kind === "tournament";
      return;
    }
    if (this.heads.has(stream) && this.heads.get(stream) !== head) {
      this.twice.push({ kind, stream, check: "pin", text: "expected one log of it, found two" });
      return;
    }
    this.heads.set(stream, head);
    if (kind === "tournament") this.tournaments.set(stream, { head, state: problem ? null : state });
    else this.tables.set(stream, problem ? { head } : { head, acts, ...this.#kept(state) });
  }

  #kept({ opened, rules, phase, winner, reason, totals, deal }) {
    return { opened, rules, result: phase === "closed" ? { winner, totals, deals: deal, reason } : null };
  }

  // What does not fit: { kind, stream, check, text }.
  findings() {
    const found = [...this.twice];
    const belongs = new Set();
    const [kind, pinned] = this.tournaments.size > 0 ? ["tournament", this.tournaments] : ["table", this.tables];
    const isNoted = this.root !== null && (kind === "tournament" || !this.hasBadTournament);
    for (const [stream, { head }] of isNoted ? pinned : []) {
      const text = `expected the head ${this.root}, found ${head}`;
      if (head !== this.root) found.push({ kind, stream, check: "pin", text });
    }
    const states = [...this.tournaments].filter(([, { state }]) => state !== null);
    for (const [tournament, { state }] of states) {
      const places = placesOf(state);
      for (const [stream, table] of this.tables) {
        const isNamed = table.opened?.tournament === tournament;
        const place = places.get(stream);
        if (!place && !isNamed) continue;
        belongs.add(stream);
        const wrong = place ? unlike(stream, table, state, place) : ["table", `${tournament} has no such table`];
        if (wrong) found.push({ kind: "table", stream, check: wrong[0], text: wrong[1] });
      }
    }
    if (this.root === null || states.length === 0 || states.length < this.tournaments.size) return found;
    const strangers = [...this.tables.keys()].filter((stream) => !belongs.has(stream));
    const text = "no table of the tournament";
    return [...found, ...strangers.map((stream) => ({ kind: "table", stream, check: "pin", text }))];
  }
}

// The match and attempt of every table that the tournament had, by the table's id.
function placesOf(state) {
  const places = new Map();
  for (const match of state.matches.values()) {
    for (const attempt of match.attempts) {
      places.set(tableId(state.created.tournament, match.id, attempt.number), { match, attempt });
    }
  }
  return places;
}

function unlike(stream, table, state, place) {
  return unlikeListed(stream, table, state.pinned) ?? unlikeWanted(table, state, place) ?? unlikeResult(table, place);
}

function unlikeListed(stream, { acts, head }, pinned) {
  if (pinned.length === 0) return null; // of before tables were pinned
  const listed = pinned.find((one) => one.table.toString("hex") === stream.replaceAll("-", ""));
  if (!listed) return ["pin", "the tournament does not list the table"];
  if (acts !== undefined && listed.acts !== acts) {
    return ["pin", `expected ${listed.acts} acts, which the tournament lists, found ${acts}`];
  }
  const expected = listed.head.toString("hex");
  return head === expected ? null : ["pin", `expected the head ${expected}, which the tournament lists, found ${head}`];
}

function unlikeWanted({ opened, rules }, state, { match, attempt }) {
  const { created } = state;
  if (!opened) return null; // only a newer version can read the table
  const seed = tableSeed(created.seed, match.id, attempt.number);
  const sides = match.teams.map((team) => state.teams.get(team).players);
  const dealsAtTable = attempt.tie ? 1 : created.deals;
  const isStock = state.rules.format === "stock";
  const wanted = {
    seed,
    players: sides[0].flatMap((_, at) => sides.map((players) => players[at])),
    dealer: lot(seed, 0, state.rules.players),
    nonce: Buffer.alloc(0),
    deal_limit: isStock && dealsAtTable > 0 ? dealsAtTable : created.deal_cap,
    turn_ms: created.turn_ms || opened.turn_ms,
    beat_ms: created.beat_ms,
    tournament: created.tournament,
    match: match.id,
  };
  const wrong = Object.keys(wanted).find((name) => !same(wanted[name], opened[name]));
  if (wrong) return ["table", `${wrong} is not what the tournament wanted for ${match.id}`];
  return same(rules, rulesAtTable(state.rules, dealsAtTable)) ? null : ["table", `the rules are not those of ${match.id}`];
}

function rulesAtTable(rules, deals) {
  if (deals === 0) return rules;
  if (rules.format === "stock") return { ...rules, target: 1_000_000, stock_end: "deal_end" };
  return { ...rules, game_length: "deals", deals, deals_tie: "draw" };
}

function unlikeResult({ result }, { match, attempt }) {
  if (attempt.status !== "played" || !result) return null;
  const { winner, totals, deals, reason } = attempt;
  const isSame = same({ winner, totals, deals, reason }, result);
  return isSame ? null : ["table", `${match.id} did not come to the recorded result`];
}
