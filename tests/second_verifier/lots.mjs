// What follows from a tournament's seed: lots, and the tables' ids, seeds and dealers (docs/verification.md).

import { eightBytes, sha256 } from "./chain.mjs";
import { lot } from "./shuffle.mjs";

const lotsSeed = (seed, label) => sha256("pinochle-arena/lots/1", seed, label);

// The teams in the order of the lots with this label.
export function lotOrder(seed, label, teams) {
  const own = lotsSeed(seed, label);
  const order = [...teams].sort((one, other) => one - other);
  for (let i = order.length - 1; i > 0; i--) {
    const j = lot(own, i, i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

export const lotSide = (seed, match) => lot(lotsSeed(seed, `match ${match}`), 0, 2);

export const tableSeed = (seed, match, attempt) => sha256("pinochle-arena/table/1", seed, match, eightBytes(attempt));

// The id, as text, of the table for an attempt (from 1) of a match.
export function tableId(tournament, match, attempt) {
  const own = Buffer.from(tournament.replaceAll("-", ""), "hex");
  const bytes = sha256("pinochle-arena/table-id/1", own, match, eightBytes(attempt)).subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x50;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return uuidText(bytes);
}

export function uuidText(bytes) {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
