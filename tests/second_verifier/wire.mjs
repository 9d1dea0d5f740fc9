// A reader of protocol buffers that takes the one canonical form and nothing else, by the schema of protos/.
//
// Canonical: fields in the order of their numbers, no unknown ones, each number as short as it can be, no field that
// holds its default (but `optional` ones and messages), lists of numbers packed. A message becomes an object with its
// `type` and every field; of a `oneof` the member that is set stands under the name of the oneof. int64 is a BigInt.

import { readFileSync } from "node:fs";

// Bytes that are not this message in canonical form.
export class BadWire extends Error {}

const VARINT = 0;
const LENGTH = 2;
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
    }
  }
  return schema;
}

// A message object with these fields and defaults for all others.
export function make(schema, name, given = {}) {
  const made = { type: name };
  const message = schema.get(name);
  for (const field of message.fields) if (!field.oneof) made[field.name] = absent(schema, field);
  for (const oneof of message.oneofs) made[oneof] = null;
  for (const [key, value] of Object.entries(given)) {
    if (!(key in made)) throw new Error(`${name} has no field ${key}`);
    made[key] = value;
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

// Reads the whole of `bytes` as this message.
export function decode(schema, name, bytes) {
  const message = schema.get(name);
  const found = make(schema, name);
  const reader = new Reader(bytes);
  let last = 0;
  while (!reader.done()) {
    const tag = reader.uint(32);
    const number = Number(tag >> 3n);
    const field = message.numbers.get(number);
    if (!field) throw new BadWire(`${name} has no field ${number}`);
    if (number < last || (number === last && !(field.repeated && !isPacked(field)))) {
      throw new BadWire(`${name}.${field.name} is out of order or given twice`);
    }
    last = number;
    const wanted = isNumber(field) && !field.repeated ? VARINT : LENGTH;
    if (Number(tag & 7n) !== wanted) throw new BadWire(`${name}.${field.name} has another wire type`);
    store(schema, found, field, reader);
  }
  return found;
}

function store(schema, found, field, reader) {
  if (isPacked(field)) {
    const inside = new Reader(reader.bytes());
    if (inside.done()) throw new BadWire(`${field.name}: an empty list is left out`);
    while (!inside.done()) found[field.name].push(number(field, inside));
    return;
  }
  const value = isNumber(field) ? number(field, reader) : delimited(schema, field, reader.bytes());
  if (field.repeated) {
    found[field.name].push(value);
  } else if (field.oneof) {
    if (found[field.oneof] !== null) throw new BadWire(`${field.oneof} is given twice`);
    found[field.oneof] = value;
  } else {
    if (!field.optional && same(value, absent(schema, field))) throw new BadWire(`${field.name}: a default is left out`);
    found[field.name] = value;
  }
}

function delimited(schema, field, bytes) {
  if (field.type === "bytes") return bytes;
  if (field.type !== "string") return decode(schema, field.type, bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BadWire(`${field.name} is not UTF-8`);
  }
}

function number(field, reader) {
  switch (field.type) {
    case "int64":
      return BigInt.asIntN(64, reader.uint(64));
    case "bool":
      return reader.uint(1) === 1n;
    case "sint32":
      return unzigzag(reader.uint(32));
    case "sint64":
      return unzigzag(reader.uint(64));
    default:
      return Number(reader.uint(32)); // uint32 and enums, none of which is negative
  }
}

function unzigzag(value) {
  const found = Number((value >> 1n) ^ -(value & 1n));
  if (!Number.isSafeInteger(found)) throw new BadWire("a figure is out of range");
  return found;
}

const isNumber = (field) => field.type === "enum" || !["string", "bytes"].includes(field.type) && SCALARS.includes(field.type);
const isPacked = (field) => field.repeated && isNumber(field);

function absent(schema, field) {
  if (field.repeated) return [];
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

  // A varint of at most so many bits, in the fewest bytes.
  uint(bits) {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (this.done()) throw new BadWire("a number is cut off");
      const byte = this.from[this.at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (value >> BigInt(bits) !== 0n) throw new BadWire("a number is out of range");
      if (byte < 0x80) {
        if (byte === 0 && shift > 0n) throw new BadWire("a number is longer than it need be");
        return value;
      }
      if (shift >= 63n) throw new BadWire("a number is too long");
    }
  }

  bytes() {
    const length = Number(this.uint(32));
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
    const made = { name, type, number: Number(number), repeated: label === "repeated", optional: label === "optional", oneof };
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
