/* stream_slots.h - a ring of slots between the threads that make a body and its one reader, stream.c. A parallel list
 * is made by several threads at once, one range in each slot; any other body by one thread after the other. A reader
 * that stalls leaves all slots full and holds no thread. */
#ifndef ENGINE_LISTS_STREAM_SLOTS_H
#define ENGINE_LISTS_STREAM_SLOTS_H

#include "base/lock.h"
#include "engine/lists/parallel_list.h"
#include "engine/lists/source.h"
#include "engine/run/cancellable.h"
#include "engine/run/gzip.h"

/* One is being read; each of the others may be being filled by a thread. */
enum { STREAM_SLOTS = 4 };

enum slot_state { SLOT_FREE, SLOT_FILLING, SLOT_READY };

struct slot {
    struct pool_task task;
    struct stream *stream;
    /* While it is being filled the thread's, then the reader's. */
    struct bytes bytes;
    struct bytes copy;          /* of a compressed stream: what is read instead of the bytes, which may be packed, */
    struct gzip_sum sum;        /* and what is in it */
    uint64_t solutions, most;   /* in it, and that may be in it */
    struct range range, before; /* of a parallel list: its range, and as that was before the slot was filled */
    /* Guarded by the stream's lock. */
    enum slot_state state;
    enum nq_status status; /* while SLOT_READY. NQ_AGAIN: there is more for this slot; NQ_END: not; else cut there */
};

struct streams {
    struct lock lock;
    struct stream *list;
    unsigned running, most;
    uint64_t started, cut, refused;
    atomic_ullong solutions; /* made by all streams */
    bool closed;
    struct pool *pool;
    const struct kernel *kernel;
    uint64_t lifetime; /* ns */
};

struct stream {
    struct cancellable cancellable;
    struct streams *home;
    struct stream *next, **link; /* in home->list; its lock guards them */
    struct shared_question *shared;
    const struct question *question; /* in that */
    struct source *source;           /* or else: */
    struct parallel_list *parallel;
    bool packed;      /* slots are filled with packed solutions: see parallel_list_packs() */
    bool in_turn;     /* nothing can be made before what precedes it */
    uint64_t ends_at; /* clock_now() */
    atomic_bool stop;
    atomic_ullong took_off, nodes, worked; /* see stream_cost() */

    /* The reader's. */
    struct bytes edge; /* head or end of a parallel list, or of a compressed stream */
    const struct bytes
        *reading; /* edge, or the bytes or the copy of the foremost slot; NULL: all that was ready has been read */
    size_t read;  /* of them; */
    struct packed_place place;  /* or so much of packed ones: */
    char line[PACKED_LINE_MAX]; /* lines for which a reader has no room, */
    size_t line_size, line_read;
    enum nq_status outcome; /* how reading has ended; NQ_OK: it has not */
    uint64_t delivered;     /* solutions */
    bool enough;            /* as many as were asked for, the last ones of this range: */
    struct range last;
    bool closing;        /* the end of a parallel list is written */
    struct gzip_sum sum; /* of a compressed stream: of all that has been read, or is being */
    bool ended;          /* the reader has all of the body: it is not cut */

    struct lock lock; /* guards all below, and the slots' states */
    struct slot slot[STREAM_SLOTS];
    unsigned foremost, free; /* of the slots: to be read next, to be filled next */
    bool busy;               /* some slot is being filled */
    bool rest_left;          /* made in turn: the range that is continued in the next slot */
    struct range rest;
    uint64_t made;         /* solutions, in turn */
    enum nq_status status; /* after the slots NQ_AGAIN: more follows; NQ_END: the body's end; else it is cut there */
    bool waiting;          /* the reader is to be woken */
    cancellable_wake wake;
    void *who;
};

/* Prepares the slots of a stream, whose question is set. */
void stream_begin_slots(struct stream *stream);

/* Under the stream's lock: returns the slots to be filled from now on, a bit each. */
unsigned stream_give(struct stream *stream);

/* Has threads fill the given slots. Each task holds a reference. Not under the lock. */
void stream_fill(struct stream *stream, unsigned given);

/* The reader is gone: tasks that wait for a thread end at once. Not under the stream's lock. */
void stream_stop(struct stream *stream);

#ifdef CHECKS
/* Under the stream's lock: asserts that the slots are a ring. */
void stream_check_slots(const struct stream *stream);
#endif

#endif
