/* test_page.c - tests of src/engine/lists/page.c and the sources: pages joined by their cursors are the
 * list, and a page is the same bytes however its slices fall. */
/* CI builds: address */
#include "support/run_work.h"

/* A page in the making, in slices of a deadline in clock_now(): 0 is always over, UINT64_MAX never. */
static const struct tools tools; /* pages of lists and most constructions need none */

struct making {
    const struct question *question;
    uint64_t deadline, slices;
    enum nq_status status;
    struct answer *answer;
};

static void *make(void *context)
{
    struct making *making = context;
    const struct slice slice = {.deadline = making->deadline};
    const atomic_bool stop = false;
    struct work *work;
    making->status = work_page(making->question, &tools, &work);
    if (making->status != NQ_OK)
        return NULL;
    do {
        making->status = work->class->slice(work, &slice, &stop);
        making->slices++;
    } while (making->status == NQ_AGAIN);
    if (making->status == NQ_OK)
        making->status = work->class->finish(work, &making->answer);
    work->class->close(work);
    return NULL;
}

static struct answer *make_page(const struct question *question)
{
    struct making making = {.question = question, .deadline = UINT64_MAX};
    (void)make(&making);
    assert_int_equal(making.status, NQ_OK);
    assert_int_equal(making.slices, 1);
    return making.answer;
}

/* The page as JSON, after a look at what the answer says of it: where the link stands, and where it leads. */
static json_t *parse_page(const struct question *question, const struct answer *answer)
{
    json_t *page = json_loadb(answer->bytes, answer->size, JSON_REJECT_DUPLICATES, NULL);
    const char *cursor = json_string_value(json_object_get(page, "next_cursor"));
    assert_non_null(page);
    assert_string_equal(answer->media_type, "application/json");
    assert_int_equal(answer->complete, json_is_true(json_object_get(page, "complete")));
    assert_int_equal(facts_get(page, "n"), question->n);
    assert_int_equal(facts_get(page, "offset"), question->list.from.ordinal);
    assert_int_equal(facts_get(page, "limit"), question->list.limit);
    assert_int_equal(facts_get(page, "returned"), json_array_size(json_object_get(page, "solutions")));
    assert_int_equal(answer->link_length > 0, cursor != NULL);
    if (cursor) {
        char next[512];
        size_t size = (size_t)snprintf(next, sizeof next, "%s&cursor=%s", question->path, cursor);
        assert_string_equal(json_string_value(json_object_get(page, "next")), next);
        assert_int_equal(answer->link_length, size);
        assert_memory_equal(answer->bytes + answer->link, next, size);
        assert_memory_equal(answer->bytes + answer->link - 1, "\"", 1);
    } else {
        assert_true(json_is_null(json_object_get(page, "next")));
        assert_true(json_is_null(json_object_get(page, "next_cursor")));
    }
    return page;
}

/* Adds the solutions of a page to a list, 0-based. Returns how many. */
static size_t take_solutions(const json_t *page, uint32_t n, uint32_t *list)
{
    const json_t *solutions = json_object_get(page, "solutions");
    for (size_t i = 0; i < json_array_size(solutions); i++) {
        const json_t *permutation = json_object_get(json_array_get(solutions, i), "permutation");
        assert_int_equal(json_array_size(permutation), n);
        for (uint32_t row = 0; row < n; row++)
            list[i * n + row] = (uint32_t)facts_at(permutation, row) - 1;
    }
    return json_array_size(solutions);
}

/* Sets the question to where a page ended; false at the end of the list. */
static bool turn(struct question *question, const json_t *page)
{
    static uint32_t columns[NQ_LIST_MAX_N]; /* the pages of one list are read at a time */
    const char *cursor = json_string_value(json_object_get(page, "next_cursor"));
    if (cursor)
        assert_int_equal(question_set_cursor(question, cursor, columns), NQ_OK);
    return cursor;
}

static void check_pages(uint32_t n, uint64_t limit)
{
    size_t count, found = 0, pages = 0;
    OWNED(free)
    uint32_t *expected = facts_solutions(n, &count), *list = calloc((count + limit + 1) * (n + 1), sizeof *list);
    struct question question = ask_solve(n, limit, "json");
    bool more;
    assert_non_null(list);
    do {
        struct answer *answer = make_page(&question);
        json_t *page = parse_page(&question, answer);
        assert_true(answer->complete);
        assert_int_equal(facts_get(page, "total"), count);
        assert_true(found <= count);
        size_t here = take_solutions(page, n, list + found * n);
        assert_int_equal(here, count - found < limit ? count - found : limit);
        found += here;
        more = turn(&question, page);
        assert_int_equal(more, found < count); /* never a next that leads to an empty page */
        json_decref(page);
        answer_unref(answer);
        pages++;
    } while (more);
    assert_int_equal(found, count);
    assert_int_equal(pages, count == 0 ? 1 : (count + limit - 1) / limit);
    if (count)
        assert_memory_equal(list, expected, count * n * sizeof *list);
}

TEST(test_pages_joined_are_the_list)
{
    for (uint32_t n = 0; n <= 8; n++)
        for (uint64_t limit = 1; limit <= facts_term("all", n) + 2; limit++)
            check_pages(n, limit);
    check_pages(10, 100);
    check_pages(10, 10000);
}

/* Whether a place is further on in the list: a greater column, or the same ones but fewer. */
static bool further(const struct list_start *before, const struct list_start *after)
{
    uint32_t i = 0;
    while (i < before->length && i < after->length && before->prefix[i] == after->prefix[i])
        i++;
    if (i < before->length && i < after->length)
        return after->prefix[i] > before->prefix[i];
    return after->length > 0 && (before->length == 0 || after->length < before->length);
}

/* How many pages of a whole budget to compare: one takes a quarter of a minute with a sanitizer. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { BUDGETS = 1 };
#else
enum { BUDGETS = 2 };
#endif

/* Few solutions or none are found at n = 40 within the budget: the page says so, its link goes on where it stopped, and
 * slices that are over at once change nothing. */
TEST(test_budget)
{
    static const uint32_t begin[] = {0, 2, 4, 1, 3};
    struct question question = ask_solve(40, 100, "json");
    struct making makings[] = {{.question = &question, .deadline = 0}, {.question = &question, .deadline = UINT64_MAX}};
    pthread_t threads[BUDGETS];
    question.list.from = (struct list_start){.ordinal = 17, .length = 5, .prefix = begin};
    for (int i = 0; i < BUDGETS; i++)
        start(&threads[i], make, &makings[i]);
    for (int i = 0; i < BUDGETS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(makings[i].status, NQ_OK);
        assert_true(i == 0 ? makings[i].slices > 100 : makings[i].slices == 1);
        assert_int_equal(makings[i].answer->size, makings[0].answer->size);
        assert_memory_equal(makings[i].answer->bytes, makings[0].answer->bytes, makings[0].answer->size);
        assert_int_equal(makings[i].answer->link, makings[0].answer->link);
    }
    const struct list_start before = question.list.from;
    json_t *page = parse_page(&question, makings[0].answer);
    assert_false(makings[0].answer->complete);
    assert_null(json_object_get(page, "total"));
    assert_true(facts_get(page, "returned") < 100);
    assert_true(turn(&question, page));
    assert_true(further(&before, &question.list.from));
    assert_int_equal(question.list.from.ordinal, before.ordinal + facts_get(page, "returned"));
    json_decref(page);
    for (int i = 0; i < BUDGETS; i++)
        answer_unref(makings[i].answer);
}

/* Large boards end a page before its limit does: whole, with a link, and not far below the bound. */
TEST(test_largest_page)
{
    struct question question = ask_solve(14, 10000, "json");
    uint32_t *list = calloc((size_t)20000 * 14, sizeof *list), columns[14];
    uint64_t budget = UINT64_MAX;
    size_t found = 0;
    assert_non_null(list);
    question.list.board = BOARD_GRID;
    for (int i = 0; i < 2; i++) {
        OWNED(answer_unref) struct answer *answer = make_page(&question);
        OWNED(json_decref) json_t *page = parse_page(&question, answer);
        assert_true(answer->complete);
        assert_true(answer->size <= PAGE_MAX_BYTES && answer->size > PAGE_MAX_BYTES - (64 << 10));
        size_t here = take_solutions(page, 14, list + found * 14);
        assert_true(here > 1000 && here < 10000);
        found += here;
        assert_true(turn(&question, page));
        assert_int_equal(question.list.from.ordinal, found);
    }
    struct nq_cursor *cursor;
    assert_int_equal(nq_cursor_open(NULL, 14, &cursor), NQ_OK);
    for (size_t i = 0; i < found; i++) { /* nothing was lost between the two */
        assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_OK);
        assert_memory_equal(columns, list + i * 14, sizeof columns);
    }
    nq_cursor_close(cursor);
    free(list);
}

TEST(test_construction)
{
    struct question question = ask_construct(5000, "json");
    OWNED(free) uint32_t *columns = calloc(5000, sizeof *columns);
    struct answer *answer = make_page(&question);
    assert_non_null(columns);
    assert_true(answer->complete);
    assert_int_equal(answer->link_length, 0);
    OWNED(json_decref) json_t *page = answer_json(answer);
    const json_t *permutation = json_object_get(page, "permutation");
    assert_int_equal(json_array_size(permutation), 5000);
    for (uint32_t row = 0; row < 5000; row++)
        columns[row] = (uint32_t)facts_at(permutation, row) - 1;
    assert_true(facts_peaceful(5000, columns));
    json_decref(page);

    question.construct.part = true; /* a stretch of it */
    question.construct.first = 1000;
    question.construct.last = 3999;
    question.base = 0;
    page = answer_json(make_page(&question));
    permutation = json_object_get(page, "permutation");
    assert_int_equal(json_array_size(permutation), 3000);
    for (uint32_t row = 0; row < 3000; row++)
        assert_int_equal(facts_at(permutation, row), columns[1000 + row]);
}

/* A slice gains ground however late it begins: on a machine with too much to do, all of them begin late. */
TEST(test_late_slices)
{
    struct question questions[] = {ask_solve(10, 1000, "json"), ask_construct(5000, "json"),
                                   ask_construct(100000, "octet-stream"), ask_construct(100000, "octet-stream")};
    questions[2].construct.method = "local-search";
    questions[3].construct.method = "random";
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const struct slice late = {.deadline = 0};
        const atomic_bool stop = false;
        OWNED(work_close) struct work *work = NULL;
        enum nq_status status = NQ_AGAIN;
        if (questions[i].kind == ASK_CONSTRUCT)
            questions[i].construct.settings.seed = 5;
        assert_int_equal(work_page(&questions[i], &tools, &work), NQ_OK);
        for (int slices = 0; slices < 1000 && status == NQ_AGAIN; slices++)
            status = work->class->slice(work, &late, &stop);
        assert_int_equal(status, NQ_OK);
    }
}

/* Plans that grow take from the allowance while they are there. */
TEST(test_allowance)
{
    enum { ENOUGH = 500000 };
    struct allowance allowance;
    struct question question = ask_construct(100000, "json");
    struct work *work, *another;
    atomic_init(&allowance.left, ENOUGH);
    question.allowance = &allowance;
    assert_int_equal(work_page(&question, &tools, &work), NQ_OK);
    assert_int_equal(atomic_load(&allowance.left), ENOUGH);
    work->class->close(work);
    question.construct.method = "local-search";
    assert_int_equal(work_page(&question, &tools, &work), NQ_OK);
    assert_true(atomic_load(&allowance.left) < ENOUGH);
    assert_int_equal(work_page(&question, &tools, &another), NQ_BUSY);
    work->class->close(work);
    assert_int_equal(atomic_load(&allowance.left), ENOUGH);
    assert_int_equal(work_page(&question, &tools, &work), NQ_OK);
    work->class->close(work);
}

TEST(test_stop)
{
    struct question questions[] = {ask_solve(40, 100, "json"), ask_construct(5000, "json"),
                                   ask_construct(10000000, "json")};
    questions[2].construct.method = "local-search";
    const struct slice slice = {.deadline = UINT64_MAX};
    const atomic_bool stop = true;
    for (int i = 0; i < 3; i++) {
        OWNED(work_close) struct work *work = NULL;
        assert_int_equal(work_page(&questions[i], &tools, &work), NQ_OK);
        assert_int_equal(work->class->slice(work, &slice, &stop), NQ_CANCELLED);
    }
}

/* What the question comes to, in one slice. */
static enum nq_status outcome(struct question question)
{
    struct making making = {.question = &question, .deadline = UINT64_MAX};
    (void)make(&making);
    if (making.answer)
        answer_unref(making.answer);
    return making.status;
}

static void check_picture(const struct question *question, const uint32_t *columns)
{
    OWNED(answer_unref) struct answer *answer = make_page(question);
    BYTES(expected);
    assert_int_equal(
        question->format->paint(&expected, &(struct painted_board){.n = 5, .base = 1, .columns = columns}, NULL),
        NQ_OK);
    assert_true(answer->complete);
    assert_int_equal(answer->link_length, 0);
    assert_string_equal(answer->media_type, question->format->media_type);
    assert_int_equal(answer->size, expected.size);
    assert_memory_equal(answer->bytes, expected.data, expected.size);
}

/* A picture is of the first solution, whatever follows: the same for a list, a list that goes on and a construction. */
TEST(test_pictures)
{
    static const char *const names[] = {"svg", "png"};
    static const uint32_t first[] = {0, 2, 4, 1, 3};
    uint32_t columns[5];
    struct nq_construction *explicit;
    assert_int_equal(nq_construction_open("explicit", 5, &explicit), NQ_OK);
    nq_construction_rows(explicit, 0, 5, columns);
    nq_construction_close(explicit);
    for (size_t i = 0; i < 2; i++) {
        const struct question listed = ask_solve(5, 1, names[i]), built = ask_construct(5, names[i]);
        check_picture(&listed, first);
        check_picture(&built, columns);
        assert_int_equal(outcome(ask_solve(3, 1, names[i])), NQ_NONE);
    }
}

TEST(test_what_cannot_be_opened)
{
    struct question unknown = ask_solve(8, 10, "json"), attacked = unknown, method = ask_construct(8, "json");
    unknown.list.cursor.algorithm = "unknown";
    attacked.list.from = (struct list_start){.length = 2, .prefix = (const uint32_t[]){3, 3}};
    method.construct.method = "unknown";
    assert_int_equal(outcome(unknown), NQ_INVALID);
    assert_int_equal(outcome(attacked), NQ_INVALID);
    assert_int_equal(outcome(method), NQ_INVALID);
    assert_int_equal(outcome(ask_solve(NQ_SEARCH_MAX_N + 1, 10, "json")), NQ_LIMIT);
    assert_int_equal(outcome(ask_construct(3, "json")), NQ_NONE);
}
