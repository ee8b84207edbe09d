/* join_rank.h - which bits two words are most likely to share, found with a sample, written once: each instruction set
 * includes it, for some count bits fast. It knows no instruction set.
 *
 * Sampled words are turned into planes: plane b has the words with bit b, 64 to a word of its own. To be defined
 * before:
 * - uint64_t shared(uint64_t items, uint64_t patterns, const uint64_t apart[64]): to how many of these patterns each of
 *   these items was disjoint, in all; a bit of apart[item] for each of them;
 * - part(uint64_t items, uint64_t patterns, uint64_t apart[64]): they are no longer. */

enum { MOST_SAMPLED = JOIN_SAMPLED / 64 };

/* Exchanges rows and columns of 64 x 64 bits, by exchanging ever smaller quarters of squares (Warren, Hacker's Delight,
 * 7-3). */
static void transpose(const uint64_t from[64], uint64_t row[64])
{
    uint64_t mask = UINT64_C(0x00000000ffffffff);
    memcpy(row, from, 64 * sizeof *row);
    for (uint32_t half = 32; half; half /= 2, mask ^= mask << half)
        for (uint32_t at = 0; at < 64; at += 2 * half)
            for (uint32_t i = at; i < at + half; i++) {
                const uint64_t changed = (row[i] >> half ^ row[i + half]) & mask;
                row[i + half] ^= changed;
                row[i] ^= changed << half;
            }
}

static void rank(const struct join_sample *sample, uint32_t ranks, uint8_t *bit)
{
    uint64_t item[MOST_SAMPLED][64], pattern[MOST_SAMPLED][64], apart[MOST_SAMPLED][MOST_SAMPLED][64];
    uint64_t open = sample->bits;
    const size_t words = sample->count / 64;
    for (size_t i = 0; i < words; i++) {
        transpose(sample->item + 64 * i, item[i]);
        transpose(sample->pattern + 64 * i, pattern[i]);
    }
    memset(apart, 0xff, sizeof apart);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t most = 0;
        uint32_t best = (uint32_t)__builtin_ctzll(open);
        for (uint64_t rest = open; rest; rest &= rest - 1) {
            const uint32_t b = (uint32_t)__builtin_ctzll(rest);
            uint64_t pairs = 0;
            for (size_t i = 0; i < words * words; i++)
                pairs += shared(item[i / words][b], pattern[i % words][b], apart[i / words][i % words]);
            if (pairs > most) {
                most = pairs;
                best = b;
            }
        }
        bit[rank] = (uint8_t)best;
        open ^= UINT64_C(1) << best;
        for (size_t i = 0; i < words * words; i++)
            part(item[i / words][best], pattern[i % words][best], apart[i / words][i % words]);
    }
}
