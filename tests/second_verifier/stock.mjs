// The game with a stock for two or three (section 15): everybody plays alone, figures are by seat.
//
// As long as the turn-up lies there any card may be played, and after each trick its winner may exchange a dix, then lay
// one meld, then must draw. Cards are physical ones.

import {
  ACE, dealt, DIAMONDS, JACK, KING, kindOf, NINE, QUEEN, rankOf, sorted, SPADES, suitOf, TEN, without,
} from "./cards.mjs";
import { higher } from "./scores.mjs";
import { isNineOf, lowest, playable, trickPoints, winner } from "./tricks.mjs";

const DIX_POINTS = 1; // at scale 1, as all prices below

// Ranks and whether all suits, one suit or named kinds are needed; points once, twice and twice with `double_melds` bonus.
const AROUND = {
  aces_around: { rank: ACE, once: 10, bonus: 100 },
  kings_around: { rank: KING, once: 8, bonus: 80 },
  queens_around: { rank: QUEEN, once: 6, bonus: 60 },
  jacks_around: { rank: JACK, once: 4, bonus: 40 },
};
const PINOCHLE = { once: 4, bonus: 30 };

export function open(state) {
  state.totals = Array(state.rules.players).fill(0);
}

// Twelve cards each, the next one turned up, the rest the stock (R-TWO-01 to 03).
export function deal(state, deck, emit) {
  const { hands, at } = dealt(state.rules, state.dealer, deck);
  const turnUp = deck[at];
  const messages = hands.map((cards) => ({ type: "Hand", cards }));
  const stock = deck.slice(at + 1);
  emit("HandDealt", { number: state.deal + 1, dealer: state.dealer, hands: messages, turn_up: turnUp, stock });
  emit("TurnUpShown", { card: turnUp, trump: suitOf(turnUp) });
  creditDix(state, state.dealer, turnUp, emit);
}

export function defaultCommand(state) {
  if (state.phase === "draw") return { type: "Draw" };
  return { type: "PlayCard", card: lowest(mayPlay(state, state.turn)) };
}

function mayPlay(state, seat) {
  const hand = state.hands[seat];
  return state.turnUp > 0 ? hand : playable(state.rules, hand, state.trick, state.trump); // R-TWO-05, R-TWO-15
}

export const COMMANDS = {
  PlayCard(state, { seat, card }, emit, refuse) {
    const { rules, trump, leader } = state;
    if (state.phase !== "play" || !mayPlay(state, seat).includes(card)) refuse("that card may not be played");
    const trick = [...state.trick, card];
    emit("CardPlayed", { seat, card });
    if (creditDix(state, seat, card, emit)) return;
    if (trick.length < rules.players) return;
    const last = state.turnUp === 0 && state.hands.every((hand) => hand.length === 0);
    const won = (leader + winner(trick, trump)) % rules.players;
    emit("TrickWon", { seat: won, points: trickPoints(rules, trick, last), last });
    if (last) score(state, won, emit);
  },

  ExchangeDix(state, { seat, card }, emit, refuse) {
    const may = state.phase === "draw" && !state.laid && state.hands[seat].includes(card);
    if (!may || !isExchange(state, card)) refuse("no dix can be exchanged");
    emit("DixExchanged", { seat, gives: card, takes: state.turnUp });
    creditDix(state, seat, card, emit);
  },

  LayMeld(state, { seat, kind, cards }, emit, refuse) {
    if (state.phase !== "draw" || state.laid) refuse("no meld can be laid");
    if (without(state.hands[seat], cards) === null) refuse("not the seat's cards");
    const points = meldPoints(state, kind, cards);
    if (points === null) refuse("not a meld that may be laid");
    emit("MeldLaid", { seat, kind, cards, points });
    stopAtOnce(state, seat, emit);
  },

  Draw(state, { seat }, emit, refuse) {
    if (state.phase !== "draw") refuse("nothing is drawn");
    const { players } = state.rules;
    for (let step = 0; step < players; step++) {
      const faceUp = state.stock.length === 0;
      const card = faceUp ? state.turnUp : state.stock[0];
      emit("CardDrawn", { seat: (seat + step) % players, card, face_up: faceUp });
    }
  },
};

// R-TWO-08: a nine of trump for a turn-up that is none.
export const isExchange = (state, card) => isNineOf(card, state.trump) && rankOf(state.turnUp) !== NINE;

// What these cards of one hand score as a meld of this kind now, or null where they may not be laid.
export function meldPoints(state, kind, cards) {
  return cards.every((card) => isFresh(state, kind, card)) ? worth(state, kind, cards) : null;
}

// What these cards are worth as a meld of this kind, or null where they are none (R-TWO-12).
function worth(state, kind, cards) {
  const { scale, double_melds: doubles } = state.rules;
  const twice = (price) => (doubles === "bonus" ? price.bonus : 2 * price.once);
  const priced = (price, copies) => scale * (copies === 1 ? price.once : twice(price));
  const suits = new Set(cards.map(suitOf));
  const ranks = cards.map(rankOf).sort().join("");
  const ofOneSuit = suits.size === 1 ? [...suits][0] : 0;
  const ofTrump = ofOneSuit === state.trump;
  const pair = ranks === `${KING}${QUEEN}` && ofOneSuit > 0;
  switch (kind) {
    case "run":
      return ofTrump && ranks === [ACE, TEN, KING, QUEEN, JACK].join("") ? 15 * scale : null;
    case "dix":
      return cards.length === 1 && isNineOf(cards[0], state.trump) ? DIX_POINTS * scale : null;
    case "royal_marriage":
      return pair && ofTrump ? 4 * scale : null;
    case "marriage":
      return pair && !ofTrump ? 2 * scale : null;
    case "pinochle": {
      const queens = cards.filter((card) => suitOf(card) === SPADES && rankOf(card) === QUEEN).length;
      const jacks = cards.filter((card) => suitOf(card) === DIAMONDS && rankOf(card) === JACK).length;
      return queens > 0 && queens === jacks && queens + jacks === cards.length ? priced(PINOCHLE, queens) : null;
    }
  }
  const around = Object.hasOwn(AROUND, kind) ? AROUND[kind] : null;
  if (around === null || !cards.every((card) => rankOf(card) === around.rank)) return null;
  const kinds = new Set(cards.map(kindOf)).size;
  return kinds === 4 && (cards.length === 4 || cards.length === 8) ? priced(around, cards.length / 4) : null;
}

// R-TWO-11, R-TWO-13, R-TWO-14.
function isFresh(state, kind, card) {
  const served = state.served.get(card) ?? [];
  if (kind === "dix" && state.credited.includes(card)) return false;
  return !served.includes(kind) && !(kind === "royal_marriage" && served.includes("run"));
}

// Ten for a nine of trump that has not earned them yet (R-TWO-14); true where that ends the game.
function creditDix(state, seat, card, emit) {
  if (!isNineOf(card, state.trump) || state.credited.includes(card)) return false;
  emit("DixScored", { seat, card, points: DIX_POINTS * state.rules.scale });
  return stopAtOnce(state, seat, emit);
}

// R-TWO-19, `stock_end` immediate: whether the points just credited win the game.
function stopAtOnce(state, seat, emit) {
  const { rules, totals } = state;
  if (rules.stock_end !== "immediate" || totals[seat] < rules.target || higher(totals) !== seat) return false;
  emit("GameEnded", { winner: seat, reason: "score" });
  return true;
}

function score(state, lastTrick, emit) {
  const totals = state.totals.map((total, seat) => total + state.trickPoints[seat]);
  emit("DealScored", { trick_points: state.trickPoints, last_trick: lastTrick, totals });
  const winning = higher(totals);
  const limit = state.opened.deal_limit;
  if (winning !== null && totals[winning] >= state.rules.target) emit("GameEnded", { winner: winning, reason: "score" });
  else if (limit > 0 && state.deal >= limit) emit("GameEnded", { winner: winning, reason: "deal_limit" });
}

const plus = (list, index, more) => list.with(index, list[index] + more);

export const EVENTS = {
  HandDealt(state, { number, dealer, hands, turn_up, stock }) {
    const nobody = Array(state.rules.players).fill(0);
    Object.assign(state, {
      deal: number, dealer, hands: hands.map((hand) => hand.cards), turnUp: turn_up, stock, trick: [], trickPoints: nobody,
      served: new Map(), credited: [], laid: false, phase: "play",
    });
    state.leader = state.turn = (dealer + 1) % state.rules.players;
  },
  TurnUpShown(state, { trump }) {
    state.trump = trump;
  },
  DixScored(state, { seat, card, points }) {
    state.totals = plus(state.totals, seat, points);
    state.credited = [...state.credited, card];
  },
  CardPlayed(state, { seat, card }) {
    take(state, seat, [card]);
    Object.assign(state, { trick: [...state.trick, card], turn: (seat + 1) % state.rules.players });
  },
  TrickWon(state, { seat, points }) {
    state.trickPoints = plus(state.trickPoints, seat, points);
    Object.assign(state, { trick: [], leader: seat, turn: seat, laid: false, phase: state.turnUp > 0 ? "draw" : "play" });
  },
  DixExchanged(state, { seat, gives, takes }) {
    take(state, seat, [gives]);
    give(state, seat, takes);
    state.turnUp = gives;
  },
  MeldLaid(state, { seat, kind, cards, points }) {
    const served = new Map(state.served);
    for (const card of cards) served.set(card, [...(served.get(card) ?? []), kind]);
    if (kind === "dix") state.credited = [...state.credited, ...cards];
    Object.assign(state, { served, totals: plus(state.totals, seat, points), laid: true });
  },
  CardDrawn(state, { seat, card, face_up }) {
    give(state, seat, card);
    if (face_up) state.turnUp = 0;
    else state.stock = state.stock.slice(1);
    state.phase = "play"; // the last to draw ends it; the winner, who leads, is on turn all the while
  },
  DealScored(state, { totals }) {
    const dealer = (state.dealer + 1) % state.rules.players;
    Object.assign(state, { totals, scored: state.scored + 1, dealer, phase: "deal", turn: null });
  },
};

function take(state, seat, cards) {
  const kept = without(state.hands[seat], cards);
  if (kept === null) throw new Error("a card that the seat does not hold");
  state.hands = state.hands.with(seat, kept);
}

function give(state, seat, card) {
  state.hands = state.hands.with(seat, sorted([...state.hands[seat], card]));
}
