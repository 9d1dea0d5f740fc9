// What pins a log from outside (docs/verification.md, "The root of a tournament"): a noted hash, a tournament's list of
// its tables, how it wanted them opened, and the results that it recorded. Streams that are bad in themselves are left out.

import { lot } from "./shuffle.mjs";
import { tableId, tableSeed } from "./lots.mjs";
import { same } from "./wire.mjs";

export class Pins {
  constructor(root) {
    this.root = root;
    this.tables = new Map();
    this.tournaments = new Map();
  }

  // Takes what was found of one stream; of a table little of it is kept.
  add(header, { acts, head, problem, state }) {
    if (problem) return;
    if (header.kind === "tournament") {
      this.tournaments.set(header.stream, { head, state });
      return;
    }
    const { opened, rules, phase, winner, reason, totals, deal } = state;
    const ended = phase === "closed";
    this.tables.set(header.stream, { acts, head, opened, rules, ended, result: { winner, totals, deals: deal, reason } });
  }

  // What does not fit: { kind, stream, check, text }.
  findings() {
    const found = [];
    const belongs = new Set();
    const [kind, pinned] = this.tournaments.size > 0 ? ["tournament", this.tournaments] : ["table", this.tables];
    for (const [stream, { head }] of this.root === null ? [] : pinned) {
      if (head !== this.root) found.push({ kind, stream, check: "pin", text: `expected the head ${this.root}, found ${head}` });
    }
    for (const [tournament, { state }] of this.tournaments) {
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
    if (this.root === null || this.tournaments.size === 0) return found;
    const strangers = [...this.tables.keys()].filter((stream) => !belongs.has(stream));
    return [...found, ...strangers.map((stream) => ({ kind: "table", stream, check: "pin", text: "no table of the tournament" }))];
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
  if (listed.acts !== acts) return ["pin", `expected ${listed.acts} acts, which the tournament lists, found ${acts}`];
  const expected = listed.head.toString("hex");
  return head === expected ? null : ["pin", `expected the head ${expected}, which the tournament lists, found ${head}`];
}

function unlikeWanted({ opened, rules }, state, { match, attempt }) {
  const { created } = state;
  if (!opened) return ["table", "the table was never opened"];
  if (created.seed.length === 0) return null; // while it is secret there is nothing to compare with
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

function unlikeResult({ ended, result }, { match, attempt }) {
  if (attempt.status !== "played" || !ended) return null;
  const { winner, totals, deals, reason } = attempt;
  return same({ winner, totals, deals, reason }, result) ? null : ["table", `${match.id} did not come to the recorded result`];
}
