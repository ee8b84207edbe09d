/* test_puzzle.c - tests of src/engine/boards/puzzle.c: a puzzle has one completion, and a minimal one no clue to spare.
 * Small boards are compared with all their solutions, large ones with what a solver lists. */
/* CI builds: address */
#include "puzzles/technique.h"
#include "solvers/solver.h"
#include "support/plain_shapes.h"
#include "support/run_work.h"
#include "support/sanitizer.h"

extern const struct rule rule_superqueens;

struct clues {
    uint32_t count, rows[FILTER_MAX_N], columns[FILTER_MAX_N];
};

static struct question ask_puzzle(uint32_t n, uint32_t clues, bool minimal, uint64_t seed)
{
    struct question question = ask_named("a puzzle");
    question.kind = ASK_PUZZLE;
    question.n = n;
    question.puzzle.clues = clues;
    question.puzzle.minimal = minimal;
    question.seed = seed;
    return question;
}

/* Tries to make a puzzle, in slices with this deadline. NULL: *fault says why not, and *status. */
static struct answer *try_to_make(const struct question *question, const char *kernel, uint64_t deadline, bool stopped,
                                  enum nq_status *status, struct fault *fault)
{
    const struct tools tools = tools_of(kernel_find(kernel), 1);
    const atomic_bool stop = stopped;
    struct work *work = NULL;
    struct answer *answer = NULL;
    fault->text[0] = '\0';
    *status = work_puzzle(question, &tools, fault, &work);
    if (*status != NQ_OK) {
        assert_null(work);
        return NULL;
    }
    *status = work_through(work, deadline, &stop);
    if (*status == NQ_OK)
        assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    if (work->fault.text[0])
        *fault = work->fault;
    work->class->close(work);
    return answer;
}

static struct answer *make(const struct question *question, const char *kernel, uint64_t deadline)
{
    struct fault fault;
    enum nq_status status;
    struct answer *answer = try_to_make(question, kernel, deadline, false, &status, &fault);
    assert_int_equal(status, NQ_OK);
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
    assert_true(!question->puzzle.clues || clues.count == question->puzzle.clues);
    for (uint32_t without = 0; without <= clues.count; without++) {
        const size_t found =
            solutions ? completions(&clues, without, n, solutions, count) : completions_listed(&clues, without, n);
        assert_true(without == clues.count ? found == 1 : found >= 1);
        minimal &= without == clues.count || found > 1;
    }
    assert_int_equal(json_is_true(json_object_get(json, "minimal")), minimal);
    assert_true(minimal || (question->puzzle.clues && !question->puzzle.minimal));
    json_decref(json);
    return clues.count;
}

TEST(test_one_completion)
{
    for (uint32_t n = 1; n <= 10; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (uint64_t seed = 0; count && seed < (SANITIZED ? 6 : 100); seed++) {
            struct question question = ask_puzzle(n, 0, false, seed);
            const uint32_t least = check_puzzle(make_json(&question), &question, solutions, count);
            question.base = 0;
            for (question.puzzle.clues = least ? least : 1; question.puzzle.clues <= n; question.puzzle.clues++)
                (void)check_puzzle(make_json(&question), &question, solutions, count);
            question.puzzle.minimal = true;
            question.puzzle.clues = least;
            if (least)
                (void)check_puzzle(make_json(&question), &question, solutions, count);
        }
    }
}

/* So many clues as are asked for, where the first try has another number of them. */
TEST(test_number_of_clues)
{
    size_t count;
    OWNED(free) uint32_t *solutions = facts_solutions(8, &count);
    for (uint64_t seed = 0; seed < 8; seed++)
        for (uint32_t clues = 2; clues <= 4; clues++) {
            const struct question question = ask_puzzle(8, clues, true, seed);
            (void)check_puzzle(make_json(&question), &question, solutions, count);
        }
}

TEST(test_larger_boards)
{
    static const uint32_t sizes[] = {12, 15, 20, 32, 33, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t seed = 0; seed < (SANITIZED ? 1 : 3); seed++) {
            struct question question = ask_puzzle(sizes[i], 0, false, seed << 40);
            const uint32_t least = check_puzzle(make_json(&question), &question, NULL, 0);
            question.puzzle.clues = least + 2;
            (void)check_puzzle(make_json(&question), &question, NULL, 0);
        }
}

/* The same bytes in whatever slices, with whatever kernel; others for another seed. */
static void assert_decided_by_seed(struct question *question)
{
    OWNED(answer_unref)
    struct answer *first = make(question, "auto", UINT64_MAX), *second = make(question, "scalar", 0);
    assert_int_equal(first->size, second->size);
    assert_memory_equal(first->bytes, second->bytes, first->size);
    answer_unref(second);
    question->seed = 6;
    second = make(question, "auto", UINT64_MAX);
    assert_true(second->size != first->size || memcmp(first->bytes, second->bytes, first->size) != 0);
}

TEST(test_deterministic)
{
    for (uint32_t n = 8; n <= 20; n += 6) {
        struct question question = ask_puzzle(n, 0, false, 5);
        assert_decided_by_seed(&question);
    }
}

/* The answer has the link, with the clues in their base and no other queens of the solution. */
TEST(test_link)
{
    for (uint32_t base = 0; base < 2; base++) {
        struct question question = ask_puzzle(8, 0, false, 3);
        question.base = base;
        struct answer *answer = make(&question, "auto", UINT64_MAX);
        BYTES(wanted);
        struct clues clues;
        char link[256] = "";
        assert_true(answer->complete && answer->link_length < sizeof link);
        assert_string_equal(answer->relation, "related");
        memcpy(link, answer->bytes + answer->link, answer->link_length);
        OWNED(json_decref) json_t *json = answer_json(answer);
        read_clues(json, &clues);
        bytes_text(&wanted, "/solve?n=8&place=");
        for (uint32_t i = 0; i < clues.count; i++)
            bytes_format(&wanted, "%s%u:%u", i ? "," : "", clues.rows[i] + base, clues.columns[i] + base);
        bytes_text(&wanted, base ? "" : "&base=0");
        bytes_char(&wanted, '\0');
        assert_string_equal(link, wanted.data);
        assert_string_equal(json_string_value(json_object_get(json, "solution_url")), wanted.data);
        assert_int_equal(json_object_size(json), 7);
    }
    struct question question = ask_puzzle(8, 0, false, 3);
    question.uncacheable = true;
    OWNED(answer_unref) struct answer *answer = make(&question, "auto", UINT64_MAX);
    assert_false(answer->complete);
}

/* Easy ones take no guess: placing what is the only one in its row or column, again and again, fills the board. Others
 * are graded here once more, from their clues alone. */
TEST(test_difficulty)
{
    enum { N = 8 };
    unsigned seen[LEVELS] = {0};
    struct grid *grid = grid_new(rules[0], N, NULL);
    assert_non_null(grid);
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct question question = ask_puzzle(N, 0, false, seed);
        OWNED(json_decref) json_t *json = make_json(&question);
        const json_t *difficulty = json_object_get(json, "difficulty");
        const uint64_t forced = facts_get(difficulty, "forced");
        struct clues clues;
        struct position position;
        char name[FINDING_NAME_MAX];
        read_clues(json, &clues);
        position_begin(grid, &position);
        for (uint32_t i = 0; i < clues.count; i++)
            assert_true(position_place(grid, &position, clues.rows[i] * N + clues.columns[i]));
        const struct grade grade = grade_position(grid, &position, GRADE_TECHNIQUES, NULL);
        assert_true(grade.solved);
        assert_string_equal(json_string_value(json_object_get(difficulty, "level")), level_name(grade.hardest->level));
        assert_string_equal(json_string_value(json_object_get(difficulty, "hardest")),
                            technique_name(grade.hardest, grade.size, name));
        assert_int_equal(facts_get(difficulty, "score"), grade.score);
        const json_t *steps = json_object_get(difficulty, "techniques");
        assert_int_equal(facts_get(steps, "single"), N - clues.count);
        for (size_t i = 0; i < GRADE_TECHNIQUES; i++)
            assert_true(grade.steps[i] ? facts_get(steps, techniques[i]->name) == grade.steps[i]
                                       : !json_object_get(steps, techniques[i]->name));
        assert_true(forced <= N - clues.count);
        assert_true(forced < N - clues.count || grade.hardest->level == LEVEL_EASY);
        seen[grade.hardest->level]++;
    }
    assert_true(seen[LEVEL_EASY] && seen[LEVEL_MEDIUM] && seen[LEVEL_EXPERT]);
    grid_free(grid);
}

/* A board that no technique solves; by another rule, too. */
TEST(test_search)
{
    struct question question = ask_puzzle(24, 0, false, 5);
    for (int by_rule = 0; by_rule < 2; by_rule++) {
        question.query.filter.rule = by_rule ? &rule_superqueens : rules[0];
        question.seed = by_rule ? 1 : 5;
        OWNED(json_decref) json_t *json = make_json(&question);
        const json_t *difficulty = json_object_get(json, "difficulty");
        assert_string_equal(json_string_value(json_object_get(difficulty, "level")), "search");
        assert_string_equal(json_string_value(json_object_get(difficulty, "hardest")), "search");
        assert_true(facts_get(json_object_get(difficulty, "techniques"), "contradiction-full"));
    }
}

/* Every solution is drawn about as often as any other. */
TEST(test_uniform)
{
    enum { N = 5, ROUNDS = 500 };
    size_t count;
    OWNED(free) uint32_t *solutions = facts_solutions(N, &count);
    OWNED(free) unsigned *drawn = calloc(count, sizeof *drawn);
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        const struct question question = ask_puzzle(N, N, false, seed);
        struct clues clues;
        OWNED(json_decref) json_t *json = make_json(&question);
        read_clues(json, &clues);
        for (size_t s = 0; s < count; s++)
            drawn[s] += memcmp(clues.columns, solutions + s * N, N * sizeof *solutions) == 0;
    }
    for (size_t s = 0; s < count; s++)
        assert_in_range(drawn[s], ROUNDS / count * 7 / 10, ROUNDS / count * 13 / 10);
}

/* ---- Boards of any shape ---- */

static uint64_t bit_of(const json_t *square, const struct shape *shape)
{
    return UINT64_C(1) << ((facts_get(square, "row") - 1) * shape->columns + facts_get(square, "column") - 1);
}

/* How many placements have all of these queens. */
static size_t with_queens(const struct plain_shapes *plain, uint64_t queens)
{
    size_t found = 0;
    for (size_t i = 0; i < plain->count; i++)
        found += (plain->placements[i] & queens) == queens;
    return found;
}

/* Of how many placements one queen follows from the others. */
static size_t puzzled(const struct plain_shapes *plain)
{
    size_t found = 0;
    for (size_t i = 0; i < plain->count; i++) {
        bool follows = false;
        for (uint64_t rest = plain->placements[i]; rest && !follows; rest &= rest - 1)
            follows = with_queens(plain, plain->placements[i] & ~(rest & -rest)) == 1;
        found += follows;
    }
    return found;
}

/* One completion; without any one clue there are more, if it is minimal. Something is left to find, unless all queens
 * were asked for. Returns how many clues there are. */
static uint32_t check_shape(const json_t *json, const struct question *question, const struct plain_shapes *plain)
{
    const json_t *list = json_object_get(json, "clues"), *clue;
    uint64_t clues = 0;
    bool minimal = true;
    size_t at;
    json_array_foreach(list, at, clue) clues |= bit_of(clue, &question->shape);
    json_array_foreach(list, at, clue) minimal &= with_queens(plain, clues & ~bit_of(clue, &question->shape)) > 1;
    const uint32_t count = (uint32_t)__builtin_popcountll(clues), wanted = question->puzzle.clues;
    assert_int_equal(count, json_array_size(list));
    assert_int_equal(with_queens(plain, clues), 1);
    assert_int_equal(json_is_true(json_object_get(json, "minimal")), minimal);
    assert_true(wanted ? count == wanted : minimal && count < question->shape.most);
    assert_true(json_is_null(json_object_get(json, "difficulty")));
    return count;
}

/* A board by any rule: there is no puzzle if it has no placements, or hardly any of which not all queens are needed. */
static void check_random(uint64_t *dice, unsigned seen[static 3])
{
    struct question question = ask_puzzle(0, 0, false, facts_below(dice, 1000));
    struct shape *shape = &question.shape;
    enum nq_status status;
    struct fault fault;
    plain_shapes_random(dice, 6, shape);
    shape->maximal = false;
    for (uint32_t row = 0; row < shape->rows; row++) {
        shape->placed[row] = 0;
        shape->allow[row] = shape_row(shape) & ~shape->walls[row];
    }
    const uint32_t shorter = shape->rows < shape->columns ? shape->rows : shape->columns;
    shape->least = shape->most = shorter + facts_below(dice, shorter > 1 ? 3 : 2) - (shorter > 1);
    question.n = shape->columns;
    question.query.filter.rule = shape->rule;
    SCOPED(plain_shapes, plain, shape);
    struct answer *answer =
        try_to_make(&question, "auto", facts_below(dice, 2) ? UINT64_MAX : 0, false, &status, &fault);
    assert_int_equal(status == NQ_NONE, plain.count == 0);
    seen[status == NQ_OK ? 0 : status == NQ_NONE ? 1 : 2]++;
    if (!answer) {
        assert_true(status == NQ_NONE || strstr(fault.text, "needs all its queens as clues"));
        assert_true(20 * puzzled(&plain) <= plain.count);
        assert_true(strlen(fault.text) < FAULT_TEXT_MAX - 1);
        return;
    }
    OWNED(json_decref) json_t *json = answer_json(answer);
    question.puzzle.clues = check_shape(json, &question, &plain);
    json_decref(json);
    question.puzzle.clues += question.puzzle.clues < shape->most;
    json = make_json(&question);
    (void)check_shape(json, &question, &plain);
}

TEST(test_shapes)
{
    uint64_t dice = 77;
    unsigned seen[3] = {0};
    for (uint32_t round = 0; round < (SANITIZED ? 200 : 1000); round++)
        check_random(&dice, seen);
    assert_true(seen[0] > 30 && seen[1] > 30 && seen[2] > 30);
}

/* The same bytes in whatever slices; others for another seed; and it stops. */
TEST(test_shape_deterministic)
{
    struct question question = ask_puzzle(20, 0, false, 5);
    enum nq_status status;
    struct fault fault;
    shape_begin(&question.shape, 22, 20);
    shape_wall(&question.shape, 5, 5);
    question.shape.least = question.shape.most = 20;
    assert_decided_by_seed(&question);
    assert_null(try_to_make(&question, "auto", UINT64_MAX, true, &status, &fault));
    assert_int_equal(status, NQ_CANCELLED);
}

TEST(test_no_such_puzzle)
{
    struct fault fault;
    enum nq_status status;
    static const struct {
        uint32_t n, clues;
        bool minimal;
        enum nq_status status;
        const char *why; /* what it begins with */
    } cases[] = {
        {8, 1, false, NQ_LIMIT, "No such puzzle was found in 1048576 placements and "},
        {8, 7, true, NQ_LIMIT, "No such puzzle was found in 1048576 placements and "},
        {8, 8, true, NQ_NONE, "A puzzle with all n queens is never minimal"},
        {1, 1, true, NQ_NONE, "A puzzle with all n queens is never minimal"},
        {2, 0, false, NQ_NONE, ""},
        {3, 1, false, NQ_NONE, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct question question = ask_puzzle(cases[i].n, cases[i].clues, cases[i].minimal, 1);
        assert_null(try_to_make(&question, "auto", UINT64_MAX, false, &status, &fault));
        assert_int_equal(status, cases[i].status);
        assert_memory_equal(fault.text, cases[i].why, strlen(cases[i].why));
        assert_true(strlen(fault.text) < FAULT_TEXT_MAX - 1); /* nothing was cut off */
    }
    const struct question question = ask_puzzle(64, 10, false, 1);
    assert_null(try_to_make(&question, "auto", UINT64_MAX, true, &status, &fault));
    assert_int_equal(status, NQ_CANCELLED);
}
