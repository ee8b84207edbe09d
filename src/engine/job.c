/* job.c - the table of jobs, for who asks: beginning, giving up and looking. See job_table.h. */
#include "engine/job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/process.h"
#include "engine/job_table.h"

static const char *const state_names[] = {
    [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running",     [JOB_DONE] = "done",
    [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
};

const char *job_state_name(enum job_state state)
{
    return state_names[state];
}

/* ---- News ---- */

void job_take_down(const struct job *job, const char *what, struct note *note)
{
    note->news = (struct job_news){.what = what,
                                   .over = what == job_state_name(job->record.state),
                                   .nanoseconds = clock_now() - job->began,
                                   .cost = job->cost};
    memcpy(note->id, job->record.id, sizeof note->id);
    memcpy(note->trace, job->record.trace, sizeof note->trace);
    memcpy(note->why, job->record.why, sizeof note->why);
    note->path = job->home->tell ? strdup(job->record.path) : NULL;
}

void jobs_tell(const struct jobs *jobs, struct note *note)
{
    if (!note->path)
        return;
    note->news.id = note->id;
    note->news.trace = note->trace;
    note->news.why = note->why;
    note->news.path = note->path;
    jobs->tell(jobs->who, &note->news);
    free(note->path);
}

/* ---- The table ---- */

/* One that ended in the future ends now: some date was wrong, and nobody knows which. */
void job_date(struct job *job)
{
    if (job->dated == job->record.finished)
        return; /* by a later date it might have been over for long */
    const int64_t now = time(NULL);
    const int64_t finished = job->record.finished > now ? now : job->record.finished;
    job->dated = job->record.finished;
    job->expires =
        finished <= now - JOB_KEPT_S ? 0 : clock_now() + (uint64_t)(finished + JOB_KEPT_S - now) * CLOCK_SECOND;
}

struct job *job_new(struct jobs *jobs, struct job_record *record)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        job_record_close(record);
        return NULL;
    }
    job->home = jobs;
    job->record = *record;
    job->began = clock_now();
    job_date(job);
    return job;
}

void job_free(struct job *job)
{
    job_forget_changes(job, UINT64_MAX);
    job_record_close(&job->record);
    free(job);
}

void jobs_link(struct jobs *jobs, struct job *job)
{
    job->next = jobs->list;
    jobs->list = job;
}

struct job *jobs_find(const struct jobs *jobs, const char *id)
{
    struct job *job = jobs->list;
    while (job && strcmp(job->record.id, id) != 0)
        job = job->next;
    return job;
}

static struct job *find_key(const struct jobs *jobs, const char *key)
{
    struct job *job = jobs->list;
    while (job && strcmp(job->record.key, key) != 0)
        job = job->next;
    return job;
}

size_t jobs_count_active(const struct jobs *jobs)
{
    size_t count = 0;
    for (const struct job *job = jobs->list; job; job = job->next)
        count += !job_landed(job);
    return count;
}

void jobs_weed(struct jobs *jobs)
{
    const uint64_t now = clock_now();
    size_t kept = 0;
    for (struct job **at = &jobs->list; *at;) {
        struct job *job = *at;
        kept += job_over(job);
        if (!job_landed(job) || (kept <= JOBS_KEPT && now < job->expires)) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        ledger_drop(jobs->ledger, STORE_JOB, job->record.id);
        job_free(job);
    }
}

/* ---- Beginning ---- */

/* Whether an asker may have one more that is not over. */
static enum nq_status admit(const struct jobs *jobs, const struct asker *asker)
{
    unsigned count = 0;
    for (const struct job *job = jobs->list; job && asker->limited; job = job->next)
        count += !job_over(job) && shares_any(&job->record.shares, asker->name);
    if (asker_barred(asker))
        return NQ_DENIED;
    return asker->limited && count >= asker->jobs ? NQ_QUOTA : NQ_OK;
}

/* A job that is not on the list yet. The key decides the id, so that the same question has the same job after a restart
 * and on every server. NULL: out of memory. */
static struct job *name_job(struct jobs *jobs, const struct question *question)
{
    struct job_record record;
    uint64_t hash = hash_text(hash_text(HASH_START, NQ_VERSION), question->key);
    if (!job_record_open(&record, question->key, question->path))
        return NULL;
    do
        hash_hex(hash++, record.id);
    while (jobs_find(jobs, record.id));
    return job_new(jobs, &record);
}

/* Under the lock: the job for a question, running or done, or one that may begin; NULL: a new one. */
static enum nq_status board(struct jobs *jobs, const struct question *question, struct job **out, bool *begun)
{
    const struct asker *asker = &question->asker;
    struct job *job = *out = find_key(jobs, question->key);
    *begun = !job || job->record.state == JOB_FAILED || job->record.state == JOB_CANCELLED;
    if (job && *begun && !job_landed(job))
        return NQ_BUSY; /* it is just being cancelled */
    enum nq_status status = *begun && jobs_count_active(jobs) >= jobs->most ? NQ_BUSY : NQ_OK;
    if (status == NQ_OK && (*begun || !(job_over(job) || shares_any(&job->record.shares, asker->name))))
        status = admit(jobs, asker);
    jobs->figures.refused += status == NQ_BUSY || status == NQ_QUOTA;
    return status;
}

/* Under the lock: takes a share in a job that goes on, in one that begins again, or in a new one. */
static enum nq_status join(struct jobs *jobs, const struct question *question, bool own, bool begun, struct job **out)
{
    struct job *job = *out ? *out : name_job(jobs, question);
    const enum nq_status status = job ? job_take(job, question->asker.name, own) : NQ_NOMEM;
    if (status != NQ_OK && job != *out)
        job_free(job);
    if (status != NQ_OK)
        return status;
    if (!*out)
        jobs_link(jobs, job);
    if (begun) {
        job_renew(job);
        memcpy(job->record.trace, question->trace, sizeof job->record.trace);
        jobs->figures.begun++;
    }
    *out = job;
    return NQ_OK;
}

enum nq_status jobs_begin(struct jobs *jobs, const struct question *question, bool own, char id[static JOB_ID_SIZE])
{
    struct job *job;
    bool begun;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    jobs_weed(jobs);
    enum nq_status status = board(jobs, question, &job, &begun);
    if (status == NQ_OK)
        status = join(jobs, question, own, begun, &job);
    begun = begun && status == NQ_OK;
    if (status == NQ_OK)
        memcpy(id, job->record.id, JOB_ID_SIZE);
    if (begun)
        job_take_down(job, "begun", &note);
    pthread_mutex_unlock(&jobs->lock);
    jobs_tell(jobs, &note);
    if (!begun)
        return status;
    status = job_fly(job, question);
    if (status != NQ_OK)
        job_fail(job);
    return status;
}

/* ---- Giving up ---- */

enum nq_status jobs_cancel(struct jobs *jobs, const char *id, const char *name)
{
    struct ticket *ticket = NULL;
    enum nq_status status = NQ_NONE;
    pthread_mutex_lock(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job) {
        const bool open = !job_over(job);
        status = job_give(job, name);
        jobs->figures.cancelled += open && job_over(job);
        ticket = job_unwanted(job);
    }
    pthread_mutex_unlock(&jobs->lock);
    job_land(ticket);
    return status == NQ_END ? NQ_OK : status; /* who has given all back may say so again */
}

/* ---- Looking ---- */

static double eta(const struct progress *progress)
{
    const uint64_t mine = progress->weight_done - progress->weight_restored;
    if (!mine || !progress->took_off)
        return -1;
    const double elapsed = (double)(clock_now() - progress->took_off) / (double)CLOCK_SECOND;
    return elapsed * (double)(progress->weight - progress->weight_done) / (double)mine;
}

enum nq_status jobs_look(struct jobs *jobs, const char *id, struct job_view *view)
{
    struct ticket *ticket = NULL;
    enum nq_status status = NQ_NONE;
    pthread_mutex_lock(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job && job->unkept && !job_keep(job)) {
        status = NQ_NOMEM; /* what is told of must outlive the process */
    } else if (job) {
        *view = (struct job_view){.state = job->record.state,
                                  .shares = shares_count(&job->record.shares),
                                  .path = strdup(job->record.path),
                                  .progress = job->record.last,
                                  .eta_s = -1,
                                  .created = job->record.created,
                                  .finished = job->record.finished,
                                  .result = job->record.result ? answer_ref(job->record.result) : NULL};
        memcpy(view->id, job->record.id, sizeof view->id);
        memcpy(view->why, job->record.why, sizeof view->why);
        status = view->path ? NQ_OK : NQ_NOMEM;
        if (status != NQ_OK)
            job_view_free(view);
        ticket = job_over(job) ? NULL : job->ticket;
        if (ticket)
            party_ref(&ticket->party);
    }
    pthread_mutex_unlock(&jobs->lock);
    if (status == NQ_OK && view->state == JOB_RUNNING) {
        if (!ticket || !flights_progress(jobs->flights, ticket, &view->progress))
            view->state = JOB_QUEUED;
        view->eta_s = eta(&view->progress);
    }
    if (ticket)
        party_unref(&ticket->party);
    return status;
}

void job_view_free(struct job_view *view)
{
    answer_unref(view->result);
    free(view->path);
}

struct job_figures jobs_figures(struct jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    struct job_figures figures = jobs->figures;
    figures.most = jobs->most;
    for (const struct job *job = jobs->list; job; job = job->next) {
        figures.active += !job_over(job);
        figures.kept += job_over(job);
    }
    pthread_mutex_unlock(&jobs->lock);
    return figures;
}

struct jobs *jobs_new(struct flights *flights, struct ledger *ledger, size_t most, job_teller teller, void *who)
{
    struct jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return NULL;
    *jobs = (struct jobs){.flights = flights, .ledger = ledger, .most = most, .tell = teller, .who = who};
    process_draw_id(jobs->origin);
    pthread_mutex_init(&jobs->lock, NULL);
    return jobs;
}

void jobs_free(struct jobs *jobs)
{
    while (jobs->list) {
        struct job *job = jobs->list;
        jobs->list = job->next;
        job_free(job);
    }
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}
