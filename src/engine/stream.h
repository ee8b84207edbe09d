/* stream.h - a body without end in sight, made as fast as it is read and no faster: while one stretch is being read,
 * pool threads fill the next ones, and then do other things until those are wanted. */
#ifndef ENGINE_STREAM_H
#define ENGINE_STREAM_H

#include "engine/party.h"
#include "engine/pool.h"
#include "engine/question.h"
#include "kernels/kernel.h"

struct streams; /* those that are open */
struct stream;

/* At most `most` at once, each for at most `seconds`. */
struct streams *streams_new(struct pool *pool, const struct kernel *kernel, unsigned most, unsigned seconds);
void streams_free(struct streams *streams);

/* Cuts every stream and lets nobody in any more. */
void streams_close(struct streams *streams);

/* NQ_OK, NQ_BUSY (too many), NQ_CLOSED, NQ_NOMEM, or what opening the source came to. wake(who) may come once after
 * every stream_wait. */
enum nq_status stream_open(struct streams *streams, const struct question *question, party_wake wake, void *who,
                           struct stream **stream);

/* Copies up to `size` bytes to `to` and sets *got. NQ_OK: some were copied; NQ_AGAIN: none are there yet; NQ_END: all
 * have been read; anything else: the body is cut here. */
enum nq_status stream_read(struct stream *stream, char *to, size_t size, size_t *got);

/* The reader knows how long the body is and has all of it: it is not cut, even if it is closed before NQ_END. */
void stream_enough(struct stream *stream);

/* After NQ_AGAIN: true when wake will come, false when there is something to read already. */
bool stream_wait(struct stream *stream);

/* What it has cost so far, and how many nanoseconds it waited for a thread to take it up first; false: none has yet. */
bool stream_cost(const struct stream *stream, struct cost *cost, uint64_t *waited);

/* The stream as its watcher sees it; valid while a reference is held. */
struct party *stream_party(struct stream *stream);

/* Ends reading, and the search stops. Not while waiting: a wake may then still be on its way. Drops the reference that
 * stream_open gave. */
void stream_close(struct stream *stream);

struct stream_figures {
    unsigned running, most;
    uint64_t started, cut, refused, solutions;
};
struct stream_figures streams_figures(struct streams *streams);

#endif
