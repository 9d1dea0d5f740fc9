// Rule sets: every knob with what it allows, and what may not go together (docs/rules.md, section 2, R-CFG-02).

import { BadWire, Newer } from "./wire.mjs";
import { allTrickPoints, SCHEDULE_NAMES } from "./tricks.mjs";

// The rules that this verifier has read; acts of another version may conclude otherwise.
export const RULES_VERSION = 1;

const MOST = 1_000_000;
const LADDER_PARTS_MAX = 100;

const whole = (low, high = MOST) => (value) => Number.isSafeInteger(value) && value >= low && value <= high;
const oneOf = (...values) => (value) => values.includes(value);
const flag = oneOf(true, false);

const ALLOWED = {
  bid_ladder: (value) => value === null || isLadder(value),
  bid_step: whole(1),
  bidder_meld_needs: oneOf("nothing", "trick", "trick_points"),
  bidder_trick_minimum: whole(0),
  concession: oneOf("never", "unmakeable", "short_by_limit", "any_time"),
  dealer_opens: flag,
  dealer_rule: oneOf("forced", "free_then_forced", "redeal"),
  deals: whole(1),
  deals_tie: oneOf("extra_deal", "draw"),
  deck: oneOf("single", "double"),
  defender_meld_needs: oneOf("nothing", "trick", "trick_points"),
  defender_trick_minimum: whole(0),
  double_melds: oneOf("bonus", "linear"),
  exchange: oneOf(0, 2, 3, 4),
  format: oneOf("partnership", "stock"),
  game_length: oneOf("target", "deals", "either"),
  last_trick: whole(0),
  max_raise: (value) => value === null || whole(1)(value),
  meld_minimum: whole(0),
  min_bid: whole(1),
  misdeal_option: flag,
  must_beat: oneOf("winning", "led", "none"),
  must_overtrump: flag,
  packet: whole(1, 5),
  pass_with_help: flag,
  players: whole(2, 4),
  run_extras: oneOf("none", "king_or_queen", "king_queen_marriage"),
  scale: oneOf(10, 1),
  set_penalty: oneOf("bid", "meld_minus_shortfall", "shortfall"),
  set_points: oneOf("subtract", "to_opponents"),
  short_meld: oneOf("play", "set_unplayed"),
  short_tricks: oneOf("lose_meld", "lose_all"),
  stock_end: oneOf("deal_end", "immediate"),
  target: whole(1),
  trick_schedule: (value) => SCHEDULE_NAMES.includes(value) || isSchedule(value),
  trump_marriage: oneOf("optional", "required"),
  trump_source: oneOf("auction", "turn_up"),
  unplayed_credit: oneOf("nothing", "meld", "meld_half", "meld_all"),
  win_rule: oneOf("reach", "own_bid", "declared_out"),
};

// The rule set of a RuleSet message: every knob, sorted by name, its value in the one JSON form. BadWire otherwise.
export function rulesFrom(message) {
  if (message === null) throw new BadWire("the rule set is missing");
  const names = Object.keys(ALLOWED);
  const rules = {};
  const unknown = message.knobs.find(({ name }) => !names.includes(name));
  if (unknown) throw new Newer(`knob ${unknown.name.slice(0, 40)} is one that this version does not know`);
  message.knobs.forEach(({ name, value }, index) => {
    if (name !== names[index]) throw new BadWire(`expected knob ${names[index]}, found ${name.slice(0, 40)}`);
    rules[name] = valueOf(name, value);
  });
  const wrong = ruleProblem(rules);
  if (wrong) throw new BadWire(`the rule set: ${wrong}`);
  return rules;
}

// Why these knobs are no rule set (R-CFG-02), or "".
export function ruleProblem(rules) {
  const names = Object.keys(ALLOWED);
  if (names.length !== Object.keys(rules).length) return "a knob is missing or unknown";
  const refused = names.find((name) => !(name in rules) || !ALLOWED[name](rules[name]));
  if (refused) return `knob ${refused} may not have that value`;
  return rules.format === "stock" ? stockProblem(rules) : partnershipProblem(rules);
}

function valueOf(name, text) {
  try {
    const value = JSON.parse(text);
    if (canonical(value) === text) return value;
  } catch {
    throw new BadWire(`knob ${name} is not JSON that can be read`); // nested too deeply, too
  }
  throw new BadWire(`knob ${name} is not in canonical form`);
}

// A schedule names its ranks as A T K Q J 9; JavaScript would put the 9 first.
function canonical(value) {
  if (!isSchedule(value)) return JSON.stringify(value);
  return `{${["A", "T", "K", "Q", "J", "9"].map((rank) => `"${rank}":${value[rank]}`).join(",")}}`;
}

function isSchedule(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return Object.keys(value).sort().join("") === "9AJKQT" && Object.values(value).every(whole(0));
}

function isLadder(value) {
  if (!Array.isArray(value) || value.length < 1 || value.length > LADDER_PARTS_MAX) return false;
  return value.every((part) => Array.isArray(part) && part.length === 2 && part.every(whole(1)));
}

function stockProblem(rules) {
  if (rules.players > 3) return "the stock game is for two or three";
  if (rules.deck !== "single" || rules.trump_source !== "turn_up" || rules.exchange !== 0) {
    return "the stock game has the single deck, a turn-up and no exchange";
  }
  return "";
}

function partnershipProblem(rules) {
  if (rules.players !== 4) return "the partnership game is for four";
  if (rules.trump_source === "turn_up" && rules.exchange !== 0) return "no exchange without bidding";
  if (rules.min_bid % rules.bid_step !== 0) return "min_bid is no multiple of bid_step";
  if (rules.max_raise !== null && rules.max_raise % rules.bid_step !== 0) return "max_raise is no multiple of bid_step";
  if (rules.deck === "double" && rules.run_extras !== "none") return "no run_extras with the double deck";
  if (rules.bid_ladder !== null) {
    if (rules.max_raise !== null) return "a ladder and max_raise";
    let [from, step] = [rules.min_bid, rules.bid_step];
    for (const [next, nextStep] of rules.bid_ladder) {
      if (next <= from || (next - from) % step !== 0) return "a part of the ladder begins at no bid of the one before";
      [from, step] = [next, nextStep];
    }
  }
  if (rules.short_meld === "set_unplayed" && rules.meld_minimum === 0) return "set_unplayed without a meld minimum";
  const all = allTrickPoints(rules);
  if (Math.max(rules.bidder_trick_minimum, rules.defender_trick_minimum) > all) return "a trick minimum is out of reach";
  return "";
}
