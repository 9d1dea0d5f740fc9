// node main.mjs FILE... [--root HASH] [--json] [--running]: check exports, as `pinochle verify` does.
//
// Exit codes: 0 all in order, 1 something is bad, 5 something is for a newer version to read, 4 something would be
// concluded otherwise by these rules, 2 wrong use; of several the first in this order but 0.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { BadExport, exportsOf } from "./export.mjs";
import { Pins } from "./pins.mjs";
import { schemaOf } from "./wire.mjs";
import { verify } from "./verify.mjs";

const CODES = { bad: 1, newer: 5, differs: 4 };
const USAGE = 2;
const PROTOS = join(dirname(fileURLToPath(import.meta.url)), "../../protos/pinochle/wire/v1");

function main(args) {
  const options = { json: false, running: false, root: null, files: [] };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--json") options.json = true;
    else if (args[i] === "--running") options.running = true;
    else if (args[i] === "--root") options.root = args[++i] ?? "";
    else if (args[i].startsWith("--")) return usage(`unknown option ${args[i]}`);
    else options.files.push(args[i]);
  }
  if (options.files.length === 0) return usage("node main.mjs FILE... [--root HASH] [--json] [--running]");
  if (options.root !== null && !/^[0-9a-f]{64}$/.test(options.root)) return usage("--root: not 32 bytes in hexadecimal");
  const schema = schemaOf(["game", "table", "tournament", "archive"].map((name) => join(PROTOS, `${name}.proto`)));
  const pins = new Pins(options.root);
  const outcomes = new Set(options.files.flatMap((file) => verifyFile(schema, file, options, pins)));
  for (const { check, text, ...stream } of pins.findings()) {
    outcomes.add("bad");
    show({ ...stream, outcome: "bad", problem: { version: 0, check, text } }, options);
  }
  const worst = Object.keys(CODES).find((outcome) => outcomes.has(outcome));
  return worst ? CODES[worst] : 0;
}

function usage(text) {
  process.stderr.write(`${text}\n`);
  return USAGE;
}

function verifyFile(schema, file, options, pins) {
  const outcomes = [];
  try {
    for (const header of exportsOf(schema, file)) {
      const found = verify(schema, header, options);
      const { state, ...report } = found;
      outcomes.push(report.outcome);
      pins.add(header, found);
      show({ source: file, kind: header.kind, stream: header.stream, ...report }, options);
    }
  } catch (error) {
    if (!(error instanceof BadExport) && !error.code) throw error;
    const outcome = error.newer ? "newer" : "bad";
    outcomes.push(outcome);
    show({ source: file, outcome, problem: { version: 0, check: "file", text: error.message } }, options);
  }
  return outcomes;
}

function show(report, { json }) {
  process.stdout.write(`${json ? JSON.stringify(report) : lineOf(report)}\n`);
}

function lineOf({ source, outcome, kind, stream, acts, head, differing, problem }) {
  const what = source ?? `${kind} ${stream}`;
  if (problem) {
    const place = problem.version > 0 ? `act ${problem.version}: ` : "";
    return `${outcome === "bad" ? "BAD " : "too new"} ${what}: ${place}${problem.check}: ${problem.text}`;
  }
  const differs = outcome === "differs" ? `; ${differing} acts are concluded otherwise by these rules` : "";
  return `ok   ${what}: ${kind} ${stream}: ${acts} acts, head ${head}${differs}`;
}

process.exitCode = main(process.argv.slice(2));
