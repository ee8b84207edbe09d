/* test_engine_tally.c - tests of src/engine/tally.c: a count is the same on any number of lanes, in any slices and with
 * any kernel, and it says where it comes from. */
#include <string.h>

#include "pace.h"
#include "working.h"

/* Carries out a count on as many lanes as it has, each on a thread of its own. */
static struct answer *count_on(const struct question *question, const struct kernel *kernel, unsigned threads,
                               uint64_t deadline)
{
    const atomic_bool stop = false;
    struct work *work = NULL;
    struct answer *answer = NULL;
    const struct tools tools = tools_of(kernel, threads);
    char why[WORK_WHY_MAX] = "";
    assert_int_equal(open_tally(question, &tools, &stop, why, &work), NQ_OK);
    assert_string_equal(why, "");
    assert_true(work->lanes >= 1 && work->lanes <= threads);
    assert_int_equal(work_through(work, deadline, &stop), NQ_OK);
    assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    work->class->close(work);
    assert_string_equal(answer->media_type, "application/json");
    assert_true(answer->complete);
    assert_int_equal(answer->link_length, 0);
    return answer;
}

/* Every field there is. */
static void check_answer(struct answer *answer, uint32_t n, const char *provenance, const char *oeis)
{
    json_t *json = json_loadb(answer->bytes, answer->size, JSON_REJECT_DUPLICATES, NULL);
    char text[24];
    assert_non_null(json);
    assert_int_equal(facts_get(json, "n"), n);
    assert_int_equal(facts_get(json, "base"), 1);
    assert_int_equal(facts_get(json, "count"), facts_term("all", n));
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)facts_term("all", n));
    assert_string_equal(json_string_value(json_object_get(json, "count_text")), text);
    assert_string_equal(json_string_value(json_object_get(json, "provenance")), provenance);
    if (oeis)
        assert_string_equal(json_string_value(json_object_get(json, "oeis")), oeis);
    assert_int_equal(json_object_size(json), oeis ? 6 : 5);
    json_decref(json);
    answer_unref(answer);
}

static void test_computed(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 4, 7};
    static const uint64_t deadlines[] = {0, UINT64_MAX};
    for (uint32_t n = 0; n <= 12; n++)
        for (size_t t = 0; t < 4; t++)
            for (size_t d = 0; d < 2; d++) {
                const struct question question = ask_count(n);
                check_answer(count_on(&question, kernel_find("auto"), threads[t], deadlines[d]), n, "computed", NULL);
            }
}

/* Units so small that lanes often reach for the next one at the same moment: none is counted twice or forgotten. */
static void test_many_times(void **state)
{
    (void)state;
    for (int round = 0; round < (THREAD_SANITIZED ? 1000 : 2000); round++) {
        const struct question question = ask_count(8 + round % 3);
        check_answer(count_on(&question, kernel_find("scalar"), 4, UINT64_MAX), question.n, "computed", NULL);
    }
}

static void test_every_kernel(void **state)
{
    (void)state;
    for (const struct kernel *const *at = kernels; *at; at++)
        for (uint32_t n = 0; (*at)->supported() && n <= 11; n++) {
            const struct question question = ask_count(n);
            check_answer(count_on(&question, *at, 2, UINT64_MAX), n, "computed", NULL);
        }
}

/* Looks a question up; NULL when there is nothing. */
static struct answer *look_up(const struct question *question)
{
    const struct slice slice = {.deadline = UINT64_MAX};
    const atomic_bool stop = false;
    struct work *work = NULL;
    struct answer *answer = NULL;
    assert_int_equal(work_lookup(question, &work), NQ_OK);
    assert_int_equal(work->lanes, 1);
    assert_int_equal(work->class->slice(work, &slice, &stop), NQ_OK);
    const enum nq_status status = work->class->finish(work, &answer);
    assert_int_equal(status, answer ? NQ_OK : NQ_LIMIT);
    work->class->close(work);
    return answer;
}

static void test_from_the_table(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= NQ_KNOWN_MAX_N; n++) {
        struct question question = ask_count(n);
        question.way = COUNT_TABLE;
        check_answer(look_up(&question), n, "table", "A000170");
    }
}

static void test_beyond_the_limits(void **state)
{
    (void)state;
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    static const uint32_t beyond[] = {33, 64, UINT32_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        struct question question = ask_count(beyond[i]);
        struct work *work = NULL;
        char why[WORK_WHY_MAX] = "";
        assert_int_equal(open_tally(&question, &tools, NULL, why, &work), NQ_LIMIT);
        assert_null(work);
        question.way = COUNT_TABLE;
        assert_null(look_up(&question));
    }
}

/* Lanes for every thread where there is work for them, and one where there is not. */
static void test_lanes(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads += SANITIZED ? 7 : 1) {
        const struct tools tools = tools_of(kernel_find("auto"), threads);
        char why[WORK_WHY_MAX];
        const uint32_t large = 18, small = 3;
        for (uint32_t n = small; n <= large; n += large - small) {
            const struct question question = ask_count(n);
            struct work *work;
            assert_int_equal(open_tally(&question, &tools, NULL, why, &work), NQ_OK);
            assert_int_equal(work->lanes, n == large ? threads : 1);
            work->class->close(work);
        }
    }
}

struct stopper {
    struct work *work;
    atomic_bool stop;
    enum nq_status status;
};

static void *work_on(void *context)
{
    struct stopper *stopper = context;
    stopper->status = work_through(stopper->work, UINT64_MAX, &stopper->stop);
    return NULL;
}

/* n = 20 takes far longer than anyone would wait here: it must have been stopped. */
static void test_stop(void **state)
{
    (void)state;
    const struct question question = ask_count(20);
    const struct tools tools = tools_of(kernel_find("scalar"), 2);
    struct stopper stopper = {0};
    struct progress progress = {0};
    pthread_t thread;
    char why[WORK_WHY_MAX];
    assert_int_equal(open_tally(&question, &tools, &stopper.stop, why, &stopper.work), NQ_OK);
    assert_int_equal(stopper.work->lanes, 2);
    start(&thread, work_on, &stopper);
    asking_pause();
    stopper.work->class->progress(stopper.work, &progress); /* any thread, at any time */
    assert_true(progress.units > 500 && progress.units_done < progress.units);
    assert_true(progress.weight > progress.weight_done);
    atomic_store(&stopper.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(stopper.status, NQ_CANCELLED);
    stopper.work->class->close(stopper.work);
}

/* Every figure of a question goes into its answer. */
static void test_answers_of_all_kinds(void **state)
{
    (void)state;
    struct question question = ask_count(6);
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    char why[WORK_WHY_MAX];
    struct work *work;
    question.query.by_square = true;
    question.base = 0;
    assert_int_equal(open_tally(&question, &tools, NULL, why, &work), NQ_OK);
    json_t *json = answer_json(work_off(work));
    static const unsigned first_rows[][6] = {{0, 1, 1, 1, 1, 0}, {1, 0, 1, 1, 0, 1}, {1, 1, 0, 0, 1, 1}};
    const json_t *squares = json_object_get(json, "squares");
    assert_int_equal(json_array_size(squares), 6);
    for (size_t row = 0; row < 6; row++)
        for (size_t column = 0; column < 6; column++)
            assert_int_equal(facts_at(json_array_get(squares, row), column),
                             first_rows[row < 3 ? row : 5 - row][column]);
    assert_int_equal(facts_get(json, "count"), 4);
    assert_int_equal(facts_get(json, "base"), 0);
    json_decref(json);

    question = ask_count(8);
    question.query.distinct = DISTINCT_FUNDAMENTAL;
    question.distinct = "fundamental";
    question.query.symmetry = SYMMETRY_POINT;
    question.symmetry = "point";
    assert_int_equal(open_tally(&question, &tools, NULL, why, &work), NQ_OK);
    json = answer_json(work_off(work));
    assert_int_equal(facts_get(json, "count"), 1);
    assert_string_equal(json_string_value(json_object_get(json, "distinct")), "fundamental");
    assert_string_equal(json_string_value(json_object_get(json, "symmetry")), "point");
    assert_null(json_object_get(json, "note"));
    json_decref(json);

    question = ask_count(8);
    filter_place(&question.query.filter, 0, 0);
    filter_place(&question.query.filter, 1, 1);
    assert_int_equal(open_tally(&question, &tools, NULL, why, &work), NQ_OK);
    json = answer_json(work_off(work));
    assert_int_equal(facts_get(json, "count"), 0);
    assert_non_null(json_object_get(json, "note")); /* why there is none */
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_computed),
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_many_times),
        cmocka_unit_test(test_from_the_table),
        cmocka_unit_test(test_beyond_the_limits),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_answers_of_all_kinds),
    };
    return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
