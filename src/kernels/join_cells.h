/* join_cells.h - joining the words of many small cells, written once: each instruction set includes it after defining
 * how it joins those of two. A call for each pair of cells took a seventh more at n = 17, where they have seven words
 * each. It knows no instruction set.
 *
 * To be defined before: ALWAYS_INLINE; uint64_t *pairs_of(const uint64_t *a, size_t a_count, const uint64_t *b, size_t
 * b_count, uint64_t *to), which writes a|b for every pair of words that are disjoint, and returns the end. */

static inline void fetch_cell(struct join_cells cells, size_t i)
{
    const uint64_t *word = cells.word + cells.first[cells.cell[i]];
    __builtin_prefetch(word);
    __builtin_prefetch(word + 8);
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
        end = pairs_of(a.word + first[0], a_count, b.word + other[0], b_count, end);
    }
    *to = end;
    return i;
}
