// Export files: JSON lines in one canonical form (docs/verification.md, "The export format").
//
// `exportsOf` reads a file line by line and yields one export after the other; each has a header and its acts, read as
// they are asked for. A line that is not in the one form is refused with its number.

import { closeSync, openSync, readSync } from "node:fs";

const LINE_BYTES_MAX = 2 * 1024 * 1024;
const ACTS_MAX = 1_000_000;
const CHUNK_BYTES = 1 << 16;

const HEADER =
  /^\{"format":"pinochle-export","version":1,"kind":"(table|tournament)","stream":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})","acts":([1-9][0-9]{0,6}),"head":"([0-9a-f]{64})"\}$/;
const ACT =
  /^\{"version":(0|[1-9][0-9]{0,6}),"command_id":"([0-9a-f]{32})","body":"([A-Za-z0-9+/]*={0,2})","hash":"([0-9a-f]{64})"\}$/;

// What is refused: the line, from 1 at the export's header, and why.
export class BadExport extends Error {
  constructor(line, problem) {
    super(`line ${line}: ${problem}`);
    this.line = line;
  }
}

// Yields { kind, stream, streamBytes, acts, head, read() } for every export in the file, where `read` yields
// { version, commandId, body, hash } act by act. An export that is not read to its end is the last one.
export function* exportsOf(path) {
  const lines = new Lines(path);
  try {
    let first = lines.next();
    if (first === null) throw new BadExport(1, "the file is empty");
    while (first !== null) {
      const header = headerOf(first);
      header.finished = false;
      header.read = () => actsOf(lines, header);
      yield header;
      if (!header.finished) return;
      first = lines.next();
    }
  } finally {
    lines.close();
  }
}

function* actsOf(lines, header) {
  let head = "";
  for (let number = 2; number <= header.acts + 1; number++) {
    const line = lines.next(number);
    if (line === null) {
      throw new BadExport(number, `the file ends here: expected ${header.acts} acts, found ${number - 2}`);
    }
    const act = actOf(line, number);
    head = act.hash;
    yield act;
  }
  if (head !== header.head) throw new BadExport(1, "head: it is not the hash of the last act");
  header.finished = true;
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

// The lines of a file, each without its line feed; only so much is held as a line may be long.
class Lines {
  constructor(path) {
    this.file = openSync(path, "r");
    this.held = Buffer.alloc(0);
    this.ended = false;
  }

  // The next line as text, byte for byte, or null at the end; `number` is for the error.
  next(number = 1) {
    let from = 0;
    for (;;) {
      const at = this.held.indexOf(10, from);
      if (at > LINE_BYTES_MAX - 1 || (at < 0 && this.held.length > LINE_BYTES_MAX)) {
        throw new BadExport(number, `longer than ${LINE_BYTES_MAX} bytes`);
      }
      if (at >= 0) {
        const line = this.held.toString("latin1", 0, at);
        this.held = this.held.subarray(at + 1);
        return line;
      }
      if (this.ended) {
        if (this.held.length === 0) return null;
        throw new BadExport(number, "the line is cut off: it has no line break");
      }
      from = this.held.length;
      this.#readOn();
    }
  }

  close() {
    closeSync(this.file);
  }

  #readOn() {
    const chunk = Buffer.alloc(Math.max(CHUNK_BYTES, this.held.length));
    const count = readSync(this.file, chunk, 0, chunk.length, null);
    if (count === 0) this.ended = true;
    else this.held = Buffer.concat([this.held, chunk.subarray(0, count)]);
  }
}
