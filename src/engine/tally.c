/* tally.c - a count by searching: every lane takes the next unit until none is left. What a unit or a whole term came
 * to is a fact: it goes to the ledger, and what the ledger has already is not counted again. Where there are workers a
 * lengthy count is theirs, and one lane waits for them; where another server sees to it, for that. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "count/counting.h"
#include "engine/count_answer.h"
#include "engine/crew.h"
#include "engine/hint.h"
#include "engine/ledger.h"
#include "engine/plans.h"
#include "engine/units.h"

/* Terms that take less are not worth keeping: they would only crowd out others. Placements; some 10 ms. */
enum { KEEP_WEIGHT = 10000000 };

/* No board of fewer rows has so many, however it is searched (n = 13: 4674889, A319283): the store is not even asked,
 * which for every square of n = 8 takes longer than to count. */
enum { KEEP_ROWS = 14 };

struct sum {
    nq_wide parts;  /* of its units so far */
    nq_wide stored; /* of all, when it is done */
    size_t left;    /* units to come */
    bool keep;
    atomic_bool begun; /* a lane has taken one of its units */
    char *name;        /* in the ledger */
};

struct tally {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct ledger *ledger;
    struct plans *plans;
    struct counting *counting;
    unsigned threads;
    bool *done;         /* by term: known to the store. Written under the lock, once lanes run */
    atomic_bool unsure; /* others may be known, too: the store has not answered in time */
    struct units units;
    pthread_mutex_t lock; /* guards the sums and what is done, once lanes run */
    struct sum *sums;     /* by term */
    struct crews *crews;  /* NULL: nobody else counts */
    struct plans *bare_plans;
    struct crew *crew;  /* NULL: nobody else counts this */
    atomic_bool shared; /* the crew is there, for whoever asks at any time */
    bool bare;          /* the plan has no tables, workers having theirs */
    bool laid_out;      /* the units are there */
    bool kept;          /* the result is on its way to the store */
    atomic_uint lanes;  /* that have not ended */
    uint64_t looked;    /* for a result of another server's, clock_now() */
    char why[WORK_WHY_MAX];
};

/* Of a lane that waits, and between two looks for a result. */
enum { WAIT_MS = 5, LOOK_MS = 500, RECALL_MS = 2000 };

/* ---- Facts, under the term's name, with " #unit" for one unit of it ---- */

static bool keep_fact(struct tally *tally, enum store_kind kind, const char *key, nq_wide parts, uint64_t nodes)
{
    char value[UNIT_FACT_MAX];
    units_fact(parts, nodes, value);
    return ledger_put(tally->ledger, kind, key, value);
}

static void keep_unit(struct tally *tally, size_t term, size_t unit, const struct unit_result *result)
{
    char *text = units_key(tally->sums[term].name, unit - counting_first(tally->counting, term));
    if (text)
        (void)keep_fact(tally, STORE_UNIT, text, result->parts, result->nodes); /* or it is counted again one day */
    free(text);
}

static void keep_term(struct tally *tally, size_t term, nq_wide parts)
{
    const char *name = tally->sums[term].name;
    char *text = units_prefix(name);
    if (text && keep_fact(tally, STORE_RESULT, name, parts, 0))
        ledger_drop(tally->ledger, STORE_UNIT, text);
    free(text);
}

/* ---- Opening ---- */

static enum nq_status name_terms(struct tally *tally)
{
    for (size_t term = 0; term < counting_terms(tally->counting); term++) {
        struct bytes name = {0};
        counting_name(tally->counting, term, &name);
        tally->sums[term].name = bytes_take(&name);
        if (!tally->sums[term].name)
            return NQ_NOMEM;
    }
    return NQ_OK;
}

static bool is_done(struct tally *tally, size_t term)
{
    pthread_mutex_lock(&tally->lock);
    const bool done = tally->done[term];
    pthread_mutex_unlock(&tally->lock);
    return done;
}

/* Takes over what is known of a term. */
static enum nq_status recall_term(struct tally *tally, size_t term, struct patience patience)
{
    struct sum *sum = &tally->sums[term];
    struct bytes fact = {0};
    nq_wide stored;
    uint64_t nodes;
    const enum nq_status status = ledger_get(tally->ledger, STORE_RESULT, sum->name, patience, &fact);
    if (status == NQ_OK && units_read_fact(fact.data, fact.size, &stored, &nodes)) {
        pthread_mutex_lock(&tally->lock);
        sum->stored = stored;
        tally->done[term] = true;
        pthread_mutex_unlock(&tally->lock);
    }
    bytes_free(&fact);
    return status;
}

/* Once the store has not answered in time, it is not asked any more. */
static enum nq_status recall_terms(struct tally *tally, struct patience patience)
{
    const bool worth = tally->ledger && tally->question->query.filter.n >= KEEP_ROWS;
    enum nq_status status = NQ_OK;
    for (size_t term = 0; worth && term < counting_terms(tally->counting); term++) {
        if (is_done(tally, term))
            continue;
        status = recall_term(tally, term, patience);
        if (status == NQ_TIMEOUT || status == NQ_CANCELLED)
            break;
    }
    tally->unsure = status == NQ_TIMEOUT;
    return status == NQ_CANCELLED ? status : NQ_OK;
}

static uint64_t unit_weight(const struct tally *tally, size_t unit)
{
    return (uint64_t)counting_weight(tally->counting, unit);
}

struct recall {
    struct tally *tally;
    size_t term;
};

static void recall_unit(void *context, const char *key, const void *value, size_t size)
{
    const struct recall *recall = context;
    struct tally *tally = recall->tally;
    struct sum *sum = &tally->sums[recall->term];
    const size_t first = counting_first(tally->counting, recall->term);
    const size_t count = counting_first(tally->counting, recall->term + 1) - first;
    nq_wide parts;
    uint64_t nodes;
    size_t unit;
    if (!units_number(key, count, &unit) || !units_read_fact(value, size, &parts, &nodes) ||
        !units_restore(&tally->units, first + unit, unit_weight(tally, first + unit)))
        return;
    sum->parts += parts;
    sum->left--;
    if (tally->crew)
        crew_recalled(tally->crew, first + unit, (uint64_t)parts);
}

/* Lays out the units, and takes over those that were counted before. */
static enum nq_status recall_units(struct tally *tally, struct patience patience)
{
    struct counting *counting = tally->counting;
    enum nq_status status = NQ_OK;
    if (!units_lay(&tally->units, counting_units(counting)))
        return NQ_NOMEM;
    for (size_t term = 0; term < counting_terms(counting); term++) {
        struct sum *sum = &tally->sums[term];
        uint64_t weight = 0;
        for (size_t unit = counting_first(counting, term); unit < counting_first(counting, term + 1);
             unit++, sum->left++)
            weight += unit_weight(tally, unit);
        tally->units.weight += weight;
        sum->keep = tally->ledger && (weight >= KEEP_WEIGHT || tally->crew);
        if (tally->done[term] || !sum->keep || status == NQ_TIMEOUT)
            continue;
        struct recall recall = {.tally = tally, .term = term};
        char *text = units_prefix(sum->name);
        if (!text)
            return NQ_NOMEM;
        status = ledger_each(tally->ledger, STORE_UNIT, text, patience, recall_unit, &recall); /* or it is counted */
        free(text);
        if (!sum->left && !tally->crew) /* the last process ended between the last unit and the sum */
            keep_term(tally, term, sum->parts);
    }
    units_begin(&tally->units);
    return NQ_OK;
}

/* Nothing may be begun that would take more than the limit. */
static enum nq_status afford(struct tally *tally, const struct tools *tools, const atomic_bool *stop,
                             char why[static WORK_WHY_MAX])
{
    const double seconds = counting_cost(tally->counting, tally->done, stop) / tools->nodes_per_second;
    if (units_afford(&tally->work, tally->question, tools, seconds))
        return NQ_OK;
    (void)snprintf(why, WORK_WHY_MAX,
                   "It would take about %.3g hours of one core, and %.3g is the most; method=estimate is quick.",
                   seconds / 3600, tools->most_core_seconds / 3600);
    return NQ_LIMIT;
}

/* ---- The work ---- */

/* Under the lock: whether nothing is begun yet by the method of a term. */
static bool is_first(const struct tally *tally, size_t term)
{
    const char *method = counting_method(tally->counting, term);
    for (size_t i = 0; i < counting_terms(tally->counting); i++)
        if (tally->sums[i].begun && counting_method(tally->counting, i) == method)
            return false;
    return true;
}

/* Tells a lane's meter by what method it counts from here on. */
static void meter_term(struct tally *tally, size_t term, struct meter *meter)
{
    struct sum *sum = &tally->sums[term];
    bool first = false;
    if (!atomic_load_explicit(&sum->begun, memory_order_relaxed)) {
        pthread_mutex_lock(&tally->lock);
        first = is_first(tally, term);
        atomic_store_explicit(&sum->begun, true, memory_order_relaxed);
        pthread_mutex_unlock(&tally->lock);
    }
    (first ? meter_begin : meter_by)(meter, counting_method(tally->counting, term));
}

/* Adds what a unit came to. What others have counted may still turn out to be wrong: then terms are kept at the end. */
static void add_unit(struct tally *tally, size_t unit, const struct unit_result *result)
{
    const size_t term = counting_term(tally->counting, unit);
    struct sum *sum = &tally->sums[term];
    pthread_mutex_lock(&tally->lock);
    sum->parts += result->parts;
    const nq_wide parts = sum->parts;
    const bool whole = --sum->left == 0;
    pthread_mutex_unlock(&tally->lock);
    units_finish(&tally->units, unit_weight(tally, unit), result->nodes);
    if (whole && sum->keep && !tally->crew)
        keep_term(tally, term, parts);
}

/* audit: of a worker's result. */
static enum nq_status count_unit(struct tally *tally, size_t unit, bool audit, struct meter *meter,
                                 const atomic_bool *stop)
{
    const size_t term = counting_term(tally->counting, unit);
    struct unit_result result = {0};
    meter_term(tally, term, meter);
    const enum nq_status status = counting_count(tally->counting, unit, tally->kernel, stop, &result);
    meter_did(meter, result.nodes);
    if (status != NQ_OK)
        return status;
    if (audit) {
        crew_audited(tally->crew, unit, result.parts);
    } else if (units_settle(&tally->units, unit)) {
        if (tally->sums[term].keep)
            keep_unit(tally, term, unit, &result); /* before it is counted: the sum must come last */
        add_unit(tally, unit, &result);
    }
    return NQ_OK;
}

/* ---- What a crew asks, on its thread ---- */

/* Whether a term has units: it was not known when they were laid out. */
static bool has_units(const struct tally *tally, size_t term)
{
    return counting_first(tally->counting, term) < counting_first(tally->counting, term + 1);
}

static void describe(void *who, struct work_slip *slip)
{
    struct tally *tally = who;
    for (size_t term = 0; term < counting_terms(tally->counting); term++)
        if (has_units(tally, term))
            slip->term[slip->terms++] = (struct slip_term){(uint32_t)term, tally->sums[term].name};
    units_progress(&tally->units, &slip->progress);
}

static bool take(void *who, size_t *unit)
{
    return units_take(&((struct tally *)who)->units, unit);
}

static double weight_of(void *who, size_t unit)
{
    return (double)unit_weight(who, unit);
}

static bool is_over(void *who, size_t unit)
{
    return units_known(&((struct tally *)who)->units, unit);
}

static void place(void *who, size_t unit, struct slip_run *run)
{
    const struct tally *tally = who;
    const size_t term = counting_term(tally->counting, unit);
    *run = (struct slip_run){(uint32_t)term, (uint32_t)(unit - counting_first(tally->counting, term)), 1};
}

static bool find(void *who, uint32_t term, uint32_t number, size_t *unit)
{
    const struct tally *tally = who;
    if (term >= counting_terms(tally->counting))
        return false;
    *unit = counting_first(tally->counting, term) + number;
    return *unit < counting_first(tally->counting, term + 1);
}

static void adopt(void *who, size_t unit, uint64_t parts, uint64_t nodes)
{
    struct tally *tally = who;
    const struct unit_result result = {.parts = parts, .nodes = nodes};
    if (units_settle(&tally->units, unit))
        add_unit(tally, unit, &result);
}

static void adopt_fact(void *context, const char *key, const void *value, size_t size)
{
    const struct recall *recall = context;
    nq_wide parts;
    uint64_t nodes;
    size_t number, unit;
    if (units_number(key, UINT32_MAX, &number) && units_read_fact(value, size, &parts, &nodes) &&
        find(recall->tally, (uint32_t)recall->term, (uint32_t)number, &unit))
        if (!units_known(&recall->tally->units, unit)) { /* doubted first, or it might be the last one */
            crew_recalled(recall->tally->crew, unit, (uint64_t)parts);
            adopt(recall->tally, unit, (uint64_t)parts, nodes);
        }
}

static void recall_late(void *who)
{
    struct tally *tally = who;
    atomic_bool never = false;
    for (size_t term = 0; term < counting_terms(tally->counting); term++) {
        struct recall recall = {.tally = tally, .term = term};
        char *text = has_units(tally, term) ? units_prefix(tally->sums[term].name) : NULL;
        if (text)
            (void)ledger_each(tally->ledger, STORE_UNIT, text, (struct patience){&never, RECALL_MS}, adopt_fact,
                              &recall); /* or the next time */
        free(text);
    }
}

/* Whether others may count it: what takes long, and is named in the store by few names. */
static bool is_shared(const struct tally *tally)
{
    size_t open = 0;
    for (size_t term = 0; term < counting_terms(tally->counting); term++)
        open += !tally->done[term];
    return tally->crews && tally->ledger && tally->work.lengthy && open && open <= SLIP_TERMS_MAX;
}

/* ---- Preparing, slices ---- */

static enum nq_status lay_out(struct tally *tally, const atomic_bool *stop)
{
    struct plans *plans = tally->plans;
    tally->bare = tally->crew && crew_hands(tally->crew, stop);
    if (tally->bare)
        plans = tally->bare_plans;
    enum nq_status status = counting_prepare(tally->counting, tally->done, plans ? plans_source(plans) : NULL, stop);
    if (status == NQ_OK)
        status = recall_units(tally, units_patience(&tally->work, stop));
    if (status == NQ_OK && tally->crew && !crew_begin(tally->crew, tally->units.count))
        status = NQ_NOMEM;
    tally->laid_out = status == NQ_OK;
    return status;
}

static enum nq_status tally_prepare(struct work *work, const atomic_bool *stop)
{
    static const struct crew_class class = {.describe = describe,
                                            .take = take,
                                            .weight = weight_of,
                                            .over = is_over,
                                            .place = place,
                                            .find = find,
                                            .adopt = adopt,
                                            .recall = recall_late};
    struct tally *tally = (struct tally *)work;
    enum nq_status status = tally->unsure && work->lengthy ? recall_terms(tally, units_patience(work, stop)) : NQ_OK;
    if (status == NQ_OK && is_shared(tally)) {
        tally->crew = crew_open(tally->crews, tally->question->path, &class, tally);
        status = tally->crew ? NQ_OK : NQ_NOMEM;
        atomic_store(&tally->shared, tally->crew);
    }
    const bool follows = tally->crew && crew_follows(tally->crew);
    if (status == NQ_OK && !follows)
        status = lay_out(tally, stop);
    work->lanes = follows || tally->bare || tally->units.count < tally->threads ? 1 : tally->threads;
    tally->lanes = work->lanes;
    return status;
}

static enum nq_status wait(const struct slice *slice)
{
    const uint64_t now = clock_now(), most = WAIT_MS * CLOCK_MILLISECOND;
    const struct timespec moment = {
        .tv_nsec = (long)(slice->deadline > now && slice->deadline - now < most ? slice->deadline - now : most)};
    nanosleep(&moment, NULL);
    return NQ_AGAIN;
}

static bool all_known(struct tally *tally)
{
    size_t term = 0;
    while (term < counting_terms(tally->counting) && is_done(tally, term))
        term++;
    return term == counting_terms(tally->counting);
}

/* Looks now and then whether the other server has stored the result. */
static enum nq_status follow(struct tally *tally, const struct slice *slice, const atomic_bool *stop)
{
    if (clock_now() - tally->looked < LOOK_MS * CLOCK_MILLISECOND)
        return wait(slice);
    const enum nq_status status = recall_terms(tally, (struct patience){stop, RECALL_MS});
    tally->looked = clock_now();
    if (status != NQ_OK)
        return status;
    return all_known(tally) ? NQ_OK : NQ_AGAIN;
}

/* Nothing that has been counted can be believed: it is forgotten. */
static enum nq_status condemn(struct tally *tally, enum nq_status status, const char *why)
{
    pthread_mutex_lock(&tally->lock);
    if (!tally->work.why) {
        (void)snprintf(tally->why, sizeof tally->why, "%s", why);
        tally->work.why = *why ? tally->why : NULL;
    }
    pthread_mutex_unlock(&tally->lock);
    for (size_t term = 0; term < counting_terms(tally->counting); term++) {
        char *text = has_units(tally, term) ? units_prefix(tally->sums[term].name) : NULL;
        if (text)
            ledger_drop(tally->ledger, STORE_UNIT, text);
        free(text);
    }
    return status;
}

/* The next unit for a lane of ours. */
static bool take_unit(struct tally *tally, size_t *unit, bool *audit)
{
    *audit = false;
    if (tally->crew && crew_take(tally->crew, unit, audit))
        return true;
    if (tally->bare && !crew_alone(tally->crew))
        return false;
    return units_take(&tally->units, unit);
}

/* Whether the count may go on. */
static enum nq_status heed(struct tally *tally)
{
    char why[WORK_WHY_MAX];
    const enum nq_status status = tally->crew ? crew_verdict(tally->crew, why) : NQ_OK;
    return status == NQ_OK ? status : condemn(tally, status, why);
}

/* There is no unit for a lane: the last one waits for what others do. */
static enum nq_status rest(struct tally *tally, const struct slice *slice)
{
    if (!tally->crew)
        return NQ_OK;
    if (units_complete(&tally->units) && !crew_doubts(tally->crew))
        return heed(tally); /* only now it is the last word */
    if (atomic_fetch_sub(&tally->lanes, 1) > 1)
        return NQ_OK;
    atomic_fetch_add(&tally->lanes, 1);
    return wait(slice);
}

static enum nq_status tally_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct tally *tally = (struct tally *)work;
    enum nq_status status = NQ_OK;
    if (tally->crew && crew_follows(tally->crew))
        return follow(tally, slice, stop);
    if (!tally->laid_out) { /* the other server is gone, perhaps because it was done */
        status = recall_terms(tally, units_patience(work, stop));
        if (status == NQ_OK)
            status = lay_out(tally, stop);
    }
    while (status == NQ_OK) {
        size_t unit;
        bool audit;
        status = heed(tally);
        if (status != NQ_OK)
            return status;
        if (!take_unit(tally, &unit, &audit))
            return rest(tally, slice);
        status = count_unit(tally, unit, audit, slice->meter, stop);
        if (status == NQ_OK && clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    return status;
}

static void tally_progress(struct work *work, struct progress *progress)
{
    struct tally *tally = (struct tally *)work;
    if (tally->shared && crew_follows(tally->crew))
        crew_progress(tally->crew, progress);
    else
        units_progress(&tally->units, progress);
}

static enum nq_status tally_finish(struct work *work, struct answer **out)
{
    struct tally *tally = (struct tally *)work;
    const struct question *question = tally->question;
    const uint32_t n = question->n;
    struct count_fact fact = {.provenance = "computed"};
    nq_wide *parts = calloc(counting_terms(tally->counting) + 1, sizeof *parts), *squares = NULL;
    enum nq_status status = NQ_NOMEM;
    if (!parts)
        return NQ_NOMEM;
    for (size_t term = 0; term < counting_terms(tally->counting); term++) {
        parts[term] = tally->done[term] ? tally->sums[term].stored : tally->sums[term].parts;
        if (tally->crew && !tally->done[term])
            keep_term(tally, term, parts[term]);
    }
    tally->kept = true;
    fact.count = counting_total(tally->counting, parts);
    if (question->query.by_square) {
        squares = calloc((size_t)n * n + 1, sizeof *squares);
        if (!squares)
            goto cleanup;
        for (uint32_t i = 0; i < n * n; i++)
            squares[i] = counting_square(tally->counting, parts, i / n, i % n);
        fact.squares = squares;
    }
    status = question->kind == ASK_HINT ? hint_answer(question, fact.count, squares, out)
                                        : count_answer(question, &fact, out);
cleanup:
    free(squares);
    free(parts);
    return status;
}

static void tally_close(struct work *work)
{
    struct tally *tally = (struct tally *)work;
    if (tally->crew)
        crew_close(tally->crew, tally->kept);
    for (size_t term = 0; tally->sums && term < counting_terms(tally->counting); term++)
        free(tally->sums[term].name);
    free(tally->sums);
    free(tally->done);
    units_close(&tally->units);
    counting_close(tally->counting);
    pthread_mutex_destroy(&tally->lock);
    free(tally);
}

enum nq_status work_tally(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          char why[static WORK_WHY_MAX], struct work **work)
{
    static const struct work_class class = {.prepare = tally_prepare,
                                            .slice = tally_slice,
                                            .finish = tally_finish,
                                            .close = tally_close,
                                            .progress = tally_progress};
    struct tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        return NQ_NOMEM;
    enum nq_status status = counting_open(&question->query, &tally->counting);
    if (status != NQ_OK) {
        free(tally);
        return status;
    }
    pthread_mutex_init(&tally->lock, NULL);
    tally->work = (struct work){.class = &class, .lanes = 1};
    tally->question = question;
    tally->kernel = tools->kernel;
    tally->threads = tools->threads;
    tally->ledger = tools->ledger;
    tally->plans = tools->plans;
    tally->crews = tools->crews;
    tally->bare_plans = tools->bare;
    const size_t terms = counting_terms(tally->counting);
    tally->sums = calloc(terms + 1, sizeof *tally->sums);
    tally->done = calloc(terms + 1, sizeof *tally->done);
    status = tally->sums && tally->done ? name_terms(tally) : NQ_NOMEM;
    if (status == NQ_OK)
        status = recall_terms(tally, units_patience(&tally->work, stop));
    if (status == NQ_OK)
        status = afford(tally, tools, stop, why);
    if (status == NQ_OK)
        *work = &tally->work;
    else
        tally_close(&tally->work);
    return status;
}
