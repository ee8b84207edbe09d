/* made_up_flights.h - flights on a real pool with made-up work, for the tests of src/engine/run/flight.c: the test says
 * how every search behaves, counts what becomes of it, and asks as many callers. */
#ifndef TESTS_UNIT_SUPPORT_MADE_UP_FLIGHTS_H
#define TESTS_UNIT_SUPPORT_MADE_UP_FLIGHTS_H

#include "engine/run/flight.h"
#include "support/questions.h"

/* How all work behaves, and what has become of it. The answer to a question is its key. */
struct script {
    atomic_bool hold;      /* slices come to no end */
    atomic_bool hold_open; /* nor does opening, until it is stopped */
    enum nq_status open_as, prepare_as, slice_as, finish_as;
    const char *open_why, *work_why; /* what is said of a failure; NULL: nothing */
    struct progress progress;        /* what any work tells */
    bool incomplete;
    bool lengthy;   /* goes on with the rank of such */
    double seconds; /* that any work says it takes of one core */
    bool mixed;     /* some searches cannot be opened, some fail, some take several slices */
    unsigned tasks, slices_each;
    uint64_t slice_ns;    /* that each slice takes at least */
    atomic_ulong carrier; /* pthread_self() of the last slice */
    atomic_uint asked, opened, prepared, closed, slices, finished;
    atomic_bool hold_prepare;                  /* preparing comes to no end, until it is stopped */
    atomic_uint early;                         /* slices before that */
    atomic_bool hold_progress, asked_progress; /* nor does telling the progress; whether somebody asked for it then */
    atomic_ulong finisher;                     /* pthread_self() of the last finish */
};

struct flight_fixture {
    struct script script;
    struct pool *pool;
    struct flights *flights;
    struct caller *callers; /* who asked, the last one first */
    bool closed;
    bool stopped; /* the first pool is, already */
};

enum { FIXTURE_TASKS = 8 }; /* at most, for one search */

void flight_fixture_begin(struct flight_fixture *fixture, unsigned threads, size_t queue, size_t cache_bytes);
/* Closes as the service does; then nothing may be left under way. */
void field_close(struct flight_fixture *fixture);
/* Closes, if that is still to be done, and frees all, the callers too: each must have been woken once. */
void flight_fixture_end(struct flight_fixture *fixture);

/* The cached answer, a reference, or NULL. */
struct answer *caller_peek(struct flight_fixture *fixture, const char *key);

/* Somebody who asks; the fixture's. */
struct caller {
    struct sleeper sleeper;
    struct waiter *waiter;
    struct caller *next;
};
struct caller *caller_ask(struct flight_fixture *fixture, const char *key);
struct caller *caller_ask_as(struct flight_fixture *fixture, const char *key, struct principal principal);
struct caller *caller_ask_brief(struct flight_fixture *fixture, const char *key);
struct caller *caller_ask_admitted(struct flight_fixture *fixture, const char *key);
struct caller *caller_ask_staying(struct flight_fixture *fixture, const char *key, struct on_timeout *on_timeout);
/* As HTTP does, which has looked for the answer before: see flights_peek(). */
struct caller *caller_ask_seen(struct flight_fixture *fixture, const char *key, uint64_t seen);
void caller_dismiss(struct caller *caller, enum nq_status why);
/* Waits for the wake, and looks at what came with it: text is the answer, NULL none. */
void caller_gets(struct caller *caller, enum nq_status status, const char *text);
/* Frees what a caller holds that no fixture owns. After flight_fixture_end, when nobody can be woken a second time any
 * more. */
void caller_end(struct caller *caller);

#endif
