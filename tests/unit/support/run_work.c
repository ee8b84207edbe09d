/* run_work.c - tasks as threads. */
#include "support/run_work.h"

#include "engine/counts/count_answer.h"

struct task {
    struct work *work;
    const atomic_bool *stop;
    uint64_t deadline;
    pthread_barrier_t *together;
    enum nq_status status;
};

static void *run(void *context)
{
    struct task *task = context;
    const struct slice slice = {.deadline = task->deadline};
    (void)pthread_barrier_wait(task->together); /* all begin at once */
    do
        task->status = task->work->class->slice(task->work, &slice, task->stop);
    while (task->status == NQ_AGAIN);
    return NULL;
}

enum nq_status open_count_work(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                               struct fault *fault, struct work **work)
{
    enum nq_status status = work_count(question, tools, count_answer_computed, stop, fault, work);
    if (status != NQ_OK)
        return status;
    assert_int_equal((*work)->tasks, 1);
    status = (*work)->class->prepare(*work, stop);
    if (status != NQ_OK) {
        (*work)->class->close(*work);
        *work = NULL;
    }
    return status;
}

struct work *open_count(const struct question *question, const struct tools *tools, const atomic_bool *stop)
{
    struct work *work = NULL;
    struct fault fault = {0};
    assert_int_equal(open_count_work(question, tools, stop, &fault, &work), NQ_OK);
    assert_string_equal(fault.text, "");
    return work;
}

struct progress work_progress(struct work *work)
{
    struct progress progress = {0};
    work->class->progress(work, &progress);
    return progress;
}

struct tools tools_of(const struct kernel *kernel, unsigned threads)
{
    return (struct tools){.kernel = kernel, .threads = threads, .nodes_per_second = 1e8, .most_core_seconds = 1e9};
}

enum nq_status work_through(struct work *work, uint64_t deadline, const atomic_bool *stop)
{
    enum { MOST = 8 };
    struct task tasks[MOST];
    pthread_t threads[MOST];
    pthread_barrier_t together;
    enum nq_status status = NQ_OK;
    assert_true(work->tasks >= 1 && work->tasks <= MOST);
    assert_int_equal(pthread_barrier_init(&together, NULL, work->tasks), 0);
    for (unsigned i = 0; i < work->tasks; i++) {
        tasks[i] = (struct task){.work = work, .stop = stop, .deadline = deadline, .together = &together};
        start(&threads[i], run, &tasks[i]);
    }
    for (unsigned i = 0; i < work->tasks; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (status == NQ_OK)
            status = tasks[i].status;
    }
    assert_int_equal(pthread_barrier_destroy(&together), 0);
    return status;
}

struct answer *work_finish(struct work *work)
{
    struct answer *answer = NULL;
    assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    work->class->close(work);
    assert_non_null(answer);
    assert_string_equal(answer->media_type, "application/json");
    assert_int_equal(answer->link_length, 0);
    return answer;
}

struct answer *work_off(struct work *work)
{
    const atomic_bool stop = false;
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    return work_finish(work);
}

json_t *answer_json(struct answer *answer)
{
    assert_true(answer->size > 1 && answer->bytes[answer->size - 1] == '\n');
    json_t *json = json_loadb(answer->bytes, answer->size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    answer_unref(answer);
    return json;
}
