/* engine.h - the one door to everything below: questions go in, answers and streams come out. The HTTP layer knows of
 * the engine what stands here and in the headers named here. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/flight.h"
#include "engine/pool.h"
#include "engine/question.h"
#include "engine/stream.h"

struct engine;

struct engine_options {
    unsigned threads;
    const struct kernel *kernel;
    size_t cache_bytes;
    size_t queue;          /* searches waiting for a thread */
    unsigned max_streams;  /* open at once */
    unsigned max_stream_s; /* seconds a stream may live */
};

/* NULL when out of memory or threads. */
struct engine *engine_new(const struct engine_options *options);

/* Dismisses everyone who waits, stops every search and stream, ends the threads. Nothing is woken after it returns. */
void engine_close(struct engine *engine);
void engine_free(struct engine *engine); /* after engine_close */

/* What a count computes at most, and up to where `auto` computes rather than looks up. */
enum { ENGINE_COMPUTE_MAX_N = 18, ENGINE_AUTO_COMPUTE_MAX_N = 16 };

/* The answer if it is there: never waits. A new reference, or NULL. */
struct answer *engine_peek(struct engine *engine, const struct question *question);

/* Waits for the answer: see flights_ask. */
struct ticket *engine_ask(struct engine *engine, const struct question *question, party_wake wake, void *who);

/* Opens a stream: see stream_open. */
enum nq_status engine_stream(struct engine *engine, const struct question *question, party_wake wake, void *who,
                             struct stream **stream);

/* The counting kernel's name. */
const char *engine_kernel(const struct engine *engine);

struct engine_figures {
    struct pool_figures pool;
    struct flight_figures flights;
    struct stream_figures streams;
};
struct engine_figures engine_figures(struct engine *engine);

#endif
