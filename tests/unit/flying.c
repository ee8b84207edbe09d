/* flying.c - flights with made-up work and guests who ask; it knows of the engine what flight.h tells. */
#include "flying.h"

#include <stdlib.h>
#include <string.h>

struct fake {
    struct work work;
    struct script *script;
    const struct question *question;
    atomic_uint slices;
    unsigned wanted; /* slices, of all lanes together */
    enum nq_status slice_as;
    unsigned lanes; /* once it is prepared */
};

static enum nq_status fake_prepare(struct work *work, const atomic_bool *stop)
{
    struct fake *fake = (struct fake *)work;
    atomic_fetch_add(&fake->script->early, atomic_load(&fake->slices));
    while (atomic_load(&fake->script->hold_prepare) && !atomic_load(stop))
        asking_pause();
    work->lanes = fake->lanes;
    atomic_fetch_add(&fake->script->prepared, 1);
    return atomic_load(stop) ? NQ_CANCELLED : fake->script->prepare_as;
}

static enum nq_status fake_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct fake *fake = (struct fake *)work;
    (void)slice;
    atomic_fetch_add(&fake->script->slices, 1);
    unsigned before = atomic_fetch_add(&fake->slices, 1);
    if (atomic_load(stop))
        return NQ_CANCELLED;
    if (fake->slice_as != NQ_OK)
        return before == 0 ? fake->slice_as : NQ_AGAIN; /* one lane fails, the others would go on forever */
    return atomic_load(&fake->script->hold) || before + work->lanes < fake->wanted ? NQ_AGAIN : NQ_OK;
}

static enum nq_status fake_finish(struct work *work, struct answer **answer)
{
    struct fake *fake = (struct fake *)work;
    struct bytes body = {0};
    atomic_fetch_add(&fake->script->finished, 1);
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
    const struct fake *fake = (struct fake *)work;
    *progress = fake->script->progress;
}

static enum nq_status fake_open(void *context, const struct question *question, const atomic_bool *stop,
                                char why[static WORK_WHY_MAX], struct work **work)
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
        (void)snprintf(why, WORK_WHY_MAX, "%s", script->open_why ? script->open_why : "");
        return script->open_as;
    }
    if (script->mixed && number % 11 == 10)
        return NQ_LIMIT;
    struct fake *fake = malloc(sizeof *fake);
    if (!fake)
        return NQ_NOMEM;
    *fake = (struct fake){.work = {.class = &class,
                                   .lanes = 1,
                                   .lengthy = script->mixed ? number % 3 == 0 : script->lengthy,
                                   .seconds = script->seconds,
                                   .why = script->work_why},
                          .lanes = script->mixed ? 1 + number % FIELD_LANES : script->lanes,
                          .script = script,
                          .question = question,
                          .slice_as = script->mixed && number % 7 == 6 ? NQ_NOMEM : script->slice_as};
    fake->wanted = fake->lanes * (script->mixed ? 1 + number % 5 : script->slices_each);
    atomic_fetch_add(&script->opened, 1);
    *work = &fake->work;
    return NQ_OK;
}

void field_begin(struct field *field, unsigned threads, size_t queue, size_t cache_bytes)
{
    *field = (struct field){.script = {.lanes = 1, .slices_each = 1}};
    field->pool = pool_new(threads, queue, POOL_NICE, NULL);
    field->lengthy = pool_new(threads, 0, POOL_IDLE, NULL);
    assert_non_null(field->pool);
    assert_non_null(field->lengthy);
    field->flights = flights_new(field->pool, field->lengthy, cache_bytes, FIELD_LANES, fake_open, &field->script);
    assert_non_null(field->flights);
}

void field_end(struct field *field)
{
    flights_close(field->flights);
    pool_stop(field->pool);
    pool_stop(field->lengthy);
    assert_int_equal(flights_figures(field->flights).running, 0);
    flights_free(field->flights);
    pool_free(field->pool);
    pool_free(field->lengthy);
    assert_int_equal(field->script.closed, field->script.opened);
}

void guest_ask(struct guest *guest, struct field *field, const char *key)
{
    guest_ask_as(guest, field, key, (struct asker){0});
}

void guest_ask_as(struct guest *guest, struct field *field, const char *key, struct asker asker)
{
    struct question question = ask_named(key);
    question.asker = asker;
    sleeper_begin(&guest->sleeper);
    guest->ticket = flights_ask(field->flights, &question, NULL, false, sleeper_wake, &guest->sleeper);
    assert_non_null(guest->ticket);
}

void guest_dismiss(struct guest *guest, enum nq_status why)
{
    guest->ticket->party.dismiss(&guest->ticket->party, why);
}

void guest_gets(struct guest *guest, enum nq_status status, const char *text)
{
    const struct ticket *ticket = guest->ticket;
    assert_true(sleeper_sleep(&guest->sleeper));
    assert_int_equal(ticket->status, status);
    if (text) {
        assert_non_null(ticket->answer);
        assert_int_equal(ticket->answer->size, strlen(text));
        assert_memory_equal(ticket->answer->bytes, text, strlen(text));
    } else {
        assert_null(ticket->answer);
    }
}

void guest_end(struct guest *guest)
{
    assert_int_equal(guest->sleeper.woken, 1);
    party_unref(&guest->ticket->party);
    sleeper_end(&guest->sleeper);
}
