// Export files in their one canonical form: a header and the acts of a stream, any number of them one behind the other
// (docs/verification.md, "The export format" and "Archives").
//
// Acts are read as they are asked for, one at a time. What is not in the one form is refused with its line.

import { uuidText } from "./lots.mjs";
import { Records } from "./records.mjs";
import { BadWire, decode } from "./wire.mjs";

const FORMAT = "pinochle-export";
const VERSION = 1;
const ACTS_MAX = 1_000_000;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const HASH = "[0-9a-f]{64}";
const HEADER = new RegExp(
  `^{"format":"${FORMAT}","version":${VERSION},"kind":"(table|tournament)","stream":"(${UUID})"` +
    `,"acts":([1-9][0-9]{0,6}),"head":"(${HASH})"}$`,
);
const ACT = new RegExp(
  `^{"version":(0|[1-9][0-9]{0,6}),"command_id":"([0-9a-f]{32})","body":"([A-Za-z0-9+/]*={0,2})","hash":"(${HASH})"}$`,
);

// What is refused: the line (or message), from 1 at the export's header, and why; so many of the file come before it.
// `newer`: it is an export of a newer format version.
export class BadExport extends Error {
  constructor(line, problem, { before = 0, unit = "line", newer = false } = {}) {
    super(`${unit} ${before + line}: ${problem}`);
    Object.assign(this, { line, problem, newer });
  }
}

// Yields { kind, stream, streamBytes, acts, head, read() } for every export in the file, where `read` yields
// { version, commandId, body, hash } act by act. What is not read of an export is passed over. BadExport ends it where
// no export begins.
export function* exportsOf(schema, path) {
  const records = new Records(path);
  try {
    if (records.peek() === null) throw new BadExport(1, "the file is empty");
    while (records.peek() !== null) {
      const before = records.taken;
      const header = placed(records, before, () => headerOf(schema, records));
      const acts = actsOf(schema, records, header);
      header.read = () => ({
        next: () => placed(records, before, () => acts.next()),
        [Symbol.iterator]() {
          return this;
        },
      });
      yield header;
      while (records.peek() !== null && !records.peek().isHeader) records.take();
    }
  } finally {
    records.close();
  }
}

// What `read` returns, where what is refused tells its place in the whole file.
function placed(records, before, read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadExport)) throw error;
    throw new BadExport(error.line, error.problem, { before, unit: records.unit, newer: error.newer });
  }
}

function* actsOf(schema, records, header) {
  let head = "";
  for (let number = 2; number <= header.acts + 1; number++) {
    const following = records.peek();
    if (following === null || following.isHeader) {
      throw new BadExport(number, `the export ends here: expected ${header.acts} acts, found ${number - 2}`);
    }
    const act = actOf(schema, records, number);
    head = act.hash;
    yield act;
  }
  const following = records.peek();
  if (following !== null && !following.isHeader) throw new BadExport(header.acts + 2, "more follows");
  if (head !== header.head) throw new BadExport(1, "head: it is not the hash of the last act");
}

// The next record, where nothing is wrong with it yet.
function contentOf(records, number) {
  const { problem, content } = records.take();
  if (problem) throw new BadExport(number, problem);
  return content;
}

function headerOf(schema, records) {
  const content = contentOf(records, 1);
  const found = records.isBinary ? headerOfMessage(schema, content) : headerOfLine(content);
  if (!found || found.acts > ACTS_MAX) throw new BadExport(1, `not the header of an export of format version ${VERSION}`);
  return { ...found, streamBytes: Buffer.from(found.stream.replaceAll("-", ""), "hex") };
}

function headerOfLine(line) {
  const found = HEADER.exec(line);
  if (!found) refuseNewer(fieldsOf(line));
  return found && { kind: found[1], stream: found[2], acts: Number(found[3]), head: found[4] };
}

function headerOfMessage(schema, bytes) {
  const message = messageOf(schema, bytes, 1);
  const { type, format, version, kind, stream, acts, head } = message;
  if (type === "ExportHeader") refuseNewer(message);
  if (type !== "ExportHeader" || format !== FORMAT || version !== VERSION) return null;
  if (!["table", "tournament"].includes(kind) || stream.length !== 16 || head.length !== 32 || acts < 1) return null;
  return { kind, stream: uuidText(stream), acts, head: head.toString("hex") };
}

function refuseNewer({ format, version }) {
  // JSON.parse makes Infinity of a whole number that is too long.
  if (format !== FORMAT || !(Number.isInteger(version) || version === Infinity) || version <= VERSION) return;
  throw new BadExport(1, `format version ${version}: this reader knows version ${VERSION}`, { newer: true });
}

// What a line of JSON says, where it says anything.
function fieldsOf(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

function actOf(schema, records, number) {
  const content = contentOf(records, number);
  const act = records.isBinary ? actOfMessage(schema, content, number) : actOfLine(content);
  if (!act || act.version > ACTS_MAX) throw new BadExport(number, "not an act in canonical form");
  return act;
}

function actOfLine(line) {
  const found = ACT.exec(line);
  if (!found) return null;
  const body = Buffer.from(found[3], "base64");
  if (body.toString("base64") !== found[3]) return null;
  return { version: Number(found[1]), commandId: Buffer.from(found[2], "hex"), body, hash: found[4] };
}

function actOfMessage(schema, bytes, number) {
  const { type, version, command_id: commandId, body, hash } = messageOf(schema, bytes, number);
  if (type !== "StoredAct" || version < 0n || commandId.length !== 16 || hash.length !== 32) return null;
  return { version: Number(version), commandId, body, hash: hash.toString("hex") };
}

function messageOf(schema, bytes, number) {
  try {
    return decode(schema, "ArchiveRecord", bytes).kind ?? {};
  } catch (error) {
    throw error instanceof BadWire ? new BadExport(number, error.message) : error;
  }
}
