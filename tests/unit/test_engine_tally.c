/* test_engine_tally.c - tests of src/engine/tally.c: a count is the same on any number of lanes, in any slices and with
 * any kernel, and it says where it comes from. */
#include <string.h>

#include "asking.h"
#include "engine/work.h"

/* Nothing is kept, and nothing is too long. */
static struct tools tools_of(const struct kernel *kernel, unsigned threads)
{
    return (struct tools){.kernel = kernel, .threads = threads, .nodes_per_second = 1e8, .most_core_seconds = 1e9};
}

struct lane {
    struct work *work;
    const atomic_bool *stop;
    uint64_t deadline;
    pthread_barrier_t *together; /* all begin at once; NULL: as they come */
    enum nq_status status;
};

static void *fly(void *context)
{
    struct lane *lane = context;
    const struct slice slice = {.deadline = lane->deadline};
    if (lane->together)
        (void)pthread_barrier_wait(lane->together);
    do
        lane->status = lane->work->class->slice(lane->work, &slice, lane->stop);
    while (lane->status == NQ_AGAIN);
    return NULL;
}

/* Carries out a count on as many lanes as it has, each on a thread of its own. */
static struct answer *count_on(const struct question *question, const struct kernel *kernel, unsigned threads,
                               uint64_t deadline)
{
    enum { MOST = 8 };
    const atomic_bool stop = false;
    struct lane lanes[MOST];
    pthread_t thread[MOST];
    pthread_barrier_t together;
    struct work *work = NULL;
    struct answer *answer = NULL;
    const struct tools tools = tools_of(kernel, threads);
    char why[WORK_WHY_MAX] = "";
    assert_int_equal(work_tally(question, &tools, &stop, why, &work), NQ_OK);
    assert_string_equal(why, "");
    assert_true(work->lanes >= 1 && work->lanes <= threads && threads <= MOST);
    assert_int_equal(pthread_barrier_init(&together, NULL, work->lanes), 0);
    for (unsigned i = 0; i < work->lanes; i++) {
        lanes[i] = (struct lane){.work = work, .stop = &stop, .deadline = deadline, .together = &together};
        start(&thread[i], fly, &lanes[i]);
    }
    for (unsigned i = 0; i < work->lanes; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(lanes[i].status, NQ_OK);
    }
    assert_int_equal(pthread_barrier_destroy(&together), 0);
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
    for (int round = 0; round < 2000; round++) {
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
        assert_int_equal(work_tally(&question, &tools, NULL, why, &work), NQ_LIMIT);
        assert_null(work);
        question.way = COUNT_TABLE;
        assert_null(look_up(&question));
    }
}

/* Lanes for every thread where there is work for them, and one where there is not. */
static void test_lanes(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        const struct tools tools = tools_of(kernel_find("auto"), threads);
        char why[WORK_WHY_MAX];
        const uint32_t large = 18, small = 3;
        for (uint32_t n = small; n <= large; n += large - small) {
            const struct question question = ask_count(n);
            struct work *work;
            assert_int_equal(work_tally(&question, &tools, NULL, why, &work), NQ_OK);
            assert_int_equal(work->lanes, n == large ? threads : 1);
            work->class->close(work);
        }
    }
}

/* n = 20 takes far longer than anyone would wait here: it must have been stopped. */
static void test_stop(void **state)
{
    (void)state;
    const struct question question = ask_count(20);
    atomic_bool stop = false;
    struct work *work = NULL;
    struct lane lanes[2];
    pthread_t threads[2];
    const struct tools tools = tools_of(kernel_find("scalar"), 2);
    char why[WORK_WHY_MAX];
    assert_int_equal(work_tally(&question, &tools, &stop, why, &work), NQ_OK);
    assert_int_equal(work->lanes, 2);
    for (int i = 0; i < 2; i++) {
        lanes[i] = (struct lane){.work = work, .stop = &stop};
        start(&threads[i], fly, &lanes[i]);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(lanes[i].status, NQ_CANCELLED);
    }
    work->class->close(work);
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
    };
    return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
