// Decks and lots from a seed (docs/verification.md, "The shuffle" and "Lots").

import { eightBytes, sha256 } from "./chain.mjs";

export const SEED_BYTES = 32;

const WORDS = 1n << 64n;

export function commitment(seed) {
  return sha256("pinochle-arena/seed/1", seed);
}

// The cards, given in display order, as deal number `deal` of this seed and nonce shuffles them.
export function shuffled(cards, seed, nonce, deal) {
  const draw = draws("pinochle-arena/deck/1", seed, nonce, deal);
  const deck = [...cards];
  for (let i = deck.length - 1; i > 0; i--) {
    const j = draw(i + 1);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

// Lot number `number` among 0 ... options - 1.
export function lot(seed, number, options) {
  return draws("pinochle-arena/lot/1", seed, Buffer.alloc(0), number)(options);
}

// draw(n): the next word that is not in the incomplete last stretch, modulo n.
function draws(purpose, seed, nonce, number) {
  const prefix = Buffer.concat([Buffer.from(purpose), seed, sha256(nonce), eightBytes(number)]);
  let block = Buffer.alloc(0);
  let blocks = 0;
  let at = 0;
  return (n) => {
    const options = BigInt(n);
    const bound = WORDS - (WORDS % options);
    for (;;) {
      if (at === block.length) {
        block = sha256(prefix, eightBytes(blocks++));
        at = 0;
      }
      const word = block.readBigUInt64BE(at);
      at += 8;
      if (word < bound) return Number(word % options);
    }
  };
}
