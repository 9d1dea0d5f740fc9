/* Random deals of the single deck played out in plain C: the limit that the search kernel is measured against.
   The winner must be beaten and trumps overtrumped, tens and kings count, the last trick is worth 10. Prints the
   decisions, the processor seconds and the points of both teams. Usage: playouts DEALS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n) {  /* a random number below n */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * n) >> 32);
}

int main(int argc, char **argv) {
    long deals = argc > 1 ? atol(argv[1]) : 100000, points[2] = {0, 0};
    const uint64_t suit_of_12 = 0xFFF;  /* a suit is 12 bits: two for each rank, the ace lowest */
    int deck[48];
    for (int i = 0; i < 48; i++) deck[i] = i;
    clock_t began = clock();
    for (long deal = 0; deal < deals; deal++) {
        uint64_t hands[4] = {0, 0, 0, 0};
        for (int i = 0; i < 48; i++) {
            int j = i + (i < 36 ? (int)below(48 - i) : 0), card = deck[j];
            deck[j] = deck[i], deck[i] = card, hands[i / 12] |= 1ull << card;
        }
        int trump = below(4), leader = below(4);
        for (int trick = 0; trick < 12; trick++) {
            int led = 0, best = 0, seat = leader, winner = leader, worth = trick == 11 ? 10 : 0;
            for (int k = 0; k < 4; k++, seat = (seat + 1) & 3) {
                uint64_t hand = hands[seat], legal = hand;
                if (k) {
                    uint64_t follow = hand & suit_of_12 << led * 12, trumps = hand & suit_of_12 << trump * 12;
                    uint64_t better = (1ull << (best & ~1)) - 1;  /* within a suit, lower bits are higher ranks */
                    if (follow) legal = best / 12 == led && follow & better ? follow & better : follow;
                    else if (trumps) legal = best / 12 == trump && trumps & better ? trumps & better : trumps;
                }
                for (int skip = below(__builtin_popcountll(legal)); skip; skip--) legal &= legal - 1;
                int card = __builtin_ctzll(legal), suit = card / 12;
                hands[seat] ^= 1ull << card;
                worth += card % 12 < 6 ? 10 : 0;
                if (!k) led = suit;
                if (!k || (suit == best / 12 ? card >> 1 < best >> 1 : suit == trump)) best = card, winner = seat;
            }
            points[winner & 1] += worth, leader = winner;
        }
    }
    printf("%ld %.6f %ld %ld\n", deals * 48, (double)(clock() - began) / CLOCKS_PER_SEC, points[0], points[1]);
}
