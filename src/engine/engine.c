/* engine.c - puts pool, flights and streams together. */
#include "engine/engine.h"

#include <stdlib.h>

#include "engine/work.h"

struct engine {
    struct engine_options options;
    struct pool *pool;
    struct flights *flights;
    struct streams *streams;
};

/* Which work answers a question. Runs on a pool thread. */
static enum nq_status open_work(void *context, const struct question *question, struct work **work)
{
    const struct engine *engine = context;
    switch (question->kind) {
    case ASK_COUNT: return work_tally(question, engine->options.kernel, engine->options.threads, work);
    case ASK_SOLVE:
    case ASK_CONSTRUCT: break;
    }
    return work_page(question, work);
}

struct engine *engine_new(const struct engine_options *options)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->options = *options;
    engine->pool = pool_new(options->threads, options->queue);
    if (!engine->pool)
        goto fail;
    engine->flights = flights_new(engine->pool, options->cache_bytes, options->threads, open_work, engine);
    if (!engine->flights)
        goto fail_pool;
    engine->streams = streams_new(engine->pool, options->max_streams, options->max_stream_s);
    if (!engine->streams)
        goto fail_flights;
    return engine;
fail_flights:
    flights_free(engine->flights);
fail_pool:
    pool_stop(engine->pool);
    pool_free(engine->pool);
fail:
    free(engine);
    return NULL;
}

void engine_close(struct engine *engine)
{
    flights_close(engine->flights);
    streams_close(engine->streams);
    pool_stop(engine->pool);
}

void engine_free(struct engine *engine)
{
    streams_free(engine->streams);
    flights_free(engine->flights);
    pool_free(engine->pool);
    free(engine);
}

struct answer *engine_peek(struct engine *engine, const struct question *question)
{
    return flights_peek(engine->flights, question->key);
}

struct ticket *engine_ask(struct engine *engine, const struct question *question, party_wake wake, void *who)
{
    return flights_ask(engine->flights, question, wake, who);
}

enum nq_status engine_stream(struct engine *engine, const struct question *question, party_wake wake, void *who,
                             struct stream **stream)
{
    return stream_open(engine->streams, question, wake, who, stream);
}

const char *engine_kernel(const struct engine *engine)
{
    return engine->options.kernel->name;
}

struct engine_figures engine_figures(struct engine *engine)
{
    return (struct engine_figures){
        .pool = pool_figures(engine->pool),
        .flights = flights_figures(engine->flights),
        .streams = streams_figures(engine->streams),
    };
}
