/* test_indexing.c - tests of an index in src/engine/units/division.c, and of src/engine/lists/rank_lookup.c and
 * source_sample.c: the index that comes with a count knows where every solution of the list stands, so that pages and
 * streams begin there. */
/* CI builds: address */
#include "count/index.h"
#include "engine/lists/rank_lookup.h"
#include "engine/lists/source.h"
#include "engine/lists/stream.h"
#include "support/run_work.h"
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"

static const atomic_bool go_on;

static struct question ask_index(const struct query *query)
{
    struct question question = ask_count(query->filter.n);
    question.query = *query;
    question.count.indexed = true;
    return question;
}

/* The question for the list itself, by its index. */
static struct question ask_list(const struct query *query, struct answer *index)
{
    struct question question = ask_solve(query->filter.n, UINT64_MAX, "json");
    question.query = *query;
    question.needed[NEED_INDEX] = index;
    return question;
}

static struct answer *make_index(const struct question *question, const struct tools *tools)
{
    return work_off(open_count(question, tools, NULL));
}

/* Where a list begins, by a question that has its index. */
static struct token place_of(const struct question *question, const struct tools *tools)
{
    const struct slice over = {.deadline = 0};
    struct seeking *seeking = NULL;
    enum nq_status status = NQ_AGAIN;
    while (status == NQ_AGAIN)
        status = seek_start(&seeking, &question, tools->kernel, &over, &go_on);
    assert_int_equal(status, NQ_OK);
    assert_false(seek_wanted(question)); /* it is found */
    const struct list_start *from = &question->list.from;
    struct token place = {.ordinal = from->ordinal, .length = from->length};
    memcpy(place.prefix, from->prefix, from->length * sizeof *from->prefix);
    seek_close(seeking);
    return place;
}

static void check_places(const struct query *query, const struct tools *tools)
{
    const uint32_t n = query->filter.n;
    struct sift list = sift_listed(NULL, query);
    const uint64_t count = list.count;
    const struct question counted = ask_index(query);
    struct answer *answer = make_index(&counted, tools);
    assert_int_equal(answer->count, count);
    assert_int_equal(index_total(answer->extra), count);
    struct question question = ask_list(query, answer);
    for (uint64_t offset = 0; offset <= count + 2; offset++) {
        question.list.offset = offset;
        question.list.from = (struct list_start){0};
        const uint64_t before = offset < count ? offset : count;
        const struct token place = place_of(&question, tools);
        assert_int_equal(place.ordinal, offset);
        assert_int_equal(place.length, before ? n : 0);
        if (before && n)
            assert_memory_equal(place.prefix, list.solutions + (before - 1) * n, n * sizeof *list.solutions);
    }
    question.list.offset = 0;
    for (uint64_t i = 0; i < count && n; i++) {
        question.list.from =
            (struct list_start){.ordinal = RANK_UNKNOWN, .length = n, .prefix = list.solutions + i * n};
        const struct token place = place_of(&question, tools);
        assert_int_equal(place.ordinal, i + 1);
        assert_memory_equal(place.prefix, list.solutions + i * n, n * sizeof *list.solutions);
    }
    answer_unref(answer);
    free(list.solutions);
}

TEST(test_places)
{
    uint64_t dice = 1;
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    for (uint32_t n = 0; n <= (SANITIZED ? 7 : 8); n++)
        for (int kind = 0; kind < 9; kind++)
            for (int holes = 0; holes < 2; holes++) {
                struct query query = {.distinct = (enum query_distinct)(kind % 3),
                                      .symmetry = (enum query_symmetry)(kind / 3),
                                      .broken = sift_broken()};
                filter_begin(&query.filter, n);
                if (n && holes)
                    filter_exclude(&query.filter, facts_below(&dice, n), facts_below(&dice, n));
                check_places(&query, &tools);
            }
}

/* After a solution that the list leaves out: those before it count all the same. */
TEST(test_after_one_that_is_not_listed)
{
    enum { N = 8 };
    const struct tools tools = tools_of(kernel_find("scalar"), 1);
    struct query whole = sift_whole(N, DISTINCT_ALL, SYMMETRY_ANY);
    struct sift all = sift_listed(NULL, &whole);
    for (int distinct = DISTINCT_FUNDAMENTAL; distinct <= DISTINCT_MIRROR; distinct++) {
        const struct query query = sift_whole(N, (enum query_distinct)distinct, SYMMETRY_ANY);
        uint64_t before = 0;
        struct sift list = sift_listed(NULL, &query);
        const struct question counted = ask_index(&query);
        struct question question = ask_list(&query, make_index(&counted, &tools));
        for (uint64_t i = 0; i < all.count; i++) {
            const uint32_t *columns = all.solutions + i * N;
            if (before < list.count && memcmp(list.solutions + before * N, columns, N * sizeof *columns) == 0)
                before++;
            question.list.from = (struct list_start){.ordinal = RANK_UNKNOWN, .length = N, .prefix = columns};
            assert_int_equal(place_of(&question, &tools).ordinal, before);
        }
        answer_unref(question.needed[NEED_INDEX]);
        free(list.solutions);
    }
    free(all.solutions);
}

static struct bytes page_of(const struct question *question, const struct tools *tools, uint64_t deadline)
{
    struct work *work;
    struct bytes body = {0};
    assert_int_equal(work_page(question, tools, &work), NQ_OK);
    assert_int_equal(work_through(work, deadline, &go_on), NQ_OK);
    struct answer *answer = NULL;
    assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    work->class->close(work);
    bytes_add(&body, answer->bytes, answer->size);
    answer_unref(answer);
    return body;
}

static struct bytes stream_of_all(struct streams *streams, const struct question *question)
{
    struct bytes body = {0};
    struct sleeper sleeper;
    struct stream *stream;
    enum nq_status status = NQ_OK;
    sleeper_begin(&sleeper);
    assert_int_equal(stream_open(streams, question, sleeper_wake, &sleeper, &stream), NQ_OK);
    while (status != NQ_END) {
        enum { PIECE = 1000 };
        size_t got;
        status = stream_read(stream, bytes_reserve(&body, PIECE), PIECE, &got);
        body.size += got;
        if (status == NQ_AGAIN && stream_wait(stream))
            assert_true(sleeper_sleep(&sleeper));
        else
            assert_true(status == NQ_OK || status == NQ_AGAIN || status == NQ_END);
    }
    pending_close(stream_pending(stream));
    sleeper_end(&sleeper);
    return body;
}

static void assert_same(struct bytes body, struct bytes expected)
{
    assert_int_equal(body.size, expected.size);
    assert_memory_equal(body.data, expected.data, expected.size);
    bytes_free(&body);
    bytes_free(&expected);
}

/* In slices of any length, pages and streams of either kind are those of a question that says where it begins. */
TEST(test_bodies_begin_there)
{
    const struct tools tools = tools_of(kernel_find("auto"), 1);
    const struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    const struct question counted = ask_index(&query);
    static const uint64_t offsets[] = {0, 1, 40, 91, 92, 95}, limits[] = {7, UINT64_MAX};
    OWNED(pool_free) struct pool *pool = new_pool(2, 4);
    struct streams *streams = streams_new(pool, tools.kernel, NULL, 1, 100);
    struct question question = ask_list(&query, make_index(&counted, &tools));
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0] * 2; i++) {
        question.list.offset = offsets[i / 2];
        question.list.limit = limits[i % 2];
        question.format = format_find("json");
        struct question placed = question;
        const struct token place = place_of(&question, &tools);
        placed.needed[NEED_INDEX] = NULL;
        placed.list.from = (struct list_start){place.ordinal, place.length, place.prefix};
        assert_same(page_of(&question, &tools, UINT64_MAX), page_of(&placed, &tools, UINT64_MAX));
        assert_same(page_of(&question, &tools, 0), page_of(&placed, &tools, 0));
        question.format = placed.format = format_find("ndjson");
        assert_same(stream_of_all(streams, &question), stream_of_all(streams, &placed));
    }
    answer_unref(question.needed[NEED_INDEX]);
    streams_close(streams);
    pool_stop(pool);
    streams_free(streams);
}

/* Nothing is left of a page or of a stream that is given up before it has found where it begins. */
TEST(test_given_up_before_it_begins)
{
    const struct tools tools = tools_of(kernel_find("auto"), 1);
    const struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    const struct question counted = ask_index(&query);
    const atomic_bool stop = true;
    struct question question = ask_list(&query, make_index(&counted, &tools));
    struct seeking *seeking = NULL;
    const struct question *asked = &question;
    const struct slice slice = {.deadline = UINT64_MAX};
    struct work *work;
    question.list.offset = 40;
    assert_int_equal(seek_start(&seeking, &asked, tools.kernel, &slice, &stop), NQ_CANCELLED);
    assert_ptr_equal(asked, &question);
    seek_close(seeking);
    assert_int_equal(work_page(&question, &tools, &work), NQ_OK);
    assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_CANCELLED);
    work->class->close(work);
    struct pool *pool = new_pool(1, 4);
    struct streams *streams = streams_new(pool, tools.kernel, NULL, 1, 100);
    struct sleeper sleeper;
    sleeper_begin(&sleeper);
    for (int i = 0; i < 20; i++) {
        struct stream *stream;
        assert_int_equal(stream_open(streams, &question, sleeper_wake, &sleeper, &stream), NQ_OK);
        pending_close(stream_pending(stream));
    }
    streams_close(streams);
    pool_stop(pool);
    streams_free(streams);
    pool_free(pool);
    sleeper_end(&sleeper);
    answer_unref(question.needed[NEED_INDEX]);
}

/* To the six digits of the answer. */
static void assert_about(double told, double expected)
{
    assert_true(told >= expected * (1 - 1e-5) && told <= expected * (1 + 1e-5));
}

/* What it would cost is what it weighs, and the memory that it has then. */
TEST(test_cost)
{
    const struct tools tools = tools_of(kernel_find("scalar"), 2);
    for (int kind = 0; kind < 9; kind++) {
        const struct query query =
            sift_whole(SANITIZED ? 12 : 14, (enum query_distinct)(kind % 3), (enum query_symmetry)(kind / 3));
        struct question question = ask_index(&query);
        OWNED(answer_unref) struct answer *made = make_index(&question, &tools);
        struct work *work = open_count(&question, &tools, NULL);
        const struct progress progress = work_progress(work);
        work->class->close(work);
        question.kind = ASK_COST;
        question.path = question.prefix = "";
        assert_int_equal(work_cost(&question, &tools, &work), NQ_OK);
        OWNED(json_decref) json_t *told = answer_json(work_off(work));
        assert_about(json_number_value(json_object_get(told, "placements")), (double)progress.weight);
        assert_about(json_number_value(json_object_get(told, "memory_bytes")), (double)made->extra_size);
    }
}

/* ---- Samples ---- */

static struct bytes sample(const struct question *question)
{
    const struct slice slice = {.deadline = UINT64_MAX};
    struct bytes body = {0};
    struct source *source;
    assert_int_equal(source_open(question, kernel_find("auto"), false, &source), NQ_OK);
    assert_int_equal(source->class->fill(source, &body, SIZE_MAX, &slice, &go_on), NQ_END);
    source->class->close(source);
    return body;
}

/* Whether a list is remembered or looked up each time, and in slices of any length: the same draws. */
TEST(test_samples)
{
    const struct tools tools = tools_of(kernel_find("auto"), 1);
    static const uint32_t sizes[] = {1, 4, 8, 12};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - SANITIZED; i++)
        for (int distinct = 0; distinct < 3; distinct++) {
            const struct query query = sift_whole(sizes[i], (enum query_distinct)distinct, SYMMETRY_ANY);
            const struct question counted = ask_index(&query);
            struct sift list = sift_listed(NULL, &query);
            struct question question = ask_list(&query, make_index(&counted, &tools));
            question.format = format_find("csv");
            question.list.samples = SANITIZED ? 60 : 300;
            question.seed = 5;
            struct bytes body = sample(&question), again = {0};
            const char *at = strstr(body.data, "\r\n") + 2;
            for (uint64_t draw = 0; draw < question.list.samples; draw++) {
                const uint64_t rank = strtoull(at, (char **)&at, 10);
                assert_true(rank < list.count);
                for (uint32_t row = 0; row < sizes[i]; row++)
                    assert_int_equal(strtoul(at + 1, (char **)&at, 10), list.solutions[rank * sizes[i] + row] + 1);
                at += 2;
            }
            assert_int_equal(at - body.data, body.size);

            const struct slice over = {.deadline = 0};
            struct source *source;
            assert_int_equal(source_open(&question, kernel_find("scalar"), false, &source), NQ_OK);
            while (source->class->fill(source, &again, SIZE_MAX, &over, &go_on) == NQ_AGAIN)
                ;
            source->class->close(source);
            assert_int_equal(again.size, body.size);
            assert_memory_equal(again.data, body.data, body.size);
            bytes_free(&body);
            bytes_free(&again);
            answer_unref(question.needed[NEED_INDEX]);
            free(list.solutions);
        }
}
