/* made_up_flights.c - flights with made-up work and callers who ask; it knows of the engine what flight.h tells. */
#include "support/made_up_flights.h"

#include <stdlib.h>
#include <string.h>

struct fake {
    struct work work;
    struct script *script;
    const struct question *question;
    atomic_uint slices;
    unsigned wanted; /* slices, of all tasks together */
    enum nq_status slice_as;
    unsigned tasks; /* once it is prepared */
};

static enum nq_status fake_prepare(struct work *work, const atomic_bool *stop)
{
    struct fake *fake = (struct fake *)work;
    atomic_fetch_add(&fake->script->early, atomic_load(&fake->slices));
    while (atomic_load(&fake->script->hold_prepare) && !atomic_load(stop))
        asking_pause();
    work->tasks = fake->tasks;
    atomic_fetch_add(&fake->script->prepared, 1);
    return atomic_load(stop) ? NQ_CANCELLED : fake->script->prepare_as;
}

static enum nq_status fake_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct fake *fake = (struct fake *)work;
    (void)slice;
    atomic_fetch_add(&fake->script->slices, 1);
    unsigned before = atomic_fetch_add(&fake->slices, 1);
    atomic_store(&fake->script->carrier, pthread_self());
    for (const uint64_t end = clock_now() + fake->script->slice_ns; clock_now() < end;)
        continue;
    if (atomic_load(stop))
        return NQ_CANCELLED;
    if (fake->slice_as != NQ_OK)
        return before == 0 ? fake->slice_as : NQ_AGAIN; /* one task fails, the others would go on forever */
    return atomic_load(&fake->script->hold) || before + work->tasks < fake->wanted ? NQ_AGAIN : NQ_OK;
}

static enum nq_status fake_finish(struct work *work, struct answer **answer)
{
    struct fake *fake = (struct fake *)work;
    struct bytes body = {0};
    atomic_fetch_add(&fake->script->finished, 1);
    atomic_store(&fake->script->finisher, pthread_self());
    if (fake->script->finish_as != NQ_OK)
        return fake->script->finish_as;
    bytes_text(&body, fake->question->key);
    *answer = answer_new(&body, fake->question->format->media_type);
    bytes_free(&body);
    if (!*answer)
        return NQ_NOMEM;
    (*answer)->complete = !fake->script->incomplete;
    return NQ_OK;
}

static void fake_close(struct work *work)
{
    struct fake *fake = (struct fake *)work;
    atomic_fetch_add(&fake->script->closed, 1);
    free(fake);
}

static void fake_progress(struct work *work, struct progress *progress)
{
    lock_none_held(); /* some works take locks */
    const struct fake *fake = (struct fake *)work;
    *progress = fake->script->progress;
    while (atomic_load(&fake->script->hold_progress)) {
        atomic_store(&fake->script->asked_progress, true);
        asking_pause();
    }
}

static enum nq_status fake_open(void *context, const struct question *question, const atomic_bool *stop,
                                struct fault *fault, struct work **work)
{
    static const struct work_class class = {.prepare = fake_prepare,
                                            .slice = fake_slice,
                                            .finish = fake_finish,
                                            .close = fake_close,
                                            .progress = fake_progress};
    struct script *script = context;
    const unsigned number = atomic_fetch_add(&script->asked, 1);
    while (atomic_load(&script->hold_open) && !atomic_load(stop))
        asking_pause();
    if (script->open_as != NQ_OK) {
        fault_write(fault, UNCODED, NULL, "%s", script->open_why ? script->open_why : "");
        return script->open_as;
    }
    if (script->mixed && number % 11 == 10)
        return NQ_LIMIT;
    struct fake *fake = malloc(sizeof *fake);
    if (!fake)
        return NQ_NOMEM;
    *fake = (struct fake){.work = {.class = &class,
                                   .tasks = 1,
                                   .lengthy = script->mixed ? number % 3 == 0 : script->lengthy,
                                   .seconds = script->seconds},
                          .tasks = script->mixed ? 1 + number % FIXTURE_TASKS : script->tasks,
                          .script = script,
                          .question = question,
                          .slice_as = script->mixed && number % 7 == 6 ? NQ_NOMEM : script->slice_as};
    if (script->work_why)
        fault_write(&fake->work.fault, FAULT_UNITS, (const double[]){3}, "%s", script->work_why);
    fake->wanted = fake->tasks * (script->mixed ? 1 + number % 5 : script->slices_each);
    atomic_fetch_add(&script->opened, 1);
    *work = &fake->work;
    return NQ_OK;
}

void flight_fixture_begin(struct flight_fixture *fixture, unsigned threads, size_t queue, size_t cache_bytes)
{
    *fixture = (struct flight_fixture){.script = {.tasks = 1, .slices_each = 1}};
    fixture->pool = new_pool(threads, queue);
    fixture->flights = flights_new(fixture->pool, cache_bytes, FIXTURE_TASKS, fake_open, &fixture->script);
    assert_non_null(fixture->flights);
}

void field_close(struct flight_fixture *fixture)
{
    CHECKED(flights_check(fixture->flights));
    flights_close(fixture->flights);
    if (!fixture->stopped)
        pool_stop(fixture->pool);
    assert_int_equal(flights_stats(fixture->flights).running, 0);
    assert_int_equal(fixture->script.closed, fixture->script.opened);
    fixture->closed = true;
}

void flight_fixture_end(struct flight_fixture *fixture)
{
    if (!fixture->closed)
        field_close(fixture);
    flights_free(fixture->flights);
    pool_free(fixture->pool);
    for (struct caller *caller = fixture->callers, *next; caller; caller = next) {
        next = caller->next;
        caller_end(caller);
        free(caller);
    }
}

struct answer *caller_peek(struct flight_fixture *fixture, const char *key)
{
    uint64_t seen;
    return flights_peek(fixture->flights, key, &seen);
}

static struct caller *ask(struct flight_fixture *fixture, const char *key, struct principal principal,
                          struct asking asking)
{
    struct question question = ask_named(key);
    struct caller *caller = calloc(1, sizeof *caller);
    assert_non_null(caller);
    caller->next = fixture->callers;
    fixture->callers = caller;
    question.principal = principal;
    sleeper_begin(&caller->sleeper);
    asking.wake = sleeper_wake;
    asking.who = &caller->sleeper;
    struct shared_question *asked = shared(&question);
    caller->waiter = flights_ask(fixture->flights, asked, &asking);
    question_unref(asked);
    assert_non_null(caller->waiter);
    return caller;
}

struct caller *caller_ask(struct flight_fixture *fixture, const char *key)
{
    return ask(fixture, key, (struct principal){0}, (struct asking){0});
}

struct caller *caller_ask_as(struct flight_fixture *fixture, const char *key, struct principal principal)
{
    return ask(fixture, key, principal, (struct asking){0});
}

struct caller *caller_ask_brief(struct flight_fixture *fixture, const char *key)
{
    return ask(fixture, key, (struct principal){0}, (struct asking){.brief = true});
}

struct caller *caller_ask_admitted(struct flight_fixture *fixture, const char *key)
{
    return ask(fixture, key, (struct principal){0}, (struct asking){.admitted = true});
}

struct caller *caller_ask_staying(struct flight_fixture *fixture, const char *key, struct on_timeout *on_timeout)
{
    return ask(fixture, key, (struct principal){0}, (struct asking){.on_timeout = on_timeout});
}

struct caller *caller_ask_seen(struct flight_fixture *fixture, const char *key, uint64_t seen)
{
    return ask(fixture, key, (struct principal){0}, (struct asking){.seen = seen});
}

void caller_dismiss(struct caller *caller, enum nq_status why)
{
    pending_cancel(&caller->waiter->pending, why);
}

void caller_gets(struct caller *caller, enum nq_status status, const char *text)
{
    const struct waiter *waiter = caller->waiter;
    assert_true(sleeper_sleep(&caller->sleeper));
    assert_int_equal(pending_status(&waiter->pending), status);
    if (text) {
        assert_non_null(waiter->answer);
        assert_int_equal(waiter->answer->size, strlen(text));
        assert_memory_equal(waiter->answer->bytes, text, strlen(text));
    } else {
        assert_null(waiter->answer);
    }
}

void caller_end(struct caller *caller)
{
    assert_int_equal(caller->sleeper.woken, 1);
    pending_close(&caller->waiter->pending);
    sleeper_end(&caller->sleeper);
}
