// The score of a hand and the end of a game in the partnership game (sections 10, 13, 14 and 18).
//
// Teams are 0 and 1; a hand is { bidder (a team, or null without bidding), bid, meld, trickPoints, tricks, conceded,
// noPlay ("" where the hand was played or conceded) }, pairs by team.

import { allTrickPoints } from "./tricks.mjs";

// R-CON-01 to 04, on the bidding team's meld; where it is set without play there is nothing to concede.
export function mayConcede(rules, bid, meld) {
  if (isSetUnplayed(rules, meld)) return false;
  const reachable = onBoard(rules, meld) + allTrickPoints(rules);
  switch (rules.concession) {
    case "unmakeable":
      return bid > reachable;
    case "short_by_limit":
      return bid >= reachable;
    default:
      return rules.concession === "any_time";
  }
}

// R-CLB-08.
export const isSetUnplayed = (rules, meld) => rules.short_meld === "set_unplayed" && meld < rules.meld_minimum;

// { counted_meld, outcome, delta } of a hand.
export function handScore(rules, hand) {
  if (hand.bidder === null) return withoutBidding(rules, hand);
  return hand.conceded || hand.noPlay ? unplayed(rules, hand) : played(rules, hand);
}

// R-CLB-07.
const onBoard = (rules, meld) => (meld >= rules.meld_minimum ? meld : 0);

function withoutBidding(rules, hand) {
  const teams = [0, 1].map((team) => defending(rules, hand, team));
  const delta = teams.map((one) => one.meld + one.tricks);
  return { counted_meld: teams.map((one) => one.meld), outcome: "no_bid", delta };
}

// R-SCO-04, R-SCO-08, R-CLB-10: a team's counted meld and trick points.
function defending(rules, hand, team) {
  const short = hand.trickPoints[team] < rules.defender_trick_minimum;
  const counts = !short && fulfilled(rules.defender_meld_needs, hand, team);
  return {
    meld: counts ? onBoard(rules, hand.meld[team]) : 0,
    tricks: short && rules.short_tricks === "lose_all" ? 0 : hand.trickPoints[team],
  };
}

function fulfilled(needs, hand, team) {
  if (needs === "trick") return hand.tricks[team] > 0;
  return needs === "nothing" || hand.trickPoints[team] > 0;
}

// R-SCO-01 to 05, R-CLB-09.
function played(rules, hand) {
  const { bidder } = hand;
  const points = hand.trickPoints[bidder];
  const short = points < rules.bidder_trick_minimum;
  const meld = !short && fulfilled(rules.bidder_meld_needs, hand, bidder) ? onBoard(rules, hand.meld[bidder]) : 0;
  const others = defending(rules, hand, 1 - bidder);
  const made = !short && meld + points >= hand.bid;
  const [mine, extra] = made ? [meld + points, 0] : penalty(rules, hand.bid, meld, points);
  return result(bidder, made ? "made" : "set", [meld, others.meld], [mine, others.meld + others.tricks + extra]);
}

// R-SCO-06, R-CLB-11: conceded, or set without play.
function unplayed(rules, hand) {
  const meld = onBoard(rules, hand.meld[hand.bidder]);
  const [mine, extra] = penalty(rules, hand.bid, meld, 0);
  const credit = rules.unplayed_credit;
  const others = credit === "nothing" ? 0 : onBoard(rules, hand.meld[1 - hand.bidder]);
  const all = allTrickPoints(rules);
  const tricks = { meld_half: Math.floor(all / 2), meld_all: all }[credit] ?? 0;
  return result(hand.bidder, hand.conceded ? "conceded" : "set", [meld, others], [mine, others + tricks + extra]);
}

// R-SCO-05, R-CLB-12: what the bidding team scores, and what goes to the defenders.
function penalty(rules, bid, meld, points) {
  const shortfall = Math.max(0, bid - meld - points);
  const loss = rules.set_penalty === "bid" ? bid : shortfall;
  const kept = rules.set_penalty === "meld_minus_shortfall" ? meld : 0;
  return rules.set_points === "to_opponents" ? [kept, loss] : [kept - loss, 0];
}

function result(bidder, outcome, meld, delta) {
  const byTeam = ([mine, theirs]) => (bidder === 0 ? [mine, theirs] : [theirs, mine]);
  return { counted_meld: byTeam(meld), outcome, delta: byTeam(delta) };
}

// { over, winner } after a scored hand; winner null where there is none. `deals` counts scored deals, this one included.
export function gameEnd(rules, { totals, bidder, outcome, declaredOut, deals }) {
  if (rules.game_length !== "deals") {
    const winner = targetWinner(rules, totals, bidder, outcome, declaredOut);
    if (winner !== null) return { over: true, winner };
  }
  if (rules.game_length === "target" || deals < rules.deals) return { over: false, winner: null };
  const winner = higher(totals);
  return { over: winner !== null || rules.deals_tie === "draw", winner };
}

// Section 14.
function targetWinner(rules, totals, bidder, outcome, declaredOut) {
  const there = [0, 1].filter((team) => totals[team] >= rules.target);
  if (bidder === null || rules.win_rule === "reach") {
    if (there.length < 2) return there.length === 1 ? there[0] : null;
    return bidder === null ? higher(totals) : bidder;
  }
  const may = outcome === "made" && there.includes(bidder) && (rules.win_rule === "own_bid" || declaredOut);
  return may ? bidder : null;
}

// The team, or in the stock game the seat, with the highest total; null where that is shared.
export function higher(totals) {
  const best = Math.max(...totals);
  return totals.filter((total) => total === best).length === 1 ? totals.indexOf(best) : null;
}
