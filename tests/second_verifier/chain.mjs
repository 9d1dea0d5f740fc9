// The hash chain (docs/verification.md, "The hash chain"). Hashes are 32 bytes, ids 16.

import { hash } from "node:crypto";

export const START = Buffer.alloc(32);

// The hash of an act, from that of the act before it.
export function link(previous, stream, version, commandId, body) {
  return sha256(previous, stream, eightBytes(version), commandId, body);
}

export function sha256(...parts) {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  return hash("sha256", Buffer.concat(bytes), "buffer");
}

// A number as eight bytes, big-endian.
export function eightBytes(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
}
