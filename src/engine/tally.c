/* tally.c - a count by searching: every lane takes the next unit until none is left. What a unit or a whole term came
 * to is a fact: it goes to the ledger, and what the ledger has already is not counted again. Where there are workers a
 * lengthy count is theirs, and one lane waits for them; where another server sees to it, all wait for that. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "count/counting.h"
#include "engine/count_answer.h"
#include "engine/crew.h"
#include "engine/cuts.h"
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
    double scale;       /* of weights: even those of the largest boards add up to a whole number */
    struct units units;
    struct cuts cuts;
    atomic_int failing;   /* no more units can be taken: why; NQ_OK */
    pthread_mutex_t lock; /* guards the sums, the cuts and what is done, once lanes run */
    struct sum *sums;     /* by term */
    struct crews *crews;  /* NULL: nobody else counts */
    struct plans *bare_plans;
    struct crew *crew;  /* NULL: nobody else counts this */
    atomic_bool shared; /* the crew is there, for whoever asks at any time */
    bool bare;          /* the plan has no tables, workers having theirs */
    bool kept;          /* the result is on its way to the store */
    atomic_uint lanes;  /* that have not ended */
    char why[WORK_WHY_MAX];
};

/* For the store to answer who looks again and again. */
enum { RECALL_MS = 2000 };

/* The sum of all weights. */
#define MOST_WEIGHT 0x1p60

/* For what takes a second at most, where nothing can stop it. */
static const atomic_bool never = false;

/* ---- Facts, under the term's name, with " #unit" for one unit of it ---- */

static bool keep_fact(struct tally *tally, enum store_kind kind, const char *key, nq_wide parts, uint64_t nodes)
{
    char value[UNIT_FACT_MAX];
    units_fact(parts, nodes, value);
    return ledger_put(tally->ledger, kind, key, value);
}

/* Of a unit, or of a piece of it. */
static void keep_unit(struct tally *tally, size_t unit, size_t piece, nq_wide parts, uint64_t nodes)
{
    const size_t term = counting_term(tally->counting, unit);
    char *text = units_key(tally->sums[term].name, unit - counting_first(tally->counting, term), piece);
    if (text)
        (void)keep_fact(tally, STORE_UNIT, text, parts, nodes); /* or it is counted again one day */
    free(text);
}

static void drop_pieces(struct tally *tally, size_t unit)
{
    const size_t term = counting_term(tally->counting, unit);
    char *text = units_pieces_prefix(tally->sums[term].name, unit - counting_first(tally->counting, term));
    if (text)
        ledger_drop(tally->ledger, STORE_UNIT, text);
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

/* ---- What a unit came to, or a piece of one ---- */

static uint64_t unit_weight(const struct tally *tally, size_t unit)
{
    return (uint64_t)(counting_weight(tally->counting, unit) * tally->scale);
}

/* Under the lock: how a unit is cut; NULL: it is not. May take a second for the largest boards. */
static enum nq_status look_into(struct tally *tally, size_t unit, const atomic_bool *stop, struct cut **cut)
{
    size_t pieces;
    *cut = cuts_find(&tally->cuts, unit);
    if (*cut)
        return NQ_OK;
    const enum nq_status status = counting_pieces(tally->counting, unit, stop, &pieces);
    if (status != NQ_OK || pieces == 1)
        return status;
    *cut = cuts_add(&tally->cuts, unit, pieces);
    return *cut ? NQ_OK : NQ_NOMEM;
}

struct settled {
    bool fresh;    /* nobody has found it out before */
    bool cut;      /* it is a piece's, or the last one's and so the unit's: */
    bool whole;    /* a unit's */
    nq_wide parts; /* of the pieces so far */
    uint64_t nodes;
    uint64_t weight; /* of what was not known before */
};

/* What a task came to, the unit being under way if it is cut. */
static struct settled settle(struct tally *tally, size_t task, nq_wide parts, uint64_t nodes)
{
    const size_t unit = task_unit(task);
    const uint64_t weight = unit_weight(tally, unit);
    struct settled settled = {.whole = true, .parts = parts, .nodes = nodes, .weight = weight};
    pthread_mutex_lock(&tally->lock);
    struct cut *cut = cuts_find(&tally->cuts, unit);
    settled.fresh = !units_known(&tally->units, unit);
    if (cut) {
        settled.cut = true;
        settled.weight -= weight / cut->pieces * (cut->pieces - cut->left);
    }
    if (cut && task_piece(task) != UNIT_WHOLE) {
        settled.fresh = cuts_settle(cut, task_piece(task), parts, nodes);
        settled.whole = cut->left == 0;
        settled.parts = cut->parts;
        settled.nodes = cut->nodes;
        if (!settled.whole)
            settled.weight = weight / cut->pieces;
    }
    if (settled.fresh && settled.whole) {
        (void)units_settle(&tally->units, unit);
        if (cut)
            cuts_remove(&tally->cuts, cut);
    }
    pthread_mutex_unlock(&tally->lock);
    return settled;
}

/* So that a process which comes later finds it; before it is counted: the sum must come last. mine: nobody else has. */
static void keep_settled(struct tally *tally, size_t unit, const struct settled *settled, bool mine)
{
    if (settled->whole && (settled->cut || mine))
        keep_unit(tally, unit, UNIT_WHOLE, settled->parts, settled->nodes);
    if (settled->whole && settled->cut)
        drop_pieces(tally, unit);
}

/* ---- Taking over ---- */

struct recall {
    struct tally *tally;
    size_t term;
};

/* Whether there is such a task, its unit being one: then that is under way, if it is cut. */
static bool is_sound(struct tally *tally, size_t task)
{
    const size_t unit = task_unit(task), piece = task_piece(task);
    struct cut *cut = NULL;
    if (piece == UNIT_WHOLE || units_known(&tally->units, unit))
        return true;
    pthread_mutex_lock(&tally->lock);
    const bool sound = look_into(tally, unit, &never, &cut) == NQ_OK && cut && piece < cut->pieces;
    pthread_mutex_unlock(&tally->lock);
    return sound;
}

/* The task that a fact is of. False: it makes no sense. */
static bool read_fact(const struct recall *recall, const char *key, const void *value, size_t size, size_t *task,
                      nq_wide *parts, uint64_t *nodes)
{
    struct tally *tally = recall->tally;
    const size_t first = counting_first(tally->counting, recall->term);
    const size_t count = counting_first(tally->counting, recall->term + 1) - first;
    size_t unit, piece;
    if (!units_number(key, count, &unit, &piece) || !units_read_fact(value, size, parts, nodes))
        return false;
    *task = task_of(first + unit, piece);
    return is_sound(tally, *task);
}

/* A result that was found in the store: who put it there may be wrong, too. What the pieces of a unit added up to is
 * believed, for they were looked at one by one. */
static void doubt(struct tally *tally, size_t task, nq_wide parts)
{
    size_t pieces;
    if (task_piece(task) == UNIT_WHOLE && counting_pieces(tally->counting, task_unit(task), &never, &pieces) == NQ_OK &&
        pieces > 1)
        return;
    crew_recalled(tally->crew, task, (uint64_t)parts);
}

static void recall_unit(void *context, const char *key, const void *value, size_t size)
{
    const struct recall *recall = context;
    struct tally *tally = recall->tally;
    struct sum *sum = &tally->sums[recall->term];
    nq_wide parts;
    uint64_t nodes;
    size_t task;
    if (!read_fact(recall, key, value, size, &task, &parts, &nodes))
        return;
    const struct settled settled = settle(tally, task, parts, nodes);
    if (!settled.fresh)
        return;
    if (tally->crew)
        doubt(tally, task, parts);
    if (!settled.whole) {
        units_restore_some(&tally->units, settled.weight);
        return;
    }
    units_restore(&tally->units, settled.weight);
    sum->parts += settled.parts;
    sum->left--;
}

/* Lays out the units, and takes over those that were counted before. */
static enum nq_status recall_units(struct tally *tally, struct patience patience)
{
    struct counting *counting = tally->counting;
    enum nq_status status = NQ_OK;
    double all = 0;
    if (!units_lay(&tally->units, counting_units(counting)))
        return NQ_NOMEM;
    for (size_t unit = 0; unit < counting_units(counting); unit++)
        all += counting_weight(counting, unit);
    tally->scale = all > MOST_WEIGHT ? MOST_WEIGHT / all : 1;
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

/* Adds a unit up. What others have counted may still turn out to be wrong: then terms are kept at the end. */
static void add_unit(struct tally *tally, size_t term, nq_wide parts)
{
    struct sum *sum = &tally->sums[term];
    pthread_mutex_lock(&tally->lock);
    sum->parts += parts;
    const nq_wide all = sum->parts;
    const bool whole = --sum->left == 0;
    pthread_mutex_unlock(&tally->lock);
    if (whole && sum->keep && !tally->crew)
        keep_term(tally, term, all);
}

/* What a task came to is known from here on, unless it was before. mine: and is not in the store. A piece is put there
 * before it is known: with the last one all are dropped. */
static void add(struct tally *tally, size_t task, const struct unit_result *result, bool mine)
{
    const size_t unit = task_unit(task), term = counting_term(tally->counting, unit);
    const bool keep = tally->sums[term].keep, piece = task_piece(task) != UNIT_WHOLE;
    if (keep && mine && piece)
        keep_unit(tally, unit, task_piece(task), result->parts, result->nodes);
    const struct settled settled = settle(tally, task, result->parts, result->nodes);
    if (!settled.fresh) {
        if (keep && mine && piece && units_known(&tally->units, unit))
            drop_pieces(tally, unit);
        return;
    }
    if (keep)
        keep_settled(tally, unit, &settled, mine);
    if (settled.whole) {
        add_unit(tally, term, settled.parts);
        units_finish(&tally->units, settled.weight, result->nodes);
    } else {
        units_finish_some(&tally->units, settled.weight, result->nodes);
    }
}

/* audit: of a worker's result. */
static enum nq_status count_task(struct tally *tally, size_t task, bool audit, struct meter *meter,
                                 const atomic_bool *stop)
{
    const struct counting *counting = tally->counting;
    const size_t unit = task_unit(task), piece = task_piece(task);
    struct unit_result result = {0};
    meter_term(tally, counting_term(counting, unit), meter);
    const enum nq_status status = piece == UNIT_WHOLE
                                      ? counting_count(counting, unit, tally->kernel, stop, &result)
                                      : counting_count_piece(counting, unit, piece, tally->kernel, stop, &result);
    meter_did(meter, result.nodes);
    if (status != NQ_OK)
        return status;
    if (audit)
        crew_audited(tally->crew, task, result.parts);
    else
        add(tally, task, &result, true);
    return NQ_OK;
}

/* The next task that has to be done, for whoever calls. False: none is left, or it failed. */
static bool take_task(struct tally *tally, const atomic_bool *stop, size_t *task)
{
    enum nq_status status = NQ_OK;
    size_t unit;
    pthread_mutex_lock(&tally->lock);
    bool taken = cuts_take(&tally->cuts, task);
    while (!taken && status == NQ_OK && units_take(&tally->units, &unit)) {
        struct cut *cut = NULL;
        status = look_into(tally, unit, stop, &cut);
        if (cut)
            cuts_begin(cut);
        else
            *task = task_of(unit, UNIT_WHOLE);
        taken = status == NQ_OK && (!cut || cuts_take(&tally->cuts, task));
    }
    pthread_mutex_unlock(&tally->lock);
    if (status != NQ_OK)
        atomic_store(&tally->failing, (int)status);
    return taken;
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

static bool take(void *who, size_t *task)
{
    return take_task(who, &never, task);
}

static double weight_of(void *who, size_t task)
{
    struct tally *tally = who;
    pthread_mutex_lock(&tally->lock);
    const struct cut *cut = cuts_find(&tally->cuts, task_unit(task));
    const size_t pieces = cut ? cut->pieces : 1;
    pthread_mutex_unlock(&tally->lock);
    return (double)unit_weight(tally, task_unit(task)) / (double)pieces;
}

static bool is_over(void *who, size_t task)
{
    struct tally *tally = who;
    const size_t unit = task_unit(task), piece = task_piece(task);
    pthread_mutex_lock(&tally->lock);
    const struct cut *cut = cuts_find(&tally->cuts, unit);
    const bool over = units_known(&tally->units, unit) || (cut && piece < cut->pieces && cut->known[piece]);
    pthread_mutex_unlock(&tally->lock);
    return over;
}

static void place(void *who, size_t task, struct slip_run *run)
{
    const struct tally *tally = who;
    const size_t unit = task_unit(task), term = counting_term(tally->counting, unit),
                 first = counting_first(tally->counting, term);
    *run = (struct slip_run){{(uint32_t)term, (uint32_t)(unit - first), (uint32_t)task_piece(task)}, 1};
}

static bool find(void *who, const struct slip_place *place, size_t *task)
{
    struct tally *tally = who;
    const struct counting *counting = tally->counting;
    if (place->term >= counting_terms(counting) || place->piece > UNIT_WHOLE)
        return false;
    const size_t unit = counting_first(counting, place->term) + place->unit;
    *task = task_of(unit, place->piece);
    return unit < counting_first(counting, place->term + 1) && is_sound(tally, *task);
}

static void adopt(void *who, size_t task, uint64_t parts, uint64_t nodes)
{
    const struct unit_result result = {.parts = parts, .nodes = nodes};
    add(who, task, &result, false);
}

static void adopt_fact(void *context, const char *key, const void *value, size_t size)
{
    const struct recall *recall = context;
    nq_wide parts;
    uint64_t nodes;
    size_t task;
    if (read_fact(recall, key, value, size, &task, &parts, &nodes) && !is_over(recall->tally, task)) {
        doubt(recall->tally, task, parts); /* first, or it might be the last one */
        adopt(recall->tally, task, (uint64_t)parts, nodes);
    }
}

static void recall_late(void *who)
{
    struct tally *tally = who;
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

/* ---- Laying out, and what a crew asks on a lane ---- */

static enum nq_status lay_out(struct tally *tally, const atomic_bool *stop)
{
    struct plans *plans = tally->plans;
    tally->bare = tally->crew && crew_hands(tally->crew, stop);
    if (tally->bare)
        plans = tally->bare_plans;
    enum nq_status status = counting_prepare(tally->counting, tally->done, plans ? plans_source(plans) : NULL, stop);
    if (status == NQ_OK)
        status = recall_units(tally, units_patience(&tally->work, stop));
    if (status == NQ_OK && tally->crew)
        crew_begin(tally->crew);
    return status;
}

/* The server that had it is gone, perhaps because it was done. */
static enum nq_status begin(void *who, const atomic_bool *stop)
{
    struct tally *tally = who;
    const enum nq_status status = recall_terms(tally, units_patience(&tally->work, stop));
    return status == NQ_OK ? lay_out(tally, stop) : status;
}

static bool all_known(struct tally *tally)
{
    size_t term = 0;
    while (term < counting_terms(tally->counting) && is_done(tally, term))
        term++;
    return term == counting_terms(tally->counting);
}

static enum nq_status look(void *who, const struct slice *slice, const atomic_bool *stop)
{
    struct tally *tally = who;
    (void)slice; /* there are but few terms */
    const enum nq_status status = recall_terms(tally, (struct patience){stop, RECALL_MS});
    return status != NQ_OK ? status : all_known(tally) ? NQ_OK : NQ_NONE;
}

/* ---- Preparing, slices ---- */

static enum nq_status tally_prepare(struct work *work, const atomic_bool *stop)
{
    static const struct crew_class class = {.describe = describe,
                                            .take = take,
                                            .weight = weight_of,
                                            .over = is_over,
                                            .place = place,
                                            .find = find,
                                            .adopt = adopt,
                                            .recall = recall_late,
                                            .begin = begin,
                                            .look = look};
    struct tally *tally = (struct tally *)work;
    enum nq_status status = tally->unsure && work->lengthy ? recall_terms(tally, units_patience(work, stop)) : NQ_OK;
    if (status == NQ_OK && is_shared(tally)) {
        tally->crew = crew_open(tally->crews, tally->question->path, &class, tally);
        status = tally->crew ? NQ_OK : NQ_NOMEM;
        atomic_store(&tally->shared, tally->crew);
    }
    if (status == NQ_OK && !tally->crew)
        status = lay_out(tally, stop);
    work->lanes = !tally->crew && tally->units.count < tally->threads ? 1 : tally->threads;
    tally->lanes = work->lanes;
    return status;
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

/* The next task for a lane of ours. */
static bool take_some(struct tally *tally, const atomic_bool *stop, size_t *task, bool *audit)
{
    *audit = false;
    if (tally->crew && crew_take(tally->crew, task, audit))
        return true;
    if (tally->bare && !crew_alone(tally->crew))
        return false;
    return take_task(tally, stop, task);
}

/* Whether the count may go on. */
static enum nq_status heed(struct tally *tally)
{
    char why[WORK_WHY_MAX];
    const enum nq_status status = tally->crew ? crew_verdict(tally->crew, why) : NQ_OK;
    return status == NQ_OK ? (enum nq_status)atomic_load(&tally->failing) : condemn(tally, status, why);
}

/* There is nothing to do for a lane: the last one rests, again and again, while others do theirs. */
static enum nq_status rest(struct tally *tally, const struct slice *slice)
{
    if (!tally->crew)
        return (enum nq_status)atomic_load(&tally->failing);
    if (units_complete(&tally->units) && !crew_doubts(tally->crew))
        return heed(tally); /* only now it is the last word */
    if (atomic_fetch_sub(&tally->lanes, 1) > 1)
        return NQ_OK;
    atomic_fetch_add(&tally->lanes, 1);
    return slice_rest(slice);
}

static enum nq_status tally_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct tally *tally = (struct tally *)work;
    enum nq_status status = tally->crew ? crew_admit(tally->crew, slice, stop) : NQ_OK;
    if (status == NQ_END)
        return NQ_OK;
    while (status == NQ_OK) {
        size_t task;
        bool audit;
        status = heed(tally);
        if (status != NQ_OK)
            return status;
        if (!take_some(tally, stop, &task, &audit))
            return rest(tally, slice);
        status = count_task(tally, task, audit, slice->meter, stop);
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
    cuts_close(&tally->cuts);
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
