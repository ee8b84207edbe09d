/* stay.c - of several threads that find the time to be up one begins the job, without a lock, and the others wait. */
#include "engine/jobs/stay.h"

#include <assert.h>
#include <stdlib.h>

#include "base/lock.h"

struct stay {
    struct on_timeout on_timeout;
    struct jobs *jobs;
    struct shared_question *question;
    struct lock lock;
    pthread_cond_t over;
    bool begun;
    enum nq_status status; /* NQ_OK: it is not over. Then neither status nor id change any more */
    char id[JOB_ID_SIZE];
};

/* On the thread that comes first; another one waits for it. */
enum nq_status stay_begin(struct on_timeout *on_timeout)
{
    struct stay *stay = (struct stay *)on_timeout;
    lock_take(&stay->lock);
    if (!stay->begun) {
        stay->begun = true;
        lock_release(&stay->lock);
        const enum nq_status status = jobs_begin(stay->jobs, stay->question, stay->id);
        lock_take(&stay->lock);
        stay->status = status == NQ_OK ? NQ_AGAIN : status;
        assert(stay->status != NQ_OK); /* or they would wait for ever */
        pthread_cond_broadcast(&stay->over);
    }
    while (stay->status == NQ_OK)
        lock_wait(&stay->over, &stay->lock);
    lock_release(&stay->lock);
    return stay->status;
}

static void stay_free(struct on_timeout *on_timeout)
{
    struct stay *stay = (struct stay *)on_timeout;
    pthread_cond_destroy(&stay->over);
    lock_destroy(&stay->lock);
    question_unref(stay->question);
    free(stay);
}

struct on_timeout *stay_new(struct jobs *jobs, struct shared_question *question, bool at_once)
{
    struct stay *stay = calloc(1, sizeof *stay);
    if (!stay)
        return NULL;
    stay->on_timeout = (struct on_timeout){.stay = stay_begin, .free = stay_free, .at_once = at_once};
    stay->jobs = jobs;
    stay->question = question_ref(question);
    lock_init(&stay->lock, LOCK_STAY);
    pthread_cond_init(&stay->over, NULL);
    return &stay->on_timeout;
}

const char *stay_job(const struct on_timeout *on_timeout)
{
    return ((const struct stay *)on_timeout)->id;
}
