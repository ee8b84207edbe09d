/* conflicts.c - queens are counted by line, k queens on one being k (k - 1) / 2 pairs; only pairs that are listed are
 * visited. By another rule, and with walls, all pairs are. It does not know what a solution is. */
#include "board/conflicts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"

/* Queens, or lines, between two looks at the stop flag: a tenth of a millisecond. */
enum { POLL = 1 << 14 };

/* Pairs in one step: a millisecond or two. */
enum { STEP_PAIRS = 1 << 18 };

/* The kinds of lines end here that queens share which attack as queens do. */
static const enum conflict_line lines_end = LINE_KNIGHT;

/* For a loop over many, before the i-th. */
static bool unwanted(uint32_t i, const atomic_bool *stop)
{
    return i % POLL == 0 && stop_wanted(stop);
}

static bool same(const struct queen *a, const struct queen *b)
{
    return a->row == b->row && a->column == b->column;
}

/* The number of a queen's line among those of one kind: below 2 n. */
static uint32_t line_of(enum conflict_line line, uint32_t n, const struct queen *queen)
{
    switch (line) {
    case LINE_ROW: return queen->row;
    case LINE_COLUMN: return queen->column;
    case LINE_DIAGONAL: return queen->row + (n - 1 - queen->column);
    case LINE_ANTIDIAGONAL: return queen->row + queen->column;
    default: break;
    }
    assert(!"lines only");
    return 0;
}

static uint64_t pairs(uint64_t queens)
{
    return queens * (queens - 1) / 2; /* 0 of none */
}

size_t conflicts_memory(uint32_t n, uint32_t count)
{
    return sizeof(struct conflicts) + 2 * (size_t)count * sizeof(struct queen) + (2 * (size_t)n + 1) * sizeof(uint32_t);
}

enum nq_status conflicts_open(struct conflicts *conflicts, const struct rule *rule, uint32_t n,
                              const struct queen *queens, uint32_t count)
{
    const size_t size = count ? count : 1;
    assert(count <= conflicts_most(rule));
    *conflicts = (struct conflicts){.rule = rule, .n = n, .columns = n, .count = count, .given = queens};
    conflicts->queens = malloc(size * sizeof *conflicts->queens);
    conflicts->spare = malloc(size * sizeof *conflicts->spare);
    conflicts->starts = malloc((2 * (size_t)n + 1) * sizeof *conflicts->starts);
    if (!conflicts->queens || !conflicts->spare || !conflicts->starts) {
        conflicts_close(conflicts);
        return NQ_NOMEM;
    }
    return NQ_OK;
}

enum nq_status conflicts_open_shape(struct conflicts *conflicts, const struct rule *rule,
                                    const struct conflicts_board *board, const struct queen *queens, uint32_t count)
{
    const uint32_t side = board->rows > board->columns ? board->rows : board->columns;
    const enum nq_status status = conflicts_open(conflicts, rule, side, queens, count);
    bool any = false;
    for (uint32_t row = 0; row < board->rows; row++)
        any = any || board->walls[row];
    assert(!any || !(rule->moves & (MOVE_WRAP | MOVE_REFLECT)));
    conflicts->columns = board->columns;
    conflicts->walls = any ? board->walls : NULL;
    return status;
}

void conflicts_close(struct conflicts *conflicts)
{
    free(conflicts->queens);
    free(conflicts->spare);
    free(conflicts->starts);
    conflicts->queens = conflicts->spare = NULL;
    conflicts->starts = NULL;
}

/* Counts the queens of every line, starts[line + 1] being those of `line`. */
static void count_lines(struct conflicts *conflicts, enum conflict_line line, const atomic_bool *stop)
{
    const uint32_t n = conflicts->n;
    for (uint32_t i = 0; i <= 2 * n && !unwanted(i, stop); i++)
        conflicts->starts[i] = 0;
    for (uint32_t i = 0; i < conflicts->count && !unwanted(i, stop); i++)
        conflicts->starts[line_of(line, n, &conflicts->queens[i]) + 1]++;
}

/* Writes the queens to `spare` line by line, those of a line in the order they had, after count_lines(). Line i ends at
 * starts[i] then, where line i + 1 begins. */
static void spread_lines(struct conflicts *conflicts, enum conflict_line line, const atomic_bool *stop)
{
    const uint32_t n = conflicts->n;
    for (uint32_t i = 1; i <= 2 * n && !unwanted(i, stop); i++)
        conflicts->starts[i] += conflicts->starts[i - 1];
    for (uint32_t i = 0; i < conflicts->count && !unwanted(i, stop); i++) {
        const struct queen *queen = &conflicts->queens[i];
        conflicts->spare[conflicts->starts[line_of(line, n, queen)]++] = *queen;
    }
}

static bool in_order(const struct conflicts *conflicts, const atomic_bool *stop)
{
    for (uint32_t i = 1; i < conflicts->count && !unwanted(i, stop); i++) {
        const struct queen *a = &conflicts->queens[i - 1], *b = a + 1;
        if (a->row > b->row || (a->row == b->row && a->column > b->column))
            return false;
    }
    return true;
}

/* Row by row, and those of a row column by column. */
static void sort(struct conflicts *conflicts, const atomic_bool *stop)
{
    static const enum conflict_line by[] = {LINE_COLUMN, LINE_ROW};
    for (size_t i = 0; i < 2 && !in_order(conflicts, stop); i++) {
        struct queen *sorted = conflicts->spare;
        count_lines(conflicts, by[i], stop);
        spread_lines(conflicts, by[i], stop);
        conflicts->spare = conflicts->queens;
        conflicts->queens = sorted;
    }
    conflicts->sorted = true;
}

static void list(struct conflicts *conflicts, const struct queen *a, const struct queen *b, enum conflict_line line)
{
    conflicts->list[conflicts->listed++] = (struct conflict){.a = *a, .b = *b, .line = line};
}

/* How many of a run of queens stand where the first does. */
static uint32_t on_square(const struct queen *queens, uint32_t count)
{
    uint32_t here = 1;
    while (here < count && same(&queens[here], &queens[0]))
        here++;
    return here;
}

static void find_squares(struct conflicts *conflicts, const atomic_bool *stop)
{
    for (uint32_t i = 0, here; i < conflicts->count && !unwanted(i, stop); i += here) {
        const struct queen *queens = &conflicts->queens[i];
        here = on_square(queens, conflicts->count - i);
        conflicts->same_square += pairs(here);
        for (uint32_t a = 0; a < here && conflicts->listed < CONFLICTS_LISTED; a++)
            for (uint32_t b = a + 1; b < here && conflicts->listed < CONFLICTS_LISTED; b++)
                list(conflicts, &queens[a], &queens[b], LINE_SQUARE);
    }
    conflicts->total = conflicts->same_square;
}

/* Lists the pairs of one line, except those on one square. The queens of the last square have no later ones to pair
 * with. */
static void list_line(struct conflicts *conflicts, const struct queen *queens, uint32_t count, enum conflict_line line)
{
    for (uint32_t i = 0, here; i < count; i += here) {
        here = on_square(queens + i, count - i);
        for (uint32_t a = i; a < i + here && i + here < count; a++) {
            for (uint32_t b = i + here; b < count; b++) {
                if (conflicts->listed == CONFLICTS_LISTED)
                    return;
                list(conflicts, &queens[a], &queens[b], line);
            }
        }
    }
}

static void list_lines(struct conflicts *conflicts, enum conflict_line line, const atomic_bool *stop)
{
    spread_lines(conflicts, line, stop);
    if (stop_wanted(stop)) /* they are not all in place */
        return;
    for (uint32_t i = 0, start = 0; i < 2 * conflicts->n && conflicts->listed < CONFLICTS_LISTED && !unwanted(i, stop);
         i++) {
        const uint32_t end = conflicts->starts[i];
        list_line(conflicts, conflicts->spare + start, end - start, line);
        start = end;
    }
}

static void find_lines(struct conflicts *conflicts, enum conflict_line line, const atomic_bool *stop)
{
    uint64_t found = 0;
    count_lines(conflicts, line, stop);
    for (uint32_t i = 1; i <= 2 * conflicts->n && !unwanted(i, stop); i++)
        found += pairs(conflicts->starts[i]);
    found -= conflicts->same_square;
    conflicts->total += found;
    if (found && conflicts->listed < CONFLICTS_LISTED)
        list_lines(conflicts, line, stop);
}

static void copy(struct conflicts *conflicts, const atomic_bool *stop)
{
    for (uint32_t i = 0; i < conflicts->count && !unwanted(i, stop); i++)
        conflicts->queens[i] = conflicts->given[i];
    conflicts->given = NULL;
}

void conflicts_paint(struct conflicts *conflicts, const struct regions *regions)
{
    assert(!rule_by_lines(conflicts->rule) && regions->n == conflicts->n);
    conflicts->regions = regions;
}

/* Whether pairs are found line by line. */
static bool line_by_line(const struct conflicts *conflicts)
{
    return rule_by_lines(conflicts->rule) && !conflicts->walls;
}

static uint32_t towards(uint32_t from, uint32_t to)
{
    return to > from ? from + 1 : to < from ? from - 1 : from;
}

static bool is_wall(const struct conflicts *conflicts, const struct queen *at)
{
    return conflicts->walls[at->row] >> at->column & 1;
}

/* Whether one of the queens stands on a wall, or there is one between them on the line that they share. */
static bool is_walled(const struct conflicts *conflicts, const struct queen *a, const struct queen *b,
                      enum conflict_line line)
{
    if (!conflicts->walls || line == LINE_SQUARE)
        return false;
    bool walled = is_wall(conflicts, a) || is_wall(conflicts, b);
    for (struct queen at = *a; line <= LINE_ANTIDIAGONAL && !walled && !same(&at, b);) {
        at = (struct queen){towards(at.row, b->row), towards(at.column, b->column)};
        walled = is_wall(conflicts, &at);
    }
    return walled;
}

/* That of two squares; -1: they are in different ones, or there are none. */
static int shared_region(const struct regions *regions, const struct queen *a, const struct queen *b)
{
    if (!regions)
        return -1;
    const uint8_t of = regions->of[a->row * regions->n + a->column];
    return of == regions->of[b->row * regions->n + b->column] ? of : -1;
}

int conflict_region(const struct conflicts *conflicts, const struct conflict *conflict)
{
    return shared_region(conflicts->regions, &conflict->a, &conflict->b);
}

/* Finds what the queen number `a` attacks among those after it. */
static void find_pairs(struct conflicts *conflicts, uint32_t a)
{
    const struct queen *first = &conflicts->queens[a];
    for (uint32_t b = a + 1; b < conflicts->count; b++) {
        const struct queen *second = &conflicts->queens[b];
        enum conflict_line line =
            rule_line(conflicts->rule, conflicts->columns, first->row, first->column, second->row, second->column);
        if (line == CONFLICT_LINES && shared_region(conflicts->regions, first, second) >= 0)
            line = LINE_REGION;
        if (line == CONFLICT_LINES || is_walled(conflicts, first, second, line))
            continue;
        conflicts->total++;
        if (conflicts->listed < CONFLICTS_LISTED)
            list(conflicts, first, second, line);
    }
}

/* One step through all pairs. */
static enum nq_status step_by_rule(struct conflicts *conflicts, const atomic_bool *stop)
{
    for (uint64_t pairs = 0; pairs < STEP_PAIRS && conflicts->a < conflicts->count; conflicts->a++) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        find_pairs(conflicts, conflicts->a);
        pairs += conflicts->count - conflicts->a;
    }
    return conflicts->a == conflicts->count ? NQ_OK : NQ_AGAIN;
}

enum nq_status conflicts_step(struct conflicts *conflicts, const atomic_bool *stop)
{
    if (conflicts->next == lines_end)
        return NQ_OK;
    if (conflicts->given || !conflicts->sorted) {
        (conflicts->given ? copy : sort)(conflicts, stop);
        return stop_wanted(stop) ? NQ_CANCELLED : NQ_AGAIN;
    }
    if (!line_by_line(conflicts))
        return step_by_rule(conflicts, stop);
    if (conflicts->next == LINE_SQUARE)
        find_squares(conflicts, stop);
    else
        find_lines(conflicts, conflicts->next, stop);
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    conflicts->next++;
    return conflicts->next == lines_end ? NQ_OK : NQ_AGAIN;
}

void conflicts_search(struct conflicts *conflicts)
{
    while (conflicts_step(conflicts, NULL) == NQ_AGAIN)
        ;
}
