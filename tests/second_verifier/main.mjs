// node main.mjs FILE... [--root HASH] [--json] [--running]: check exports, as `pinochle verify` does.
//
// Exit codes: 0 all in order, 1 something is bad, 4 something would be concluded otherwise by other rules, 2 wrong use.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { BadExport, exportsOf } from "./export.mjs";
import { schemaOf } from "./wire.mjs";
import { verify } from "./verify.mjs";

const [OK, PROBLEM, USAGE, OTHER_RULES] = [0, 1, 2, 4];
const HERE = dirname(fileURLToPath(import.meta.url));
const PROTOS = join(HERE, "../../protos/pinochle/wire/v1");

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
  const schema = schemaOf(["game", "table", "tournament"].map((name) => join(PROTOS, `${name}.proto`)));
  const outcomes = new Set(options.files.flatMap((file) => verifyFile(schema, file, options)));
  return outcomes.has("bad") ? PROBLEM : outcomes.has("differs") ? OTHER_RULES : OK;
}

function usage(text) {
  process.stderr.write(`${text}\n`);
  return USAGE;
}

function verifyFile(schema, file, options) {
  const outcomes = [];
  try {
    for (const header of exportsOf(file)) {
      const { state, ...report } = verify(schema, header, options);
      outcomes.push(report.outcome);
      show({ source: file, kind: header.kind, stream: header.stream, ...report }, options);
    }
  } catch (error) {
    if (!(error instanceof BadExport) && !error.code) throw error;
    outcomes.push("bad");
    show({ source: file, outcome: "bad", problem: { version: 0, check: "file", text: error.message } }, options);
  }
  return outcomes;
}

function show(report, { json }) {
  const { source, outcome, problem } = report;
  let line = `ok    ${source}: ${report.kind} ${report.stream}: ${report.acts} acts, head ${report.head}`;
  if (outcome === "differs") line = `${line}; ${report.differing} acts differ under these rules`.replace("ok    ", "differs ");
  if (outcome === "bad") line = `BAD   ${source}: act ${problem.version}: ${problem.check}: ${problem.text}`;
  process.stdout.write(`${json ? JSON.stringify(report) : line}\n`);
}

process.exitCode = main(process.argv.slice(2));
