/* quadrant_lists.c - sets of rows are shared out among threads; each writes to its own part of the list. */
#include "count/methods/quadrant_lists.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/parallel.h"

enum { HUGE_PAGE = 2 << 20 };

/* ---- How many there are ---- */

/* How many placements there are by m, in an upper west (or lower west, or upper east) quadrant, as of OEIS A287227, and
 * in those with queens on the middle lines. Counted up to m = 14, the latter up to m = 12, and continued from there by
 * their ratios, which grow evenly. */
static const struct {
    double plain, both, centre, line; /* on the middle row, or on the middle column: as many */
    double most, most_others;         /* with one set of rows: plain ones; and of the four other kinds added up */
} totals[QUADRANTS_MAX_M + 1] = {
    [4] = {87, 64, 51, 75, 10, 34},
    [5] = {462, 392, 235, 473, 26, 113},
    [6] = {2635, 2755, 1325, 3149, 92, 380},
    [7] = {16870, 20994, 8237, 22682, 296, 1433},
    [8] = {118969, 172252, 57117, 175981, 1174, 6405},
    [9] = {915442, 1485790, 429233, 1454969, 5366, 30646},
    [10] = {7535369, 13797039, 3474295, 12892941, 26548, 157412},
    [11] = {66807234, 136154722, 30400583, 121787891, 143140, 919330},
    [12] = {633443407, 1410352710, 283432199, 1216396491, 788698, 5436341},
    [13] = {6354135838, 1.54e10, 2.81e9, 1.28e10, 4684690, 3.4e7},
    [14] = {67480769839, 1.77e11, 2.95e10, 1.42e11, 29555392, 2.2e8},
    [15] = {7.5e11, 2.14e12, 3.3e11, 1.65e12, 1.9e8, 1.4e9},
    [16] = {8.7e12, 0, 0, 0, 1.3e9, 0},
};

/* Room for all placements of a quadrant: for a fiftieth more where they were not all counted. */
static size_t words_of(enum quadrant quadrant, uint32_t m)
{
    const double spare = m > 12 ? 1.02 : 1;
    switch (quadrant) {
    case LOWER_EAST_BOTH: return (size_t)(spare * totals[m].both);
    case LOWER_EAST_CENTRE: return (size_t)(spare * totals[m].centre);
    case UPPER_EAST_COLUMN:
    case LOWER_EAST_ROW: return (size_t)(spare * totals[m].line);
    default: return (size_t)(spare * totals[m].plain);
    }
}

/* ---- Lists ---- */

/* Large and read at random: fewer, larger pages are a third faster. */
static void *allocate_huge(size_t size)
{
    const size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (size < HUGE_PAGE)
        return malloc(size);
    void *data = aligned_alloc(HUGE_PAGE, whole);
    if (data)
        (void)madvise(data, whole, MADV_HUGEPAGE); /* faster, not needed */
    return data;
}

/* The same rows from the other border. */
static uint32_t reversed(uint32_t rows, uint32_t m)
{
    uint32_t result = 0;
    for (uint32_t row = 0; row < m; row++)
        result |= (rows >> row & 1) << (m - 1 - row);
    return result;
}

/* Sets of rows shared out among threads. */
struct sharing {
    struct quadrants *quadrants;
    enum quadrant quadrant;
    size_t room; /* words that there is room for in the list; 0: placements are only counted */
    const atomic_bool *stop;
    atomic_uint next;
    atomic_size_t words; /* in the list */
    atomic_int status;   /* the first enum nq_status but NQ_OK */
};

static void note(struct sharing *sharing, enum nq_status status)
{
    int none = NQ_OK;
    if (status != NQ_OK)
        atomic_compare_exchange_strong(&sharing->status, &none, (int)status);
}

/* Takes the next set of rows. False: there is none, or something has failed. It looks at the stop flag, because the
 * search for one set may be too short to do so. */
static bool next_rows(struct sharing *sharing, uint32_t *rows)
{
    if (stop_wanted(sharing->stop))
        note(sharing, NQ_CANCELLED);
    *rows = atomic_fetch_add(&sharing->next, 1);
    return *rows < sharing->quadrants->sets && atomic_load(&sharing->status) == NQ_OK;
}

/* A quadrant without middle lines is a square: turned upside down it has as many placements. */
static void count_some(void *context)
{
    struct sharing *sharing = context;
    const struct quadrants *quadrants = sharing->quadrants;
    for (uint32_t rows; next_rows(sharing, &rows);) {
        const uint32_t other = reversed(rows, quadrants->m);
        if (other < rows)
            continue;
        note(sharing, quadrants_count(quadrants, sharing->quadrant, rows, sharing->stop, &quadrants->placements[rows]));
        quadrants->placements[other] = quadrants->placements[rows];
    }
}

static void list_some(void *context)
{
    struct sharing *sharing = context;
    const struct quadrants *quadrants = sharing->quadrants;
    const struct quadrant_list *list = &quadrants->list[sharing->quadrant];
    struct quadrant_rows found = {0};
    for (uint32_t rows; next_rows(sharing, &rows);) {
        struct view *view = &list->of_rows[rows];
        const uint32_t last = quadrants_cells(quadrants, sharing->quadrant, rows);
        enum nq_status status = quadrants_find(quadrants, sharing->quadrant, rows, sharing->stop, &found);
        const size_t count = status == NQ_OK ? found.first[last] : 0, before = atomic_fetch_add(&sharing->words, count);
        if (before + count > sharing->room) /* there are more than was known */
            status = NQ_NOMEM;
        note(sharing, status);
        if (status != NQ_OK)
            break;
        view->word = memcpy(list->word + before, found.word, count * sizeof *view->word);
        view->any = found.any;
        memcpy(view->first, found.first, (last + (size_t)1) * sizeof *view->first);
    }
    quadrants_rows_close(&found);
}

static enum nq_status share(struct quadrants *quadrants, enum quadrant quadrant, unsigned threads, size_t room,
                            const atomic_bool *stop)
{
    struct sharing sharing = {.quadrants = quadrants, .quadrant = quadrant, .room = room, .stop = stop};
    parallel_run(threads, room ? list_some : count_some, &sharing);
    return (enum nq_status)atomic_load(&sharing.status);
}

static enum nq_status make_list(struct quadrants *quadrants, enum quadrant quadrant, unsigned threads,
                                const atomic_bool *stop)
{
    struct quadrant_list *list = &quadrants->list[quadrant];
    const size_t words = words_of(quadrant, quadrants->m);
    size_t firsts = 0;
    for (uint32_t rows = 0; rows < quadrants->sets; rows++)
        firsts += quadrants_cells(quadrants, quadrant, rows) + 1;
    list->of_rows = malloc(quadrants->sets * sizeof *list->of_rows + 1);
    list->first = malloc(firsts * sizeof *list->first + 1);
    list->word = allocate_huge(words * sizeof *list->word);
    if (!list->of_rows || !list->first || !list->word)
        return NQ_NOMEM;
    firsts = 0;
    for (uint32_t rows = 0; rows < quadrants->sets; rows++) {
        list->of_rows[rows] = (struct view){.first = list->first + firsts};
        firsts += quadrants_cells(quadrants, quadrant, rows) + 1;
    }
    return share(quadrants, quadrant, threads, words, stop);
}

enum nq_status quadrants_list(struct quadrants *quadrants, unsigned threads, const atomic_bool *stop)
{
    enum nq_status status = NQ_OK;
    for (int quadrant = 0; quadrant < quadrants_kinds(quadrants->n) && status == NQ_OK; quadrant++)
        status = make_list(quadrants, (enum quadrant)quadrant, threads, stop);
    return status;
}

/* ---- Memory ---- */

/* How many ways there are to take k of n. */
static double binomial(uint32_t n, uint32_t k)
{
    double ways = 1;
    for (uint32_t i = 1; i <= k; i++)
        ways = ways * (n - k + i) / i;
    return ways;
}

static double list_memory(uint32_t m, double words, double cells)
{
    const double sets = (double)(UINT32_C(1) << m), bytes = words * sizeof(uint64_t);
    return (bytes < HUGE_PAGE ? bytes : bytes + HUGE_PAGE) + (cells + sets) * sizeof(uint32_t) +
           sets * sizeof(struct view);
}

double quadrants_memory(uint32_t n)
{
    const uint32_t m = n / 2;
    const double cells = binomial(2 * m, m), fewer = binomial(2 * m, m - 1);
    const double plain = list_memory(m, totals[m].plain, cells);
    if (n % 2 == 0)
        return plain;
    return 2 * plain + list_memory(m, totals[m].both, cells) + list_memory(m, totals[m].centre, cells) +
           2 * list_memory(m, totals[m].line, fewer);
}

double quadrants_most(uint32_t n)
{
    return totals[n / 2].most;
}

double quadrants_most_of_pair(uint32_t n)
{
    const uint32_t m = n / 2;
    return n % 2 ? 3 * totals[m].most + totals[m].most_others : 4 * totals[m].most;
}

double quadrants_most_at_once(uint32_t n)
{
    return n % 2 ? totals[n / 2].most_others : totals[n / 2].most;
}

/* ---- Sets ---- */

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

enum nq_status quadrants_open(struct quadrants *quadrants, uint32_t n, unsigned threads, const atomic_bool *stop)
{
    *quadrants = (struct quadrants){.n = n, .m = n / 2, .sets = UINT32_C(1) << n / 2, .bits = 2 * n - 2};
    quadrants->placements = malloc(quadrants->sets * sizeof *quadrants->placements);
    if (!quadrants->placements || !rank_sets(quadrants))
        return NQ_NOMEM;
    return share(quadrants, LOWER_WEST, threads, 0, stop);
}

void quadrants_close(struct quadrants *quadrants)
{
    for (int quadrant = 0; quadrant < QUADRANTS; quadrant++) {
        free(quadrants->list[quadrant].word);
        free(quadrants->list[quadrant].first);
        free(quadrants->list[quadrant].of_rows);
    }
    free(quadrants->by_size);
    free(quadrants->rank);
    free(quadrants->placements);
}
