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
#include "base/json.h"
#include "engine/shares.h"

static const char *const state_names[] = {
    [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running",     [JOB_DONE] = "done",
    [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
};

struct job {
    struct jobs *home;
    struct job *next; /* older */
    char id[JOB_ID_SIZE];
    char *key, *path;
    enum job_state state; /* JOB_RUNNING: begun and not over, whether a thread has taken it up or not */
    struct shares shares;
    int64_t created, finished; /* dates, to be told */
    uint64_t expires;      /* clock_now(), when it is over: a date that jumps forgets no job and keeps none for ever */
    bool flying;           /* begun, and the ticket is not known yet */
    struct ticket *ticket; /* while its flight lasts */
    bool woken;
    bool unkept; /* how it is now is not in the ledger, for memory was out */
    char why[WORK_WHY_MAX];
    struct answer *result;
    struct progress last; /* how far it had come when it ended */
    char trace[TRACE_ID_SIZE];
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
};

const char *job_state_name(enum job_state state)
{
    return state_names[state];
}

static bool over(const struct job *job)
{
    return job_state_over(job->state);
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
                                   .over = what == state_names[job->state],
                                   .nanoseconds = clock_now() - job->began,
                                   .cost = job->cost};
    memcpy(note->id, job->id, sizeof note->id);
    memcpy(note->trace, job->trace, sizeof note->trace);
    memcpy(note->why, job->why, sizeof note->why);
    note->path = job->home->tell ? strdup(job->path) : NULL;
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
    struct bytes text = {0};
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:I, s:I, s:I}", "release", NQ_VERSION, "key",
                             job->key, "path", job->path, "trace", job->trace, "state", state_names[job->state],
                             "created", (json_int_t)job->created, "finished", (json_int_t)job->finished, "why",
                             job->why, "units", (json_int_t)job->last.units, "restored",
                             (json_int_t)job->last.units_restored, "nodes", (json_int_t)job->last.nodes);
    if (!shares_write(&job->shares, json)) {
        json_decref(json);
        json = NULL;
    }
    if (job->result)
        json_member(&json, "body", json_stringn(job->result->bytes, job->result->size));
    bytes_json(&text, json, JSON_COMPACT);
    char *record = bytes_take(&text);
    job->unkept = !record || ledger_keep(job->home->ledger, STORE_JOB, job->id, record, strlen(record)) == NQ_NOMEM;
    free(record);
    return !job->unkept;
}

static bool read_state(const char *name, enum job_state *state)
{
    for (size_t i = 0; name && i < sizeof state_names / sizeof state_names[0]; i++) {
        if (strcmp(name, state_names[i]) == 0) {
            *state = (enum job_state)i;
            return true;
        }
    }
    return false;
}

static void job_free(struct job *job)
{
    answer_unref(job->result);
    shares_clear(&job->shares);
    free(job->key);
    free(job->path);
    free(job);
}

static struct job *job_new(struct jobs *jobs, const char *key, const char *path)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->home = jobs;
    job->state = JOB_RUNNING;
    job->created = time(NULL);
    job->began = clock_now();
    job->key = strdup(key);
    job->path = strdup(path);
    if (job->key && job->path)
        return job;
    job_free(job);
    return NULL;
}

static void read_trace(struct job *job, const char *text)
{
    if (text && strlen(text) == TRACE_ID_SIZE - 1 && strspn(text, "0123456789abcdef") == TRACE_ID_SIZE - 1)
        memcpy(job->trace, text, TRACE_ID_SIZE);
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
    json_t *json;
    enum nq_status status = json_read(text, size, 0, &json, NULL);
    if (status != NQ_OK)
        return status;
    const char *key = json_string_value(json_object_get(json, "key"));
    const char *path = json_string_value(json_object_get(json, "path"));
    const char *why = json_string_value(json_object_get(json, "why"));
    const json_t *body = json_object_get(json, "body");
    const bool whole = key && path && strlen(id) == JOB_ID_SIZE - 1;
    struct job *job = whole ? job_new(jobs, key, path) : NULL;
    status = whole && !job ? NQ_NOMEM : NQ_INVALID;
    bool sound = job && read_state(json_string_value(json_object_get(json, "state")), &job->state);
    const char *release = json_string_value(json_object_get(json, "release"));
    if (sound && over(job)) /* what another release found out, it said in its own way */
        sound = release && strcmp(release, NQ_VERSION) == 0;
    if (sound) {
        memcpy(job->id, id, JOB_ID_SIZE);
        sound = shares_read(&job->shares, json);
        status = sound ? status : NQ_NOMEM;
        read_trace(job, json_string_value(json_object_get(json, "trace")));
        job->created = json_integer_value(json_object_get(json, "created"));
        job->finished = json_integer_value(json_object_get(json, "finished"));
        job->expires = expiry(job->finished);
        strncpy(job->why, why ? why : "", sizeof job->why - 1);
        if (sound && job->state == JOB_DONE) {
            struct bytes bytes = {0};
            bytes_add(&bytes, json_string_value(body), json_string_length(body));
            job->result = answer_new(&bytes, format_find("json")->media_type);
            bytes_free(&bytes);
            sound = job->result;
            status = sound ? status : NQ_NOMEM;
            job->last.units = job->last.units_done = (size_t)json_integer_value(json_object_get(json, "units"));
            job->last.units_restored = (size_t)json_integer_value(json_object_get(json, "restored"));
            job->last.nodes = (uint64_t)json_integer_value(json_object_get(json, "nodes"));
        }
    }
    if (sound) {
        *out = job;
        status = NQ_OK;
    } else if (job) {
        job_free(job);
    }
    json_decref(json);
    return status;
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
    while (*at && (*at)->created > job->created)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
}

/* It is over. */
static void conclude(struct job *job, enum job_state state)
{
    job->state = state;
    job->finished = time(NULL);
    job->expires = clock_now() + JOB_KEPT_S * CLOCK_SECOND;
}

static struct job *find(const struct jobs *jobs, const char *id)
{
    struct job *job = jobs->list;
    while (job && strcmp(job->id, id) != 0)
        job = job->next;
    return job;
}

static struct job *find_key(const struct jobs *jobs, const char *key)
{
    struct job *job = jobs->list;
    while (job && strcmp(job->key, key) != 0)
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
        count += !over(job) && shares_any(&job->shares, asker->name);
    if (asker_barred(asker))
        return NQ_DENIED;
    return asker->limited && count >= asker->jobs ? NQ_QUOTA : NQ_OK;
}

/* The key decides the id, so that the same question has the same job after a restart too. */
static void name_job(const struct jobs *jobs, struct job *job)
{
    uint64_t hash = hash_text(hash_text(HASH_START, NQ_VERSION), job->key);
    do
        hash_hex(hash++, job->id);
    while (find(jobs, job->id));
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
        ledger_drop(jobs->ledger, STORE_JOB, job->id);
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
    job->last = ticket->progress;
    job->cost = ticket->cost;
    const bool found = ticket->status == NQ_OK && job->state != JOB_CANCELLED;
    if (found)
        job->result = answer_bare(ticket->answer); /* hundreds may be kept */
    if (job->result) {
        conclude(job, JOB_DONE);
        jobs->figures.done++;
    } else if (job->state != JOB_CANCELLED && ticket->status != NQ_CLOSED) {
        conclude(job, JOB_FAILED);
        (void)snprintf(job->why, sizeof job->why, "%s",
                       ticket->why[0] ? ticket->why : nq_status_text(found ? NQ_NOMEM : ticket->status));
        jobs->figures.failed++;
    }
    job->ticket = NULL;
    if (over(job)) { /* otherwise this process ends, and the next takes it up */
        (void)keep(job);
        take_down(job, state_names[job->state], &note);
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
        (void)snprintf(job->why, sizeof job->why, "%s", nq_status_text(NQ_NOMEM));
        jobs->figures.failed++;
        (void)keep(job);
        take_down(job, state_names[job->state], &note);
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
    answer_unref(job->result);
    job->result = NULL;
    job->state = JOB_RUNNING;
    job->woken = false;
    job->flying = true;
    shares_clear(&job->shares);
    job->created = time(NULL);
    job->finished = 0;
    job->why[0] = '\0';
    job->last = (struct progress){0};
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
    memcpy(job->trace, question->trace, sizeof job->trace);
    jobs->figures.begun++;
    *out = job;
    return NQ_OK;
}

/* Under the lock: the job for a question, new, running or done. */
static enum nq_status board(struct jobs *jobs, const struct question *question, struct job **out, bool *begun)
{
    const struct asker *asker = &question->asker;
    struct job *job = *out = find_key(jobs, question->key);
    *begun = !job || job->state == JOB_FAILED || job->state == JOB_CANCELLED;
    if (job && *begun && !landed(job))
        return NQ_BUSY; /* it is just being cancelled */
    enum nq_status status = *begun && count_active(jobs) >= jobs->most ? NQ_BUSY : NQ_OK;
    if (status == NQ_OK && (*begun || !(over(job) || shares_any(&job->shares, asker->name))))
        status = admit(jobs, asker);
    jobs->figures.refused += status == NQ_BUSY || status == NQ_QUOTA;
    return status == NQ_OK && *begun ? start(jobs, question, out) : status;
}

/* Under the lock: the shares in a job are others from now on, if that can be recorded; what they were is cleared.
 * False: memory is out, and they are what they were. */
static bool adopt(struct job *job, struct shares *shares)
{
    struct shares former = job->shares;
    job->shares = *shares;
    const bool kept = keep(job);
    if (kept) {
        shares_clear(&former);
    } else {
        shares_clear(&job->shares);
        job->shares = former;
    }
    return kept;
}

/* Under the lock: one share more, which is recorded; NQ_NOMEM: it cannot be, and there is none. */
static enum nq_status take_share(struct job *job, const char *name, bool own)
{
    struct shares shares = {0};
    if (!shares_copy(&job->shares, &shares))
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
        memcpy(id, job->id, JOB_ID_SIZE);
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
    const enum job_state state = job->state;
    const int64_t finished = job->finished;
    const uint64_t expires = job->expires;
    struct shares rest = {0};
    if (!shares_copy(&job->shares, &rest))
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
        job->state = state;
        job->finished = finished;
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
        *view = (struct job_view){.state = job->state,
                                  .shares = shares_count(&job->shares),
                                  .path = strdup(job->path),
                                  .progress = job->last,
                                  .eta_s = -1,
                                  .created = job->created,
                                  .finished = job->finished,
                                  .result = job->result ? answer_ref(job->result) : NULL};
        memcpy(view->id, job->id, sizeof view->id);
        memcpy(view->why, job->why, sizeof view->why);
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
        memcpy(job->id, id, JOB_ID_SIZE);
        job->state = JOB_FAILED;
        job->created = 0;
    }
    return job;
}

struct reading {
    struct jobs *jobs;
    enum nq_status status; /* NQ_NOMEM: a record could not be read that may make sense */
};

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
    if (job && find(jobs, id)) { /* told twice */
        job_free(job);
        job = NULL;
    }
    if (job) {
        job->flying = !over(job);
        link_earlier_job(jobs, job);
    }
}

/* Puts a job of an earlier process on its flight again. */
static enum nq_status resume(struct job *job, const struct job_reopener *reopener)
{
    struct jobs *jobs = job->home;
    struct question question;
    struct note note = {.path = NULL};
    enum nq_status status = reopener->reopen(reopener->context, job->path, &question);
    if (status == NQ_OK && strcmp(question.key, job->key) != 0)
        status = NQ_INVALID;
    pthread_mutex_lock(&jobs->lock);
    jobs->figures.resumed += status == NQ_OK;
    if (status == NQ_INVALID) {
        job->flying = false;
        conclude(job, JOB_FAILED);
        (void)snprintf(job->why, sizeof job->why, "this release does not take the question any more");
        (void)keep(job);
    }
    if (status != NQ_NOMEM)
        take_down(job, status == NQ_OK ? "resumed" : state_names[job->state], &note);
    pthread_mutex_unlock(&jobs->lock);
    tell(jobs, &note);
    question.admitted = true;
    if (status == NQ_OK)
        status = fly(job, &question);
    reopener->release(&question);
    return status == NQ_INVALID ? NQ_OK : status;
}

/* The oldest that has not been resumed yet, or NULL. */
static struct job *next_to_resume(struct jobs *jobs)
{
    struct job *oldest = NULL;
    pthread_mutex_lock(&jobs->lock); /* those that fly may end meanwhile */
    for (struct job *job = jobs->list; job; job = job->next)
        if (job->flying)
            oldest = job;
    pthread_mutex_unlock(&jobs->lock);
    return oldest;
}

enum nq_status jobs_resume(struct jobs *jobs, const struct job_reopener *reopener)
{
    struct reading reading = {.jobs = jobs};
    enum nq_status status = ledger_each(jobs->ledger, STORE_JOB, "", (struct patience){0}, read_job, &reading);
    if (status != NQ_NOMEM)
        status = reading.status;
    if (status != NQ_OK)
        return status;
    pthread_mutex_lock(&jobs->lock);
    weed(jobs);
    pthread_mutex_unlock(&jobs->lock);
    for (struct job *job; status == NQ_OK && (job = next_to_resume(jobs));)
        status = resume(job, reopener);
    return status;
}

struct jobs *jobs_new(struct flights *flights, struct ledger *ledger, size_t most, job_teller teller, void *who)
{
    struct jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return NULL;
    *jobs = (struct jobs){.flights = flights, .ledger = ledger, .most = most, .tell = teller, .who = who};
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
