"""Search: trick play fast enough to play a hand out at random many thousand times a second.

`kernel` has the rules of play on rows of integers, `by_numba` has numba compile them where it is installed, and
`position` makes the rows. `fastest()` is the kernel to use; `PURE` does the same without anything to install.
"""

from pinochle.search.position import PURE, Kernel, card_at, compiled, fastest, from_state, legal_cards, rules_row

__all__ = ["PURE", "Kernel", "card_at", "compiled", "fastest", "from_state", "legal_cards", "rules_row"]
