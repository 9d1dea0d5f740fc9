// node vectors.mjs < CASES: answers cases of tests/golden/vectors, one JSON object a line, each with its whole rule set
// under "ruleset". Prints {"id", "answer"} for each, in the form of the case's "expected".

import { readFileSync } from "node:fs";

import * as auction from "./auction.mjs";
import { dealt, sorted, without } from "./cards.mjs";
import { bestMelds } from "./melds.mjs";
import { mayThrowIn, trumps } from "./partnership.mjs";
import { ruleProblem } from "./rules.mjs";
import { gameEnd, handScore, higher, mayConcede } from "./scores.mjs";
import { isExchange, meldPoints } from "./stock.mjs";
import { playable, trickPoints, winner } from "./tricks.mjs";

const SUIT_LETTERS = " SHDC";
const RANK_LETTERS = "ATKQJ9";
const STOCK_KINDS = [
  "run", "dix", "royal_marriage", "marriage", "aces_around", "kings_around", "queens_around", "jacks_around", "pinochle",
];
const MELD_SIZES = [1, 2, 4, 5, 8];

const suitFrom = (letter) => (letter === null ? 0 : SUIT_LETTERS.indexOf(letter));
const names = (cards) => cards.map(nameOf);
const cardsFrom = (texts) => texts.map(cardFrom);

function cardFrom(text) {
  const kind = (suitFrom(text[1]) - 1) * 6 + RANK_LETTERS.indexOf(text[0]) + 1;
  return text.length === 2 ? kind : 33 + 2 * (kind - 1) + "ab".indexOf(text[2]);
}

function nameOf(card) {
  const kind = card < 33 ? card - 1 : (card - 33) >> 1;
  const copy = card < 33 ? "" : "ab"[(card - 33) & 1];
  return RANK_LETTERS[kind % 6] + SUIT_LETTERS[Math.floor(kind / 6) + 1] + copy;
}

const ANSWERS = {
  best_meld(rules, { hand, trump }) {
    const { points, melds } = bestMelds(rules, sorted(cardsFrom(hand)), suitFrom(trump));
    const by_class = { 1: 0, 2: 0, 3: 0 };
    const shown = melds.map((meld) => {
      by_class[meld.name === "pinochle" ? 2 : meld.name.endsWith("_around") ? 3 : 1] += meld.points;
      return { meld: meld.name, suit: SUIT_LETTERS[meld.suit].trim(), copies: meld.copies, points: meld.points };
    });
    return { total: points, by_class, melds: shown };
  },

  auction(rules, { dealer, calls }) {
    let state = auction.begin(rules, dealer);
    let turn = (dealer + 1) % 4;
    for (const { seat, call, amount } of calls) {
      const legal = call === "bid" ? auction.mayBid(rules, state, amount) : call === "pass" || rules.pass_with_help;
      if (auction.outcome(rules, state) || seat !== turn || !legal) return { state: "illegal" };
      if (call === "bid") state = { ...state, bid: amount, bidder: seat, opening: false };
      else state = { ...state, passed: [...state.passed, seat] };
      turn = auction.nextCaller(state, seat);
    }
    const end = auction.outcome(rules, state);
    if (end?.redeal) return { state: "redeal" };
    if (end) return { state: "contract", declarer: end.seat, bid: end.bid, forced: end.forced };
    return { state: "open", turn, pass: true, pass_help: rules.pass_with_help, ...bounds(rules, state) };
  },

  legal_trumps: (rules, { hand }) => ({ suits: trumps(rules, cardsFrom(hand)).map((suit) => SUIT_LETTERS[suit]) }),
  may_throw_in: (rules, { hand }) => ({ may_throw_in: rules.misdeal_option && mayThrowIn(cardsFrom(hand)) }),
  ruleset_valid: (rules) => ({ valid: ruleProblem(rules) === "" }),

  legal_plays(rules, { trump, trick, hand }) {
    const legal = playable(rules, sorted(cardsFrom(hand)), cardsFrom(trick), suitFrom(trump));
    return { legal: names([...new Set(legal)]) };
  },

  trick_winner(rules, { trump, leader, trick, last }) {
    const index = winner(cardsFrom(trick), suitFrom(trump));
    return { index, seat: (leader + index) % rules.players, points: trickPoints(rules, cardsFrom(trick), last) };
  },

  hand_score(rules, { bidder, bid, meld, trick_points: trickPoints, tricks, conceded, no_play: noPlay }) {
    return handScore(rules, { bidder, bid, meld, trickPoints, tricks, conceded, noPlay: noPlay ?? "" });
  },

  may_concede: (rules, { bid, meld }) => ({ may_concede: mayConcede(rules, bid, meld) }),

  game_end(rules, { totals, bidder, outcome, declared_out: declaredOut, deals_played: deals }) {
    return gameEnd(rules, { totals, bidder, outcome, declaredOut, deals: deals ?? 1 });
  },

  stock_game_end(rules, { totals }) {
    const best = higher(totals);
    const over = best !== null && totals[best] >= rules.target;
    return { over, winner: over ? best : null };
  },

  deal(rules, { dealer, deck }) {
    const cards = cardsFrom(deck);
    const { hands, at } = dealt(rules, dealer, cards);
    const answer = { hands: hands.map(names) };
    const isStock = rules.format === "stock";
    if (isStock || rules.trump_source === "turn_up") answer.turn_up = nameOf(cards[isStock ? at : at - 1]);
    if (answer.turn_up) answer.trump = answer.turn_up[1];
    if (isStock) answer.stock = names(cards.slice(at + 1));
    return answer;
  },

  exchange(rules, { partner, declarer, passed, returned }) {
    const there = cardsFrom(passed);
    const back = cardsFrom(returned);
    const given = without(cardsFrom(partner), there);
    const held = without([...cardsFrom(declarer), ...there], back);
    const areHeld = given !== null && held !== null;
    if (there.length !== rules.exchange || back.length !== rules.exchange || !areHeld) return { legal: false };
    return { legal: true, partner: names(sorted([...given, ...back])), declarer: names(sorted(held)) };
  },

  stock_melds(rules, { trump, hand, uses, credited }) {
    const served = new Map(Object.entries(uses).map(([card, kinds]) => [cardFrom(card), kinds]));
    const state = { rules, trump: suitFrom(trump), served, credited: cardsFrom(credited) };
    const melds = subsets(sorted(cardsFrom(hand))).flatMap((cards) =>
      STOCK_KINDS.map((kind) => ({ kind, cards: names(cards), points: meldPoints(state, kind, cards) })),
    );
    return { melds: melds.filter((meld) => meld.points !== null) };
  },

  stock_exchange(rules, { trump, hand, turn_up }) {
    const state = { trump: suitFrom(trump), turnUp: cardFrom(turn_up) };
    return { may_give: names(sorted(cardsFrom(hand)).filter((card) => isExchange(state, card))) };
  },
};

// The lowest bid, the highest (null for none) and the distance to the next one, found by asking for each.
function bounds(rules, state) {
  const most = state.bid + rules.min_bid + 2 * 1000;
  const legal = [];
  for (let amount = 1; amount <= most; amount++) if (auction.mayBid(rules, state, amount)) legal.push(amount);
  const isLimited = rules.max_raise !== null;
  const after = isLimited ? legal[0] + rules.bid_step : legal[1];
  return { min: legal[0], max: isLimited ? legal.at(-1) : null, step: after - legal[0] };
}

// Every choice of so many cards as a meld may have.
function subsets(cards) {
  const found = [];
  const choose = (from, chosen) => {
    if (MELD_SIZES.includes(chosen.length)) found.push(chosen);
    if (chosen.length === Math.max(...MELD_SIZES)) return;
    for (let at = from; at < cards.length; at++) choose(at + 1, [...chosen, cards[at]]);
  };
  choose(0, []);
  return found;
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { id, op, ruleset, input } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id, answer: ANSWERS[op](ruleset, input ?? {}) })}\n`);
}
