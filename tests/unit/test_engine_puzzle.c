/* test_engine_puzzle.c - tests of src/engine/puzzle.c and hint.c: a puzzle has one completion, and a minimal one none
 * to spare; a hint counts right and keeps the board completable. Small boards are compared with all their solutions,
 * large ones with what a solver lists. */
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"
#include "working.h"

struct clues {
    uint32_t count, rows[FILTER_MAX_N], columns[FILTER_MAX_N];
};

static struct question ask_puzzle(uint32_t n, uint32_t clues, bool minimal, uint64_t seed)
{
    struct question question = ask_named("a puzzle");
    question.kind = ASK_PUZZLE;
    question.n = n;
    question.clues = clues;
    question.minimal = minimal;
    question.seed = seed;
    return question;
}

/* Makes a puzzle, in slices with this deadline. */
static struct answer *make(const struct question *question, const char *kernel, uint64_t deadline)
{
    const struct tools tools = tools_of(kernel_find(kernel), 1);
    const atomic_bool stop = false;
    struct work *work = NULL;
    struct answer *answer = NULL;
    char why[WORK_WHY_MAX] = "";
    assert_int_equal(work_puzzle(question, &tools, why, &work), NQ_OK);
    assert_int_equal(work_through(work, deadline, &stop), NQ_OK);
    assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    work->class->close(work);
    assert_string_equal(answer->media_type, "application/json");
    return answer;
}

static json_t *make_json(const struct question *question)
{
    return answer_json(make(question, "auto", UINT64_MAX));
}

static void read_clues(const json_t *json, struct clues *clues)
{
    const json_t *list = json_object_get(json, "clues");
    const uint64_t base = facts_get(json, "base");
    clues->count = (uint32_t)json_array_size(list);
    assert_true(clues->count <= FILTER_MAX_N);
    for (uint32_t i = 0; i < clues->count; i++) {
        clues->rows[i] = (uint32_t)(facts_get(json_array_get(list, i), "row") - base);
        clues->columns[i] = (uint32_t)(facts_get(json_array_get(list, i), "column") - base);
        assert_true(i == 0 || clues->rows[i] > clues->rows[i - 1]);
    }
}

/* How many of the solutions have all clues but the one left out. */
static size_t completions(const struct clues *clues, uint32_t without, uint32_t n, const uint32_t *solutions,
                          size_t count)
{
    size_t fitting = 0;
    for (size_t s = 0; s < count; s++) {
        bool fits = true;
        for (uint32_t i = 0; i < clues->count; i++)
            fits &= i == without || solutions[s * n + clues->rows[i]] == clues->columns[i];
        fitting += fits;
    }
    return fitting;
}

/* The same by the solver, which need not go beyond two. */
static size_t completions_listed(const struct clues *clues, uint32_t without, uint32_t n)
{
    struct query query = {0};
    struct nq_cursor *cursor;
    uint32_t columns[FILTER_MAX_N];
    size_t found = 0;
    filter_begin(&query.filter, n);
    for (uint32_t i = 0; i < clues->count; i++)
        if (i != without)
            filter_place(&query.filter, clues->rows[i], clues->columns[i]);
    assert_int_equal(cursor_open(NULL, &query, &cursor), NQ_OK);
    for (enum nq_status status = NQ_OK; status != NQ_END && found < 2;) {
        uint64_t budget = UINT64_MAX;
        status = nq_cursor_next(cursor, &budget, columns);
        found += status == NQ_OK;
    }
    nq_cursor_close(cursor);
    return found;
}

/* Checks a puzzle, which it releases, against all solutions, or (NULL) the solver's; returns how many clues it has. */
static uint32_t check_puzzle(json_t *json, const struct question *question, const uint32_t *solutions, size_t count)
{
    const uint32_t n = question->n;
    struct clues clues;
    bool minimal = true;
    read_clues(json, &clues);
    assert_int_equal(facts_get(json, "n"), n);
    assert_int_equal(facts_get(json, "seed"), question->seed);
    assert_true(!question->clues || clues.count == question->clues);
    for (uint32_t without = 0; without <= clues.count; without++) {
        const size_t found =
            solutions ? completions(&clues, without, n, solutions, count) : completions_listed(&clues, without, n);
        assert_true(without == clues.count ? found == 1 : found >= 1);
        minimal &= without == clues.count || found > 1;
    }
    assert_int_equal(json_is_true(json_object_get(json, "minimal")), minimal);
    assert_true(minimal || (question->clues && !question->minimal));
    json_decref(json);
    return clues.count;
}

static void test_one_completion(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 10; n++) {
        size_t count;
        uint32_t *solutions = facts_solutions(n, &count);
        for (uint64_t seed = 0; count && seed < 100; seed++) {
            struct question question = ask_puzzle(n, 0, false, seed);
            const uint32_t least = check_puzzle(make_json(&question), &question, solutions, count);
            question.base = 0;
            for (question.clues = least ? least : 1; question.clues <= n; question.clues++)
                (void)check_puzzle(make_json(&question), &question, solutions, count);
            question.minimal = true;
            question.clues = least;
            if (least)
                (void)check_puzzle(make_json(&question), &question, solutions, count);
        }
        free(solutions);
    }
}

/* So many clues as are asked for, where the first try has another number of them. */
static void test_number_of_clues(void **state)
{
    (void)state;
    size_t count;
    uint32_t *solutions = facts_solutions(8, &count);
    for (uint64_t seed = 0; seed < 20; seed++)
        for (uint32_t clues = 2; clues <= 4; clues++) {
            const struct question question = ask_puzzle(8, clues, true, seed);
            (void)check_puzzle(make_json(&question), &question, solutions, count);
        }
    free(solutions);
}

static void test_larger_boards(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {12, 14, 15, 20, 32, 33, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct question question = ask_puzzle(sizes[i], 0, false, seed << 40);
            const uint32_t least = check_puzzle(make_json(&question), &question, NULL, 0);
            question.clues = least + 2;
            (void)check_puzzle(make_json(&question), &question, NULL, 0);
        }
}

/* The same bytes in whatever slices, with whatever kernel; others for another seed. */
static void test_deterministic(void **state)
{
    (void)state;
    for (uint32_t n = 8; n <= 20; n += 6) {
        struct question question = ask_puzzle(n, 0, false, 5);
        struct answer *first = make(&question, "auto", UINT64_MAX), *second = make(&question, "scalar", 0);
        assert_int_equal(first->size, second->size);
        assert_memory_equal(first->bytes, second->bytes, first->size);
        answer_unref(second);
        question.seed = 6;
        second = make(&question, "auto", UINT64_MAX);
        assert_true(second->size != first->size || memcmp(first->bytes, second->bytes, first->size) != 0);
        answer_unref(first);
        answer_unref(second);
    }
}

/* The link is told of, has the clues in their base, and nothing of the solution but them. */
static void test_link(void **state)
{
    (void)state;
    for (uint32_t base = 0; base < 2; base++) {
        struct question question = ask_puzzle(8, 0, false, 3);
        question.base = base;
        struct answer *answer = make(&question, "auto", UINT64_MAX);
        struct bytes wanted = {0};
        struct clues clues;
        char link[256] = "";
        assert_true(answer->complete && answer->link_length < sizeof link);
        assert_string_equal(answer->relation, "related");
        memcpy(link, answer->bytes + answer->link, answer->link_length);
        json_t *json = answer_json(answer);
        read_clues(json, &clues);
        bytes_text(&wanted, "/solve?n=8&place=");
        for (uint32_t i = 0; i < clues.count; i++)
            bytes_format(&wanted, "%s%u:%u", i ? "," : "", clues.rows[i] + base, clues.columns[i] + base);
        bytes_text(&wanted, base ? "" : "&base=0");
        bytes_char(&wanted, '\0');
        assert_string_equal(link, wanted.data);
        assert_string_equal(json_string_value(json_object_get(json, "solution_url")), wanted.data);
        assert_int_equal(json_object_size(json), 7);
        bytes_free(&wanted);
        json_decref(json);
    }
    struct question question = ask_puzzle(8, 0, false, 3);
    question.fleeting = true;
    struct answer *answer = make(&question, "auto", UINT64_MAX);
    assert_false(answer->complete);
    answer_unref(answer);
}

/* Easy ones take no guess: placing what is the only one in its row or column, again and again, fills the board. */
static void test_difficulty(void **state)
{
    (void)state;
    unsigned seen[3] = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct question question = ask_puzzle(8, 0, false, seed);
        json_t *json = make_json(&question);
        const json_t *difficulty = json_object_get(json, "difficulty");
        const uint64_t score = facts_get(difficulty, "score"), forced = facts_get(difficulty, "forced");
        struct clues clues;
        read_clues(json, &clues);
        const unsigned level = score == 0 ? 0 : score <= 10 ? 1 : 2;
        static const char *const words[] = {"easy", "medium", "hard"};
        assert_string_equal(json_string_value(json_object_get(difficulty, "level")), words[level]);
        assert_int_equal(score == 0, forced == 8 - clues.count);
        assert_true(forced <= 8 - clues.count && score != 1); /* nobody tries one square of one */
        seen[level]++;
        json_decref(json);
    }
    assert_true(seen[0] && seen[1] && seen[2]);
}

/* Every solution is drawn about as often as any other. */
static void test_uniform(void **state)
{
    (void)state;
    enum { N = 5, ROUNDS = 1000 };
    size_t count;
    uint32_t *solutions = facts_solutions(N, &count);
    unsigned *drawn = calloc(count, sizeof *drawn);
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        const struct question question = ask_puzzle(N, N, false, seed);
        struct clues clues;
        json_t *json = make_json(&question);
        read_clues(json, &clues);
        for (size_t s = 0; s < count; s++)
            drawn[s] += memcmp(clues.columns, solutions + s * N, N * sizeof *solutions) == 0;
        json_decref(json);
    }
    for (size_t s = 0; s < count; s++)
        assert_in_range(drawn[s], ROUNDS / count * 7 / 10, ROUNDS / count * 13 / 10);
    free(drawn);
    free(solutions);
}

static enum nq_status fail_to_make(const struct question *question, bool stopped, char why[static WORK_WHY_MAX])
{
    const struct tools tools = tools_of(kernel_find("auto"), 1);
    const atomic_bool stop = stopped;
    struct work *work = NULL;
    why[0] = '\0';
    enum nq_status status = work_puzzle(question, &tools, why, &work);
    if (status != NQ_OK) {
        assert_null(work);
        return status;
    }
    status = work_through(work, UINT64_MAX, &stop);
    if (work->why)
        (void)snprintf(why, WORK_WHY_MAX, "%s", work->why);
    work->class->close(work);
    return status;
}

static void test_no_such_puzzle(void **state)
{
    (void)state;
    char why[WORK_WHY_MAX];
    static const struct {
        uint32_t n, clues;
        bool minimal;
        enum nq_status status;
        const char *why; /* what it begins with */
    } cases[] = {
        {8, 1, false, NQ_LIMIT, "No such puzzle was found in 1048576 placements, beginning with "},
        {8, 7, true, NQ_LIMIT, "No such puzzle was found in 1048576 placements, beginning with "},
        {8, 8, true, NQ_NONE, "Of the queens of a whole board one can always go"},
        {1, 1, true, NQ_NONE, "Of the queens of a whole board one can always go"},
        {2, 0, false, NQ_NONE, ""},
        {3, 1, false, NQ_NONE, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct question question = ask_puzzle(cases[i].n, cases[i].clues, cases[i].minimal, 1);
        assert_int_equal(fail_to_make(&question, false, why), cases[i].status);
        assert_memory_equal(why, cases[i].why, strlen(cases[i].why));
        assert_true(strlen(why) < WORK_WHY_MAX - 1); /* nothing was cut off */
    }
    const struct question question = ask_puzzle(64, 10, false, 1);
    assert_int_equal(fail_to_make(&question, true, why), NQ_CANCELLED);
}

/* ---- Hints ---- */

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
    board->question.placed[row] |= UINT64_C(1) << column;
    filter_place(&board->question.query.filter, row, column);
}

static bool has(const struct board *board, uint32_t row, uint32_t column)
{
    return board->question.placed[row] >> column & 1;
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
    char why[WORK_WHY_MAX] = "";
    assert_int_equal(work_hint(&board->question, &tools, &stop, why, &work), NQ_OK);
    if (work->class->prepare)
        assert_int_equal(work->class->prepare(work, &stop), NQ_OK);
    return answer_json(work_off(work));
}

static void squares_of(const json_t *list, uint32_t base, bool squares[FILTER_MAX_N][FILTER_MAX_N])
{
    memset(squares, 0, FILTER_MAX_N * sizeof squares[0]);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *square = json_array_get(list, i);
        bool *at = &squares[facts_get(square, "row") - base][facts_get(square, "column") - base];
        assert_false(*at); /* none twice */
        *at = true;
    }
}

/* The square that hint.c says it hints at, and why; the first of a kind. */
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

/* Checks a hint for a board whose completions were added. */
static void check_hint(const struct board *board)
{
    const uint32_t n = board->question.n, base = board->question.base;
    bool dead[FILTER_MAX_N][FILTER_MAX_N], lost[FILTER_MAX_N][FILTER_MAX_N];
    uint32_t row = 0, column = 0;
    char why[64];
    json_t *json = hint(board);
    assert_int_equal(facts_get(json, "n"), n);
    assert_int_equal(facts_get(json, "base"), base);
    assert_int_equal(facts_get(json, "completions"), board->completions);
    assert_int_equal(json_is_true(json_object_get(json, "completable")), board->completions > 0);
    const json_t *told = json_object_get(json, "hint");
    if (expect_hint(board, &row, &column, why)) {
        assert_int_equal(facts_get(told, "row"), row + base);
        assert_int_equal(facts_get(told, "column"), column + base);
        assert_int_equal(facts_get(told, "completions"), board->at[row][column]);
        assert_string_equal(json_string_value(json_object_get(told, "why")), why);
    } else {
        assert_true(json_is_null(told));
    }
    check_conflicts(board, json);
    squares_of(json_object_get(json, "dead"), base, dead);
    squares_of(json_object_get(json, "attacked"), base, lost);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t c = 0; c < n; c++) {
            const bool under_attack = attacked(board, r, c);
            assert_int_equal(lost[r][c], !has(board, r, c) && under_attack);
            assert_int_equal(dead[r][c], !has(board, r, c) && !under_attack && board->at[r][c] == 0);
        }
    assert_int_equal(json_object_size(json), 9);
    json_decref(json);
}

static void test_hints(void **state)
{
    (void)state;
    uint64_t dice = 66;
    for (uint32_t n = 0; n <= 8; n++) {
        size_t count;
        uint32_t *solutions = facts_solutions(n, &count);
        for (int round = 0; round < 200; round++) {
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
        free(solutions);
    }
}

/* Boards with so many completions that kernels count them. */
static void test_hints_by_kernels(void **state)
{
    (void)state;
    uint64_t dice = 77;
    for (uint32_t n = 10; n <= 12; n++) {
        size_t count;
        uint32_t *solutions = facts_solutions(n, &count);
        for (uint32_t round = 0; round < (n == 10 ? 1 : 4); round++) {
            struct board board = ask_hint(n, 1);
            const uint32_t row = facts_below(&dice, n);
            if (round)
                put(&board, row, solutions[(size_t)n * facts_below(&dice, (uint32_t)count) + row]);
            complete(&board, solutions, count);
            assert_true(board.completions > 100);
            check_hint(&board);
        }
        free(solutions);
    }
}

/* So many pairs that not all are told of. */
static void test_many_conflicts(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {5, 16, 40}; /* 40: no kernel has such boards */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct board board = ask_hint(sizes[i], 1);
        for (uint32_t k = 0; k < 16; k++)
            put(&board, k / 4, k % 4);
        check_hint(&board);
    }
}

/* Boards that are listed by a solver: their rows are filled by kernels, or one completion after the other. */
static void test_larger_hints(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {14, 20, 24, 32, 33, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t n = sizes[i];
        const struct question question = ask_puzzle(n, 0, false, 11);
        json_t *json = make_json(&question);
        struct board board = ask_hint(n, 0);
        struct clues clues;
        struct nq_cursor *cursor;
        uint32_t columns[FILTER_MAX_N];
        uint64_t budget = UINT64_MAX;
        read_clues(json, &clues);
        json_decref(json);
        for (uint32_t k = 0; k + 2 < clues.count; k++)
            put(&board, clues.rows[k], clues.columns[k]);
        assert_int_equal(cursor_open(NULL, &board.question.query, &cursor), NQ_OK);
        while (nq_cursor_next(cursor, &budget, columns) == NQ_OK)
            add_completion(&board, columns);
        nq_cursor_close(cursor);
        assert_true(board.completions > 1);
        check_hint(&board);
    }
}

static void test_no_hint(void **state)
{
    (void)state;
    const struct tools tools = tools_of(kernel_find("auto"), 1);
    static const uint32_t sizes[] = {16, 40};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int stopped = 0; stopped < 2; stopped++) {
            const struct board board = ask_hint(sizes[i], 1);
            const atomic_bool stop = stopped;
            struct work *work = NULL;
            char why[WORK_WHY_MAX] = "";
            assert_int_equal(work_hint(&board.question, &tools, &stop, why, &work), NQ_OK);
            assert_int_equal(work_through(work, UINT64_MAX, &stop), stopped ? NQ_CANCELLED : NQ_LIMIT);
            assert_string_equal(why, "");
            if (!stopped)
                assert_string_equal(work->why, "Above 15 free rows, or n = 32, completions are looked for in at most "
                                               "1048576 placements, which were not enough. Place more queens.");
            work->class->close(work);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_completion), cmocka_unit_test(test_number_of_clues),
        cmocka_unit_test(test_larger_boards),  cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_link),           cmocka_unit_test(test_difficulty),
        cmocka_unit_test(test_uniform),        cmocka_unit_test(test_no_such_puzzle),
        cmocka_unit_test(test_hints),          cmocka_unit_test(test_hints_by_kernels),
        cmocka_unit_test(test_many_conflicts), cmocka_unit_test(test_larger_hints),
        cmocka_unit_test(test_no_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
