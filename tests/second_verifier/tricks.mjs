// Tricks: what may be played, who wins, what it is worth (R-PLY-01 to 12, R-TPT-01 to 08).

import { copiesIn, kindOf, NINE, rankOf, suitOf } from "./cards.mjs";

// Points of A T K Q J 9.
const SCHEDULES = {
  counters10: [10, 10, 10, 0, 0, 0],
  ace11: [11, 10, 4, 3, 2, 0],
  tens_fives: [10, 10, 5, 5, 0, 0],
  counters1: [1, 1, 1, 0, 0, 0],
};
export const SCHEDULE_NAMES = Object.keys(SCHEDULES);

// The cards of a hand that may be played to a trick under strict play (section 11).
export function playable(rules, hand, trick, trump) {
  if (trick.length === 0) return hand;
  const led = suitOf(trick[0]);
  const following = hand.filter((card) => suitOf(card) === led);
  const trumps = hand.filter((card) => suitOf(card) === trump);
  const ruffs = led === trump ? [] : trick.filter((card) => suitOf(card) === trump);
  if (following.length > 0) {
    if (ruffs.length > 0 || rules.must_beat === "none") return following; // R-PLY-05, R-PLY-11
    const reference = rules.must_beat === "led" ? trick[0] : trick[winner(trick, trump)];
    return higherIfAny(following, [reference]);
  }
  if (trumps.length > 0) return rules.must_overtrump && ruffs.length > 0 ? higherIfAny(trumps, ruffs) : trumps;
  return hand;
}

function higherIfAny(cards, others) {
  const best = Math.min(...others.map(rankOf));
  const higher = cards.filter((card) => rankOf(card) < best);
  return higher.length > 0 ? higher : cards;
}

// Which card of a trick wins: the first of the highest trumps, else of the highest of the led suit.
export function winner(trick, trump) {
  const suit = trick.some((card) => suitOf(card) === trump) ? trump : suitOf(trick[0]);
  let best = -1;
  trick.forEach((card, index) => {
    if (suitOf(card) === suit && (best < 0 || rankOf(card) < rankOf(trick[best]))) best = index;
  });
  return best;
}

// R-TPT-05, R-TPT-08.
export function trickPoints(rules, trick, last) {
  const points = pointsOf(rules);
  return trick.reduce((sum, card) => sum + points[rankOf(card)], last ? rules.last_trick : 0);
}

// All trick points of a hand: "limit" in section 10.
export function allTrickPoints(rules) {
  const ranks = rules.deck === "double" ? pointsOf(rules).slice(0, NINE) : pointsOf(rules);
  return 4 * copiesIn(rules) * ranks.reduce((sum, points) => sum + points, 0) + rules.last_trick;
}

function pointsOf(rules) {
  const schedule = rules.trick_schedule;
  return typeof schedule === "string" ? SCHEDULES[schedule] : ["A", "T", "K", "Q", "J", "9"].map((rank) => schedule[rank]);
}

// What the house plays where a turn expires: the lowest legal card, of equal ranks the last in display order.
export function lowest(cards) {
  const isLower = (card, low) => rankOf(card) > rankOf(low) || (rankOf(card) === rankOf(low) && card > low);
  return cards.reduce((low, card) => (isLower(card, low) ? card : low));
}

export const isNineOf = (card, trump) => rankOf(card) === NINE && suitOf(kindOf(card)) === trump;
