/* test_source_trace.c - tests of src/engine: a trace cut anywhere is the same trace, a page of it ends with its budget,
 * and algorithms that keep placements give all of their memory back. */
/* CI builds: address */
#include "engine/ask/machines.h"
#include "engine/lists/source.h"
#include "support/facts.h"
#include "support/questions.h"

static struct question ask_trace(uint32_t n, const char *algorithm, const char *format)
{
    struct machine machine;
    assert_true(machines_find(algorithm, &machine));
    struct question question = ask_named("a trace");
    question.kind = ASK_TRACE;
    question.n = n;
    question.format = format_find(format);
    question.path = "/trace?n=some";
    question.list.cursor.algorithm = machine.name;
    question.list.cursor.machine.column = n > 3 ? 3 : 0;
    question.list.cursor.machine.seed = question.seed = 1;
    question.list.limit = UINT64_MAX;
    return question;
}

/* The whole body, in slices that are over at once or never; how it ended. */
static enum nq_status make(const struct question *question, bool bounded, size_t want, uint64_t deadline,
                           struct bytes *out)
{
    struct source *source = NULL;
    atomic_bool stop = false;
    const struct slice slice = {.deadline = deadline};
    *out = (struct bytes){0};
    enum nq_status status = source_open(question, kernel_find("scalar"), bounded, &source);
    if (status != NQ_OK)
        return status;
    for (status = NQ_AGAIN; status == NQ_AGAIN;) {
        BYTES(piece);
        status = source->class->fill(source, &piece, want, &slice, &stop);
        bytes_add(out, piece.data, piece.size);
    }
    source->class->close(source);
    assert_false(out->failed);
    return status;
}

/* However it is read, it is the same. */
TEST(test_slices)
{
    struct machine machine;
    for (size_t i = 0; machines_get(i, &machine); i++) {
        const struct question question = ask_trace(6, machine.name, "ndjson");
        ENDED_BY(bytes_free) struct bytes whole, pieces;
        assert_int_equal(make(&question, false, SIZE_MAX, UINT64_MAX, &whole), NQ_END);
        assert_int_equal(make(&question, false, 1, 0, &pieces), NQ_END);
        assert_int_equal(whole.size, pieces.size);
        assert_memory_equal(whole.data, pieces.data, whole.size);
    }
}

static json_t *page(const struct question *question)
{
    ENDED_BY(bytes_free) struct bytes body;
    assert_int_equal(make(question, true, SIZE_MAX, UINT64_MAX, &body), NQ_END);
    json_t *json = json_loadb(body.data, body.size, 0, NULL);
    assert_non_null(json);
    return json;
}

/* So many steps before a page are more than a page may do; those that it could do are told, and lead on. */
TEST(test_budget)
{
    struct question question = ask_trace(30, "rapella", "json");
    question.list.limit = UINT32_MAX;
    question.list.from.ordinal = PAGE_MAX_NODES;
    json_t *far = page(&question);
    assert_true(json_is_false(json_object_get(far, "complete")));
    assert_true(json_is_false(json_object_get(far, "ended")));
    assert_int_equal(facts_get(far, "returned"), 0);
    assert_true(json_is_null(json_object_get(far, "next")));
    question.list.from.ordinal = facts_get(json_object_get(far, "stats"), "steps") - 100;
    json_decref(far);
    OWNED(json_decref) json_t *near = page(&question);
    assert_true(json_is_false(json_object_get(near, "complete")));
    assert_int_equal(facts_get(near, "returned"), 100);
    assert_true(json_is_string(json_object_get(near, "next")));
}

/* A page is no larger than others, and goes on where it ended. */
TEST(test_bytes)
{
    struct question question = ask_trace(20, "rapella", "json");
    ENDED_BY(bytes_free) struct bytes body;
    question.list.limit = UINT32_MAX;
    assert_int_equal(make(&question, true, SIZE_MAX, UINT64_MAX, &body), NQ_END);
    assert_in_range(body.size, PAGE_MAX_BYTES / 2, PAGE_MAX_BYTES);
    OWNED(json_decref) json_t *first = json_loadb(body.data, body.size, 0, NULL);
    assert_true(json_is_true(json_object_get(first, "complete")));
    question.list.from.ordinal = facts_get(first, "returned");
    question.list.limit = 1;
    OWNED(json_decref) json_t *next = page(&question);
    assert_int_equal(facts_get(json_array_get(json_object_get(next, "steps"), 0), "step"), question.list.from.ordinal);
}

/* A stop is heeded wherever it comes; nothing is left behind. */
TEST(test_stop)
{
    struct machine machine;
    for (size_t i = 0; machines_get(i, &machine); i++) {
        struct question question = ask_trace(machine.max_n < 12 ? machine.max_n : 12, machine.name, "ndjson");
        struct allowance allowance = {.left = 64 << 20};
        struct source *source = NULL;
        atomic_bool stop = false;
        const struct slice slice = {.deadline = 0};
        BYTES(out);
        question.allowance = &allowance;
        assert_int_equal(source_open(&question, kernel_find("scalar"), false, &source), NQ_OK);
        enum nq_status status = NQ_AGAIN;
        for (int calls = 0; calls < 20 && status == NQ_AGAIN; calls++)
            status = source->class->fill(source, &out, SIZE_MAX, &slice, &stop);
        stop = true;
        if (status == NQ_AGAIN)
            assert_int_equal(source->class->fill(source, &out, SIZE_MAX, &slice, &stop), NQ_CANCELLED);
        source->class->close(source);
        assert_int_equal(allowance.left, 64 << 20);
    }
}
