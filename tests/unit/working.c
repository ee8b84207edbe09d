/* working.c - lanes as threads. */
#include "working.h"

struct lane {
    struct work *work;
    const atomic_bool *stop;
    uint64_t deadline;
    pthread_barrier_t *together;
    enum nq_status status;
};

static void *run(void *context)
{
    struct lane *lane = context;
    const struct slice slice = {.deadline = lane->deadline};
    (void)pthread_barrier_wait(lane->together); /* all begin at once */
    do
        lane->status = lane->work->class->slice(lane->work, &slice, lane->stop);
    while (lane->status == NQ_AGAIN);
    return NULL;
}

enum nq_status open_tally(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          char why[static WORK_WHY_MAX], struct work **work)
{
    enum nq_status status = work_tally(question, tools, stop, why, work);
    if (status != NQ_OK)
        return status;
    assert_int_equal((*work)->lanes, 1);
    status = (*work)->class->prepare(*work, stop);
    if (status != NQ_OK) {
        (*work)->class->close(*work);
        *work = NULL;
    }
    return status;
}

struct tools tools_of(const struct kernel *kernel, unsigned threads)
{
    return (struct tools){.kernel = kernel, .threads = threads, .nodes_per_second = 1e8, .most_core_seconds = 1e9};
}

enum nq_status work_through(struct work *work, uint64_t deadline, const atomic_bool *stop)
{
    enum { MOST = 8 };
    struct lane lanes[MOST];
    pthread_t threads[MOST];
    pthread_barrier_t together;
    enum nq_status status = NQ_OK;
    assert_true(work->lanes >= 1 && work->lanes <= MOST);
    assert_int_equal(pthread_barrier_init(&together, NULL, work->lanes), 0);
    for (unsigned i = 0; i < work->lanes; i++) {
        lanes[i] = (struct lane){.work = work, .stop = stop, .deadline = deadline, .together = &together};
        start(&threads[i], run, &lanes[i]);
    }
    for (unsigned i = 0; i < work->lanes; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (status == NQ_OK)
            status = lanes[i].status;
    }
    assert_int_equal(pthread_barrier_destroy(&together), 0);
    return status;
}

struct answer *work_off(struct work *work)
{
    const atomic_bool stop = false;
    struct answer *answer = NULL;
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    work->class->close(work);
    assert_non_null(answer);
    assert_string_equal(answer->media_type, "application/json");
    assert_int_equal(answer->link_length, 0);
    return answer;
}

json_t *answer_json(struct answer *answer)
{
    assert_true(answer->size > 1 && answer->bytes[answer->size - 1] == '\n');
    json_t *json = json_loadb(answer->bytes, answer->size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    answer_unref(answer);
    return json;
}
