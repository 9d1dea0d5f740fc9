// The best melds of a hand in the partnership game (R-MEL-01 to 13, without trump R-CLB-06).

import { ACE, count, DIAMONDS, JACK, KING, kindFrom, NINE, QUEEN, SPADES, SUITS, TEN } from "./cards.mjs";

// Points at scale 1 for 1, 2, 3, 4 copies under `double_melds` bonus (R-MEL-13); what has no row adds up.
const BONUS = {
  run: [15, 150, 225, 300],
  pinochle: [4, 30, 60, 90],
  aces_around: [10, 100, 150, 200],
  kings_around: [8, 80, 120, 160],
  queens_around: [6, 60, 90, 120],
  jacks_around: [4, 40, 60, 80],
};
const SINGLE = {
  run: 15, run_king: 19, run_queen: 19, run_marriage: 23, royal_marriage: 4, marriage: 2, dix: 1, pinochle: 4,
  aces_around: 10, kings_around: 8, queens_around: 6, jacks_around: 4,
};
const EXTENDED = {
  none: [],
  king_or_queen: ["run_king", "run_queen"],
  king_queen_marriage: ["run_king", "run_queen", "run_marriage"],
};
const AROUND = { aces_around: ACE, kings_around: KING, queens_around: QUEEN, jacks_around: JACK };

// The price of so many copies of a meld in one hand.
export function price(rules, name, copies) {
  const bonus = rules.double_melds === "bonus" && BONUS[name];
  return rules.scale * (bonus ? bonus[copies - 1] : copies * SINGLE[name]);
}

// { points, melds, shown }: the maximum over all combinations; `trump` is 0 where there is none.
export function bestMelds(rules, hand, trump) {
  const classes = [firstClass(rules, hand, trump), pinochles(rules, hand), around(rules, hand)];
  const melds = classes.flatMap((one) => one.melds);
  // By name, then by the suit's letter, C D H S: the suits' numbers the other way round.
  melds.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : other.suit - one.suit));
  return { points: melds.reduce((sum, meld) => sum + meld.points, 0), melds, shown: shownCards(classes) };
}

// Of each card as many copies as the class that needs most of them (R-MEL-12).
function shownCards(classes) {
  const shown = [];
  for (let card = 1; card <= 24; card++) {
    const copies = Math.max(...classes.map((one) => count(one.used, card)));
    for (let copy = 0; copy < copies; copy++) shown.push(card);
  }
  return shown;
}

function meld(rules, name, suit, copies) {
  return { name, suit, copies, points: price(rules, name, copies) };
}

function times(copies, cards) {
  return Array.from({ length: copies }, () => cards).flat();
}

// Runs, marriages and dix. Only the trump suit has a choice: how many of which run, all other pairs being marriages.
function firstClass(rules, hand, trump) {
  const melds = [];
  const used = [];
  for (const suit of SUITS) {
    if (suit === trump) continue;
    const [king, queen] = [kindFrom(suit, KING), kindFrom(suit, QUEEN)];
    const pairs = Math.min(count(hand, king), count(hand, queen));
    if (pairs > 0) melds.push(meld(rules, "marriage", suit, pairs));
    used.push(...times(pairs, [king, queen]));
  }
  if (trump > 0) {
    const best = bestTrumpMelds(rules, hand, trump);
    melds.push(...best.melds);
    used.push(...best.used);
    const nine = kindFrom(trump, NINE);
    const nines = count(hand, nine);
    if (nines > 0) melds.push(meld(rules, "dix", trump, nines));
    used.push(...times(nines, [nine]));
  }
  return { melds, used };
}

function bestTrumpMelds(rules, hand, trump) {
  let best = null;
  for (const runs of runChoices(rules, hand, trump)) {
    const used = runs.flatMap(([name, copies]) => times(copies, runCards(name, trump)));
    const [king, queen] = [kindFrom(trump, KING), kindFrom(trump, QUEEN)];
    const pairs = Math.min(count(hand, king) - count(used, king), count(hand, queen) - count(used, queen));
    used.push(...times(pairs, [king, queen]));
    const melds = runs.map(([name, copies]) => meld(rules, name, trump, copies));
    if (pairs > 0) melds.push(meld(rules, "royal_marriage", trump, pairs));
    const found = { melds, used, points: melds.reduce((sum, one) => sum + one.points, 0) };
    if (best === null || isBetter(found, best)) best = found;
  }
  return best;
}

// Most points, then most cards, then fewest entries (R-MEL-10).
function isBetter(one, other) {
  if (one.points !== other.points) return one.points > other.points;
  if (one.used.length !== other.used.length) return one.used.length > other.used.length;
  return one.melds.length < other.melds.length;
}

// Every way to take runs of the known kinds from a hand, as lists of [name, copies].
function runChoices(rules, hand, trump) {
  let choices = [[]];
  for (const name of ["run", ...EXTENDED[rules.run_extras]]) {
    choices = choices.flatMap((runs) => {
      const more = [runs];
      for (let copies = 1; fits(hand, [...runs, [name, copies]], trump); copies++) more.push([...runs, [name, copies]]);
      return more;
    });
  }
  return choices;
}

function fits(hand, runs, trump) {
  const needed = runs.flatMap(([name, copies]) => times(copies, runCards(name, trump)));
  return [...new Set(needed)].every((card) => count(needed, card) <= count(hand, card));
}

function runCards(name, trump) {
  const ranks = [ACE, TEN, KING, QUEEN, JACK];
  if (name === "run_king" || name === "run_marriage") ranks.push(KING);
  if (name === "run_queen" || name === "run_marriage") ranks.push(QUEEN);
  return ranks.map((rank) => kindFrom(trump, rank));
}

function pinochles(rules, hand) {
  const cards = [kindFrom(SPADES, QUEEN), kindFrom(DIAMONDS, JACK)];
  const copies = Math.min(...cards.map((card) => count(hand, card)));
  return { melds: copies > 0 ? [meld(rules, "pinochle", 0, copies)] : [], used: times(copies, cards) };
}

function around(rules, hand) {
  const melds = [];
  const used = [];
  for (const [name, rank] of Object.entries(AROUND)) {
    const cards = SUITS.map((suit) => kindFrom(suit, rank));
    const copies = Math.min(...cards.map((card) => count(hand, card)));
    if (copies > 0) melds.push(meld(rules, name, 0, copies));
    used.push(...times(copies, cards));
  }
  return { melds, used };
}
