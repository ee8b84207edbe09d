/* test_rules.c - tests of src/rules: each rule's lines against rays that are followed square by square, its search
 * against all permutations and the published counts. */
/* CI builds: address */
#include <stdlib.h>
#include <string.h>

#include "rules/search.h"
#include "support/plain_search.h"
#include "support/sifted_solutions.h"
#include <nqueens.h>

enum { SMALL = 8 };

/* ---- Rays, square by square ---- */

/* How a diagonal goes on at a border: it ends, around the torus, or from a strip above the first row. */
enum border { ENDS, WRAPS, REFLECTS };

struct moves {
    const char *name;
    bool falls, rises; /* diagonals, antidiagonals */
    bool knight, neighbour;
    enum border border;
};

static const struct moves all_moves[] = {
    {.name = "queens", .falls = true, .rises = true},
    {.name = "toroidal", .falls = true, .rises = true, .border = WRAPS},
    {.name = "superqueens", .falls = true, .rises = true, .knight = true},
    {.name = "semiqueens", .falls = true},
    {.name = "toroidal-semiqueens", .falls = true, .border = WRAPS},
    {.name = "reflecting", .falls = true, .rises = true, .border = REFLECTS},
    {.name = "touching", .neighbour = true},
    {.name = "rooks"},
};

/* Of a rule that is not here, what its flags say: its published counts, if there are any, judge these. */
static struct moves moves_of(const struct rule *rule)
{
    for (size_t i = 0; i < sizeof all_moves / sizeof all_moves[0]; i++)
        if (strcmp(all_moves[i].name, rule->name) == 0)
            return all_moves[i];
    return (struct moves){
        .name = rule->name,
        .falls = rule->moves & MOVE_RIGHT,
        .rises = rule->moves & MOVE_LEFT,
        .knight = rule->moves & MOVE_KNIGHT,
        .neighbour = rule->moves & MOVE_NEIGHBOUR,
        .border = rule->moves & MOVE_WRAP      ? WRAPS
                  : rule->moves & MOVE_REFLECT ? REFLECTS
                                               : ENDS,
    };
}

/* Whether a ray from one square comes to another. */
static bool ray(int n, enum border border, const int from[2], const int step[2], const int to[2])
{
    int row = from[0], column = from[1], down = step[0];
    for (int i = 0; i < 4 * n; i++) {
        row += down;
        column += step[1];
        if (border == REFLECTS && row == -1) {
            down = 1; /* on the strip */
            continue;
        }
        if (border == WRAPS)
            row = (row + n) % n, column = (column + n) % n;
        else if (column < 0 || column >= n)
            return false;
        if (row < 0 || row >= n)
            return false;
        if (row == to[0] && column == to[1])
            return true;
    }
    return false;
}

static bool attacks(const struct moves *moves, int n, const int a[2], const int b[2])
{
    static const int falling[2][2] = {{1, 1}, {-1, -1}}, rising[2][2] = {{1, -1}, {-1, 1}};
    const int rows = abs(a[0] - b[0]), columns = abs(a[1] - b[1]);
    bool found = rows == 0 || columns == 0;
    for (int i = 0; i < 2; i++) {
        found |= moves->falls && ray(n, moves->border, a, falling[i], b);
        found |= moves->rises && ray(n, moves->border, a, rising[i], b);
    }
    found |= moves->knight && ((rows == 1 && columns == 2) || (rows == 2 && columns == 1));
    return found || (moves->neighbour && rows == 1 && columns == 1);
}

TEST(test_lines)
{
    size_t i = 0;
    for (; rules[i]; i++) {
        const struct rule *rule = rules[i];
        const struct moves moves = moves_of(rule);
        for (int n = 1; n <= SMALL; n++)
            for (int k = 0; k < n * n * n * n; k++) {
                const int a[] = {k % n, k / n % n}, b[] = {k / n / n % n, k / n / n / n};
                const enum conflict_line line =
                    rule_line(rule, (uint32_t)n, (uint32_t)a[0], (uint32_t)a[1], (uint32_t)b[0], (uint32_t)b[1]);
                assert_int_equal(line != CONFLICT_LINES, attacks(&moves, n, a, b));
                assert_int_equal(
                    line, rule_line(rule, (uint32_t)n, (uint32_t)b[0], (uint32_t)b[1], (uint32_t)a[0], (uint32_t)a[1]));
            }
    }
    assert_null(rule_name(i));
    assert_null(rule_name(i + 1));
}

TEST(test_kinds_of_lines)
{
    static const struct {
        const char *rule;
        uint32_t n, a[2], b[2];
        const char *line;
    } cases[] = {
        {"queens", 8, {0, 0}, {0, 0}, "square"},         {"queens", 8, {0, 0}, {0, 5}, "row"},
        {"touching", 8, {0, 3}, {7, 3}, "column"},       {"queens", 8, {0, 0}, {5, 5}, "diagonal"},
        {"queens", 8, {0, 5}, {5, 0}, "antidiagonal"},   {"toroidal", 8, {0, 7}, {1, 0}, "diagonal"},
        {"toroidal", 8, {0, 0}, {4, 4}, "diagonal"},     {"toroidal", 8, {0, 0}, {1, 7}, "antidiagonal"},
        {"superqueens", 8, {3, 3}, {5, 2}, "knight"},    {"superqueens", 8, {3, 3}, {4, 5}, "knight"},
        {"reflecting", 8, {0, 0}, {0, 2}, "row"},        {"reflecting", 8, {4, 1}, {0, 1}, "column"},
        {"reflecting", 8, {1, 1}, {2, 6}, "reflection"}, {"touching", 8, {3, 3}, {4, 2}, "neighbour"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum conflict_line line =
            rule_line(sift_rule(cases[i].rule), cases[i].n, cases[i].a[0], cases[i].a[1], cases[i].b[0], cases[i].b[1]);
        assert_string_equal(conflict_line_name(line), cases[i].line);
    }
}

/* ---- Symmetries ---- */

static void turn(unsigned symmetry, uint32_t n, uint32_t *row, uint32_t *column)
{
    uint32_t columns[SMALL] = {0}, image[SMALL];
    for (uint32_t i = 0; i < n; i++) /* a permutation with a queen on the square */
        columns[i] = (*column + n + i - *row) % n;
    const uint32_t count = n;
    /* Of the permutation with the square, and of one with all others moved: the image that both have. */
    uint32_t other[SMALL], moved[SMALL];
    for (uint32_t i = 0; i < n; i++)
        other[i] = (*column + n + *row - i) % n;
    nq_transform(symmetry, n, columns, image);
    nq_transform(symmetry, n, other, moved);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (image[i] == moved[i] && !found++)
            *row = i, *column = image[i];
    assert_int_equal(found, 1); /* n is odd */
}

static bool keeps(const struct rule *rule, uint32_t n, unsigned symmetry)
{
    for (uint32_t k = 0; k < n * n * n * n; k++) {
        uint32_t a[] = {k % n, k / n % n}, b[] = {k / n / n % n, k / n / n / n};
        const bool before = rule_line(rule, n, a[0], a[1], b[0], b[1]) != CONFLICT_LINES;
        turn(symmetry, n, &a[0], &a[1]);
        turn(symmetry, n, &b[0], &b[1]);
        if (before != (rule_line(rule, n, a[0], a[1], b[0], b[1]) != CONFLICT_LINES))
            return false;
    }
    return true;
}

TEST(test_symmetries)
{
    for (size_t i = 0; rules[i]; i++)
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
            assert_int_equal(rules[i]->symmetries >> symmetry & 1, keeps(rules[i], 7, symmetry));
}

TEST(test_shifts)
{
    enum { N = 7 };
    for (size_t i = 0; rules[i]; i++) {
        bool kept = true;
        for (uint32_t k = 0; k < N * N * N * N; k++) {
            const uint32_t a[] = {k % N, k / N % N}, b[] = {k / N / N % N, k / N / N / N};
            const bool before = rule_line(rules[i], N, a[0], a[1], b[0], b[1]) != CONFLICT_LINES;
            kept &= before == (rule_line(rules[i], N, (a[0] + 1) % N, a[1], (b[0] + 1) % N, b[1]) != CONFLICT_LINES);
            kept &= before == (rule_line(rules[i], N, a[0], (a[1] + 1) % N, b[0], (b[1] + 1) % N) != CONFLICT_LINES);
        }
        assert_int_equal(kept, rules[i]->shifts);
    }
}

/* ---- Searching ---- */

static const uint64_t everywhere[RULE_MAX_N] = {[0 ... RULE_MAX_N - 1] = ~UINT64_C(0)};

static void board(uint32_t n, uint64_t *allow)
{
    for (uint32_t row = 0; row < n; row++)
        allow[row] = everywhere[row] >> (RULE_MAX_N - n);
}

static uint64_t count(const struct rule *rule, uint32_t n, const uint64_t *allow)
{
    struct rule_search search;
    rule_search_begin(&search, rule, n, allow);
    return plain_search(&search, NULL).solutions;
}

/* By all permutations on allowed squares of which no two queens attack each other. */
static uint64_t count_slowly(const struct moves *moves, int n, const uint64_t *allow, int row, int *columns)
{
    uint64_t found = row == n;
    for (columns[row] = 0; row < n && columns[row] < n; columns[row]++) {
        bool free = allow[row] >> columns[row] & 1;
        for (int above = 0; above < row; above++)
            free = free && !attacks(moves, n, (int[]){above, columns[above]}, (int[]){row, columns[row]});
        if (free)
            found += count_slowly(moves, n, allow, row + 1, columns);
    }
    return found;
}

TEST(test_against_all_placements)
{
    uint64_t dice = 1;
    for (size_t i = 0; rules[i]; i++)
        for (int n = 0; n <= SMALL; n++)
            for (int round = 0; round < 12; round++) {
                const struct moves moves = moves_of(rules[i]);
                uint64_t allow[SMALL + 1] = {0};
                int columns[SMALL + 1];
                for (int row = 0; row < n; row++)
                    allow[row] = facts_word(&dice, (uint32_t)n, round ? 40 + 4 * (uint32_t)(round % 15) : 100);
                assert_int_equal(count(rules[i], (uint32_t)n, allow), count_slowly(&moves, n, allow, 0, columns));
            }
}

/* Of small boards; test_counting_rules.c has larger ones. Nobody need have published any. */
TEST(test_published_counts)
{
    size_t compared = 0;
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = 0; n <= 33; n++) {
            uint64_t allow[RULE_MAX_N], published;
            if (!facts_published(rules[i]->name, n, &published))
                continue;
            if (rule_none(rules[i], n))
                assert_int_equal(published, 0);
            board(n, allow);
            if (n <= 10)
                assert_int_equal(count(rules[i], n, allow), published);
            compared += n <= 10;
        }
    assert_true(compared >= 50);
}

TEST(test_boards_without_solutions)
{
    size_t boards = 0;
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = 0; n <= 10; n++) {
            uint64_t allow[RULE_MAX_N];
            board(n, allow);
            if (rule_none(rules[i], n)) {
                assert_int_equal(count(rules[i], n, allow), 0);
                assert_int_equal(rule_note(rules[i], n) != NULL, rule_word(rules[i]) != NULL);
                boards++;
            }
        }
    assert_true(boards >= 2 + 7 + 8 + 5 + 3 + 2); /* 2 3; 2 3 4 6 8 9 10; 2 to 9; the even ones; 2 3 6; 2 3 */
}

/* The preset has no word, and it alone is by lines: what is made for lines would not do for another rule. */
TEST(test_by_lines)
{
    for (size_t i = 0; rules[i]; i++) {
        assert_int_equal(rule_by_lines(rules[i]), i == 0);
        assert_string_equal(i ? rule_word(rules[i]) : "queens", rules[i]->name);
        assert_int_equal(rule_word(rules[i]) == NULL, i == 0);
    }
}

TEST(test_widest_board)
{
    uint64_t allow[RULE_MAX_N];
    struct rule_search search;
    board(RULE_MAX_N, allow);
    for (size_t i = 0; rules[i]; i++) { /* a queen's lines in all rows below it: passed, and by rule_line() */
        rule_search_begin(&search, rules[i], RULE_MAX_N, allow);
        assert_true(rule_search_place(&search, 1));
        struct reach reach = search.level[1].reach;
        for (uint32_t row = 1; row < RULE_MAX_N; row++) {
            for (uint32_t column = 0; column < RULE_MAX_N; column++)
                assert_int_equal(reach_attacked(&reach) >> column & 1,
                                 rule_line(rules[i], RULE_MAX_N, 0, 1, row, column) != CONFLICT_LINES);
            rule_pass(rules[i], RULE_MAX_N, row, 0, &reach);
        }
    }
}

TEST(test_placing_and_removing)
{
    enum { N = 9 };
    uint64_t allow[RULE_MAX_N];
    board(N, allow);
    for (size_t i = 0; rules[i]; i++) {
        struct rule_search search;
        rule_search_begin(&search, rules[i], N, allow);
        assert_false(rule_search_place(&search, N));
        for (uint32_t a = 0; a < N; a++) {
            assert_true(rule_search_place(&search, a));
            for (uint32_t b = 0; b < N; b++) {
                const bool attacked = rule_line(rules[i], N, 0, a, 1, b) != CONFLICT_LINES;
                assert_int_equal(rule_search_place(&search, b), !attacked);
                if (!attacked)
                    rule_search_remove(&search);
            }
            rule_search_remove(&search);
        }
        assert_int_equal(plain_search(&search, NULL).solutions,
                         count(rules[i], N, allow)); /* again of the whole board */
    }
}
