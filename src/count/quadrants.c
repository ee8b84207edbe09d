/* quadrants.c - lists of placements: each is found twice, to count the cells and to fill them. */
#include "count/quadrants.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "kernels/join.h"

/* Bits beyond those that the halves share. The diagonal of odd boards that goes from the upper east to the lower east
 * quadrant and ends there; and distances from the centre, from 1 on. */
enum { BIT_EAST_ONLY = 63, BIT_DISTANCE = 48 };

/* Placements between two looks at the stop flag: a tenth of a millisecond. */
enum { POLL_PLACEMENTS = 1 << 14 };

enum { HUGE_PAGE = 2 << 20 };

/* ---- Words ---- */

/* The bit of a diagonal, 0 <= index < n-1 in the order in which they pass from west to east, the highest first. The
 * most central ones have the highest bits, because both halves are likely to hold them: 24 % of pairs do at the centre,
 * 22, 20, 18 % further out. Diagonals at the same distance share four bits, in such an order that mirroring rows
 * reverses each four and mirroring columns exchanges neighbours. For even n two cross at the centre and have the
 * topmost two bits. */
static uint32_t diagonal_bit(uint32_t n, uint32_t index, bool anti)
{
    const uint32_t count = n - 1;
    const bool lower = 2 * index >= count;
    const uint32_t outside = lower ? count - 1 - index : index;
    if (2 * index == count - 1) /* even n */
        return 4 * outside + anti;
    return 4 * outside + 2 * lower + anti;
}

/* The bits of a square's two diagonals. */
static uint64_t square_word(uint32_t n, uint32_t row, uint32_t column)
{
    const uint32_t m = n / 2;
    uint64_t word = 0;
    if (row + m >= column + 1 && row + m - column - 1 < n - 1)
        word |= UINT64_C(1) << diagonal_bit(n, row + m - column - 1, false);
    if (row + column >= m && row + column - m < n - 1)
        word |= UINT64_C(1) << diagonal_bit(n, row + column - m, true);
    if (n % 2 && row + m == column)
        word |= UINT64_C(1) << BIT_EAST_ONLY;
    return word;
}

uint64_t quadrants_mirror_rows(const struct quadrants *quadrants, uint64_t word)
{
    const uint64_t low = quadrants->n % 2 ? ~UINT64_C(0) : (UINT64_C(1) << (quadrants->bits - 2)) - 1;
    const uint64_t pairs = join_mirror(word), twos = UINT64_C(0x3333333333333333);
    const uint64_t fours = (pairs & twos) << 2 | (pairs >> 2 & twos);
    return (fours & low) | (pairs & ~low);
}

/* ---- Finding placements ---- */

/* Queens that are placed, by quadrant coordinates: rows and columns from the border, m is the middle one. */
struct placed {
    uint32_t rows, columns;
    uint32_t sums, differences; /* bit row + column, bit column - row + m */
    uint64_t word;
};

struct finding {
    const struct quadrants *quadrants;
    struct quadrant_list *list;
    const atomic_bool *stop;
    bool filling, stopped;
    unsigned polls;
    uint64_t square[QUADRANTS_MAX_M + 1][QUADRANTS_MAX_M + 1];
};

static struct placed place(const struct finding *finding, const struct placed *placed, uint32_t row, uint32_t column)
{
    return (struct placed){
        .rows = placed->rows | UINT32_C(1) << row,
        .columns = placed->columns | UINT32_C(1) << column,
        .sums = placed->sums | UINT32_C(1) << (row + column),
        .differences = placed->differences | UINT32_C(1) << (column + finding->quadrants->m - row),
        .word = placed->word | finding->square[row][column],
    };
}

static void add(struct finding *finding, const struct placed *placed)
{
    const struct quadrants *quadrants = finding->quadrants;
    const uint32_t all = quadrants->sets - 1;
    struct quadrant_list *list = finding->list;
    uint32_t *cell = &list->first[list->cells_of_rows[placed->rows & all] + quadrants->rank[placed->columns & all]];
    if (finding->filling)
        list->word[--*cell] = placed->word; /* from the cell's end to its begin */
    else
        ++*cell;
    if (++finding->polls % POLL_PLACEMENTS == 0)
        finding->stopped = finding->stop && atomic_load_explicit(finding->stop, memory_order_relaxed);
}

/* Adds all placements that have more queens than this one, in rows further in. */
static void extend(struct finding *finding, const struct placed *placed, uint32_t row)
{
    const uint32_t m = finding->quadrants->m, all = finding->quadrants->sets - 1;
    for (; row < m && !finding->stopped; row++) {
        if (placed->rows >> row & 1)
            continue;
        uint32_t free = all & ~(placed->columns | placed->sums >> row | placed->differences >> (m - row));
        for (; free; free &= free - 1) {
            const struct placed more = place(finding, placed, row, (uint32_t)__builtin_ctz(free));
            add(finding, &more);
            if (row + 1 < m)
                extend(finding, &more, row + 1);
        }
    }
}

static void add_all(struct finding *finding, const struct placed *placed)
{
    add(finding, placed);
    extend(finding, placed, 0);
}

/* All placements of a quadrant, beginning with what stands on the middle lines. */
static void find(struct finding *finding, enum quadrant quadrant)
{
    const uint32_t m = finding->quadrants->m;
    const struct placed none = {0};
    struct placed placed;
    finding->polls = 0;
    switch (quadrant) {
    case LOWER_WEST:
    case UPPER_EAST: add_all(finding, &none); break;
    case LOWER_EAST_CENTRE:
        placed = place(finding, &none, m, m);
        add_all(finding, &placed);
        break;
    case LOWER_EAST_BOTH:
        for (uint32_t q = 2; q <= m; q++) {
            for (uint32_t p = 1; p < q; p++) {
                const struct placed in_row = place(finding, &none, m, m - q);
                placed = place(finding, &in_row, m - p, m);
                add_all(finding, &placed);
            }
        }
        break;
    case UPPER_EAST_COLUMN:
        for (uint32_t p = 1; p <= m; p++) {
            placed = place(finding, &none, m - p, m);
            placed.word |= ((UINT64_C(1) << p) - 1) << BIT_DISTANCE;
            add_all(finding, &placed);
        }
        break;
    case LOWER_EAST_ROW:
        for (uint32_t q = 1; q <= m; q++) {
            placed = place(finding, &none, m, m - q);
            placed.word |= UINT64_C(1) << (q - 1) << BIT_DISTANCE;
            add_all(finding, &placed);
        }
        break;
    case QUADRANTS: break;
    }
}

/* ---- Lists ---- */

/* Which squares a quadrant has, and how many columns more than rows its placements occupy, the middle lines left out.
 */
static const struct {
    bool lower, east;
    int more_columns;
} shapes[QUADRANTS] = {
    [LOWER_WEST] = {true, false, 0},       [UPPER_EAST] = {false, true, 0},         [LOWER_EAST_BOTH] = {true, true, 0},
    [LOWER_EAST_CENTRE] = {true, true, 0}, [UPPER_EAST_COLUMN] = {false, true, -1}, [LOWER_EAST_ROW] = {true, true, 1},
};

/* Numbers the cells; returns how many there are. */
static uint32_t number_cells(const struct quadrants *quadrants, struct quadrant_list *list, int more_columns)
{
    uint32_t cells = 0;
    for (uint32_t rows = 0; rows < quadrants->sets; rows++) {
        const int columns = __builtin_popcount(rows) + more_columns;
        list->cells_of_rows[rows] = cells;
        if (columns >= 0 && columns <= (int)quadrants->m)
            cells += quadrants_sets(quadrants, (uint32_t)columns);
    }
    return cells;
}

/* Large and read at random: fewer, larger pages are a third faster. */
static void *allocate_huge(size_t size)
{
    const size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *data = aligned_alloc(HUGE_PAGE, whole);
    if (data)
        (void)madvise(data, whole, MADV_HUGEPAGE); /* faster, not needed */
    return data;
}

static enum nq_status make_list(struct quadrants *quadrants, enum quadrant quadrant, const atomic_bool *stop)
{
    const uint32_t n = quadrants->n, m = quadrants->m;
    struct quadrant_list *list = &quadrants->list[quadrant];
    struct finding finding = {.quadrants = quadrants, .list = list, .stop = stop};
    for (uint32_t row = 0; row <= m; row++)
        for (uint32_t column = 0; column <= m; column++)
            finding.square[row][column] = square_word(n, shapes[quadrant].lower ? n - 1 - row : row,
                                                      shapes[quadrant].east ? n - 1 - column : column);
    list->cells_of_rows = malloc(quadrants->sets * sizeof list->cells_of_rows[0]);
    if (!list->cells_of_rows)
        return NQ_NOMEM;
    const uint32_t cells = number_cells(quadrants, list, shapes[quadrant].more_columns);
    list->first = calloc((size_t)cells + 1, sizeof list->first[0]);
    if (!list->first)
        return NQ_NOMEM;
    find(&finding, quadrant);
    if (finding.stopped)
        return NQ_CANCELLED;
    for (uint32_t cell = 0; cell < cells; cell++) /* the end of each; of none behind the last */
        list->first[cell + 1] += list->first[cell];
    list->word = allocate_huge(list->first[cells] * sizeof list->word[0] + 1);
    if (!list->word)
        return NQ_NOMEM;
    finding.filling = true;
    find(&finding, quadrant);
    return finding.stopped ? NQ_CANCELLED : NQ_OK;
}

static bool rank_sets(struct quadrants *quadrants)
{
    quadrants->by_size = malloc(quadrants->sets * sizeof quadrants->by_size[0]);
    quadrants->rank = malloc(quadrants->sets * sizeof quadrants->rank[0]);
    if (!quadrants->by_size || !quadrants->rank)
        return false;
    uint32_t next = 0;
    for (uint32_t size = 0; size <= quadrants->m; size++) {
        quadrants->size_first[size] = next;
        for (uint32_t set = 0; set < quadrants->sets; set++) {
            if ((uint32_t)__builtin_popcount(set) != size)
                continue;
            quadrants->rank[set] = (uint16_t)(next - quadrants->size_first[size]);
            quadrants->by_size[next++] = (uint16_t)set;
        }
    }
    quadrants->size_first[quadrants->m + 1] = next;
    return true;
}

enum nq_status quadrants_open(struct quadrants *quadrants, uint32_t n, const atomic_bool *stop)
{
    *quadrants = (struct quadrants){.n = n, .m = n / 2, .sets = UINT32_C(1) << n / 2, .bits = 2 * n - 2};
    if (!rank_sets(quadrants))
        return NQ_NOMEM;
    enum nq_status status = NQ_OK;
    for (int quadrant = 0; quadrant < (n % 2 ? QUADRANTS : LOWER_WEST + 1) && status == NQ_OK; quadrant++)
        status = make_list(quadrants, (enum quadrant)quadrant, stop);
    return status;
}

void quadrants_close(struct quadrants *quadrants)
{
    for (int quadrant = 0; quadrant < QUADRANTS; quadrant++) {
        free(quadrants->list[quadrant].word);
        free(quadrants->list[quadrant].first);
        free(quadrants->list[quadrant].cells_of_rows);
    }
    free(quadrants->by_size);
    free(quadrants->rank);
}
