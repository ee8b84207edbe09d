/* flying.h - flights on a real pool with made-up work, for the tests of src/engine/flight.c: the test says how every
 * search behaves, counts what becomes of it, and asks as many guests. */
#ifndef UNIT_FLYING_H
#define UNIT_FLYING_H

#include "asking.h"
#include "engine/flight.h"

/* How all work behaves, and what has become of it. The answer to a question is its key. */
struct script {
    atomic_bool hold;      /* slices come to no end */
    atomic_bool hold_open; /* nor does opening, until it is stopped */
    enum nq_status open_as, prepare_as, slice_as, finish_as;
    const char *open_why, *work_why; /* what is said of a failure; NULL: nothing */
    struct progress progress;        /* what any work tells */
    bool incomplete;
    bool lengthy;   /* goes on in the other pool */
    double seconds; /* that any work says it takes of one core */
    bool mixed;     /* some searches cannot be opened, some fail, some take several slices */
    unsigned lanes, slices_each;
    atomic_uint asked, opened, prepared, closed, slices, finished;
    atomic_bool hold_prepare; /* preparing comes to no end, until it is stopped */
    atomic_uint early;        /* slices before that */
};

struct field {
    struct script script;
    struct pool *pool, *lengthy;
    struct flights *flights;
};

enum { FIELD_LANES = 8 }; /* at most, for one search */

void field_begin(struct field *field, unsigned threads, size_t queue, size_t cache_bytes);
/* Closes as the service does; then nothing may be left under way. */
void field_end(struct field *field);

/* Somebody who asks. */
struct guest {
    struct sleeper sleeper;
    struct ticket *ticket;
};
void guest_ask(struct guest *guest, struct field *field, const char *key);
void guest_ask_as(struct guest *guest, struct field *field, const char *key, struct asker asker);
void guest_dismiss(struct guest *guest, enum nq_status why);
/* Waits for the wake, and looks at what came with it: text is the answer, NULL none. */
void guest_gets(struct guest *guest, enum nq_status status, const char *text);
/* Goes. After field_end, when nobody can be woken a second time any more. */
void guest_end(struct guest *guest);

#endif
