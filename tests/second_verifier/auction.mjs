// The auction: which calls are legal and when it is over (R-AUC-01 to 12, R-CLB-02 to 04).
//
// An auction is { dealer, passed: seats in order of passing, bid, bidder, opening: whether the dealer's opening stands }.

const BID_MAX = 10_000_000; // the system takes none above (R-AUC-04)

export function begin(rules, dealer) {
  const opening = rules.dealer_opens; // R-CLB-03
  return { dealer, passed: [], bid: opening ? rules.min_bid : 0, bidder: opening ? dealer : null, opening };
}

// Whether the seat on turn may bid so much.
export function mayBid(rules, auction, amount) {
  if (amount > BID_MAX || !isOnLadder(rules, amount)) return false;
  if (auction.bidder !== null && amount <= auction.bid) return false;
  const standing = auction.bidder === null ? rules.min_bid - rules.bid_step : auction.bid; // R-AUC-04
  return rules.max_raise === null || amount <= standing + rules.max_raise;
}

function isOnLadder(rules, amount) {
  let [from, step] = [rules.min_bid, rules.bid_step];
  for (const [next, nextStep] of rules.bid_ladder ?? []) if (amount >= next) [from, step] = [next, nextStep];
  return amount >= from && (amount - from) % step === 0;
}

// Who calls after this seat: the next clockwise who has not passed; null once all have.
export function nextCaller(auction, seat) {
  for (let step = 1; step <= 4; step++) {
    const next = (seat + step) % 4;
    if (!auction.passed.includes(next)) return next;
  }
  return null;
}

// What the auction has come to: null while it goes on, { redeal: true }, or { seat, bid, forced } of the declarer.
export function outcome(rules, auction) {
  const { dealer, passed, bid, bidder, opening } = auction;
  if (passed.length < 3) return null;
  if (bidder !== null) return { seat: bidder, bid, forced: opening };
  const stuck = { seat: dealer, bid: rules.min_bid, forced: true };
  if (passed.length === 3) return rules.dealer_rule === "forced" ? stuck : null;
  return rules.dealer_rule === "redeal" ? { redeal: true } : stuck;
}
