// The partnership game at a table: deal, misdeal option, auction, trump, exchange, melds, play, score, in that order.
//
// COMMANDS decide a player's command: they check it against the state and emit the events that follow; EVENTS file them.

import * as auction from "./auction.mjs";
import { ACE, dealt, KING, kindFrom, QUEEN, rankOf, sorted, SUITS, suitOf, without } from "./cards.mjs";
import { bestMelds } from "./melds.mjs";
import { gameEnd, handScore, higher, isSetUnplayed, mayConcede } from "./scores.mjs";
import { lowest, playable, trickPoints, winner } from "./tricks.mjs";

const left = (seat) => (seat + 1) % 4;
const partner = (seat) => (seat + 2) % 4;
const plus = (list, index, more) => list.with(index, list[index] + more);
const hasAuction = (rules) => rules.trump_source === "auction";

export function open(state) {
  state.totals = [0, 0];
}

// The house deals (R-DEAL-01); without bidding, trump may be fixed at once (R-TRU-03).
export function deal(state, deck, emit) {
  const { hands, at } = dealt(state.rules, state.dealer, deck);
  const turnUp = hasAuction(state.rules) ? 0 : deck[at - 1];
  const messages = hands.map((cards) => ({ type: "Hand", cards }));
  emit("HandDealt", { number: state.deal + 1, dealer: state.dealer, hands: messages, turn_up: turnUp });
  if (turnUp > 0 && !state.rules.misdeal_option) showTurnUp(state, emit);
}

// What the house plays for the seat on turn when its time is up.
export function defaultCommand(state) {
  const { rules, turn, phase } = state;
  const hand = state.hands[turn];
  if (phase === "misdeal") return { type: "KeepDeal" };
  if (phase === "auction") return { type: "Pass", helps: false };
  if (phase === "trump") return { type: "NameTrump", suit: longest(hand, trumps(rules, hand)), declare_out: false };
  if (phase === "play") return { type: "PlayCard", card: lowest(playable(rules, hand, state.trick, state.trump)) };
  const cards = [];
  for (let held = hand; cards.length < rules.exchange; held = without(hand, cards)) cards.push(lowest(held));
  return { type: "PassCards", cards: sorted(cards) };
}

function longest(hand, suits) {
  const length = (suit) => hand.filter((card) => suitOf(card) === suit).length;
  return suits.reduce((best, suit) => (length(suit) > length(best) ? suit : best));
}

// The suits that the declarer may name (R-TRU-01, R-CLB-05).
export function trumps(rules, hand) {
  return rules.trump_marriage === "required" ? SUITS.filter((suit) => hasMarriage(hand, suit)) : SUITS;
}

const hasMarriage = (hand, suit) => hand.includes(kindFrom(suit, KING)) && hand.includes(kindFrom(suit, QUEEN));

// R-DEAL-05: neither an ace nor a marriage.
export function mayThrowIn(hand) {
  return !hand.some((card) => rankOf(card) === ACE) && !SUITS.some((suit) => hasMarriage(hand, suit));
}

export const COMMANDS = {
  KeepDeal(state, { seat }, emit, refuse) {
    if (state.phase !== "misdeal") refuse("nobody is asked about the deal");
    emit("DealKept", { seat });
    if (seat === state.dealer && !hasAuction(state.rules)) showTurnUp(state, emit);
  },

  ThrowIn(state, { seat }, emit, refuse) {
    if (state.phase !== "misdeal" || !mayThrowIn(state.hands[seat])) refuse("that hand may not be thrown in");
    emit("DealThrownIn", { seat });
    abandon(state, state.dealer, emit);
  },

  PlaceBid(state, { seat, amount }, emit, refuse) {
    if (state.phase !== "auction" || !auction.mayBid(state.rules, state.auction, amount)) refuse(`no bid of ${amount}`);
    emit("BidPlaced", { seat, amount });
    endAuction(state, emit);
  },

  Pass(state, { seat, helps }, emit, refuse) {
    if (state.phase !== "auction" || (helps && !state.rules.pass_with_help)) refuse("no such pass");
    emit("Passed", { seat, helps });
    endAuction(state, emit);
  },

  NameTrump(state, { seat, suit, declare_out }, emit, refuse) {
    const { rules } = state;
    if (state.phase !== "trump" || !trumps(rules, state.hands[seat]).includes(suit)) refuse("no such trump");
    const mayDeclare = rules.win_rule === "declared_out" && rules.game_length !== "deals"; // R-TRU-02, R-CLB-13
    if (declare_out && !mayDeclare) refuse("nobody declares out");
    emit("TrumpNamed", { seat, suit, declare_out });
    if (rules.exchange === 0) showMelds(state, emit);
  },

  PassCards(state, { seat, cards }, emit, refuse) {
    if (!["exchange", "return"].includes(state.phase)) refuse("no cards are passed");
    if (cards.length !== state.rules.exchange || without(state.hands[seat], cards) === null) refuse("not those cards");
    emit("CardsPassed", { giver: seat, receiver: partner(seat), cards });
    if (seat === state.declarer) showMelds(state, emit);
  },

  Concede(state, { seat }, emit, refuse) {
    if (state.phase !== "play" || !state.mayConcede || state.played > 0) refuse("no concession");
    emit("Conceded", { seat });
    score(state, emit, { conceded: true });
  },

  PlayCard(state, { seat, card }, emit, refuse) {
    const legal = state.phase === "play" ? playable(state.rules, state.hands[seat], state.trick, state.trump) : [];
    if (!legal.includes(card)) refuse("that card may not be played");
    const trick = [...state.trick, card];
    emit("CardPlayed", { seat, card });
    if (trick.length < 4) return;
    const last = state.hands.every((hand) => hand.length === 0);
    const won = (state.leader + winner(trick, state.trump)) % 4;
    emit("TrickWon", { seat: won, points: trickPoints(state.rules, trick, last), last });
    if (last) score(state, emit, {});
  },
};

function showTurnUp(state, emit) {
  emit("TurnUpShown", { card: state.turnUp, trump: suitOf(state.turnUp) });
  showMelds(state, emit);
}

// The deal ends unscored (R-DEAL-06, R-AUC-10).
function abandon(state, nextDealer, emit) {
  emit("DealAbandoned", { next_dealer: nextDealer });
  endAtLimit(state, emit);
}

function endAuction(state, emit) {
  const end = auction.outcome(state.rules, state.auction);
  if (end === null) return;
  if (end.redeal) {
    abandon(state, left(state.dealer), emit);
    return;
  }
  emit("AuctionWon", end);
  if (trumps(state.rules, state.hands[end.seat]).length > 0) return;
  emit("PlaySkipped", { reason: "no_marriage" }); // R-CLB-06
  const meld = [0, 0];
  for (const seat of [left(end.seat), left(partner(end.seat))]) meld[seat % 2] += showMeld(state, seat, 0, emit);
  emit("MeldsTotaled", { meld, may_concede: false });
  score(state, emit, { noPlay: "no_marriage" });
}

// All four melds, clockwise from the first leader (R-MEL-01).
function showMelds(state, emit) {
  const first = state.declarer ?? left(state.dealer);
  const meld = [0, 0];
  for (const step of [0, 1, 2, 3]) meld[(first + step) % 2] += showMeld(state, (first + step) % 4, state.trump, emit);
  const mine = state.declarer === null ? null : meld[state.declarer % 2];
  const short = mine !== null && isSetUnplayed(state.rules, mine);
  const concede = mine !== null && mayConcede(state.rules, state.contract, mine);
  emit("MeldsTotaled", { meld, may_concede: concede });
  if (!short) return;
  emit("PlaySkipped", { reason: "short_meld" });
  score(state, emit, { noPlay: "short_meld" });
}

function showMeld(state, seat, trump, emit) {
  const { points, melds, shown } = bestMelds(state.rules, state.hands[seat], trump);
  emit("MeldShown", { seat, points, melds: melds.map((meld) => ({ type: "Meld", ...meld })), shown });
  return points;
}

function score(state, emit, { conceded = false, noPlay = "" }) {
  const { rules, meld, trickPoints: points, tricks } = state;
  const bidder = state.declarer === null ? null : state.declarer % 2;
  const bid = state.contract;
  const result = handScore(rules, { bidder, bid, meld, trickPoints: points, tricks, conceded, noPlay });
  const totals = state.totals.map((total, team) => total + result.delta[team]);
  emit("HandScored", { bidder, bid, meld, trick_points: points, tricks, ...result, totals });
  const { declaredOut, scored } = state;
  const end = gameEnd(rules, { totals, bidder, outcome: result.outcome, declaredOut, deals: scored });
  if (end.over) emit("GameEnded", { winner: end.winner, reason: end.winner === null ? "draw" : "score" });
  else endAtLimit(state, emit);
}

// The table's cap on deals, unscored ones included.
function endAtLimit(state, emit) {
  const limit = state.opened.deal_limit;
  if (limit > 0 && state.deal >= limit) emit("GameEnded", { winner: higher(state.totals), reason: "deal_limit" });
}

export const EVENTS = {
  HandDealt(state, { number, dealer, hands, turn_up }) {
    Object.assign(state, {
      deal: number, dealer, hands: hands.map((hand) => hand.cards), turnUp: turn_up, auction: null, declarer: null,
      contract: 0, declaredOut: false, trump: 0, meld: [0, 0], mayConcede: false, leader: null, trick: [], played: 0,
      trickPoints: [0, 0], tricks: [0, 0], phase: "misdeal", turn: left(dealer),
    });
    if (!state.rules.misdeal_option) startAuction(state);
  },
  DealKept(state, { seat }) {
    if (seat === state.dealer) startAuction(state);
    else state.turn = left(seat);
  },
  DealThrownIn() {},
  DealAbandoned(state, { next_dealer }) {
    Object.assign(state, { dealer: next_dealer, phase: "deal", turn: null });
  },
  TurnUpShown(state, { trump }) {
    state.trump = trump;
  },
  BidPlaced(state, { seat, amount }) {
    state.auction = { ...state.auction, bid: amount, bidder: seat, opening: false };
    state.turn = auction.nextCaller(state.auction, seat);
  },
  Passed(state, { seat }) {
    state.auction = { ...state.auction, passed: [...state.auction.passed, seat] };
    state.turn = auction.nextCaller(state.auction, seat);
  },
  AuctionWon(state, { seat, bid }) {
    Object.assign(state, { declarer: seat, contract: bid, phase: "trump", turn: seat });
  },
  TrumpNamed(state, { seat, suit, declare_out }) {
    Object.assign(state, { trump: suit, declaredOut: declare_out });
    if (state.rules.exchange > 0) Object.assign(state, { phase: "exchange", turn: partner(seat) });
  },
  CardsPassed(state, { giver, receiver, cards }) {
    const kept = without(state.hands[giver], cards);
    if (kept === null) throw new Error("cards that the giver does not hold");
    state.hands = state.hands.with(giver, kept).with(receiver, sorted([...state.hands[receiver], ...cards]));
    if (giver !== state.declarer) Object.assign(state, { phase: "return", turn: receiver });
  },
  MeldShown() {},
  MeldsTotaled(state, { meld, may_concede }) {
    const leader = state.declarer ?? left(state.dealer);
    Object.assign(state, { meld, mayConcede: may_concede, phase: "play", leader, turn: leader });
  },
  PlaySkipped() {},
  Conceded() {},
  CardPlayed(state, { seat, card }) {
    const kept = without(state.hands[seat], [card]);
    if (kept === null) throw new Error("a card that the seat does not hold");
    state.hands = state.hands.with(seat, kept);
    Object.assign(state, { trick: [...state.trick, card], played: state.played + 1, turn: left(seat) });
  },
  TrickWon(state, { seat, points }) {
    state.trickPoints = plus(state.trickPoints, seat % 2, points);
    state.tricks = plus(state.tricks, seat % 2, 1);
    Object.assign(state, { trick: [], leader: seat, turn: seat });
  },
  HandScored(state, { totals }) {
    Object.assign(state, { totals, scored: state.scored + 1, dealer: left(state.dealer), phase: "deal", turn: null });
  },
};

// Without bidding the house shows the turn-up in the same act.
function startAuction(state) {
  if (!hasAuction(state.rules)) return;
  Object.assign(state, { phase: "auction", turn: left(state.dealer), auction: auction.begin(state.rules, state.dealer) });
}
