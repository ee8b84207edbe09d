/* engine.c - puts pool, flights and streams together. */
#include "engine/engine.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "count/counting.h"
#include "engine/work.h"

struct engine {
    struct engine_options options;
    struct tools tools;
    struct allowance allowance; /* for what algorithms keep */
    struct ledger *ledger;
    struct plans *plans, *bare; /* the latter without tables */
    struct crews *crews;        /* NULL: there are no workers */
    struct jobs *jobs;
    struct efforts *efforts;
    struct pool *pool, *lengthy; /* for what is soon done, and for what is not */
    struct flights *flights;
    struct streams *streams;
};

/* Which work answers a question. Runs on a pool thread. */
static enum nq_status open_work(void *context, const struct question *question, const atomic_bool *stop,
                                char why[static WORK_WHY_MAX], struct work **work)
{
    const struct engine *engine = context;
    switch (question->kind) {
    case ASK_COUNT:
        switch (question->way) {
        case COUNT_COMPUTE:
            if (question->indexed)
                return work_index(question, &engine->tools, why, work);
            return work_tally(question, &engine->tools, stop, why, work);
        case COUNT_ESTIMATE: return work_estimate(question, &engine->tools, work);
        case COUNT_TABLE:
        case COUNT_ASYMPTOTIC: break;
        }
        return work_lookup(question, work);
    case ASK_COST: return work_cost(question, &engine->tools, work);
    case ASK_PLACE: return work_place(question, &engine->tools, work);
    case ASK_COMPARE: return work_compare(question, work);
    case ASK_PUZZLE: return work_puzzle(question, &engine->tools, why, work);
    case ASK_HINT: return work_hint(question, &engine->tools, stop, why, work);
    case ASK_VERIFY: return work_verify(question, &engine->tools, work);
    case ASK_SOLVE:
    case ASK_TRACE:
    case ASK_CONSTRUCT: break;
    }
    return work_page(question, &engine->tools, work);
}

/* How fast a kernel is, about: by counting a board of some milliseconds. */
static double measure(const struct kernel *kernel)
{
    enum { N = 13, ASSUMED = 100000000 };
    struct query query = {0};
    struct counting *counting;
    struct unit_result sum = {0};
    filter_begin(&query.filter, N);
    if (counting_open(&query, &counting) != NQ_OK)
        return ASSUMED;
    const uint64_t start = clock_worked();
    if (counting_prepare(counting, NULL, NULL, NULL) == NQ_OK) {
        for (size_t unit = 0; unit < counting_units(counting); unit++) {
            struct unit_result result;
            (void)counting_count(counting, unit, kernel, NULL, &result); /* never stopped */
            sum.nodes += result.nodes;
        }
    }
    counting_close(counting);
    const uint64_t elapsed = clock_worked() - start;
    return sum.nodes && elapsed ? (double)sum.nodes / (double)elapsed * (double)CLOCK_SECOND : ASSUMED;
}

/* Bytes that all algorithms together may keep of placements. */
enum { ALLOWANCE = 512 << 20 };

/* For searches that were told to stop to come back from their slices. */
enum { LAST_SLICE_MS = 3000 };

static bool hire(struct engine *engine)
{
    const struct crews_options options = {.queue = engine->options.work,
                                          .ledger = engine->ledger,
                                          .jobs = engine->jobs,
                                          .audit = engine->options.audit,
                                          .seconds_per_weight = 1 / engine->tools.nodes_per_second};
    engine->crews = engine->tools.crews = crews_new(&options);
    return engine->crews;
}

struct engine *engine_new(const struct engine_options *options)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    atomic_init(&engine->allowance.left, ALLOWANCE);
    engine->options = *options;
    engine->efforts = efforts_new();
    if (!engine->efforts)
        goto fail;
    engine->pool = pool_new(options->threads, options->queue, POOL_NICE, engine->efforts);
    if (!engine->pool)
        goto fail_efforts;
    engine->lengthy = pool_new(options->threads, 0, POOL_IDLE, engine->efforts);
    if (!engine->lengthy)
        goto fail_pool;
    engine->flights =
        flights_new(engine->pool, engine->lengthy, options->cache_bytes, options->threads, open_work, engine);
    if (!engine->flights)
        goto fail_lengthy;
    engine->streams = streams_new(engine->pool, options->kernel, options->max_streams, options->max_stream_s);
    if (!engine->streams)
        goto fail_flights;
    engine->ledger = ledger_new(options->store, options->waiting_bytes, options->trouble, options->who);
    if (!engine->ledger)
        goto fail_streams;
    engine->plans = plans_new(options->table_bytes, options->threads);
    if (!engine->plans)
        goto fail_ledger;
    engine->bare = plans_new(0, options->threads);
    if (!engine->bare)
        goto fail_plans;
    engine->jobs = jobs_new(engine->flights, engine->ledger, options->max_jobs, options->news, options->who);
    if (!engine->jobs)
        goto fail_bare;
    engine->tools = (struct tools){.kernel = options->kernel,
                                   .threads = options->threads,
                                   .ledger = engine->ledger,
                                   .plans = engine->plans,
                                   .bare = engine->bare,
                                   .table_bytes = options->table_bytes,
                                   .nodes_per_second = measure(options->kernel),
                                   .most_core_seconds = options->max_job_hours * 3600};
    if (options->work && !hire(engine))
        goto fail_jobs;
    return engine;
fail_jobs:
    jobs_free(engine->jobs);
fail_bare:
    plans_free(engine->bare);
fail_plans:
    plans_free(engine->plans);
fail_ledger:
    (void)ledger_close(engine->ledger); /* it has nothing to do */
    ledger_free(engine->ledger);
fail_streams:
    streams_free(engine->streams);
fail_flights:
    flights_free(engine->flights);
fail_lengthy:
    pool_stop(engine->lengthy);
    pool_free(engine->lengthy);
fail_pool:
    pool_stop(engine->pool);
    pool_free(engine->pool);
fail_efforts:
    efforts_free(engine->efforts);
fail:
    free(engine);
    return NULL;
}

enum nq_status engine_close(struct engine *engine)
{
    const uint64_t until = clock_now() + LAST_SLICE_MS * CLOCK_MILLISECOND;
    flights_close(engine->flights);
    streams_close(engine->streams);
    bool ended = pool_stop_until(engine->pool, until); /* first: it hands over to the other one */
    ended = pool_stop_until(engine->lengthy, until) && ended;
    if (engine->crews)
        crews_stop(engine->crews);
    if (!ledger_close(engine->ledger))
        return NQ_BROKEN;
    return ended ? NQ_OK : NQ_TIMEOUT;
}

void engine_free(struct engine *engine)
{
    jobs_free(engine->jobs);
    if (engine->crews)
        crews_free(engine->crews);
    plans_free(engine->bare);
    plans_free(engine->plans);
    ledger_free(engine->ledger);
    streams_free(engine->streams);
    flights_free(engine->flights);
    pool_free(engine->lengthy);
    pool_free(engine->pool);
    efforts_free(engine->efforts);
    free(engine);
}

/* The question with what is the engine's own. */
static struct question furnished(struct engine *engine, const struct question *question)
{
    struct question own = *question;
    own.allowance = &engine->allowance;
    return own;
}

struct answer *engine_peek(struct engine *engine, const struct question *question)
{
    return flights_peek(engine->flights, question->key);
}

/* ---- Counts that outlast the patience of whoever asked ---- */

struct stay {
    struct outlast outlast;
    struct jobs *jobs;
    struct question question;
    bool own; /* wants a share of its own */
    pthread_mutex_t lock;
    bool stayed; /* once and for all, and what it came to: */
    enum nq_status status;
    char id[JOB_ID_SIZE];
};

static enum nq_status stay_on(struct outlast *outlast)
{
    struct stay *stay = (struct stay *)outlast;
    pthread_mutex_lock(&stay->lock);
    if (!stay->stayed) {
        const enum nq_status status = jobs_begin(stay->jobs, &stay->question, stay->own, stay->id);
        stay->status = status == NQ_OK ? NQ_AGAIN : status;
        stay->stayed = true;
    }
    pthread_mutex_unlock(&stay->lock);
    return stay->status;
}

static void stay_free(struct outlast *outlast)
{
    struct stay *stay = (struct stay *)outlast;
    pthread_mutex_destroy(&stay->lock);
    question_free(&stay->question);
    free(stay);
}

/* NULL when memory is out: then the count ends when its time is up. */
static struct stay *stay_new(struct jobs *jobs, const struct question *question)
{
    struct stay *stay = calloc(1, sizeof *stay);
    if (!stay || !question_copy(&stay->question, question)) {
        free(stay);
        return NULL;
    }
    stay->outlast = (struct outlast){.stay = stay_on, .free = stay_free};
    stay->jobs = jobs;
    pthread_mutex_init(&stay->lock, NULL);
    return stay;
}

struct ticket *engine_ask(struct engine *engine, const struct question *question, party_wake wake, void *who)
{
    struct stay *stay = question_computed(question) ? stay_new(engine->jobs, question) : NULL;
    struct outlast *outlast = stay ? &stay->outlast : NULL;
    const struct question own = furnished(engine, question);
    struct ticket *ticket = flights_ask(engine->flights, &own, outlast, false, wake, who);
    if (!ticket && outlast)
        stay_free(outlast);
    return ticket;
}

struct ticket *engine_ask_job(struct engine *engine, const struct question *question, bool own, party_wake wake,
                              void *who)
{
    struct stay *stay = stay_new(engine->jobs, question);
    if (!stay)
        return NULL;
    stay->own = own;
    stay->outlast.at_once = true;
    struct ticket *ticket = flights_ask(engine->flights, question, &stay->outlast, false, wake, who);
    if (!ticket)
        stay_free(&stay->outlast);
    return ticket;
}

enum nq_status engine_begin_job(struct ticket *ticket)
{
    return stay_on(ticket->outlast);
}

const char *engine_job_of(const struct ticket *ticket)
{
    return ((const struct stay *)ticket->outlast)->id;
}

bool engine_seek(struct engine *engine, const char *id, bool anyway)
{
    return jobs_seek(engine->jobs, id, anyway);
}

enum nq_status engine_look(struct engine *engine, const char *id, struct job_view *view)
{
    return jobs_look(engine->jobs, id, view);
}

enum nq_status engine_cancel_job(struct engine *engine, const char *id, const char *name)
{
    return jobs_cancel(engine->jobs, id, name);
}

/* ---- Waiting for the ledger ---- */

struct settling {
    struct party party;
    atomic_int status; /* NQ_AGAIN: it is not over */
    party_wake wake;
    void *who;
};

static void settle(struct settling *settling, enum nq_status status)
{
    int again = NQ_AGAIN;
    if (atomic_compare_exchange_strong(&settling->status, &again, (int)status))
        settling->wake(settling->who);
}

static void settling_dismiss(struct party *party, enum nq_status why)
{
    settle((struct settling *)party, why);
}

static void settling_free(struct party *party)
{
    free(party);
}

static void settled(void *who, enum nq_status status)
{
    struct settling *settling = who;
    settle(settling, status);
    party_unref(&settling->party);
}

struct party *engine_settle(struct engine *engine, party_wake wake, void *who)
{
    struct settling *settling = malloc(sizeof *settling);
    if (!settling)
        return NULL;
    *settling = (struct settling){.party = {.references = 2, .dismiss = settling_dismiss, .free = settling_free},
                                  .status = NQ_AGAIN,
                                  .wake = wake,
                                  .who = who};
    if (ledger_notify(engine->ledger, settled, settling))
        return &settling->party;
    free(settling);
    return NULL;
}

enum nq_status engine_settled(const struct party *party)
{
    return (enum nq_status)atomic_load(&((const struct settling *)party)->status);
}

enum nq_status engine_resume(struct engine *engine, const struct job_reopener *reopener, struct patience patience)
{
    return jobs_resume(engine->jobs, reopener, patience);
}

enum nq_status engine_stream(struct engine *engine, const struct question *question, party_wake wake, void *who,
                             struct stream **stream)
{
    const struct question own = furnished(engine, question);
    return stream_open(engine->streams, &own, wake, who, stream);
}

const char *engine_kernel(const struct engine *engine)
{
    return engine->options.kernel->name;
}

bool engine_ails(struct engine *engine, char why[static STORE_ERROR_MAX])
{
    return ledger_ails(engine->ledger, why);
}

const struct efforts *engine_efforts(const struct engine *engine)
{
    return engine->efforts;
}

struct engine_figures engine_figures(struct engine *engine)
{
    return (struct engine_figures){
        .pool = pool_figures(engine->pool),
        .lengthy = pool_figures(engine->lengthy),
        .flights = flights_figures(engine->flights),
        .streams = streams_figures(engine->streams),
        .jobs = jobs_figures(engine->jobs),
        .plans = plans_figures(engine->plans),
        .ledger = ledger_figures(engine->ledger),
        .crews = engine->crews ? crews_figures(engine->crews) : (struct crews_figures){0},
    };
}
