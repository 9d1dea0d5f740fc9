"""The house bots: a dispatcher that hands out due tables, and workers that play them as ordinary clients."""
