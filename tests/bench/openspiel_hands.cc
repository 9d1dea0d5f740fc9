// Random hands of a game of OpenSpiel, dealt and played without leaving C++: legal actions, one of them, apply.
// Compiled against the headers of the wheel of open-spiel and loaded into a process that has imported pyspiel.
#include <cstdint>
#include <random>
#include <string>

#include "open_spiel/spiel.h"

// Plays this many hands; returns the decisions of players in them.
extern "C" int64_t play_hands(const char *name, int64_t hands, uint64_t seed) {
  auto game = open_spiel::LoadGame(std::string(name));
  std::mt19937_64 chance(seed);
  int64_t decisions = 0;
  for (int64_t hand = 0; hand < hands; ++hand) {
    auto state = game->NewInitialState();
    while (!state->IsTerminal()) {
      auto actions = state->LegalActions();  // where cards are dealt, all outcomes, equally likely
      if (!state->IsChanceNode()) ++decisions;
      state->ApplyAction(actions[(chance() >> 32) * actions.size() >> 32]);
    }
  }
  return decisions;
}
