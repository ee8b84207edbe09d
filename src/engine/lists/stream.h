/* stream.h - a body of any length, made as fast as it is read and no faster: while one slot is being read, pool threads
 * fill the next ones, and then are free until those have been read. */
#ifndef ENGINE_LISTS_STREAM_H
#define ENGINE_LISTS_STREAM_H

#include "base/lock.h"
#include "engine/ask/question.h"
#include "engine/run/pending.h"
#include "engine/run/pool.h"
#include "kernels/kernel.h"

struct streams; /* those that are open */
struct stream;

/* At most `most` at once, each for at most `seconds`. allowance: of what algorithms keep for them; NULL: no limit. */
struct streams *streams_new(struct pool *pool, const struct kernel *kernel, struct allowance *allowance, unsigned most,
                            unsigned seconds);
void streams_free(struct streams *streams);

/* Cuts every stream; none is opened any more. */
void streams_close(struct streams *streams);

/* Admits a stream, with a copy of the question, and lets a thread of the pool open it: see stream_opened(). NQ_OK,
 * NQ_BUSY (too many), NQ_CLOSED, NQ_NOMEM. wake(who) may come once after every stream_wait. End it with
 * pending_close(): the search stops. */
enum nq_status stream_open(struct streams *streams, const struct question *question, pending_wake *wake, void *who,
                           struct stream **stream);

/* NQ_AGAIN: it is not open yet; NQ_OK: it can be read; anything else: it never will, because opening the source came to
 * that, or because it was cancelled before. */
enum nq_status stream_opened(struct stream *stream);

/* True when wake will come as soon as it is open or never will be, false when that is so already: the head of a reply
 * does not wait for the first solution. */
bool stream_wait_opened(struct stream *stream);

/* Copies up to `size` bytes to `to` and sets *got. NQ_OK: some were copied; NQ_AGAIN: none are there yet, or it is not
 * open; NQ_END: all have been read; anything else: the body is cut here. */
enum nq_status stream_read(struct stream *stream, char *to, size_t size, size_t *got);

/* The reader knows how long the body is and has all of it: it is not cut, even if it is closed before NQ_END. */
void stream_enough(struct stream *stream);

/* After NQ_AGAIN: true when wake will come, false when there is something to read already, or never will be. It may
 * come once too often: then there is nothing, as before. */
bool stream_wait(struct stream *stream);

/* The stream as who waits for it and its watcher see it, and back. */
struct pending *stream_pending(struct stream *stream);
static inline struct stream *stream_of(struct pending *pending)
{
    return (struct stream *)pending;
}

struct stream_stats {
    unsigned running, most;
    uint64_t started, cut, refused, solutions;
};
struct stream_stats streams_stats(struct streams *streams);

#ifdef CHECKS
/* Asserts that every stream is on the list once, and that its slots are a ring. */
void streams_check(struct streams *streams);
#endif

#endif
