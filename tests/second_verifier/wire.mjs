// A reader of protocol buffers that takes the one canonical form and nothing else, by the schema of protos/.
//
// Canonical: fields in the order of their numbers, no unknown ones, each number as short as it can be, no field that
// holds its default (but `optional` ones and messages), lists of numbers packed. A message becomes an object with its
// `type` and every field; of a `oneof` the member that is set stands under the name of the oneof. int64 is a BigInt.

import { readFileSync } from "node:fs";

// Bytes that are not this message in canonical form.
export class BadWire extends Error {}

// Bytes in canonical form that hold something which only a newer version can know.
export class Newer extends BadWire {}

const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5];
const VARINT_BYTES_MAX = 10;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const SCALARS = ["string", "bytes", "bool", "uint32", "int64", "sint32", "sint64"];
const TOKENS = /\/\/[^\n]*|"[^"]*"|[A-Za-z_][\w.]*|\d+|[^\s\w]/g;

// The messages of some .proto files: name to { name, fields, numbers, oneofs }.
export function schemaOf(paths) {
  const schema = new Map();
  const enums = new Set();
  for (const path of paths) parseFile(readFileSync(path, "utf8"), schema, enums);
  for (const { name, fields } of schema.values()) {
    for (const field of fields) {
      if (enums.has(field.type)) field.type = "enum";
      else if (!SCALARS.includes(field.type) && !schema.has(field.type)) {
        throw new Error(`the schema of ${name}.${field.name} has a type that is not known here: ${field.type}`);
      }
      field.absent = absent(schema, field);
      field.isNumber = field.type === "enum" || (!schema.has(field.type) && !["string", "bytes"].includes(field.type));
      field.isPacked = field.repeated && field.isNumber;
    }
  }
  return schema;
}

// A message object with these fields and defaults for all others.
export function make(schema, name, given = {}) {
  const made = { type: name };
  const message = schema.get(name);
  for (const field of message.fields) if (!field.oneof) made[field.name] = field.repeated ? [] : field.absent;
  for (const oneof of message.oneofs) made[oneof] = null;
  for (const key in given) {
    if (!(key in made)) throw new Error(`${name} has no field ${key}`);
    made[key] = given[key];
  }
  return made;
}

// Whether two decoded values are the same.
export function same(one, other) {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return false;
  if (Buffer.isBuffer(one)) return Buffer.isBuffer(other) && one.equals(other);
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => same(one[key], other[key]));
}

// Reads the whole of `bytes` as this message. A field that the schema does not know makes it Newer, if all else is right.
export function decode(schema, name, bytes) {
  const unknown = [];
  const found = read(schema, name, bytes, unknown);
  if (unknown.length > 0) throw new Newer(`${unknown[0]} is a field that this version does not know`);
  return found;
}

function read(schema, name, bytes, unknown) {
  const message = schema.get(name);
  const found = make(schema, name);
  const reader = new Reader(bytes);
  let last = 0;
  while (!reader.done()) {
    const tag = reader.uint(32);
    const number = Math.floor(tag / 8);
    const field = message.numbers.get(number);
    if (!field) {
      if (number === 0 || number < last) throw new BadWire(`${name} has no field ${number}`);
      unknown.push(`${name}.${number}`);
      reader.skip(tag % 8);
      last = number;
      continue;
    }
    if (number < last || (number === last && !(field.repeated && !field.isPacked))) {
      throw new BadWire(`${name}.${field.name} is out of order or given twice`);
    }
    last = number;
    const wanted = field.isNumber && !field.repeated ? VARINT : LENGTH;
    if (tag % 8 !== wanted) throw new BadWire(`${name}.${field.name} has another wire type`);
    store(schema, found, field, reader, unknown);
  }
  return found;
}

function store(schema, found, field, reader, unknown) {
  if (field.isPacked) {
    const inside = new Reader(reader.bytes());
    if (inside.done()) throw new BadWire(`${field.name}: an empty list is left out`);
    while (!inside.done()) found[field.name].push(number(field, inside));
    return;
  }
  const value = field.isNumber ? number(field, reader) : delimited(schema, field, reader.bytes(), unknown);
  if (field.repeated) {
    found[field.name].push(value);
  } else if (field.oneof) {
    if (found[field.oneof] !== null) throw new BadWire(`${field.oneof} is given twice`);
    found[field.oneof] = value;
  } else {
    if (!field.optional && same(value, field.absent)) throw new BadWire(`${field.name}: a default is left out`);
    found[field.name] = value;
  }
}

function delimited(schema, field, bytes, unknown) {
  if (field.type === "bytes") return bytes;
  if (field.type !== "string") return read(schema, field.type, bytes, unknown);
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new BadWire(`${field.name} is not UTF-8`);
  }
}

function number(field, reader) {
  switch (field.type) {
    case "int64":
      return BigInt.asIntN(64, reader.long());
    case "bool":
      return reader.uint(1) === 1;
    case "sint32":
    case "sint64":
      return unzigzag(field.type === "sint32" ? BigInt(reader.uint(32)) : reader.long());
    default:
      return reader.uint(32); // uint32 and enums, none of which is negative
  }
}

function unzigzag(value) {
  const found = Number((value >> 1n) ^ -(value & 1n));
  if (!Number.isSafeInteger(found)) throw new BadWire("a figure is out of range");
  return found;
}


// What stands for a field that is not there.
function absent(schema, field) {
  if (field.optional || schema.has(field.type)) return null;
  if (field.type === "string") return "";
  if (field.type === "bytes") return Buffer.alloc(0);
  if (field.type === "bool") return false;
  return field.type === "int64" ? 0n : 0;
}

class Reader {
  constructor(bytes) {
    this.from = bytes;
    this.at = 0;
  }

  done() {
    return this.at === this.from.length;
  }

  // A varint of at most so many bits, up to 32.
  uint(bits) {
    const first = this.from[this.at];
    if (first < 0x80 && first < 2 ** bits) {
      this.at++; // most are one byte
      return first;
    }
    let value = 0;
    const bytes = this.#varint();
    for (let i = bytes.length - 1; i >= 0; i--) value = value * 128 + (bytes[i] & 0x7f);
    if (value >= 2 ** bits) throw new BadWire("a number is out of range");
    return value;
  }

  // A varint of at most 64 bits, as a BigInt.
  long() {
    let value = 0n;
    const bytes = this.#varint();
    for (let i = bytes.length - 1; i >= 0; i--) value = (value << 7n) | BigInt(bytes[i] & 0x7f);
    if (value >> 64n !== 0n) throw new BadWire("a number is out of range");
    return value;
  }

  // Passes over a value of this wire type.
  skip(type) {
    if (type === VARINT) this.long();
    else if (type === LENGTH) this.bytes();
    else if (type === FIXED64 || type === FIXED32) this.at += type === FIXED64 ? 8 : 4;
    else throw new BadWire("a wire type that is not in use");
    if (this.at > this.from.length) throw new BadWire("a field is cut off");
  }

  // The bytes of a varint, no more of them than it needs.
  #varint() {
    const start = this.at;
    while (this.from[this.at] >= 0x80) this.at++;
    if (this.at >= this.from.length) throw new BadWire("a number is cut off");
    const bytes = this.from.subarray(start, ++this.at);
    if (bytes.length > VARINT_BYTES_MAX || (bytes.length > 1 && bytes.at(-1) === 0)) {
      throw new BadWire("a number is longer than it need be");
    }
    return bytes;
  }

  bytes() {
    const length = this.uint(32);
    if (length > this.from.length - this.at) throw new BadWire("a field is cut off");
    this.at += length;
    return this.from.subarray(this.at - length, this.at);
  }
}

function parseFile(text, schema, enums) {
  const tokens = text.match(TOKENS).filter((token) => !token.startsWith("//"));
  let at = 0;
  const skipTo = (end) => {
    while (tokens[at++] !== end);
  };
  const skipBlock = () => {
    skipTo("{");
    for (let depth = 1; depth > 0; at++) depth += { "{": 1, "}": -1 }[tokens[at]] ?? 0;
  };
  const field = (message, oneof) => {
    const label = ["repeated", "optional"].includes(tokens[at]) ? tokens[at++] : "";
    const [type, name, , number] = tokens.slice(at, at + 4);
    skipTo(";");
    const [repeated, optional] = ["repeated", "optional"].map((word) => label === word);
    const made = { name, type, number: Number(number), repeated, optional, oneof };
    message.fields.push(made);
    message.numbers.set(made.number, made);
  };
  const body = (message, oneof) => {
    for (skipTo("{"); tokens[at] !== "}"; ) {
      if (tokens[at] === "oneof") {
        message.oneofs.push(tokens[at + 1]);
        body(message, tokens[at + 1]);
      } else if (tokens[at] === "reserved") skipTo(";");
      else field(message, oneof);
    }
    at++;
  };
  while (at < tokens.length) {
    const word = tokens[at];
    if (word === "message") {
      const message = { name: tokens[at + 1], fields: [], numbers: new Map(), oneofs: [] };
      schema.set(message.name, message);
      body(message, "");
    } else if (word === "enum") {
      enums.add(tokens[at + 1]);
      skipBlock();
    } else if (word === "service") skipBlock();
    else skipTo(";");
  }
}
