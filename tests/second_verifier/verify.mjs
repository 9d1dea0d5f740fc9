// One pass over the acts of an export: the checks of docs/verification.md, "What is checked", up to the first that fails.

import { BadExport } from "./export.mjs";
import { link, START } from "./chain.mjs";
import { RULES_VERSION } from "./rules.mjs";
import * as table from "./table.mjs";
import * as tournament from "./tournament.mjs";
import { BadWire, decode, Newer, same } from "./wire.mjs";

const KINDS = { table, tournament };

// { outcome: "ok" | "bad" | "differs" | "newer", acts, differing, problem: { version, check, text } | null, head, hashes }.
export function verify(schema, header, { running = false } = {}) {
  const walk = new Walk(schema, header);
  let problem = null;
  try {
    for (const stored of header.read()) {
      problem = walk.step(stored);
      if (problem) break;
    }
  } catch (error) {
    if (!(error instanceof BadExport)) throw error;
    problem = { version: Math.max(error.line - 1, 0) || walk.acts, check: "file", text: error.message };
  }
  if (problem === null && walk.newer === null && !running && !walk.kind.hasEnded(walk.state)) {
    const text = `the ${header.kind} does not end: its acts stop (${walk.kind.stands(walk.state)})`;
    problem = { version: walk.acts + 1, check: "end", text };
  }
  const outcome = problem ? "bad" : walk.newer ? "newer" : walk.differing > 0 ? "differs" : "ok";
  const { acts, differing, state, newer } = walk;
  const [deals, head] = [walk.kind.deals(state), walk.head.toString("hex")];
  return { outcome, acts, deals, differing, problem: problem ?? newer, head, state };
}

class Walk {
  constructor(schema, header) {
    this.schema = schema;
    this.stream = header.streamBytes;
    this.streamId = header.stream;
    this.kind = KINDS[header.kind];
    this.state = this.kind.initial();
    this.head = START;
    this.acts = 0;
    this.beyond = 0; // acts from the first one on that only a newer version can read
    this.newer = null;
    this.differing = 0;
    this.at = 0n;
    this.timed = false;
    this.used = new Set();
  }

  // Checks one act and files its events; the problem, or null. Behind what is too new only the chain is checked.
  step(stored) {
    const version = this.acts + this.beyond + 1;
    const broken = this.#broken(stored, version);
    const found = broken ?? (this.newer ? null : this.#read(stored));
    const problem = found && { version, check: found[0], text: found[1] };
    if (problem?.check === "newer") this.newer = problem;
    else if (problem) return problem;
    if (this.newer) this.beyond++;
    else this.acts++;
    this.head = this.link;
    return null;
  }

  #broken(stored, version) {
    if (stored.version !== version) return ["version", `expected version ${version}, found ${stored.version}`];
    const hash = link(this.head, this.stream, version, stored.commandId, stored.body);
    this.link = hash;
    const expected = hash.toString("hex");
    return stored.hash === expected ? null : ["chain", `expected hash ${expected}, found ${stored.hash}`];
  }

  #read(stored) {
    let act;
    let rulesVersion = 0;
    try {
      const body = decode(this.schema, this.kind.BODY, stored.body);
      rulesVersion = body.rules_version;
      act = actOf(body, this.kind);
    } catch (error) {
      if (!(error instanceof BadWire)) throw error;
      const check = error instanceof Newer || rulesVersion > RULES_VERSION ? "newer" : "body";
      return [check, `expected the body of an act in canonical form: ${error.message}`];
    }
    const problem = this.#wrong(act, stored) ?? this.#concluded(act);
    if (problem) return problem;
    this.at = act.at;
    this.timed = act.received > 0n;
    this.used.add(this.#use(act, stored));
    return null;
  }

  #use(act, stored) {
    return `${act.author} ${stored.commandId.toString("hex")}`;
  }

  #wrong(act, stored) {
    if (act.at < this.at) return ["time", `expected ${this.at} ms or later, found ${act.at}`];
    if (this.timed && act.received === 0n) return ["time", "expected the time of receipt, which the act before has"];
    if (act.received > act.at) return ["time", `expected receipt by ${act.at} ms, found ${act.received}`];
    if (act.rulesVersion < 1) return ["rules", "expected a version of the rules from 1 on, found 0"];
    const use = this.#use(act, stored);
    if (this.used.has(use)) return ["command id", `expected a new one of its author, found ${use} again`];
    return this.kind.check({ id: this.streamId }, this.state, act);
  }

  // Compares what the rules conclude with the events, and files the events.
  #concluded(act) {
    let after = null;
    let wrong;
    try {
      const concluded = this.kind.conclude(this.schema, this.state, act.command, act.events);
      wrong = difference(concluded.events, act.events);
      if (wrong === null) after = concluded.after;
    } catch (error) {
      // Behind events that other rules made the state may be one that these rules know nothing of.
      if (!(error instanceof table.Illegal) && this.differing === 0) throw error;
      wrong = `${act.command.type} is not legal here: ${error.message}`;
    }
    if (after === null) {
      if (act.rulesVersion === RULES_VERSION) return ["rules", wrong];
      after = this.#filed(act);
      const check = act.rulesVersion > RULES_VERSION ? "newer" : "events";
      if (after === null) return [check, "expected events that can be filed"];
      this.differing++;
    }
    this.kind.settle(after, act);
    this.state = after;
    return null;
  }

  // The state after the events as they are stored, or null where they cannot be filed.
  #filed(act) {
    const after = this.kind.copy(this.state);
    try {
      for (const event of act.events) this.kind.apply(after, event);
    } catch {
      return null; // an act of other rules may hold anything
    }
    return after;
  }
}

function actOf(body, kind) {
  const command = kind.commandOf(body);
  const events = body.events.map((event) => {
    if (event.kind === null) throw new BadWire("an event of no kind");
    kind.checkEvent(event.kind);
    return event.kind;
  });
  const { author, at_ms: at, received_ms: received, noticed_ms: noticed, deadline_ms: deadline } = body;
  return { author, at, received, noticed, deadline, rulesVersion: body.rules_version, command, events };
}

// The first event that is not as the rules have it, in a line, or null.
function difference(expected, found) {
  if (expected.length === 0) return "nothing follows from the command";
  for (let i = 0; i < Math.max(expected.length, found.length); i++) {
    if (same(expected[i] ?? null, found[i] ?? null)) continue;
    if (expected[i]?.type !== found[i]?.type) {
      return `event ${i + 1}: expected ${expected[i]?.type ?? "no more"}, found ${found[i]?.type ?? "no more"}`;
    }
    const field = Object.keys(expected[i]).find((key) => !same(expected[i][key], found[i][key]));
    const [is, was] = [expected[i][field], found[i][field]].map(shown);
    return `event ${i + 1}, ${expected[i].type}.${field}: expected ${is}, found ${was}`;
  }
  return null;
}

function shown(value) {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? inner.toString() : inner));
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
