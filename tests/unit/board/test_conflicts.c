/* test_conflicts.c - tests of src/board/conflicts.c against every pair looked at, and of the symmetry class. */
/* CI builds: address */
#include <stdlib.h>
#include <string.h>

#include "support/sifted_solutions.h"
#include <nqueens.h>

#include "board/conflicts.h"

enum { MAX_QUEENS = 60 };

static int compare_queens(const void *a, const void *b)
{
    const struct queen *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* What two queens share by the definition, CONFLICT_LINES for nothing. */
static enum conflict_line shared(const struct queen *a, const struct queen *b)
{
    const int64_t rows = (int64_t)a->row - b->row, columns = (int64_t)a->column - b->column;
    if (!rows && !columns)
        return LINE_SQUARE;
    if (!rows)
        return LINE_ROW;
    if (!columns)
        return LINE_COLUMN;
    if (rows == columns)
        return LINE_DIAGONAL;
    return rows == -columns ? LINE_ANTIDIAGONAL : CONFLICT_LINES;
}

static int64_t number_of(const struct conflict *conflict)
{
    const struct queen *a = &conflict->a;
    switch (conflict->line) {
    case LINE_COLUMN: return a->column;
    case LINE_DIAGONAL: return (int64_t)a->row - a->column;
    case LINE_ANTIDIAGONAL: return (int64_t)a->row + a->column;
    default: return a->row;
    }
}

/* A conflict, and how many come before it when the queens are taken in order: pair by pair. */
struct pair {
    struct conflict conflict;
    size_t number;
};

/* The order that conflicts.h promises. */
static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->conflict.line != y->conflict.line)
        return x->conflict.line < y->conflict.line ? -1 : 1;
    if (number_of(&x->conflict) != number_of(&y->conflict))
        return number_of(&x->conflict) < number_of(&y->conflict) ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static size_t every_pair(const struct queen *queens, uint32_t count, struct pair *list)
{
    struct queen sorted[MAX_QUEENS];
    size_t found = 0;
    memcpy(sorted, queens, count * sizeof *queens);
    qsort(sorted, count, sizeof *sorted, compare_queens);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a + 1; b < count; b++) {
            const enum conflict_line line = shared(&sorted[a], &sorted[b]);
            if (line == CONFLICT_LINES)
                continue;
            list[found] = (struct pair){{sorted[a], sorted[b], line}, found};
            found++;
        }
    }
    qsort(list, found, sizeof *list, compare_pairs);
    return found;
}

static void find(struct conflicts *conflicts, uint32_t n, const struct queen *queens, uint32_t count)
{
    enum nq_status status;
    unsigned steps = 0;
    assert_int_equal(conflicts_open(conflicts, rules[0], n, queens, count), NQ_OK);
    while ((status = conflicts_step(conflicts, NULL)) == NQ_AGAIN)
        assert_true(++steps < 10);
    assert_int_equal(status, NQ_OK);
    assert_int_equal(conflicts_step(conflicts, NULL), NQ_OK); /* it stays over */
    conflicts_close(conflicts);
}

static void check(uint32_t n, const struct queen *queens, uint32_t count)
{
    static struct pair wanted[MAX_QUEENS * MAX_QUEENS / 2];
    struct conflicts found;
    const size_t total = every_pair(queens, count, wanted);
    find(&found, n, queens, count);
    assert_int_equal(found.total, total);
    assert_int_equal(found.listed, total < CONFLICTS_LISTED ? total : CONFLICTS_LISTED);
    for (size_t i = 0; i < found.listed; i++)
        assert_memory_equal(&found.list[i], &wanted[i].conflict, sizeof found.list[i]);
}

TEST(test_against_every_pair)
{
    uint64_t dice = 6;
    bool capped = false, peaceful = false;
    for (unsigned round = 0; round < 800; round++) {
        struct queen queens[MAX_QUEENS];
        const uint32_t n = 1 + facts_below(&dice, round % 2 ? 6 : 200);
        const uint32_t count = facts_below(&dice, round % 3 ? MAX_QUEENS + 1 : 5);
        for (uint32_t i = 0; i < count; i++)
            queens[i] = (struct queen){facts_below(&dice, n), facts_below(&dice, n)};
        check(n, queens, count);
        static struct pair list[MAX_QUEENS * MAX_QUEENS / 2];
        const size_t total = every_pair(queens, count, list);
        capped |= total > CONFLICTS_LISTED;
        peaceful |= total == 0 && count > 1;
    }
    assert_true(capped && peaceful);
}

/* A search of all pairs would not end. */
TEST(test_many_on_few_lines)
{
    enum { N = 200000 };
    struct queen *queens = malloc(N * sizeof *queens);
    struct conflicts found;
    assert_non_null(queens);
    for (uint32_t i = 0; i < N; i++)
        queens[i] = (struct queen){N - 1 - i, N - 1 - i};
    find(&found, N, queens, N);
    assert_int_equal(found.total, (uint64_t)N * (N - 1) / 2);
    assert_int_equal(found.listed, CONFLICTS_LISTED);
    for (uint32_t i = 0; i < CONFLICTS_LISTED; i++) {
        assert_int_equal(found.list[i].line, LINE_DIAGONAL);
        assert_int_equal(found.list[i].a.row, 0);
        assert_int_equal(found.list[i].b.row, i + 1);
    }
    for (uint32_t i = 0; i < N; i++) /* all on a square but the last, which is on a row with them */
        queens[i] = (struct queen){5, i == N - 1 ? 9 : 3};
    find(&found, N, queens, N);
    assert_int_equal(found.total, (uint64_t)N * (N - 1) / 2);
    assert_int_equal(found.list[0].line, LINE_SQUARE);
    assert_int_equal(found.listed, CONFLICTS_LISTED);
    for (uint32_t i = 0; i < N; i++) /* two on every square of a diagonal but one */
        queens[i] = (struct queen){i / 2, i / 2};
    find(&found, N, queens, N);
    assert_int_equal(found.total, (uint64_t)N * (N - 1) / 2);
    free(queens);
}

TEST(test_by_rule)
{
    enum { N = 3000 };
    struct queen *queens = malloc(N * sizeof *queens);
    struct conflicts found;
    atomic_bool stop = false;
    size_t steps = 0;
    assert_non_null(queens);
    for (uint32_t i = 0; i < N; i++) /* all on one diagonal of the torus */
        queens[i] = (struct queen){N - 1 - i, (N - 1 - i + 5) % N};
    assert_int_equal(conflicts_open(&found, sift_rule("toroidal"), N, queens, N), NQ_OK);
    for (enum nq_status status = NQ_AGAIN; status != NQ_OK; steps++) {
        assert_int_equal(status, NQ_AGAIN);
        atomic_store(&stop, true);
        if (found.sorted) /* a step that is stopped has done nothing yet */
            assert_int_equal(conflicts_step(&found, &stop), NQ_CANCELLED);
        atomic_store(&stop, false);
        status = conflicts_step(&found, &stop);
    }
    assert_true(steps > 4);
    conflicts_close(&found);
    assert_int_equal(found.total, (uint64_t)N * (N - 1) / 2);
    assert_int_equal(found.listed, CONFLICTS_LISTED);
    for (uint32_t i = 0; i < CONFLICTS_LISTED; i++) {
        assert_int_equal(found.list[i].line, LINE_DIAGONAL);
        assert_int_equal(found.list[i].a.row, 0);
        assert_int_equal(found.list[i].b.row, i + 1);
    }
    free(queens);
}

/* Every pair by the definition: a line, the corners, or the region; and the region that it shares besides. */
TEST(test_regions)
{
    enum { N = 6, QUEENS = 6 };
    const struct rule *touching = sift_rule("touching");
    uint64_t dice = 8, seen[CONFLICT_LINES] = {0}, both = 0;
    for (unsigned round = 0; round < 500; round++) {
        struct regions regions = {.n = N};
        struct queen queens[QUEENS];
        struct conflicts found;
        size_t at = 0;
        for (uint32_t square = 0; square < N * N; square++)
            regions.of[square] = (uint8_t)facts_below(&dice, N);
        for (uint32_t i = 0; i < QUEENS; i++)
            queens[i] = (struct queen){facts_below(&dice, N), facts_below(&dice, N)};
        assert_int_equal(conflicts_open(&found, touching, N, queens, QUEENS), NQ_OK);
        conflicts_paint(&found, &regions);
        while (conflicts_step(&found, NULL) == NQ_AGAIN)
            continue;
        conflicts_close(&found);
        qsort(queens, QUEENS, sizeof *queens, compare_queens);
        for (uint32_t a = 0; a < QUEENS; a++)
            for (uint32_t b = a + 1; b < QUEENS; b++) {
                const struct queen *x = &queens[a], *y = &queens[b];
                const int region = regions.of[x->row * N + x->column];
                const bool shares = region == regions.of[y->row * N + y->column];
                enum conflict_line line = shared(x, y);
                if (line == LINE_DIAGONAL || line == LINE_ANTIDIAGONAL)
                    line = y->row - x->row == 1 ? LINE_NEIGHBOUR : CONFLICT_LINES;
                if (line == CONFLICT_LINES && shares)
                    line = LINE_REGION;
                if (line == CONFLICT_LINES)
                    continue;
                assert_true(at < found.listed);
                assert_int_equal(found.list[at].line, line);
                assert_int_equal(conflict_region(&found, &found.list[at]), shares ? region : -1);
                seen[line]++;
                both += shares && line != LINE_REGION;
                at++;
            }
        assert_int_equal(at, found.total);
    }
    assert_true(seen[LINE_REGION] && seen[LINE_NEIGHBOUR] && seen[LINE_ROW] && both);
}

/* ---- Boards that are not square, and walls ---- */

/* Along the eight rays from a, up to a wall or the border; of superqueens also a knight's move. */
static bool reaches(const uint64_t *walls, struct queen sides, const struct queen *a, const struct queen *b)
{
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++) {
            int64_t row = (int64_t)a->row + down, column = (int64_t)a->column + right;
            while ((down || right) && row >= 0 && column >= 0 && row < sides.row && column < sides.column &&
                   !(walls[row] >> column & 1)) {
                if (row == b->row && column == b->column)
                    return true;
                row += down;
                column += right;
            }
        }
    return false;
}

static bool leaps(const struct queen *a, const struct queen *b)
{
    const int64_t rows = (int64_t)a->row - b->row, columns = (int64_t)a->column - b->column;
    return rows * rows + columns * columns == 5;
}

/* sides: how many rows and columns there are. */
static void check_shape(const struct rule *rule, struct queen sides, const uint64_t *walls, const struct queen *queens,
                        uint32_t count)
{
    struct queen sorted[MAX_QUEENS];
    struct conflicts found;
    uint64_t total = 0;
    bool walled = false;
    memcpy(sorted, queens, count * sizeof *queens);
    qsort(sorted, count, sizeof *sorted, compare_queens);
    for (uint32_t row = 0; row < sides.row; row++)
        walled |= walls[row];
    assert_int_equal(
        conflicts_open_shape(&found, rule, &(struct conflicts_board){sides.row, sides.column, walls}, queens, count),
        NQ_OK);
    while (conflicts_step(&found, NULL) == NQ_AGAIN)
        ;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            const struct queen *a = &sorted[i], *b = &sorted[k];
            const bool square = a->row == b->row && a->column == b->column;
            const bool on_wall = walls[a->row] >> a->column & 1 || walls[b->row] >> b->column & 1;
            const bool leap = rule != rules[0] && leaps(a, b);
            if (!square && (on_wall || !(reaches(walls, sides, a, b) || leap)))
                continue;
            const enum conflict_line line = leap ? LINE_KNIGHT : shared(a, b);
            if (walled && total < CONFLICTS_LISTED) {
                assert_int_equal(found.list[total].line, line);
                assert_memory_equal(&found.list[total].a, a, sizeof *a);
                assert_memory_equal(&found.list[total].b, b, sizeof *b);
            }
            total++;
        }
    assert_int_equal(found.total, total);
    assert_int_equal(found.listed, total < CONFLICTS_LISTED ? total : CONFLICTS_LISTED);
    conflicts_close(&found);
}

TEST(test_shapes)
{
    const struct rule *superqueens = rules[rule_find("superqueens", strlen("superqueens"))];
    uint64_t dice = 7;
    for (unsigned round = 0; round < 1500; round++) {
        struct queen queens[MAX_QUEENS];
        uint64_t walls[64] = {0};
        const uint32_t most = round % 5 ? 7 : 64;
        const struct queen sides = {1 + facts_below(&dice, most), 1 + facts_below(&dice, most)};
        const uint32_t count = facts_below(&dice, round % 3 ? 12 : MAX_QUEENS + 1);
        for (uint32_t i = facts_below(&dice, 2) * facts_below(&dice, 10); i; i--)
            walls[facts_below(&dice, sides.row)] |= UINT64_C(1) << facts_below(&dice, sides.column);
        for (uint32_t i = 0; i < count; i++)
            queens[i] = (struct queen){facts_below(&dice, sides.row), facts_below(&dice, sides.column)};
        check_shape(rules[0], sides, walls, queens, count);
        check_shape(superqueens, sides, walls, queens, count);
    }
}

TEST(test_names)
{
    static const char *const names[] = {"square", "row",        "column",    "diagonal", "antidiagonal",
                                        "knight", "reflection", "neighbour", "region"};
    for (int line = 0; line < CONFLICT_LINES; line++)
        assert_string_equal(conflict_line_name((enum conflict_line)line), names[line]);
}

/* ---- The symmetry class ---- */

/* Of any permutation, by its images; test_board.c has all solutions. */
TEST(test_symmetry_of_permutations)
{
    uint32_t columns[6], image[6];
    assert_int_equal(nq_symmetry(0, NULL), NQ_SYMMETRY_QUARTER);
    for (uint32_t code = 0; code < 46656; code++) { /* 6^6 */
        uint32_t taken = 0;
        for (uint32_t row = 0, rest = code; row < 6; row++, rest /= 6)
            taken |= 1U << (columns[row] = rest % 6);
        if (taken != 63)
            continue;
        nq_transform(2, 6, columns, image);
        const bool half = memcmp(image, columns, sizeof image) == 0;
        nq_transform(1, 6, columns, image);
        const bool quarter = memcmp(image, columns, sizeof image) == 0;
        assert_int_equal(nq_symmetry(6, columns), quarter ? NQ_SYMMETRY_QUARTER
                                                  : half  ? NQ_SYMMETRY_POINT
                                                          : NQ_SYMMETRY_NONE);
    }
}
