/* job.c - the table of jobs. One lock guards it; flights, which have their own, are called without it. The ledger is
 * told under it, so that records come in order. */
#include "engine/job.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/process.h"
#include "engine/job_record.h"

static const char *const state_names[] = {
    [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running",     [JOB_DONE] = "done",
    [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
};

struct job {
    struct jobs *home;
    struct job *next; /* older */
    struct job_record record;
    uint64_t expires;      /* clock_now(), when it is over: a date that jumps forgets no job and keeps none for ever */
    bool flying;           /* begun, and the ticket is not known yet */
    bool earlier;          /* that was in an earlier process, and it is to be resumed */
    struct ticket *ticket; /* while its flight lasts */
    bool woken;
    bool unkept;      /* how it is now is not in the ledger, for memory was out */
    uint64_t began;   /* clock_now(), by this process */
    struct cost cost; /* for this process, when it ended */
};

struct jobs {
    struct flights *flights;
    struct ledger *ledger;
    size_t most;
    pthread_mutex_t lock;
    struct job *list;           /* the youngest first */
    struct job_figures figures; /* but queued, running and kept */
    job_teller tell;
    void *who;
    char origin[JOB_ID_SIZE];                    /* this process, in records */
    const struct job_reopener *_Atomic reopener; /* NULL until jobs_resume() */
};

const char *job_state_name(enum job_state state)
{
    return state_names[state];
}

static bool over(const struct job *job)
{
    return job_state_over(job->record.state);
}

/* A job that is cancelled is over before its flight has landed. */
static bool landed(const struct job *job)
{
    return over(job) && !job->flying && !job->ticket;
}

/* ---- News: taken down under the lock, told without it ---- */

struct note {
    struct job_news news;
    char id[JOB_ID_SIZE], trace[TRACE_ID_SIZE], why[WORK_WHY_MAX];
    char *path; /* NULL: there is nothing to tell, or memory is out */
};

static void take_down(const struct job *job, const char *what, struct note *note)
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

static void tell(const struct jobs *jobs, struct note *note)
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

/* ---- Records in the ledger ---- */

/* Under the lock: writes a job's record; false when memory is out for it. What finds no room among what waits is not
 * resumed one day; the job itself goes on. */
static bool keep(struct job *job)
{
    memcpy(job->record.origin, job->home->origin, sizeof job->record.origin);
    char *text = job_record_write(&job->record);
    job->unkept = !text || ledger_keep(job->home->ledger, STORE_JOB, job->record.id, text, strlen(text)) == NQ_NOMEM;
    free(text);
    return !job->unkept;
}

static void job_free(struct job *job)
{
    job_record_close(&job->record);
    free(job);
}

static struct job *job_new(struct jobs *jobs, const char *key, const char *path)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->home = jobs;
    job->began = clock_now();
    if (job_record_open(&job->record, key, path))
        return job;
    job_free(job);
    return NULL;
}

/* Until when a job is kept that an earlier process has seen end. One that ended in the future ends now: some date was
 * wrong, and nobody knows which. */
static uint64_t expiry(int64_t finished)
{
    const int64_t now = time(NULL);
    if (finished > now)
        finished = now;
    return finished <= now - JOB_KEPT_S ? 0 : clock_now() + (uint64_t)(finished + JOB_KEPT_S - now) * CLOCK_SECOND;
}

/* A job from its record; NQ_INVALID when that makes no sense, or NQ_NOMEM. */
static enum nq_status job_read(struct jobs *jobs, const char *id, const void *text, size_t size, struct job **out)
{
    struct job_record record;
    const enum nq_status status = job_record_read(&record, id, text, size);
    if (status != NQ_OK)
        return status;
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        job_record_close(&record);
        return NQ_NOMEM;
    }
    *job = (struct job){.home = jobs, .record = record, .began = clock_now(), .expires = expiry(record.finished)};
    *out = job;
    return NQ_OK;
}

/* ---- Under the lock ---- */

/* As the youngest, whatever the date is said to be. */
static void link_job(struct jobs *jobs, struct job *job)
{
    job->next = jobs->list;
    jobs->list = job;
}

/* One of an earlier process, by its date. */
static void link_earlier_job(struct jobs *jobs, struct job *job)
{
    struct job **at = &jobs->list;
    while (*at && (*at)->record.created > job->record.created)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
}

/* It is over. */
static void conclude(struct job *job, enum job_state state)
{
    job->record.state = state;
    job->record.finished = time(NULL);
    job->expires = clock_now() + JOB_KEPT_S * CLOCK_SECOND;
}

static struct job *find(const struct jobs *jobs, const char *id)
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

static size_t count_active(const struct jobs *jobs)
{
    size_t count = 0;
    for (const struct job *job = jobs->list; job; job = job->next)
        count += !landed(job);
    return count;
}

/* Whether an asker may have one more that is not over. */
static enum nq_status admit(const struct jobs *jobs, const struct asker *asker)
{
    unsigned count = 0;
    for (const struct job *job = jobs->list; job && asker->limited; job = job->next)
        count += !over(job) && shares_any(&job->record.shares, asker->name);
    if (asker_barred(asker))
        return NQ_DENIED;
    return asker->limited && count >= asker->jobs ? NQ_QUOTA : NQ_OK;
}

/* The key decides the id, so that the same question has the same job after a restart too. */
static void name_job(const struct jobs *jobs, struct job *job)
{
    uint64_t hash = hash_text(hash_text(HASH_START, NQ_VERSION), job->record.key);
    do
        hash_hex(hash++, job->record.id);
    while (find(jobs, job->record.id));
}

/* Forgets what is over and too old, or one too many. */
static void weed(struct jobs *jobs)
{
    const uint64_t now = clock_now();
    size_t kept = 0;
    for (struct job **at = &jobs->list; *at;) {
        struct job *job = *at;
        kept += over(job);
        if (!landed(job) || (kept <= JOBS_KEPT && now < job->expires)) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        ledger_drop(jobs->ledger, STORE_JOB, job->record.id);
        job_free(job);
    }
}

/* ---- A job's way ---- */

/* The answer has come, or why there is none, and the ticket is known: called by whoever comes second, the wake or
 * flights_ask. The last thing done with the ticket. */
static void settle(struct job *job)
{
    struct jobs *jobs = job->home;
    struct ticket *ticket = job->ticket;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    job->record.last = ticket->progress;
    job->cost = ticket->cost;
    const bool open = !over(job); /* otherwise it was cancelled, or another server said so */
    const bool found = ticket->status == NQ_OK && open;
    if (found)
        job->record.result = answer_bare(ticket->answer); /* hundreds may be kept */
    if (open && job->record.result) {
        conclude(job, JOB_DONE);
        jobs->figures.done++;
    } else if (open && ticket->status != NQ_CLOSED) {
        conclude(job, JOB_FAILED);
        (void)snprintf(job->record.why, sizeof job->record.why, "%s",
                       ticket->why[0] ? ticket->why : nq_status_text(found ? NQ_NOMEM : ticket->status));
        jobs->figures.failed++;
    }
    job->ticket = NULL;
    if (over(job)) { /* otherwise this process ends, and the next takes it up */
        if (open)    /* otherwise it is recorded, and may be begun anew elsewhere by now */
            (void)keep(job);
        take_down(job, job_state_name(job->record.state), &note);
    }
    pthread_mutex_unlock(&jobs->lock);
    party_unref(&ticket->party);
    tell(jobs, &note);
}

static void wake(void *who)
{
    struct job *job = who;
    pthread_mutex_lock(&job->home->lock);
    job->woken = true;
    const bool second = job->ticket;
    pthread_mutex_unlock(&job->home->lock);
    if (second)
        settle(job);
}

/* Memory is out for a job that was just begun. */
static void fail(struct job *job)
{
    struct jobs *jobs = job->home;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    job->flying = false;
    if (!over(job)) { /* otherwise its last share was given back in between */
        conclude(job, JOB_FAILED);
        (void)snprintf(job->record.why, sizeof job->record.why, "%s", nq_status_text(NQ_NOMEM));
        jobs->figures.failed++;
        (void)keep(job);
        take_down(job, job_state_name(job->record.state), &note);
    }
    pthread_mutex_unlock(&jobs->lock);
    tell(jobs, &note);
}

/* Puts a job, which is on the list as running, on its flight. NQ_NOMEM: it is not. */
static enum nq_status fly(struct job *job, const struct question *question)
{
    struct jobs *jobs = job->home;
    struct ticket *ticket = flights_ask(jobs->flights, question, NULL, true, wake, job);
    pthread_mutex_lock(&jobs->lock);
    job->ticket = ticket;
    job->flying = !ticket;
    const bool second = ticket && job->woken, unwanted = ticket && !second && over(job);
    if (unwanted)
        party_ref(&ticket->party);
    pthread_mutex_unlock(&jobs->lock);
    if (second)
        settle(job);
    if (unwanted) { /* its last share was given back in between */
        ticket->party.dismiss(&ticket->party, NQ_CANCELLED);
        party_unref(&ticket->party);
    }
    return ticket ? NQ_OK : NQ_NOMEM;
}

/* Under the lock: makes a job that is over run again, as the youngest. */
static void restart(struct job *job)
{
    struct job **at = &job->home->list;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    answer_unref(job->record.result);
    job->record.result = NULL;
    job->record.state = JOB_RUNNING;
    job->woken = false;
    job->flying = true;
    shares_clear(&job->record.shares);
    job->record.created = time(NULL);
    job->record.finished = 0;
    job->record.why[0] = '\0';
    job->record.last = (struct progress){0};
    job->began = clock_now();
    job->cost = (struct cost){0};
    link_job(job->home, job);
}

/* Under the lock: begins a job, a new one or one that is over, with no share in it. */
static enum nq_status start(struct jobs *jobs, const struct question *question, struct job **out)
{
    struct job *job = *out;
    if (job) {
        restart(job);
    } else {
        job = job_new(jobs, question->key, question->path);
        if (!job)
            return NQ_NOMEM;
        name_job(jobs, job);
        job->flying = true;
        link_job(jobs, job);
    }
    memcpy(job->record.trace, question->trace, sizeof job->record.trace);
    jobs->figures.begun++;
    *out = job;
    return NQ_OK;
}

/* Under the lock: the job for a question, new, running or done. */
static enum nq_status board(struct jobs *jobs, const struct question *question, struct job **out, bool *begun)
{
    const struct asker *asker = &question->asker;
    struct job *job = *out = find_key(jobs, question->key);
    *begun = !job || job->record.state == JOB_FAILED || job->record.state == JOB_CANCELLED;
    if (job && *begun && !landed(job))
        return NQ_BUSY; /* it is just being cancelled */
    enum nq_status status = *begun && count_active(jobs) >= jobs->most ? NQ_BUSY : NQ_OK;
    if (status == NQ_OK && (*begun || !(over(job) || shares_any(&job->record.shares, asker->name))))
        status = admit(jobs, asker);
    jobs->figures.refused += status == NQ_BUSY || status == NQ_QUOTA;
    return status == NQ_OK && *begun ? start(jobs, question, out) : status;
}

/* Under the lock: the shares in a job are others from now on, if that can be recorded; what they were is cleared.
 * False: memory is out, and they are what they were. */
static bool adopt(struct job *job, struct shares *shares)
{
    struct shares former = job->record.shares;
    job->record.shares = *shares;
    const bool kept = keep(job);
    if (kept) {
        shares_clear(&former);
    } else {
        shares_clear(&job->record.shares);
        job->record.shares = former;
    }
    return kept;
}

/* Under the lock: one share more, which is recorded; NQ_NOMEM: it cannot be, and there is none. */
static enum nq_status take_share(struct job *job, const char *name, bool own)
{
    struct shares shares = {0};
    if (!shares_copy(&job->record.shares, &shares))
        return NQ_NOMEM;
    if (!shares_add(&shares, name, own)) {
        shares_clear(&shares);
        return NQ_NOMEM;
    }
    return adopt(job, &shares) ? NQ_OK : NQ_NOMEM;
}

enum nq_status jobs_begin(struct jobs *jobs, const struct question *question, bool own, char id[static JOB_ID_SIZE])
{
    struct job *job;
    bool begun;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    weed(jobs);
    enum nq_status status = board(jobs, question, &job, &begun);
    begun = begun && status == NQ_OK;
    if (status == NQ_OK) {
        memcpy(id, job->record.id, JOB_ID_SIZE);
        status = take_share(job, question->asker.name, own);
        if (begun)
            take_down(job, "begun", &note);
    }
    pthread_mutex_unlock(&jobs->lock);
    tell(jobs, &note);
    if (!begun)
        return status;
    if (status == NQ_OK)
        status = fly(job, question);
    if (status != NQ_OK)
        fail(job);
    return status;
}

/* Under the lock: gives a share back, and ends the job with the last one. *ticket is then its flight's, with a
 * reference to its party; NULL: it has none. */
static enum nq_status give_share(struct job *job, const char *name, struct ticket **ticket)
{
    const enum job_state state = job->record.state;
    const int64_t finished = job->record.finished;
    const uint64_t expires = job->expires;
    struct shares rest = {0};
    if (!shares_copy(&job->record.shares, &rest))
        return NQ_NOMEM;
    const enum nq_status status = shares_return(&rest, name);
    if (status != NQ_OK) {
        shares_clear(&rest);
        return status;
    }
    const bool last = shares_count(&rest) == 0 && !over(job);
    if (last)
        conclude(job, JOB_CANCELLED);
    if (!adopt(job, &rest)) {
        job->record.state = state;
        job->record.finished = finished;
        job->expires = expires;
        return NQ_NOMEM;
    }
    job->home->figures.cancelled += last;
    *ticket = last ? job->ticket : NULL;
    if (*ticket)
        party_ref(&(*ticket)->party);
    return NQ_OK;
}

enum nq_status jobs_cancel(struct jobs *jobs, const char *id, const char *name)
{
    struct ticket *ticket = NULL;
    pthread_mutex_lock(&jobs->lock);
    struct job *job = find(jobs, id);
    const enum nq_status status = job ? give_share(job, name, &ticket) : NQ_NONE;
    pthread_mutex_unlock(&jobs->lock);
    if (ticket) {
        ticket->party.dismiss(&ticket->party, NQ_CANCELLED);
        party_unref(&ticket->party);
    }
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
    struct job *job = find(jobs, id);
    if (job && job->unkept && !keep(job)) {
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
        ticket = over(job) ? NULL : job->ticket;
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
        figures.active += !over(job);
        figures.kept += over(job);
    }
    pthread_mutex_unlock(&jobs->lock);
    return figures;
}

/* ---- From process to process ---- */

/* A job that was over so long ago that it is weeded out, and its record, which makes no sense, with it. */
static struct job *job_forgotten(struct jobs *jobs, const char *id)
{
    struct job *job = job_new(jobs, "", "");
    if (job) {
        memcpy(job->record.id, id, JOB_ID_SIZE);
        job->record.state = JOB_FAILED;
        job->record.created = 0;
    }
    return job;
}

struct reading {
    struct jobs *jobs;
    enum nq_status status; /* NQ_NOMEM: a record could not be read that may make sense */
};

/* Under the lock: what another server says of a job that is here, too, whose flight then may have to end: that is
 * *ticket, with a reference to its party. A result stays a result. */
static void heed(struct job *job, struct job_record *told, struct ticket **ticket)
{
    const bool late = told->state == JOB_DONE && job->record.state != JOB_DONE && landed(job);
    if (job_state_over(told->state) && (!over(job) || late)) {
        struct job_record own = job->record;
        job->record = *told;
        job->record.key = own.key; /* whoever resumes it may be reading them */
        job->record.path = own.path;
        own.key = told->key;
        own.path = told->path;
        *told = own;
        job->expires = expiry(job->record.finished);
        *ticket = job->ticket;
        if (*ticket)
            party_ref(&(*ticket)->party);
    } else if (!job_state_over(told->state) && over(job) && landed(job) && job->record.state != JOB_DONE) {
        restart(job);
        job->earlier = true;
    } else if (over(job)) {
        return;
    }
    struct shares own = job->record.shares;
    job->record.shares = told->shares;
    told->shares = own;
}

/* Jobs that are not over, of all servers: more are not heeded. */
enum { HEARD_MOST = 10000 };

/* A job that somebody tells of is put on the list, or heeded. */
static void meet(struct jobs *jobs, struct job *told)
{
    struct ticket *ticket = NULL;
    pthread_mutex_lock(&jobs->lock);
    struct job *job = find(jobs, told->record.id);
    const bool many = !job && !over(told) && count_active(jobs) >= HEARD_MOST;
    if (many) {
        job = told; /* it is let go */
    } else if (!job) {
        told->flying = told->earlier = !over(told);
        link_earlier_job(jobs, told);
    } else if (told->record.origin[0] && strcmp(told->record.origin, jobs->origin) != 0) {
        heed(job, &told->record, &ticket);
    }
    pthread_mutex_unlock(&jobs->lock);
    if (job)
        job_free(told);
    if (ticket) {
        ticket->party.dismiss(&ticket->party, NQ_CANCELLED);
        party_unref(&ticket->party);
    }
}

static void read_job(void *context, const char *id, const void *text, size_t size)
{
    struct reading *reading = context;
    struct jobs *jobs = reading->jobs;
    struct job *job = NULL;
    const enum nq_status status = job_read(jobs, id, text, size, &job);
    if (status == NQ_NOMEM)
        reading->status = status;
    else if (status != NQ_OK && strlen(id) == JOB_ID_SIZE - 1)
        job = job_forgotten(jobs, id);
    if (job)
        meet(jobs, job);
}

/* Puts a job of an earlier process on its flight again. */
static enum nq_status resume(struct job *job, const struct job_reopener *reopener)
{
    struct jobs *jobs = job->home;
    struct question question;
    struct note note = {.path = NULL};
    pthread_mutex_lock(&jobs->lock);
    const bool mine = job->earlier;
    job->earlier = false;
    pthread_mutex_unlock(&jobs->lock);
    if (!mine)
        return NQ_OK; /* another thread is at it */
    enum nq_status status = reopener->reopen(reopener->context, job->record.path, &question);
    if (status == NQ_OK && strcmp(question.key, job->record.key) != 0)
        status = NQ_INVALID;
    pthread_mutex_lock(&jobs->lock);
    jobs->figures.resumed += status == NQ_OK;
    if (status == NQ_INVALID)
        job->flying = false;
    if (status == NQ_INVALID && !over(job)) { /* otherwise its last share was given back in between */
        conclude(job, JOB_FAILED);
        (void)snprintf(job->record.why, sizeof job->record.why, "this release does not take the question any more");
        (void)keep(job);
    }
    if (status != NQ_NOMEM)
        take_down(job, status == NQ_OK ? "resumed" : job_state_name(job->record.state), &note);
    pthread_mutex_unlock(&jobs->lock);
    tell(jobs, &note);
    question.admitted = true;
    if (status == NQ_OK)
        status = fly(job, &question);
    reopener->release(&question);
    if (status == NQ_NOMEM) {
        pthread_mutex_lock(&jobs->lock);
        job->earlier = true;
        pthread_mutex_unlock(&jobs->lock);
    }
    return status == NQ_INVALID ? NQ_OK : status;
}

/* The oldest that has not been resumed yet, or NULL. */
static struct job *next_to_resume(struct jobs *jobs)
{
    struct job *oldest = NULL;
    pthread_mutex_lock(&jobs->lock); /* those that fly may end meanwhile */
    for (struct job *job = jobs->list; job; job = job->next)
        if (job->earlier)
            oldest = job;
    pthread_mutex_unlock(&jobs->lock);
    return oldest;
}

enum nq_status jobs_resume(struct jobs *jobs, const struct job_reopener *reopener, struct patience patience)
{
    struct reading reading = {.jobs = jobs};
    atomic_store(&jobs->reopener,
                 reopener); /* what is told from now on is heeded, what was told before is in the store */
    const enum nq_status read = ledger_each(jobs->ledger, STORE_JOB, "", patience, read_job, &reading);
    enum nq_status status = read == NQ_NOMEM ? read : reading.status;
    if (status != NQ_OK)
        return status;
    pthread_mutex_lock(&jobs->lock);
    weed(jobs);
    pthread_mutex_unlock(&jobs->lock);
    for (struct job *job; status == NQ_OK && (job = next_to_resume(jobs));)
        status = resume(job, reopener);
    return status == NQ_OK ? read : status;
}

void jobs_hear(struct jobs *jobs, const char *id, const void *text, size_t size)
{
    const struct job_reopener *reopener = atomic_load(&jobs->reopener);
    struct job *job;
    if (!reopener || job_read(jobs, id, text, size, &job) != NQ_OK)
        return; /* it is in the store, too */
    meet(jobs, job);
    pthread_mutex_lock(&jobs->lock);
    weed(jobs);
    pthread_mutex_unlock(&jobs->lock);
    for (enum nq_status status = NQ_OK; status == NQ_OK && (job = next_to_resume(jobs));)
        status = resume(job, reopener);
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
