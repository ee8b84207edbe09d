/* test_hint.c - tests of src/engine/boards/hint.c: a hint counts right and keeps the board completable. Small boards
 * are compared with all their solutions, large ones with what a solver lists. */
/* CI builds: address */
#include "solvers/solver.h"
#include "support/failing_bytes.h"
#include "support/run_work.h"

struct board {
    struct question question;
    uint64_t completions;
    uint64_t at[FILTER_MAX_N][FILTER_MAX_N];
};

static struct board ask_hint(uint32_t n, uint32_t base)
{
    struct board board = {.question = ask_count(n)};
    board.question.kind = ASK_HINT;
    board.question.base = base;
    board.question.query.by_square = true;
    return board;
}

static void put(struct board *board, uint32_t row, uint32_t column)
{
    board->question.hint.placed[row] |= UINT64_C(1) << column;
    filter_place(&board->question.query.filter, row, column);
}

static bool has(const struct board *board, uint32_t row, uint32_t column)
{
    return board->question.hint.placed[row] >> column & 1;
}

static void add_completion(struct board *board, const uint32_t *columns)
{
    board->completions++;
    for (uint32_t row = 0; row < board->question.n; row++)
        board->at[row][columns[row]]++;
}

/* Every solution that has all that is placed. */
static void complete(struct board *board, const uint32_t *solutions, size_t count)
{
    const uint32_t n = board->question.n;
    for (size_t s = 0; s < count; s++) {
        bool fits = true;
        for (uint32_t i = 0; i < n * n; i++)
            fits &= !has(board, i / n, i % n) || solutions[s * n + i / n] == i % n;
        if (fits)
            add_completion(board, solutions + s * n);
    }
}

static bool attacked(const struct board *board, uint32_t row, uint32_t column)
{
    const uint32_t n = board->question.n;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t c = 0; c < n; c++) {
            const uint32_t down = r > row ? r - row : row - r, across = c > column ? c - column : column - c;
            if (has(board, r, c) && (down || across) && (!down || !across || down == across))
                return true;
        }
    return false;
}

static json_t *hint(const struct board *board)
{
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    const atomic_bool stop = false;
    struct work *work = NULL;
    struct fault fault = {0};
    enum nq_status status = work_hint(&board->question, &stop, &work);
    if (status == NQ_NONE)
        status = work_count(&board->question, &tools, hint_answer, &stop, &fault, &work);
    assert_int_equal(status, NQ_OK);
    if (work->class->prepare)
        assert_int_equal(work->class->prepare(work, &stop), NQ_OK);
    return answer_json(work_off(work));
}

static void marked_squares(const json_t *list, uint32_t base, bool squares[FILTER_MAX_N][FILTER_MAX_N])
{
    memset(squares, 0, FILTER_MAX_N * sizeof squares[0]);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *square = json_array_get(list, i);
        bool *at = &squares[facts_get(square, "row") - base][facts_get(square, "column") - base];
        assert_false(*at); /* none twice */
        *at = true;
    }
}

/* The square that hint.c should choose, and why; the first of a kind. */
static bool expect_hint(const struct board *board, uint32_t *row, uint32_t *column, char why[static 64])
{
    const uint32_t n = board->question.n, base = board->question.base;
    for (uint32_t line = 0; line < 2 * n && board->completions; line++) {
        uint32_t left = 0, queens = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t r = line < n ? line : i, c = line < n ? i : line - n;
            queens += has(board, r, c);
            if (attacked(board, r, c))
                continue;
            left++;
            *row = r;
            *column = c;
        }
        if (left != 1 || queens)
            continue;
        (void)snprintf(why, 64, "No other square is left in %s %u.", line < n ? "row" : "column",
                       (line < n ? line : line - n) + base);
        return true;
    }
    uint64_t most = 0;
    for (uint32_t i = 0; i < n * n; i++)
        if (!has(board, i / n, i % n) && board->at[i / n][i % n] > most) {
            most = board->at[i / n][i % n];
            *row = i / n;
            *column = i % n;
        }
    (void)snprintf(why, 64, "%s",
                   most == board->completions ? "Every completion has a queen there."
                                              : "No other square leaves more completions.");
    return most;
}

/* How many pairs of placed queens attack each other, and that those told of do so; which come first is for the tests of
 * board/conflicts to say. */
static void check_conflicts(const struct board *board, const json_t *json)
{
    const json_t *list = json_object_get(json, "conflicts"), *pair;
    const uint32_t n = board->question.n, base = board->question.base;
    uint64_t pairs = 0;
    size_t i;
    for (uint32_t a = 0; a < n * n; a++)
        for (uint32_t b = a + 1; b < n * n; b++)
            pairs += has(board, a / n, a % n) && has(board, b / n, b % n) && nq_attack(a / n, a % n, b / n, b % n);
    assert_int_equal(facts_get(json, "conflict_count"), pairs);
    assert_int_equal(json_array_size(list), pairs < 100 ? pairs : 100);
    json_array_foreach(list, i, pair)
    {
        const json_t *first = json_object_get(pair, "a"), *second = json_object_get(pair, "b");
        const uint32_t row[] = {(uint32_t)facts_get(first, "row") - base, (uint32_t)facts_get(second, "row") - base};
        const uint32_t column[] = {(uint32_t)facts_get(first, "column") - base,
                                   (uint32_t)facts_get(second, "column") - base};
        assert_true(has(board, row[0], column[0]) && has(board, row[1], column[1]));
        assert_string_equal(json_string_value(json_object_get(pair, "line")),
                            row[0] == row[1]                               ? "row"
                            : column[0] == column[1]                       ? "column"
                            : (row[0] < row[1]) == (column[0] < column[1]) ? "diagonal"
                                                                           : "antidiagonal");
        for (size_t before = 0; before < i; before++)
            assert_false(json_equal(json_array_get(list, before), pair));
    }
}

/* The code that belongs to a sentence. */
static const char *code_of(const char *why)
{
    if (strncmp(why, "No other square is left in row", 30) == 0)
        return "last-in-row";
    if (strncmp(why, "No other square is left in column", 33) == 0)
        return "last-in-column";
    return strcmp(why, "Every completion has a queen there.") == 0 ? "in-every-completion" : "most-completions";
}

/* What techniques find beside the count: squares that no completion uses, or a queen of each; or why nothing. Takes it
 * out of the hint. */
static void check_step(const struct board *board, const json_t *json)
{
    static const char *const members[] = {"technique", "level", "because", "cross", "place"};
    const uint32_t base = board->question.base;
    json_t *hint = json_object_get(json, "hint");
    const json_t *cross = json_object_get(hint, "cross"), *place = json_object_get(hint, "place"), *square;
    const bool step = json_is_string(json_object_get(hint, "technique"));
    size_t i;
    json_array_foreach(cross, i, square)
    {
        assert_int_equal(board->at[facts_get(square, "row") - base][facts_get(square, "column") - base], 0);
    }
    if (json_is_object(place))
        assert_int_equal(board->at[facts_get(place, "row") - base][facts_get(place, "column") - base],
                         board->completions);
    assert_int_equal(step, json_array_size(cross) || json_is_object(place));
    assert_int_equal(step, json_is_null(json_object_get(json, "end")));
    for (i = 0; i < sizeof members / sizeof members[0] && json_is_object(hint); i++)
        assert_int_equal(json_object_del(hint, members[i]), 0);
}

/* Checks a hint for a board whose completions were added. */
static void check_hint(const struct board *board)
{
    const uint32_t n = board->question.n, base = board->question.base;
    bool dead[FILTER_MAX_N][FILTER_MAX_N], lost[FILTER_MAX_N][FILTER_MAX_N];
    uint32_t row = 0, column = 0;
    char why[64];
    OWNED(json_decref) json_t *json = hint(board);
    assert_int_equal(facts_get(json, "n"), n);
    assert_int_equal(facts_get(json, "base"), base);
    assert_int_equal(facts_get(json, "completions"), board->completions);
    assert_int_equal(json_is_true(json_object_get(json, "completable")), board->completions > 0);
    check_step(board, json);
    json_t *expected =
        expect_hint(board, &row, &column, why)
            ? json_pack("{s:i, s:i, s:I, s:s, s:s}", "row", row + base, "column", column + base, "completions",
                        (json_int_t)board->at[row][column], "code", code_of(why), "why", why)
            : json_null();
    assert_true(json_equal(json_object_get(json, "hint"), expected));
    json_decref(expected);
    check_conflicts(board, json);
    marked_squares(json_object_get(json, "dead"), base, dead);
    marked_squares(json_object_get(json, "attacked"), base, lost);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t c = 0; c < n; c++) {
            const bool under_attack = attacked(board, r, c);
            assert_int_equal(lost[r][c], !has(board, r, c) && under_attack);
            assert_int_equal(dead[r][c], !has(board, r, c) && !under_attack && board->at[r][c] == 0);
        }
    assert_int_equal(json_object_size(json), 10);
}

TEST(test_hints)
{
    uint64_t dice = 66;
    for (uint32_t n = 0; n <= 8; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (int round = 0; round < 60; round++) {
            struct board board = ask_hint(n, (uint32_t)round % 2);
            const uint32_t *hidden = count ? solutions + (size_t)n * facts_below(&dice, (uint32_t)count) : NULL;
            for (uint32_t i = n ? facts_below(&dice, n + 1) : 0; i; i--) {
                const uint32_t row = facts_below(&dice, n);
                /* some boards have a completion, some none, on some queens attack each other */
                put(&board, row, hidden && round % 3 ? hidden[row] : facts_below(&dice, n));
            }
            complete(&board, solutions, count);
            check_hint(&board);
        }
        for (size_t s = 0; s < count && s < 5; s++) { /* whole boards */
            struct board board = ask_hint(n, 1);
            for (uint32_t row = 0; row < n; row++)
                put(&board, row, solutions[s * n + row]);
            complete(&board, solutions, count);
            assert_int_equal(board.completions, 1);
            check_hint(&board);
        }
    }
}

/* Boards with so many completions that kernels count them. */
TEST(test_hints_by_kernels)
{
    uint64_t dice = 77;
    for (uint32_t n = 10; n <= 12; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (uint32_t round = 0; round < (n == 10 ? 1 : 4); round++) {
            struct board board = ask_hint(n, 1);
            const uint32_t row = facts_below(&dice, n);
            if (round)
                put(&board, row, solutions[(size_t)n * facts_below(&dice, (uint32_t)count) + row]);
            complete(&board, solutions, count);
            assert_true(board.completions > 100);
            check_hint(&board);
        }
    }
}

/* More pairs than are listed. */
TEST(test_many_conflicts)
{
    static const uint32_t sizes[] = {5, 16, 40}; /* 40: no kernel has such boards */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct board board = ask_hint(sizes[i], 1);
        for (uint32_t k = 0; k < 16; k++)
            put(&board, k / 4, k % 4);
        check_hint(&board);
    }
}

/* Boards that are listed by a solver: their rows are filled by kernels, or one completion after the other. */
TEST(test_larger_hints)
{
    static const uint32_t sizes[] = {14, 20, 24, 32, 33, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t n = sizes[i];
        struct board board = ask_hint(n, 0);
        struct nq_construction *solution;
        struct nq_cursor *cursor;
        uint32_t columns[FILTER_MAX_N];
        uint64_t budget = UINT64_MAX;
        assert_int_equal(nq_construction_open("explicit", n, &solution), NQ_OK);
        nq_construction_rows(solution, 0, n, columns);
        nq_construction_close(solution);
        for (uint32_t row = 12; row < n; row++)
            put(&board, row, columns[row]);
        assert_int_equal(cursor_open(NULL, &board.question.query, &cursor), NQ_OK);
        while (nq_cursor_next(cursor, &budget, columns) == NQ_OK)
            add_completion(&board, columns);
        nq_cursor_close(cursor);
        assert_true(board.completions > 1 || n == 64);
        check_hint(&board);
    }
}

TEST(test_no_hint)
{
    static const uint32_t sizes[] = {16, 40, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int stopped = 0; stopped < 2; stopped++) {
            struct board board = ask_hint(sizes[i], 1);
            const atomic_bool stop = stopped;
            board.question.query.filter.rule = i < 2 ? rules[0] : rules[rule_find("touching", 8)];
            OWNED(work_close) struct work *work = NULL;
            assert_int_equal(work_hint(&board.question, &stop, &work), NQ_OK);
            assert_int_equal(work_through(work, UINT64_MAX, &stop), stopped ? NQ_CANCELLED : NQ_LIMIT);
            if (!stopped)
                assert_string_equal(work->fault.text,
                                    i < 2 ? "With more than 15 free rows, or n above 32, the search for completions "
                                            "ends after 1048576 placements; that was not enough. Place more queens."
                                          : "With more than 10 free rows, or n above 32, the search for completions "
                                            "ends after 1048576 placements; that was not enough. Place more queens.");
        }
}

/* There is memory for its first bytes only: half a hint is none. */
TEST(test_no_memory_for_a_hint)
{
    const struct board board = ask_hint(8, 1);
    const nq_wide squares[64] = {0};
    struct answer *answer = NULL;
    bytes_failing_after = 1;
    const enum nq_status status = hint_answer(&board.question, 0, squares, &answer);
    bytes_failing_after = SIZE_MAX;
    assert_int_equal(status, NQ_NOMEM);
}
