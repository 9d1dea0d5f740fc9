"""A bot in a dozen lines: passes, and plays its lowest card. Run: python examples/bot.py HOST:PORT TOKEN"""

import sys

from pinochle.cards import RANK_OF, kinds
from pinochle.client import ClientError, run
from pinochle.commands import Pass, PlayCard
from pinochle.options import CallOptions, PlayOptions


def choose(view, options, chance):
    if isinstance(options, CallOptions):
        return Pass(options.seat)
    if isinstance(options, PlayOptions):
        return PlayCard(options.seat, max(kinds(options.cards), key=lambda card: RANK_OF[card]))
    return options.sample(chance)


if __name__ == "__main__":
    try:
        print(run(choose, server=sys.argv[1], token=sys.argv[2]))
    except ClientError as error:
        sys.exit(str(error))
