// Export files: JSON lines in one canonical form (docs/verification.md, "The export format").
//
// `exportsOf` reads a file line by line and yields one export after the other; each has a header and its acts, read as
// they are asked for. A line that is not in the one form is refused with its number.

import { closeSync, openSync, readSync } from "node:fs";

const LINE_BYTES_MAX = 2 * 1024 * 1024;
const ACTS_MAX = 1_000_000;
const CHUNK_BYTES = 1 << 16;
const LINE_FEED = 10;
const BEGINNING = '{"format":';

const HEADER =
  /^\{"format":"pinochle-export","version":1,"kind":"(table|tournament)","stream":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})","acts":([1-9][0-9]{0,6}),"head":"([0-9a-f]{64})"\}$/;
const ACT =
  /^\{"version":(0|[1-9][0-9]{0,6}),"command_id":"([0-9a-f]{32})","body":"([A-Za-z0-9+/]*={0,2})","hash":"([0-9a-f]{64})"\}$/;

// What is refused: the line, from 1 at the export's header, and why; so many lines of the file come before that header.
export class BadExport extends Error {
  constructor(line, problem, before = 0) {
    super(`line ${before + line}: ${problem}`);
    Object.assign(this, { line, problem });
  }
}

// Yields { kind, stream, streamBytes, acts, head, read() } for every export in the file, where `read` yields
// { version, commandId, body, hash } act by act. What is not read of an export is passed over. BadExport ends it where
// no export begins.
export function* exportsOf(path) {
  const lines = new Lines(path);
  try {
    if (lines.peek() === null) throw new BadExport(1, "the file is empty");
    while (lines.peek() !== null) {
      const before = lines.taken;
      const header = placed(before, () => headerOf(lines.next(1)));
      const acts = actsOf(lines, header);
      header.read = () => ({ next: () => placed(before, () => acts.next()), [Symbol.iterator]() { return this; } });
      yield header;
      lines.skipTo(BEGINNING);
    }
  } finally {
    lines.close();
  }
}

// What `read` returns, where what is refused tells its place in the whole file.
function placed(before, read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof BadExport ? new BadExport(error.line, error.problem, before) : error;
  }
}

function* actsOf(lines, header) {
  let head = "";
  for (let number = 2; number <= header.acts + 1; number++) {
    const following = lines.peek();
    if (following === null || following.startsWith(BEGINNING)) {
      throw new BadExport(number, `the export ends here: expected ${header.acts} acts, found ${number - 2}`);
    }
    const act = actOf(lines.next(number), number);
    head = act.hash;
    yield act;
  }
  const following = lines.peek();
  if (following !== null && !following.startsWith(BEGINNING)) throw new BadExport(header.acts + 2, "more follows");
  if (head !== header.head) throw new BadExport(1, "head: it is not the hash of the last act");
}

function headerOf(line) {
  const found = HEADER.exec(line);
  if (!found || Number(found[3]) > ACTS_MAX) throw new BadExport(1, "not the header of an export of format version 1");
  const [, kind, stream, acts, head] = found;
  return { kind, stream, streamBytes: Buffer.from(stream.replaceAll("-", ""), "hex"), acts: Number(acts), head };
}

function actOf(line, number) {
  const found = ACT.exec(line);
  if (!found || Number(found[1]) > ACTS_MAX) throw new BadExport(number, "not an act in canonical form");
  const [, version, commandId, base64, hash] = found;
  const body = Buffer.from(base64, "base64");
  if (body.toString("base64") !== base64) throw new BadExport(number, "body: not canonical base64");
  return { version: Number(version), commandId: Buffer.from(commandId, "hex"), body, hash };
}

// The lines of a file; no more is held than a line may be long.
class Lines {
  constructor(path) {
    this.file = openSync(path, "r");
    this.held = Buffer.alloc(0);
    this.ended = false;
    this.taken = 0;
    this.line = undefined; // the next line, where it was looked at: with its line feed, if it has one
  }

  // The next line with its line feed, but of one that is too long or cut off what is there; null at the end.
  peek() {
    if (this.line === undefined) this.line = this.#read();
    return this.line;
  }

  // The next line without its line feed; `number` is for the error.
  next(number) {
    const line = this.peek();
    this.#take();
    if (line.length > LINE_BYTES_MAX) throw new BadExport(number, `longer than ${LINE_BYTES_MAX} bytes`);
    if (!line.endsWith("\n")) throw new BadExport(number, "the line is cut off: it has no line break");
    return line.slice(0, -1);
  }

  skipTo(beginning) {
    while (this.peek() !== null && !this.peek().startsWith(beginning)) this.#take();
  }

  close() {
    closeSync(this.file);
  }

  #take() {
    this.line = undefined;
    this.taken++;
  }

  #read() {
    let at = this.held.indexOf(LINE_FEED);
    while (at < 0 && this.held.length <= LINE_BYTES_MAX && !this.ended) {
      const from = this.held.length;
      const chunk = Buffer.alloc(Math.max(CHUNK_BYTES, from));
      const count = readSync(this.file, chunk, 0, chunk.length, null);
      this.ended = count === 0;
      this.held = Buffer.concat([this.held, chunk.subarray(0, count)]);
      at = this.held.indexOf(LINE_FEED, from);
    }
    if (this.held.length === 0) return null;
    const length = Math.min(at < 0 ? this.held.length : at + 1, LINE_BYTES_MAX + 1);
    const line = this.held.toString("latin1", 0, length);
    this.held = this.held.subarray(length);
    return line;
  }
}
