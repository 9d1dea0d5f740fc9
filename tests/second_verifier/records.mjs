// The records of export files, one after the other: lines of JSON, or messages with their length before them
// (docs/verification.md, "The export format" and "Archives").
//
// A record is { isHeader, problem, content }: whether an export begins with it, as far as can be seen without reading it,
// what is wrong with it already (or ""), and a line as text without its line feed, or the bytes of a message.

import { closeSync, openSync, readSync } from "node:fs";

const RECORD_BYTES_MAX = 2 * 1024 * 1024;

const CHUNK_BYTES = 1 << 16;
const LENGTH_BYTES_MAX = 4;
const LINE_FEED = 0x0a;
const HEADER_TAG = 0x0a;
const BEGINNING = '{"format":';

// The records of a file in either form, told apart by the second byte; `take` gives one after the other, then null.
export class Records {
  constructor(path) {
    this.file = new ByteFile(path);
    const start = this.file.ahead(2);
    this.isBinary = start.length === 2 && start[1] === HEADER_TAG;
    this.unit = this.isBinary ? "message" : "line";
    this.taken = 0;
    this.following = undefined; // the next record, where it was looked at
  }

  peek() {
    if (this.following === undefined) this.following = this.isBinary ? message(this.file) : line(this.file);
    return this.following;
  }

  take() {
    const record = this.peek();
    this.following = undefined;
    this.taken++;
    return record;
  }

  close() {
    this.file.close();
  }
}

function line(file) {
  const bytes = file.takeLine(RECORD_BYTES_MAX + 1);
  if (bytes.length === 0) return null;
  const text = bytes.toString("latin1");
  let problem = text.endsWith("\n") ? "" : "the line is cut off: it has no line break";
  if (text.length > RECORD_BYTES_MAX) problem = `longer than ${RECORD_BYTES_MAX} bytes`;
  return { isHeader: text.startsWith(BEGINNING), problem, content: text.slice(0, -1) };
}

function message(file) {
  let length = 0;
  const prefix = [];
  do {
    const [byte] = file.take(1);
    if (byte === undefined) {
      return prefix.length === 0 ? null : { isHeader: false, problem: "the message is cut off", content: Buffer.alloc(0) };
    }
    length += (byte & 0x7f) * 128 ** prefix.length;
    prefix.push(byte);
  } while (prefix.at(-1) >= 0x80 && prefix.length < LENGTH_BYTES_MAX);
  const isTooLong = length > RECORD_BYTES_MAX || prefix.at(-1) >= 0x80;
  const content = isTooLong ? Buffer.alloc(0) : file.take(length);
  let problem = content.length < length ? "the message is cut off" : "";
  if (isTooLong) problem = `longer than ${RECORD_BYTES_MAX} bytes`;
  if (prefix.length > 1 && prefix.at(-1) === 0) problem = "a length that is longer than it need be";
  return { isHeader: content[0] === HEADER_TAG, problem, content };
}

// The bytes of a file, as they are asked for; what has been taken is let go.
class ByteFile {
  constructor(path) {
    this.file = openSync(path, "r");
    this.held = Buffer.alloc(0);
    this.ended = false;
  }

  close() {
    closeSync(this.file);
  }

  // So many bytes without taking them, or fewer at the end of the file.
  ahead(length) {
    while (this.held.length < length && !this.ended) this.#readOn();
    return this.held.subarray(0, length);
  }

  take(length) {
    const bytes = this.ahead(length);
    this.held = this.held.subarray(bytes.length);
    return bytes;
  }

  // The bytes up to and with the next line feed, so many at most.
  takeLine(most) {
    let at = this.held.indexOf(LINE_FEED);
    while (at < 0 && this.held.length < most && !this.ended) {
      const from = this.held.length;
      this.#readOn();
      at = this.held.indexOf(LINE_FEED, from);
    }
    return this.take(Math.min(at < 0 ? this.held.length : at + 1, most));
  }

  #readOn() {
    const chunk = Buffer.alloc(Math.max(CHUNK_BYTES, this.held.length));
    const count = readSync(this.file, chunk, 0, chunk.length, null);
    this.ended = count === 0;
    this.held = Buffer.concat([this.held, chunk.subarray(0, count)]);
  }
}
