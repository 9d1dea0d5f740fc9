"""A slice of the soak: random deals over all profiles and knobs, every invariant after every act."""

from collections import Counter

import pytest
from pinochle.rules import profiles

from tests.soak import tables

DEALS = 1_000


@pytest.mark.timeout(300)
def test_a_thousand_random_deals_of_all_profiles_break_no_invariant() -> None:
    deals: Counter[str] = Counter()
    number = 0
    while deals.total() < DEALS:
        played = tables.play(number)
        deals[played.profile] += played.deals
        number += 1
    assert set(profiles()) == set(deals)


def test_a_broken_invariant_names_the_table_and_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables.codec, "at_rest", lambda act: b"")
    with pytest.raises(tables.Broken, match=r"table 7 \(.*min_bid"):
        tables.play(7)
