// Cards as the wire has them (R-DECK-01 to 05): 1 to 24 are kinds, 33 to 80 the physical cards of the stock game.
//
// Both count in display order: suits S H D C as 1 to 4, in each the ranks A T K Q J 9 as 0 (highest) to 5, and of a
// physical card copy a before copy b. A hand is an array of cards in ascending, which is display order.

export const [SPADES, HEARTS, DIAMONDS, CLUBS] = [1, 2, 3, 4];
export const [ACE, TEN, KING, QUEEN, JACK, NINE] = [0, 1, 2, 3, 4, 5];
export const SUITS = [SPADES, HEARTS, DIAMONDS, CLUBS];

const RANKS = 6;
const FIRST_PHYSICAL = 33;
const LAST_PHYSICAL = 80;

export const isKind = (card) => card >= 1 && card <= 24;
export const isPhysical = (card) => card >= FIRST_PHYSICAL && card <= LAST_PHYSICAL;

// The kind of a card: itself, or that of which a physical card is a copy.
export const kindOf = (card) => (card < FIRST_PHYSICAL ? card : ((card - FIRST_PHYSICAL) >> 1) + 1);
export const suitOf = (card) => Math.floor((kindOf(card) - 1) / RANKS) + 1;
export const rankOf = (card) => (kindOf(card) - 1) % RANKS;
export const kindFrom = (suit, rank) => (suit - 1) * RANKS + rank + 1;

// Every card of the deck in display order.
export function deckOf(rules) {
  const deck = [];
  for (let kind = 1; kind <= 24; kind++) {
    if (rules.deck === "double" && rankOf(kind) === NINE) continue;
    if (rules.format === "stock") deck.push(FIRST_PHYSICAL + 2 * (kind - 1), FIRST_PHYSICAL + 2 * (kind - 1) + 1);
    else for (let copy = 0; copy < copiesIn(rules); copy++) deck.push(kind);
  }
  return deck;
}

export const copiesIn = (rules) => (rules.deck === "double" ? 4 : 2);
export const handSize = (rules) => (rules.deck === "double" ? 20 : 12);
export const sorted = (cards) => [...cards].sort((a, b) => a - b);
export const count = (hand, card) => hand.reduce((number, other) => number + (other === card), 0);

// The hand without these cards, or null where it does not hold them all.
export function without(hand, cards) {
  const left = [...hand];
  for (const card of cards) {
    const at = left.indexOf(card);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

// R-DEAL-01: hands by seat, cards going round from the dealer's left; how many cards were dealt.
export function dealt(rules, dealer, deck) {
  const hands = Array.from({ length: rules.players }, () => []);
  let at = 0;
  for (let held = 0; held < handSize(rules); ) {
    const packet = Math.min(rules.packet, handSize(rules) - held);
    for (let step = 1; step <= rules.players; step++) {
      hands[(dealer + step) % rules.players].push(...deck.slice(at, at + packet));
      at += packet;
    }
    held += packet;
  }
  return { hands: hands.map(sorted), at };
}
