/* engine.c - puts pool, flights and streams together. When the wait of a count's client is over, the count becomes a
 * job. */
#include "engine/engine.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/process.h"
#include "base/timed.h"
#include "count/counting.h"
#include "engine/ask/count_query.h"
#include "engine/ask/question.h"
#include "engine/counts/count_answer.h"
#include "engine/jobs/jobs.h"
#include "engine/lists/source.h"
#include "engine/run/flight.h"
#include "engine/run/work.h"

/* ---- A count whose client has waited long enough: a job, and only one: jobs_begin() joins the one there is ---- */

struct stay {
    struct on_timeout on_timeout;
    struct jobs *jobs;
    struct shared_question *question;
    char id[JOB_ID_SIZE];
};

/* NQ_AGAIN: there is a job, begun now or before; or why there is none. */
static enum nq_status stay_job(const struct stay *stay, char id[static JOB_ID_SIZE])
{
    const enum nq_status status = jobs_begin(stay->jobs, stay->question, id);
    return status == NQ_OK ? NQ_AGAIN : status;
}

static enum nq_status stay_begin(struct on_timeout *on_timeout)
{
    struct stay *stay = (struct stay *)on_timeout;
    return stay_job(stay, stay->id);
}

static void stay_free(struct on_timeout *on_timeout)
{
    struct stay *stay = (struct stay *)on_timeout;
    question_unref(stay->question);
    free(stay);
}

/* For a waiter to take over. at_once: its time is up as soon as the work is open. NULL: out of
 * memory. */
static struct on_timeout *stay_new(struct jobs *jobs, struct shared_question *question, bool at_once)
{
    struct stay *stay = calloc(1, sizeof *stay);
    if (!stay)
        return NULL;
    stay->on_timeout = (struct on_timeout){.stay = stay_begin, .free = stay_free, .at_once = at_once};
    stay->jobs = jobs;
    stay->question = question_ref(question);
    return &stay->on_timeout;
}

/* ---- The engine ---- */

struct engine {
    struct engine_options options;
    struct tools tools;
    struct allowance allowance; /* for what algorithms keep */
    atomic_ullong too_large;    /* questions that can never have enough of it */
    struct journal *journal;
    struct plans *plans, *tableless; /* the latter without tables */
    struct coordinator *coordinator; /* NULL: there are no workers */
    struct jobs *jobs;
    struct efforts *efforts;
    struct pool *pool;
    struct flights *flights;
    struct chores *chores;
    struct streams *streams;
    uint64_t foreign_logged_at; /* clock_now(), on the coordinator's thread; 0: never */
};

/* Which work answers a question. Runs on a pool thread. */
static enum nq_status open_work(void *context, const struct question *question, const atomic_bool *stop,
                                struct fault *fault, struct work **work)
{
    const struct engine *engine = context;
    enum nq_status status;
    switch (question->kind) {
    case ASK_COUNT:
        switch (question->count.way) {
        case COUNT_COMPUTE: return work_count(question, &engine->tools, count_answer_computed, stop, fault, work);
        case COUNT_ESTIMATE: return work_estimate(question, &engine->tools, stop, work);
        case COUNT_REGIONS: return work_region_count(question, work);
        case COUNT_TABLE:
        case COUNT_ASYMPTOTIC: break;
        }
        return work_lookup(question, work);
    case ASK_COST: return work_cost(question, &engine->tools, work);
    case ASK_UNITS: return work_unit_lists(question, &engine->tools, work);
    case ASK_COMPARE: return work_compare(question, work);
    case ASK_PUZZLE:
        return question->puzzle.regions ? work_regions_puzzle(question, work)
                                        : work_puzzle(question, &engine->tools, fault, work);
    case ASK_HINT:
        if (question->shape.rows)
            return work_hint_shape(question, work);
        if (question->hint.deduced)
            return work_path(question, work);
        status = work_hint(question, stop, work);
        return status == NQ_NONE ? work_count(question, &engine->tools, hint_answer, stop, fault, work) : status;
    case ASK_VERIFY: return work_verify(question, &engine->tools, work);
    case ASK_SOLVE:
    case ASK_TRACE:
    case ASK_CONSTRUCT: break;
    }
    return work_page(question, &engine->tools, work);
}

/* How fast a kernel is: placements of the search a second, which is what costs are told in. By a board of about a
 * millisecond; a square is not allowed on it, since boards that are whole are counted by another method, whose
 * placements are other ones. */
struct speed {
    const struct kernel *kernel;
    double nodes_per_second;
};

/* Counts all units of a board. Returns how many placements that took, and *elapsed. */
static uint64_t count_all(const struct counting *counting, const struct kernel *kernel, uint64_t *elapsed)
{
    const uint64_t start = clock_worked();
    uint64_t nodes = 0;
    for (size_t unit = 0; unit < counting_units(counting); unit++) {
        struct unit_result result;
        (void)counting_count(counting, unit, METHOD_WHOLE, kernel, NULL, &result); /* never stopped */
        nodes += result.nodes;
    }
    *elapsed = clock_worked() - start;
    return nodes;
}

static void *measure(void *arg)
{
    enum { N = 13 };
    struct speed *speed = arg;
    struct query query = {0};
    struct counting *counting;
    thread_name("measure");
    filter_begin(&query.filter, N);
    filter_exclude(&query.filter, 0, 0);
    if (counting_open(&query, NULL, &counting) != NQ_OK)
        return NULL;
    if (counting_prepare(counting, NULL, NULL, NULL) == NQ_OK) {
        uint64_t elapsed;
        (void)count_all(counting, speed->kernel, &elapsed); /* the first time takes twice as long: caches are cold */
        const uint64_t nodes = count_all(counting, speed->kernel, &elapsed);
        if (nodes && elapsed)
            speed->nodes_per_second = (double)nodes / (double)elapsed * (double)CLOCK_SECOND;
    }
    counting_close(counting);
    return NULL;
}

/* On a thread of its own: counting takes a third of a megabyte of its stack, which the main thread would have for good.
 */
static double nodes_per_second(const struct kernel *kernel)
{
    enum { ASSUMED = 100000000 };
    struct speed speed = {.kernel = kernel, .nodes_per_second = ASSUMED};
    pthread_t thread;
    if (pthread_create(&thread, NULL, measure, &speed) == 0)
        pthread_join(thread, NULL);
    return speed.nodes_per_second;
}

/* For searches that were told to stop to come back from their slices. */
enum { LAST_SLICE_MS = 3000 };

/* Among the jobs of the broker is a message that is none. Any client of the broker may put some there, at any rate, and
 * all of them come again with every new connection: one in a minute is logged. */
static void log_foreign(struct engine *engine, const char *id)
{
    enum { LOG_MS = 60000 };
    char text[240];
    if (!engine->options.tell || (engine->foreign_logged_at && !timed_long_ago(engine->foreign_logged_at, LOG_MS)))
        return;
    engine->foreign_logged_at = clock_now();
    (void)snprintf(
        text, sizeof text,
        "a message in the bucket of jobs is ignored: it is damaged, or was not written by nqueensd. Its key is "
        "%.60s",
        id);
    engine->options.tell(engine->options.who, "store", text);
}

/* On the coordinator's thread. */
static void on_job(void *who, const char *id, const void *text, size_t size)
{
    struct engine *engine = who;
    if (text && job_id_is_sound(id))
        jobs_receive(engine->jobs, id, text, size);
    else
        log_foreign(engine, id);
}

static bool open_coordinator(struct engine *engine)
{
    const struct coordinator_options options = {.queue = engine->options.work,
                                                .journal = engine->journal,
                                                .audit = engine->options.audit,
                                                .seconds_per_weight = 1 / engine->tools.nodes_per_second,
                                                .threads = engine->options.threads,
                                                .lease_ms = engine->options.lease_ms,
                                                .notify = engine->options.tell,
                                                .who = engine->options.who};
    engine->coordinator = engine->tools.coordinator = coordinator_new(&options);
    if (engine->coordinator)
        queue_watch_jobs(engine->options.work, on_job, engine);
    return engine->coordinator;
}

struct engine *engine_new(const struct engine_options *options)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    atomic_init(&engine->allowance.left, options->search_bytes ? options->search_bytes : SIZE_MAX);
    engine->options = *options;
    engine->efforts = efforts_new();
    if (!engine->efforts)
        goto fail;
    engine->pool = pool_new(&(struct pool_options){
        .threads = options->threads, .capacity = options->queue, .extra = true, .efforts = engine->efforts});
    if (!engine->pool)
        goto fail;
    engine->flights = flights_new(engine->pool, options->cache_bytes, options->threads, open_work, engine);
    engine->chores = chores_new(engine->pool);
    engine->streams =
        streams_new(engine->pool, options->kernel, &engine->allowance, options->max_streams, options->max_stream_s);
    engine->journal = journal_new(options->store, options->waiting_bytes, options->trouble, options->who);
    engine->plans = plans_new(options->table_bytes, options->threads, options->split_weight);
    engine->tableless = plans_new(0, options->threads, options->split_weight);
    if (!engine->flights || !engine->chores || !engine->streams || !engine->journal || !engine->plans ||
        !engine->tableless)
        goto fail;
    engine->jobs = jobs_new(engine->flights, engine->journal, options->max_jobs, options->news, options->who);
    if (!engine->jobs)
        goto fail;
    engine->tools = (struct tools){.kernel = options->kernel,
                                   .threads = options->threads,
                                   .journal = engine->journal,
                                   .plans = engine->plans,
                                   .tableless = engine->tableless,
                                   .table_bytes = options->table_bytes,
                                   .nodes_per_second = nodes_per_second(options->kernel),
                                   .most_core_seconds = options->max_job_hours * 3600,
                                   .lengthy_seconds = options->lengthy_seconds};
    if (options->work && !open_coordinator(engine))
        goto fail;
    return engine;
fail:
    (void)engine_close(engine); /* nothing is running, and nothing waits for the store */
    engine_free(engine);
    return NULL;
}

enum nq_status engine_close(struct engine *engine)
{
    const uint64_t until = clock_now() + LAST_SLICE_MS * CLOCK_MILLISECOND;
    flights_close(engine->flights);
    chores_close(engine->chores);
    streams_close(engine->streams);
    const bool ended = pool_stop_until(engine->pool, until);
    if (engine->coordinator)
        coordinator_stop(engine->coordinator);
    const enum nq_status stored = journal_close(engine->journal);
    if (stored != NQ_OK)
        return stored == NQ_TIMEOUT ? NQ_BUSY : NQ_BROKEN;
    return ended ? NQ_OK : NQ_TIMEOUT;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    jobs_free(engine->jobs);
    if (engine->coordinator)
        coordinator_free(engine->coordinator);
    plans_free(engine->tableless);
    plans_free(engine->plans);
    journal_free(engine->journal);
    streams_free(engine->streams);
    chores_free(engine->chores);
    flights_free(engine->flights);
    pool_free(engine->pool);
    efforts_free(engine->efforts);
    free(engine);
}

/* A copy of the question with what is the engine's own. */
static struct shared_question *share(struct engine *engine, const struct question *question)
{
    struct shared_question *shared = question_share(question);
    if (shared)
        shared->question.allowance = &engine->allowance;
    return shared;
}

struct answer *engine_peek(struct engine *engine, const char *key, uint64_t *seen)
{
    return flights_peek(engine->flights, key, seen);
}

void engine_keep(struct engine *engine, const char *key, struct answer *answer)
{
    flights_keep(engine->flights, key, answer);
}

struct waiter *engine_ask(struct engine *engine, const struct question *question, uint64_t seen, pending_wake *wake,
                          void *who)
{
    struct shared_question *shared = share(engine, question);
    if (!shared)
        return NULL;
    struct on_timeout *stay = question_computed(question) ? stay_new(engine->jobs, shared, false) : NULL;
    const struct asking asking = {.seen = seen,
                                  .brief = question_brief(question),
                                  .on_timeout = stay, /* NULL: no job then */
                                  .wake = wake,
                                  .who = who};
    struct waiter *waiter = flights_ask(engine->flights, shared, &asking);
    if (!waiter && stay)
        stay->free(stay);
    question_unref(shared);
    return waiter;
}

struct waiter *engine_ask_job(struct engine *engine, const struct question *question, uint64_t seen, pending_wake *wake,
                              void *who)
{
    struct shared_question *shared = share(engine, question);
    struct on_timeout *stay = shared ? stay_new(engine->jobs, shared, true) : NULL;
    const struct asking asking = {.seen = seen, .on_timeout = stay, .wake = wake, .who = who};
    struct waiter *waiter = stay ? flights_ask(engine->flights, shared, &asking) : NULL;
    if (!waiter && stay)
        stay->free(stay);
    question_unref(shared);
    return waiter;
}

enum nq_status engine_begin_job(struct waiter *waiter, char id[static JOB_ID_SIZE])
{
    return stay_job((const struct stay *)waiter->on_timeout, id);
}

bool engine_job_done(struct engine *engine, const struct question *question, char id[static JOB_ID_SIZE])
{
    return jobs_done(engine->jobs, question->key, id);
}

const char *engine_job_of(const struct waiter *waiter)
{
    return ((const struct stay *)waiter->on_timeout)->id;
}

bool engine_seek(struct engine *engine, const char *id, bool anyway)
{
    return jobs_seek(engine->jobs, id, anyway);
}

bool engine_job_unread(struct engine *engine, const char *id, bool unasked)
{
    return jobs_unread(engine->jobs, id, unasked);
}

enum nq_status engine_look(struct engine *engine, const char *id, bool anyway, struct job_view *view)
{
    return jobs_look(engine->jobs, id, anyway, view);
}

enum nq_status engine_cancel_job(struct engine *engine, const char *id, const char *name)
{
    return jobs_cancel(engine->jobs, id, name);
}

/* ---- Waiting for the journal ---- */

static void settling_cancel(struct pending *pending, enum nq_status why)
{
    if (pending_end(pending, why))
        pending_notify(pending);
}

static void settling_free(struct pending *pending)
{
    free(pending);
}

static const struct pending_class settling_class = {.cancel = settling_cancel, .free = settling_free};

static void settled(void *who, enum nq_status status)
{
    struct pending *pending = who;
    settling_cancel(pending, status);
    pending_unref(pending);
}

struct pending *engine_settle(struct engine *engine, pending_wake *wake, void *who)
{
    struct pending *pending = malloc(sizeof *pending);
    if (!pending)
        return NULL;
    *pending = (struct pending)PENDING_ONCE(&settling_class, wake, who);
    if (journal_notify(engine->journal, settled, pending))
        return pending;
    free(pending);
    return NULL;
}

void engine_waits(struct engine *engine, size_t counts[static STORE_KINDS])
{
    journal_waits(engine->journal, counts);
}

static enum nq_status parse_query(void *context, const char *text, struct shared_question **question)
{
    (void)context;
    return count_query_parse(text, question);
}

enum nq_status engine_resume(struct engine *engine, struct deadline deadline)
{
    static const struct query_parser parser = {.parse = parse_query};
    return jobs_resume(engine->jobs, &parser, deadline);
}

struct chore *engine_begin_chore(struct engine *engine, const struct chore_order *order)
{
    return chore_begin(engine->chores, order);
}

enum nq_status engine_stream(struct engine *engine, const struct question *question, pending_wake *wake, void *who,
                             struct stream **stream)
{
    return stream_open(engine->streams, question, wake, who, stream);
}

/* The largest board for which a construction needs at most so many bytes. */
static uint32_t largest_board(const struct construction *method, size_t bytes)
{
    uint32_t least = 0, most = method->max_n;
    while (least < most) {
        const uint32_t middle = least + (most - least + 1) / 2;
        if (method->bytes(middle) <= bytes)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

/* Other questions take at most the least that --search-bytes may be. */
bool engine_has_room(struct engine *engine, const struct question *question, struct fault *fault)
{
    const struct construction *method = question->kind == ASK_CONSTRUCT ? source_construction(question) : NULL;
    const size_t limit = engine->options.search_bytes, bytes = method && method->bytes ? method->bytes(question->n) : 0;
    if (!limit || bytes <= limit)
        return true;
    const uint32_t largest = largest_board(method, limit);
    fault_write(fault, FAULT_SEARCH_BYTES, (const double[]){(double)bytes, (double)limit, largest},
                "A board of %" PRIu32
                " rows by %s needs %zu bytes of memory, and this service has %zu for all searches "
                "(--search-bytes). Use n of at most %" PRIu32 ".",
                question->n, method->name, bytes, limit, largest);
    atomic_fetch_add(&engine->too_large, 1);
    return false;
}

const char *engine_kernel(const struct engine *engine)
{
    return engine->options.kernel->name;
}

bool engine_fault(struct engine *engine, char why[static STORE_ERROR_MAX])
{
    return journal_fault(engine->journal, why);
}

const struct efforts *engine_efforts(const struct engine *engine)
{
    return engine->efforts;
}

struct engine_stats engine_stats(struct engine *engine)
{
    return (struct engine_stats){
        .too_large = atomic_load(&engine->too_large),
        .pool = pool_stats(engine->pool),
        .flights = flights_stats(engine->flights),
        .streams = streams_stats(engine->streams),
        .jobs = jobs_stats(engine->jobs),
        .plans = plans_stats(engine->plans),
        .journal = journal_stats(engine->journal),
        .coordinator = engine->coordinator ? coordinator_stats(engine->coordinator) : (struct coordinator_stats){0},
    };
}

#ifdef CHECKS
unsigned engine_check(struct engine *engine)
{
    unsigned count = 7; /* with the cache */
    pool_check(engine->pool);
    flights_check(engine->flights);
    chores_check(engine->chores);
    streams_check(engine->streams);
    jobs_check(engine->jobs);
    journal_check(engine->journal);
    if (engine->coordinator) {
        coordinator_check(engine->coordinator);
        count++;
    }
    return count;
}
#endif
