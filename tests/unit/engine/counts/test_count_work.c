/* test_count_work.c - tests of src/engine/counts/count_work.c: a count is the same on any number of tasks, in any
 * slices and with any kernel, and has its provenance. */
/* CI builds: address thread */
#include "support/run_work.h"
#include "support/sanitizer.h"

/* Carries out a count on as many tasks as it has, each on a thread of its own, and checks every field of its answer. */
static void check_count(uint32_t n, const struct kernel *kernel, unsigned threads, uint64_t deadline)
{
    const atomic_bool stop = false;
    const struct question question = ask_count(n);
    const struct tools tools = tools_of(kernel, threads);
    struct work *work = open_count(&question, &tools, &stop);
    assert_true(work->tasks >= 1 && work->tasks <= threads);
    assert_int_equal(work_through(work, deadline, &stop), NQ_OK);
    struct answer *answer = work_finish(work);
    assert_true(answer->complete);
    OWNED(json_decref) json_t *json = answer_json(answer);
    char text[24];
    assert_int_equal(facts_get(json, "n"), n);
    assert_int_equal(facts_get(json, "base"), 1);
    assert_int_equal(facts_get(json, "count"), facts_term("all", n));
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)facts_term("all", n));
    assert_string_equal(json_string_value(json_object_get(json, "count_text")), text);
    assert_string_equal(json_string_value(json_object_get(json, "provenance")), "computed");
    assert_int_equal(json_object_size(json), 5);
}

TEST(test_computed)
{
    static const unsigned threads[] = {1, 2, 4, 7};
    for (uint32_t n = 0; n <= 12; n++)
        for (size_t t = 0; t < 4; t++)
            for (int whole = 0; whole < 2; whole++)
                check_count(n, kernel_find("auto"), threads[t], whole ? UINT64_MAX : 0);
}

/* Units so small that tasks often reach for the next one at the same moment: none is counted twice or forgotten. Boards
 * that are smaller still are brief: one task has them. */
TEST(test_many_times)
{
    for (uint32_t round = 0; round < (SANITIZED ? 200 : 500); round++)
        check_count(11, kernel_find("auto"), 4, UINT64_MAX);
}

TEST(test_every_kernel)
{
    for (const struct kernel *const *at = kernels; *at; at++)
        for (uint32_t n = 0; (*at)->supported() && n <= 11; n++)
            check_count(n, *at, 2, UINT64_MAX);
}

TEST(test_beyond_the_limits)
{
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    static const uint32_t beyond[] = {33, 64, UINT32_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        const struct question question = ask_count(beyond[i]);
        struct work *work = NULL;
        struct fault fault = {0};
        assert_int_equal(open_count_work(&question, &tools, NULL, &fault, &work), NQ_LIMIT);
        assert_null(work);
    }
}

/* Tasks for every thread where there is work for them, and one where there is not, or so little that no other thread
 * need be woken. */
TEST(test_tasks)
{
    for (unsigned threads = 1; threads <= 8; threads += SANITIZED ? 7 : 1) {
        const struct tools tools = tools_of(kernel_find("auto"), threads);
        static const uint32_t sizes[] = {3, 6, 10, 18};
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const struct question question = ask_count(sizes[i]);
            struct work *work = open_count(&question, &tools, NULL);
            assert_int_equal(work->tasks, sizes[i] == 18 ? threads : 1);
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
TEST(test_stop)
{
    const struct question question = ask_count(20);
    const struct tools tools = tools_of(kernel_find("scalar"), 2);
    struct stopper stopper = {0};
    pthread_t thread;
    stopper.work = open_count(&question, &tools, &stopper.stop);
    assert_int_equal(stopper.work->tasks, 2);
    start(&thread, work_on, &stopper);
    asking_pause();
    const struct progress progress = work_progress(stopper.work); /* any thread, at any time */
    assert_true(progress.units > 500 && progress.units_done < progress.units);
    assert_true(progress.weight > progress.weight_done);
    atomic_store(&stopper.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(stopper.status, NQ_CANCELLED);
    stopper.work->class->close(stopper.work);
}
