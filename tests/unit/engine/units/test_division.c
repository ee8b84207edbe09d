/* test_division.c - tests of src/engine/units/division.c, whose units are counted by src/engine/counts/count_work.c:
 * what counts that are put together of bytes do alike, the index of a list, a count by a statistic and a count of a
 * shape. Units that were made once are kept, what is stored is not trusted, and it all costs what it weighs. */
/* CI builds: address */
#include "engine/units/division.h"

#include <math.h>

#include "engine/ask/count_query.h"
#include "engine/counts/count_answer.h"
#include "support/memory_journal.h"
#include "support/run_work.h"
#include "support/sanitizer.h"

static const atomic_bool go_on;

static struct shared_question *ask(const char *path)
{
    struct shared_question *shared;
    assert_int_equal(count_query_parse(path, &shared), NQ_OK);
    return shared;
}

static struct progress progress_of(const struct question *question, const struct tools *tools)
{
    struct work *work = open_count(question, tools, NULL);
    const struct progress progress = work_progress(work);
    work->class->close(work);
    return progress;
}

static void check_answer(const struct question *question, const struct tools *tools, const struct answer *expected)
{
    struct answer *answer = work_off(open_count(question, tools, NULL));
    assert_int_equal(answer->size, expected->size);
    assert_memory_equal(answer->bytes, expected->bytes, expected->size);
    answer_unref(answer);
}

static void put_nonsense(struct memory_journal *kept, const struct question *question, size_t unit)
{
    struct division *division;
    BYTES(key);
    assert_int_equal(division_open(question, 1e9, INFINITY, NULL, &division), NQ_OK);
    division_name(division, 0, &key);
    division_close(division);
    bytes_format(&key, " #%zu", unit);
    bytes_char(&key, '\0');
    assert_true(journal_put(kept->journal, STORE_UNIT, key.data, "1 0:2"));
}

/* A few slices, then the process ends; another one goes on with the units that are stored, and makes one that makes no
 * sense again. */
static void check_kept(const char *path)
{
    struct shared_question *shared = ask(path);
    const struct question *question = &shared->question;
    SCOPED(memory_journal, kept);
    struct tools tools = tools_of(kernel_find("auto"), 1);
    struct answer *expected = work_off(open_count(question, &tools, NULL));
    tools.journal = kept.journal;
    tools.nodes_per_second = 1e13; /* of a machine so quick that a statistic is worth keeping */
    tools.most_core_seconds = 1e18;
    struct work *work = open_count(question, &tools, NULL);
    struct meter meter = {0};
    const struct slice slice = {.meter = &meter}; /* ends after one unit */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(work->class->slice(work, &slice, &go_on), NQ_AGAIN);
    work->class->close(work);
    struct progress progress = progress_of(question, &tools);
    assert_true(progress.units > 10);
    assert_int_equal(progress.units_restored, 5);
    assert_int_equal(progress.units_done, 5);
    assert_true(progress.weight_restored > 0 && progress.weight_restored < progress.weight);
    put_nonsense(&kept, question, 3);
    assert_int_equal(progress_of(question, &tools).units_restored, 4);
    check_answer(question, &tools, expected);
    progress = progress_of(question, &tools);
    assert_int_equal(progress.units_restored, progress.units);
    assert_int_equal(progress.units_done, progress.units);
    assert_int_equal(progress.weight_restored, progress.weight);
    assert_int_equal(memory_journal_facts(&kept, STORE_UNIT), progress.units);
    check_answer(question, &tools, expected); /* of stored units alone */
    answer_unref(expected);
    question_unref(shared);
}

TEST(test_kept)
{
    check_kept("/count?n=15&by=index&distinct=mirror");
    check_kept(SANITIZED ? "/count?n=12&by=torus-engaged" : "/count?n=14&by=torus-engaged");
    check_kept("/count?n=10&queens=any");
}

/* To the six digits of the answer. */
static void assert_about(double told, double expected)
{
    assert_true(told >= expected * (1 - 1e-5) && told <= expected * (1 + 1e-5));
}

/* What it would cost is what it weighs. What costs too much is refused, unless it was begun before. */
static void check_cost(const char *path)
{
    struct shared_question *shared = ask(path);
    struct question question = shared->question;
    struct tools tools = tools_of(kernel_find("auto"), 1);
    const struct progress progress = progress_of(&question, &tools);
    struct work *work;
    struct fault fault = {0};
    question.kind = ASK_COST;
    assert_int_equal(work_cost(&question, &tools, &work), NQ_OK);
    json_t *cost = answer_json(work_off(work));
    assert_about(json_number_value(json_object_get(cost, "placements")), (double)progress.weight);
    assert_true(json_integer_value(json_object_get(cost, "memory_bytes")) > 0);
    json_decref(cost);
    question.kind = ASK_COUNT;
    tools.most_core_seconds = 1e-6;
    assert_int_equal(work_count(&question, &tools, count_answer_computed, NULL, &fault, &work), NQ_LIMIT);
    assert_non_null(strstr(fault.text, " core-hours; the limit is 2.78e-10."));
    question.admitted = true;
    assert_int_equal(work_count(&question, &tools, count_answer_computed, NULL, &fault, &work), NQ_OK);
    work->class->close(work);
    question_unref(shared);
}

TEST(test_cost)
{
    check_cost("/count?n=16&by=index");
    check_cost("/count?n=16&by=torus-class");
    check_cost("/count?n=10&queens=any");
}

TEST(test_stopped)
{
    static const char *const paths[] = {"/count?n=16&by=index", "/count?n=16&by=index&distinct=fundamental",
                                        "/count?n=16&by=index&distinct=mirror", "/count?n=16&by=torus-class",
                                        "/count?n=10&queens=any"};
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    const atomic_bool stop = true;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct shared_question *shared = ask(paths[i]);
        struct work *work = open_count(&shared->question, &tools, NULL);
        assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_CANCELLED);
        work->class->close(work);
        question_unref(shared);
    }
}
