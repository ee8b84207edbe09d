/* join_cells.h - joining the words of many small cells, written once: each instruction set includes it after defining
 * how it joins a few vectors of words. It knows no instruction set.
 *
 * Most cells have few words: on average 5 and 15 at n = 17, 7 and 25 at n = 18. So branches that the processor cannot
 * guess take most of the time. A call for each pair of cells took a sixth more at n = 17, a loop for each vector a
 * seventh more at n = 18.
 *
 * To be defined before: ALWAYS_INLINE; WORDS in a vector; uint64_t *pairs_of(const uint64_t *a, size_t a_count, const
 * uint64_t *b, size_t b_count, uint64_t *to, uint32_t vectors), which writes a|b for every pair of words that are
 * disjoint and returns the end; b fills so many vectors, from 1 to JOIN_VECTORS, of which the last may be in part.
 */

static inline void fetch_cell(struct join_cells cells, size_t i)
{
    const uint64_t *word = cells.word + cells.first[cells.cell[i]];
    __builtin_prefetch(word);
    __builtin_prefetch(word + 8);
}

static ALWAYS_INLINE uint64_t *pairs_of_cells(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                                              uint64_t *to)
{
    const size_t most = (size_t)JOIN_VECTORS * WORDS;
    for (; b_count > most; b += most, b_count -= most)
        to = pairs_of(a, a_count, b, most, to, JOIN_VECTORS);
    switch ((b_count + WORDS - 1) / WORDS) {
    case 0: return to;
    case 1: return pairs_of(a, a_count, b, b_count, to, 1);
    case 2: return pairs_of(a, a_count, b, b_count, to, 2);
    case 3: return pairs_of(a, a_count, b, b_count, to, 3);
    default: return pairs_of(a, a_count, b, b_count, to, JOIN_VECTORS);
    }
}

static size_t pairs(struct join_cells a, struct join_cells b, size_t cells, uint64_t **to, const uint64_t *limit)
{
    enum { AHEAD = 2 };
    uint64_t *end = *to;
    size_t i = 0;
    for (; i < cells; i++) {
        const uint32_t *first = a.first + a.cell[i], *other = b.first + b.cell[i];
        const size_t a_count = first[1] - first[0], b_count = other[1] - other[0];
        if (a_count * b_count > (size_t)(limit - end))
            break;
        if (i + AHEAD < cells) {
            fetch_cell(a, i + AHEAD);
            fetch_cell(b, i + AHEAD);
        }
        end = pairs_of_cells(a.word + first[0], a_count, b.word + other[0], b_count, end);
    }
    *to = end;
    return i;
}
