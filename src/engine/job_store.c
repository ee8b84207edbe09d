/* job_store.c - jobs and what the store has of them, which other processes may share. A record there is changed in
 * place of just that which was read, so that no change of anybody's is lost; what was changed here and is not in it yet
 * is made once more on what others made of it. It knows nothing of how a job is counted. See job_table.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/job_table.h"

/* Changes of a job that wait to be stored: where there are more, the first ones are given up. */
enum { CHANGES_MOST = 10000 };

/* Jobs that are not over, of all servers: more are not heeded. */
enum { HEARD_MOST = 10000 };

/* ---- What was changed here ---- */

void job_forget_changes(struct job *job, uint64_t up_to)
{
    for (struct change *change; (change = job->changes) && change->number <= up_to;) {
        job->changes = change->next;
        job->count--;
        free(change);
    }
}

static enum nq_status make(struct job_record *record, const struct change *change)
{
    if (change->what == CHANGE_TAKE)
        return job_record_take(record, change->name, change->own);
    if (change->what == CHANGE_GIVE)
        return job_record_give(record, change->name);
    if (!job_state_over(record->state))
        job_record_end(record, JOB_FAILED);
    return NQ_OK;
}

/* Remembers a change that was made. */
static void remember(struct job *job, struct change *change)
{
    struct change **end = &job->changes;
    if (job->count == CHANGES_MOST)
        job_forget_changes(job, job->changes->number);
    while (*end)
        end = &(*end)->next;
    *end = change;
    job->count++;
    job->changed = change->number = ++job->home->changes;
    job_date(job);
}

/* Makes a change, which it takes over, and remembers it. */
static enum nq_status make_new(struct job *job, struct change *change)
{
    const enum nq_status status = change && job_keep(job) ? make(&job->record, change) : NQ_NOMEM;
    if (status != NQ_OK) {
        free(change);
        return status;
    }
    remember(job, change);
    return NQ_OK;
}

static struct change *change_new(const char *name, int what, bool own)
{
    struct change *change = calloc(1, sizeof *change);
    if (!change)
        return NULL;
    change->what = what;
    change->own = own;
    strncpy(change->name, name, sizeof change->name - 1);
    return change;
}

enum nq_status job_take(struct job *job, const char *name, bool own)
{
    return make_new(job, change_new(name, CHANGE_TAKE, own));
}

enum nq_status job_give(struct job *job, const char *name)
{
    return make_new(job, change_new(name, CHANGE_GIVE, false));
}

void job_end(struct job *job, enum job_state state)
{
    struct change *failure = state == JOB_FAILED ? change_new("", CHANGE_FAIL, false) : NULL;
    job_record_end(&job->record, state);
    job_date(job);
    if (failure)
        remember(job, failure);
    else /* or memory is out: what is not known of a failure may count as if it had not been */
        job->changed = ++job->home->changes;
    if (state == JOB_FAILED)
        job->failed = job->changed;
    (void)job_keep(job);
}

/* ---- What the store has ---- */

/* What has ended here goes on as it was in a record that does not know. */
static void insist(struct job_record *own, struct job_record *told)
{
    struct answer *result = told->result;
    told->result = own->result;
    own->result = result;
    told->state = own->state;
    told->finished = own->finished;
    told->last = own->last;
    memcpy(told->why, own->why, sizeof told->why);
}

/* Whoever takes the job up may be reading its strings. */
static void exchange(struct job_record *own, struct job_record *told)
{
    struct job_record former = *own;
    *own = *told;
    own->key = former.key;
    own->path = former.path;
    former.key = told->key;
    former.path = told->path;
    *told = former;
}

/* Under the lock: what the store has of a job that is here, too, with what was changed here since. A result stays a
 * result. NQ_NONE: that is no news; NQ_NOMEM: it is not heeded. */
static enum nq_status heed(struct job *job, struct job_record *told)
{
    const uint64_t known = job_record_changes(told, job->home->origin);
    if (told->version <= job->record.version)
        return NQ_NONE;
    for (const struct change *change = job->changes; change; change = change->next)
        if (change->number > known && make(told, change) == NQ_NOMEM)
            return NQ_NOMEM;
    if (job->failed <= known || job->record.state != JOB_FAILED)
        job->failed = 0; /* that is known, or it was begun again */
    if (job->record.state == JOB_DONE ? told->state != JOB_DONE
                                      : job->failed && (!job_state_over(told->state) || told->state == JOB_FAILED))
        insist(&job->record, told);
    exchange(&job->record, told);
    job_forget_changes(job, known);
    job_date(job);
    return NQ_OK;
}

/* Under the lock: the flight that must end, if the job is over now; a job that goes on without one is to be taken up.
 */
static struct ticket *follow(struct job *job)
{
    if (!job_over(job) && !job->flying && !job->ticket && !job->home->closed) {
        job_renew(job);
        job->earlier = true;
    }
    return job_unwanted(job);
}

/* A job of its own, from a record; NQ_INVALID when that makes no sense, or NQ_NOMEM. */
static enum nq_status job_read(struct jobs *jobs, const char *id, const void *text, size_t size, struct job **out)
{
    struct job_record record;
    const enum nq_status status = job_record_read(&record, id, text, size);
    if (status != NQ_OK)
        return status;
    *out = job_new(jobs, &record);
    return *out ? NQ_OK : NQ_NOMEM;
}

/* ---- What is told ---- */

/* By its date. */
static void link_earlier(struct jobs *jobs, struct job *job)
{
    struct job **at = &jobs->list;
    while (*at && (*at)->record.created > job->record.created)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
}

/* A job that somebody tells of is heeded, or put on the list if there is none and it may be a new one. NQ_NOMEM: it is
 * not. */
static enum nq_status meet(struct jobs *jobs, struct job *told, bool may_be_new)
{
    struct ticket *ticket = NULL;
    enum nq_status status = NQ_OK;
    pthread_mutex_lock(&jobs->lock);
    struct job *job = jobs_find(jobs, told->record.id);
    const bool listed = !job && may_be_new && (job_over(told) || jobs_count_active(jobs) < HEARD_MOST);
    if (job) {
        status = heed(job, &told->record);
        ticket = status == NQ_OK ? follow(job) : NULL;
    } else if (listed) {
        told->flying = told->earlier = !job_over(told);
        link_earlier(jobs, told);
    }
    pthread_mutex_unlock(&jobs->lock);
    if (!listed)
        job_free(told);
    job_land(ticket);
    return status == NQ_NONE ? NQ_OK : status;
}

/* ---- What is to be told ---- */

/* What a job's record is to be where so many of the changes made here are in it. NQ_NONE: it is to stay. */
static enum nq_status propose(struct jobs *jobs, const char *id, uint64_t known, struct bytes *next)
{
    pthread_mutex_lock(&jobs->lock);
    const struct job *job = jobs_find(jobs, id);
    const bool news = job && known < job->changed;
    if (news) {
        struct job_record record = job->record;
        job_record_sign(&record, jobs->origin, job->changed);
        job_record_write(&record, next);
    }
    pthread_mutex_unlock(&jobs->lock);
    return news ? NQ_OK : NQ_NONE;
}

/* On the ledger's thread: what the store has of a job is heeded, and what it is to have. */
static enum nq_status amend(void *context, const char *id, const void *value, size_t size, struct bytes *next)
{
    struct jobs *jobs = context;
    struct job *told = NULL;
    enum nq_status status = value ? job_read(jobs, id, value, size, &told) : NQ_OK;
    const uint64_t known = told ? job_record_changes(&told->record, jobs->origin) : 0;
    if (told)
        status = meet(jobs, told, false); /* it may have been weeded out */
    if (status == NQ_NOMEM)
        return status;
    status = propose(jobs, id, known, next);
    (void)jobs_take_up(jobs);
    return status;
}

bool job_keep(struct job *job)
{
    struct jobs *jobs = job->home;
    job->unkept = ledger_amend(jobs->ledger, STORE_JOB, job->record.id, amend, jobs) == NQ_NOMEM;
    return !job->unkept;
}

/* ---- What is read ---- */

/* A job that was over so long ago that it is weeded out, and its record, which makes no sense, with it. */
static struct job *job_forgotten(struct jobs *jobs, const char *id)
{
    struct job_record record;
    if (!job_record_open(&record, "", ""))
        return NULL;
    memcpy(record.id, id, JOB_ID_SIZE);
    record.state = JOB_FAILED;
    record.created = 0;
    return job_new(jobs, &record);
}

struct reading {
    struct jobs *jobs;
    enum nq_status status; /* NQ_NOMEM: a record could not be read that may make sense */
};

static void read_one(void *context, const char *id, const void *text, size_t size)
{
    struct reading *reading = context;
    struct job *job = NULL;
    enum nq_status status = job_read(reading->jobs, id, text, size, &job);
    if (status == NQ_INVALID && strlen(id) == JOB_ID_SIZE - 1)
        job = job_forgotten(reading->jobs, id);
    if (job)
        status = meet(reading->jobs, job, true);
    if (status == NQ_NOMEM)
        reading->status = status;
}

static void weed(struct jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs_weed(jobs);
    pthread_mutex_unlock(&jobs->lock);
}

enum nq_status jobs_resume(struct jobs *jobs, const struct job_reopener *reopener, struct patience patience)
{
    struct reading reading = {.jobs = jobs};
    /* What is told from now on is heeded, what was told before is in the store. */
    atomic_store(&jobs->reopener, reopener);
    const enum nq_status read = ledger_each(jobs->ledger, STORE_JOB, "", patience, read_one, &reading);
    const enum nq_status status = read == NQ_NOMEM ? read : reading.status;
    if (status != NQ_OK)
        return status;
    weed(jobs);
    return jobs_take_up(jobs) == NQ_OK ? read : NQ_NOMEM;
}

void jobs_hear(struct jobs *jobs, const char *id, const void *text, size_t size)
{
    struct job *job;
    if (!atomic_load(&jobs->reopener) || job_read(jobs, id, text, size, &job) != NQ_OK)
        return; /* it is in the store, too */
    (void)meet(jobs, job, true);
    weed(jobs);
    (void)jobs_take_up(jobs);
}

/* On the ledger's thread: what the store has of a job is heeded, and stays. */
static enum nq_status look_at(void *context, const char *id, const void *value, size_t size, struct bytes *next)
{
    (void)next;
    if (value)
        jobs_hear(context, id, value, size);
    return NQ_NONE;
}

bool jobs_seek(struct jobs *jobs, const char *id, bool anyway)
{
    if (strlen(id) != JOB_ID_SIZE - 1 || strspn(id, "0123456789abcdef") != JOB_ID_SIZE - 1 ||
        !ledger_is_shared(jobs->ledger))
        return false;
    pthread_mutex_lock(&jobs->lock);
    const struct job *job = jobs_find(jobs, id);
    const bool known = job && (!job_over(job) || job->record.state == JOB_DONE);
    pthread_mutex_unlock(&jobs->lock);
    return (anyway || !known) && ledger_amend(jobs->ledger, STORE_JOB, id, look_at, jobs) == NQ_OK;
}
