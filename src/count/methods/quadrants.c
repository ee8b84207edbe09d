/* quadrants.c - the placements with one set of rows are found by depth-first search and sorted by their columns. For
 * all lists of a board sets of rows are shared out among threads; each writes to its own part of the list. */
#include "count/methods/quadrants.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/parallel.h"
#include "kernels/join.h"

/* A bit beyond those that the halves share: the diagonal of odd boards that goes from the upper east to the lower east
 * quadrant and ends there. Between them, from bit 2n-2 on, are m-2 bits for distances from the centre, from 2 to m-1.
 * For n = 27 the word is full. */
enum { BIT_EAST_ONLY = 63 };

/* What is found is kept for the next set of rows if there is room for no more than this: 16 MB. */
enum { MANY_FOUND = 1 << 20 };

/* Steps of the search between two looks at the stop flag: a tenth of a millisecond. */
enum { POLL_STEPS = 1 << 13 };

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
    const atomic_bool *stop;
    struct quadrant_rows *to; /* NULL: they are only counted */
    uint32_t middle;          /* the columns that the middle row's queen may have */
    uint32_t count;
    unsigned steps;
    enum nq_status status;
    uint64_t square[QUADRANTS_MAX_M + 1][QUADRANTS_MAX_M + 1];
};

/* Which squares a quadrant has, and how many columns more than rows its placements occupy, the middle lines left out.
 */
static const struct {
    bool lower, east;
    int more_columns;
} shapes[QUADRANTS] = {
    [LOWER_WEST] = {true, false, 0},       [UPPER_EAST] = {false, true, 0},         [LOWER_EAST_BOTH] = {true, true, 0},
    [LOWER_EAST_CENTRE] = {true, true, 0}, [UPPER_EAST_COLUMN] = {false, true, -1}, [LOWER_EAST_ROW] = {true, true, 1},
};

static void begin_finding(struct finding *finding, const struct quadrants *quadrants, enum quadrant quadrant,
                          const atomic_bool *stop)
{
    const uint32_t n = quadrants->n;
    *finding = (struct finding){.quadrants = quadrants, .stop = stop};
    for (uint32_t row = 0; row <= quadrants->m; row++)
        for (uint32_t column = 0; column <= quadrants->m; column++)
            finding->square[row][column] = square_word(n, shapes[quadrant].lower ? n - 1 - row : row,
                                                       shapes[quadrant].east ? n - 1 - column : column);
    for (uint32_t q = 2; quadrant == LOWER_EAST_ROW && q < quadrants->m; q++)
        finding->square[quadrants->m][quadrants->m - q] |= UINT64_C(1) << (q - 2) << quadrants->bits;
}

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

static bool grow(struct quadrant_rows *to)
{
    const size_t room = to->found_room ? 2 * to->found_room : 256;
    struct quadrant_found *found = realloc(to->found, room * sizeof *found);
    if (!found)
        return false;
    to->found = found;
    to->found_room = room;
    return true;
}

/* Room for the words of all that were found. */
static bool reserve_words(struct quadrant_rows *to, size_t count)
{
    if (to->word && count <= to->room)
        return true;
    free(to->word);
    to->word = malloc(count * sizeof *to->word + 1);
    to->room = to->word ? count : 0;
    return to->word;
}

static bool stopped(struct finding *finding)
{
    if (++finding->steps % POLL_STEPS == 0 && stop_wanted(finding->stop))
        finding->status = NQ_CANCELLED;
    return finding->status != NQ_OK;
}

/* The columns of a row where no queen attacks. */
static inline uint32_t free_columns(const struct finding *finding, uint32_t row, uint32_t columns, uint32_t sums,
                                    uint32_t differences)
{
    const uint32_t m = finding->quadrants->m;
    const uint32_t allowed = row < m ? finding->quadrants->sets - 1 : finding->middle;
    return allowed & ~(columns | sums >> row | differences >> (m - row));
}

/* How many bits are set in each of four lanes of sixteen: there may be no instruction for it. */
static inline uint64_t count_lanes(uint64_t lanes)
{
    lanes -= lanes >> 1 & UINT64_C(0x5555555555555555);
    lanes = (lanes & UINT64_C(0x3333333333333333)) + (lanes >> 2 & UINT64_C(0x3333333333333333));
    lanes = (lanes + (lanes >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (lanes + (lanes >> 8)) & UINT64_C(0x001f001f001f001f);
}

/* How many ways there are to place one queen in each of these rows, beside others on these lines. The last two rows
 * are not tried: of all pairs of free columns those are left out that share a line. */
static uint64_t count_more(struct finding *finding, uint32_t rows, uint32_t columns, uint32_t sums,
                           uint32_t differences)
{
    if (!rows || stopped(finding))
        return 1;
    const uint32_t m = finding->quadrants->m;
    const uint32_t row = (uint32_t)__builtin_ctz(rows), rest = rows & (rows - 1);
    uint32_t free = free_columns(finding, row, columns, sums, differences);
    if (!rest)
        return (uint32_t)__builtin_popcount(free);
    if (!(rest & (rest - 1))) {
        const uint32_t other = (uint32_t)__builtin_ctz(rest), distance = other - row,
                       next = free_columns(finding, other, columns, sums, differences);
        const uint64_t lanes =
            count_lanes(free | next << 16 | (uint64_t)(free & next) << 32 | (uint64_t)(free << distance & next) << 48);
        const uint64_t attacked = (lanes >> 32 & 31) + (lanes >> 48) + (count_lanes(free >> distance & next) & 31);
        return (lanes & 31) * (lanes >> 16 & 31) - attacked;
    }
    uint64_t count = 0;
    for (; free; free &= free - 1) {
        const uint32_t column = (uint32_t)__builtin_ctz(free);
        count += count_more(finding, rest, columns | UINT32_C(1) << column, sums | UINT32_C(1) << (row + column),
                            differences | UINT32_C(1) << (column + m - row));
    }
    return count;
}

static inline void add(struct finding *finding, uint32_t columns, uint64_t word)
{
    const struct quadrants *quadrants = finding->quadrants;
    struct quadrant_rows *to = finding->to;
    if (finding->count == to->found_room && !grow(to)) {
        finding->status = NQ_NOMEM;
        return;
    }
    to->found[finding->count++] = (struct quadrant_found){word, quadrants->rank[columns & (quadrants->sets - 1)]};
}

/* Adds all placements that have queens on these lines, with this word, and one more in each of these rows. The last row
 * is not a call of its own: most placements would be one. */
static void extend(struct finding *finding, uint32_t rows, uint32_t columns, uint32_t sums, uint32_t differences,
                   uint64_t word)
{
    if (!rows)
        add(finding, columns, word);
    if (!rows || stopped(finding))
        return;
    const uint32_t m = finding->quadrants->m;
    const uint32_t row = (uint32_t)__builtin_ctz(rows), rest = rows & (rows - 1);
    const uint32_t last = rest && !(rest & (rest - 1)) ? (uint32_t)__builtin_ctz(rest) : 0;
    uint32_t free = free_columns(finding, row, columns, sums, differences);
    for (; free; free &= free - 1) {
        const uint32_t column = (uint32_t)__builtin_ctz(free), more = columns | UINT32_C(1) << column;
        const uint32_t more_sums = sums | UINT32_C(1) << (row + column),
                       more_differences = differences | UINT32_C(1) << (column + m - row);
        const uint64_t longer = word | finding->square[row][column];
        if (!last) {
            extend(finding, rest, more, more_sums, more_differences, longer);
            continue;
        }
        for (uint32_t at = free_columns(finding, last, more, more_sums, more_differences); at; at &= at - 1)
            add(finding, more | (at & -at), longer | finding->square[last][__builtin_ctz(at)]);
    }
}

/* Adds all placements with these rows that have this one's queens, which stand on the middle lines. The middle row can
 * be among the rows; it comes last. */
static void complete(struct finding *finding, const struct placed *placed, uint32_t rows)
{
    const uint32_t taken = placed->rows & (finding->quadrants->sets - 1);
    if (taken & ~rows)
        return;
    if (finding->to)
        extend(finding, rows ^ taken, placed->columns, placed->sums, placed->differences, placed->word);
    else
        finding->count +=
            (uint32_t)count_more(finding, rows ^ taken, placed->columns, placed->sums, placed->differences);
}

/* All placements of a quadrant with these rows, beginning with what stands on the middle column. */
static void find(struct finding *finding, enum quadrant quadrant, uint32_t rows)
{
    const uint32_t m = finding->quadrants->m, bits = finding->quadrants->bits, middle_row = UINT32_C(1) << m;
    const struct placed none = {0};
    struct placed placed;
    assert(m > 1);
    finding->count = 0;
    switch (quadrant) {
    case LOWER_WEST:
    case UPPER_EAST: complete(finding, &none, rows); break;
    case LOWER_EAST_CENTRE:
        placed = place(finding, &none, m, m);
        complete(finding, &placed, rows);
        break;
    case LOWER_EAST_BOTH:
        for (uint32_t p = 1; p < m; p++) {
            finding->middle = (UINT32_C(1) << (m - p)) - 1; /* column m - q, p < q <= m */
            placed = place(finding, &none, m - p, m);
            complete(finding, &placed, rows | middle_row);
        }
        break;
    case UPPER_EAST_COLUMN: /* p < m, or no q could be greater */
        for (uint32_t p = 1; p < m; p++) {
            placed = place(finding, &none, m - p, m);
            placed.word |= ((UINT64_C(1) << (p - 1)) - 1) << bits;
            complete(finding, &placed, rows);
        }
        break;
    case LOWER_EAST_ROW: /* q > 1, or no p could be less; a bit for all but q = m */
        finding->middle = (UINT32_C(1) << (m - 1)) - 1;
        complete(finding, &none, rows | middle_row);
        break;
    case QUADRANTS: break;
    }
}

/* How many sets of columns placements with these rows can have. */
static uint32_t quadrants_cells(const struct quadrants *quadrants, enum quadrant quadrant, uint32_t rows)
{
    const int columns = __builtin_popcount(rows) + shapes[quadrant].more_columns;
    return columns < 0 || columns > (int)quadrants->m ? 0 : quadrants_sets(quadrants, (uint32_t)columns);
}

enum nq_status quadrants_find(const struct quadrants *quadrants, enum quadrant quadrant, uint32_t rows,
                              const atomic_bool *stop, struct quadrant_rows *to)
{
    const uint32_t last = quadrants_cells(quadrants, quadrant, rows);
    struct finding finding;
    begin_finding(&finding, quadrants, quadrant, stop);
    finding.to = to;
    if (!to->first)
        to->first = malloc(quadrants->sets * sizeof *to->first);
    if (!to->first || (!to->found_room && !grow(to)))
        return NQ_NOMEM;
    find(&finding, quadrant, rows);
    if (finding.status == NQ_OK && !reserve_words(to, finding.count))
        finding.status = NQ_NOMEM;
    if (finding.status != NQ_OK)
        return finding.status;
    to->any = 0;
    memset(to->first, 0, (last + (size_t)1) * sizeof *to->first);
    for (uint32_t i = 0; i < finding.count && !stopped(&finding); i++) {
        ++to->first[to->found[i].cell];
        to->any |= to->found[i].word;
    }
    for (uint32_t cell = 0; cell < last; cell++) /* the end of each; of none behind the last */
        to->first[cell + 1] += to->first[cell];
    for (uint32_t i = 0; i < finding.count && !stopped(&finding); i++)
        to->word[--to->first[to->found[i].cell]] = to->found[i].word;
    if (to->found_room > MANY_FOUND) {
        free(to->found);
        to->found = NULL;
        to->found_room = 0;
    }
    return finding.status;
}

void quadrants_rows_close(struct quadrant_rows *rows)
{
    free(rows->found);
    free(rows->word);
    free(rows->first);
}

/* How many placements quadrants_find() would find. NQ_OK or NQ_CANCELLED. */
static enum nq_status quadrants_count(const struct quadrants *quadrants, enum quadrant quadrant, uint32_t rows,
                                      const atomic_bool *stop, uint32_t *count)
{
    struct finding finding;
    begin_finding(&finding, quadrants, quadrant, stop);
    find(&finding, quadrant, rows);
    *count = finding.count;
    return finding.status;
}

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
