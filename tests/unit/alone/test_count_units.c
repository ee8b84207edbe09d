/* test_count_units.c - tests of src/engine/counts/count_work.c: while a unit is planned, which may take long, other
 * tasks count other units and then wait for the pieces of this one. Alone in its program, because its table of methods
 * takes the place of the product's. */
/* CI builds: plain address thread */
#include "count/methods/method.h"
#include "support/run_work.h"

/* ---- A made-up method: the library's table, of which the linker then takes no copy, has no other ---- */

enum { UNITS = 4, PIECES = 3 };

/* Planning unit 0 lasts until `go` is set. */
static atomic_bool planning, go;

/* So many calls, of those that plan or those that count, are out of memory. */
static atomic_uint short_plans, short_counts;

static bool is_short(atomic_uint *calls)
{
    unsigned left = atomic_load(calls);
    while (left && !atomic_compare_exchange_weak(calls, &left, left - 1)) {
    }
    return left;
}

static enum nq_status prepare(const struct filter *filter, const struct method_means *means, const atomic_bool *stop,
                              void **plan)
{
    static double weights[UNITS];
    static struct method_plan made_up = {.units = UNITS, .weights = weights};
    (void)filter, (void)means, (void)stop;
    for (size_t unit = 0; unit < UNITS; unit++)
        weights[unit] = 1e9;
    *plan = &made_up;
    return NQ_OK;
}

static void release(void *plan)
{
    (void)plan;
}

static double cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    (void)filter, (void)together, (void)stop;
    return UNITS * 1e9;
}

static enum nq_status pieces_of(const void *plan, size_t unit, const atomic_bool *stop, size_t *pieces)
{
    (void)plan;
    *pieces = unit ? 1 : PIECES;
    atomic_store(&planning, !unit);
    while (!unit && !atomic_load(&go) && !stop_wanted(stop))
        asking_pause();
    return stop_wanted(stop) ? NQ_CANCELLED : is_short(&short_plans) ? NQ_NOMEM : NQ_OK;
}

static enum nq_status count(const void *plan, size_t unit, size_t piece, const struct kernel *kernel,
                            const atomic_bool *stop, struct unit_result *result)
{
    (void)plan, (void)unit, (void)piece, (void)kernel, (void)stop;
    if (is_short(&short_counts))
        return NQ_NOMEM;
    *result = (struct unit_result){.parts = METHOD_THIRDS, .nodes = 1};
    return NQ_OK;
}

static const struct method made_up = {.name = "made-up",
                                      .max_n = 32,
                                      .symmetry = SYMMETRY_ANY,
                                      .prepare = prepare,
                                      .count = count,
                                      .pieces = pieces_of,
                                      .release = release,
                                      .cost = cost};
const struct method *const methods[] = {&made_up, NULL};

/* ---- Two tasks ---- */

struct task {
    struct work *work;
    const atomic_bool *stop;
    atomic_uint slices;
    atomic_bool ended;
    enum nq_status status;
};

static void *run(void *context)
{
    struct task *task = context;
    const struct slice slice = {.deadline = 0};
    while ((task->status = task->work->class->slice(task->work, &slice, task->stop)) == NQ_AGAIN) {
        atomic_fetch_add(&task->slices, 1);
        asking_pause();
    }
    atomic_store(&task->ended, true);
    return NULL;
}

/* Returns while the first task plans unit 0, and the second one has counted all others and waits. */
static struct work *begin(struct task tasks[2], pthread_t threads[2], const struct question *question,
                          const atomic_bool *stop)
{
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    struct work *work = open_count(question, &tools, stop);
    assert_int_equal(work->tasks, 2);
    assert_true(work->lengthy);
    atomic_store(&planning, false);
    atomic_store(&go, false);
    for (int i = 0; i < 2; i++)
        tasks[i] = (struct task){.work = work, .stop = stop};
    start(&threads[0], run, &tasks[0]);
    WAIT_UNTIL(planning);
    start(&threads[1], run, &tasks[1]);
    WAIT_UNTIL(work_progress(work).units_done == UNITS - 1);
    const unsigned slices = tasks[1].slices;
    WAIT_UNTIL(tasks[1].slices > slices + 1 || tasks[1].ended);
    assert_false(tasks[1].ended); /* there are pieces to come */
    return work;
}

static void end(struct task tasks[2], pthread_t threads[2], enum nq_status status)
{
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(tasks[i].status, status);
    }
}

TEST(test_tasks_go_on_while_a_unit_is_planned)
{
    const struct question question = ask_count(11);
    const atomic_bool stop = false;
    struct task tasks[2];
    pthread_t threads[2];
    struct work *work = begin(tasks, threads, &question, &stop);
    atomic_store(&go, true);
    end(tasks, threads, NQ_OK);
    assert_int_equal(work_progress(work).units_done, UNITS);
    OWNED(json_decref) json_t *json = answer_json(work_finish(work));
    assert_int_equal(facts_get(json, "count"), UNITS - 1 + PIECES);
}

TEST(test_planning_is_cancelled)
{
    const struct question question = ask_count(11);
    atomic_bool stop = false;
    struct task tasks[2];
    pthread_t threads[2];
    OWNED(work_close) struct work *work = begin(tasks, threads, &question, &stop);
    atomic_store(&stop, true);
    end(tasks, threads, NQ_CANCELLED);
}

/* ---- A want of memory ---- */

/* What was out of memory is planned or counted again, after pauses that grow, and once. */
TEST(test_a_short_want_of_memory)
{
    const struct question question = ask_count(11);
    const atomic_bool stop = false;
    for (unsigned threads = 1; threads <= 4; threads++) {
        const struct tools tools = tools_of(kernel_find("auto"), threads);
        atomic_store(&go, true);
        struct work *work = open_count(&question, &tools, &stop);
        atomic_store(&short_plans, 3);
        atomic_store(&short_counts, 4);
        const uint64_t since = clock_now();
        assert_int_equal(work_through(work, 0, &stop), NQ_OK);
        assert_int_equal(short_plans + short_counts, 0);
        assert_true(threads > 1 || clock_now() - since >= 100 * CLOCK_MILLISECOND);
        assert_int_equal(work_progress(work).units_done, UNITS);
        OWNED(json_decref) json_t *json = answer_json(work_finish(work));
        assert_int_equal(facts_get(json, "count"), UNITS - 1 + PIECES);
    }
}

/* A client waits for a count that is soon done: it fails at once. */
TEST(test_a_short_count_does_not_wait_for_memory)
{
    const struct question question = ask_count(11);
    const atomic_bool stop = false;
    struct tools tools = tools_of(kernel_find("auto"), 1);
    tools.lengthy_seconds = 1e6;
    atomic_store(&go, true);
    OWNED(work_close) struct work *work = open_count(&question, &tools, &stop);
    atomic_store(&short_counts, 1);
    assert_int_equal(work_through(work, 0, &stop), NQ_NOMEM);
}

static void *stop_later(void *stop)
{
    asking_pause();
    atomic_store((atomic_bool *)stop, true);
    return NULL;
}

/* Nobody waits for memory any more. */
TEST(test_a_want_of_memory_is_cancelled)
{
    const struct question question = ask_count(11);
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    atomic_bool stop = false;
    pthread_t thread;
    atomic_store(&go, true);
    OWNED(work_close) struct work *work = open_count(&question, &tools, &stop);
    atomic_store(&short_counts, UINT32_MAX);
    start(&thread, stop_later, &stop);
    assert_int_equal(work_through(work, 0, &stop), NQ_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    atomic_store(&short_counts, 0);
}
