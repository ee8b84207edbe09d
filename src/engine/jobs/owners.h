/* owners.h - the clients to whom a job belongs. Every server may change them at any time, and nothing is ever undone:
 * of each client the owners have the moment at which it last came or left, and of two copies the younger moment holds.
 * So copies are joined in any order, and again, with the same result. They do not know what a job is. */
#ifndef ENGINE_JOBS_OWNERS_H
#define ENGINE_JOBS_OWNERS_H

#include "base/json.h"
#include "base/lock.h"
#include "base/status.h"
#include "engine/ask/principal.h"

/* Clients that own a job or have owned it. Beyond that who left first is forgotten; while nobody has left, who comes is
 * not noted: the job goes on as long as somebody who is. Such a record is below 20 KB. */
enum { OWNERS_MOST = 400 };

/* Microseconds since 1970, up to the last second of the year 9999. */
#define MOMENT_MOST (UINT64_C(253402300799) * 1000000)

/* Now, but later than that: clocks of servers differ, and the younger of two changes must be the one that has seen the
 * other. */
uint64_t moment_after(uint64_t moment);

struct owner;
struct owners {
    struct owner *list;
    size_t count;
};

/* A client comes, or comes again: it may have left elsewhere. alone: whoever else is there leaves. NQ_OK; NQ_NONE:
 * there is no room, and nothing is changed; NQ_NOMEM. */
enum nq_status owners_enter(struct owners *owners, const char *name, bool alone);

/* A client leaves; that is noted though it is not there, as it may have come elsewhere. It takes along the nameless one
 * (of times without addresses or keys, ""); or if it has no key and never came, the only one: its address may be
 * another by now. NQ_OK; NQ_END: nobody is there; NQ_DENIED: it has a key, and all are others; NQ_NOMEM. */
enum nq_status owners_leave(struct owners *owners, const char *name);

bool owners_has(const struct owners *owners, const char *name);
unsigned owners_count(const struct owners *owners);  /* of those who are there */
uint64_t owners_moment(const struct owners *owners); /* the last; 0: there was none */

/* Adds what the others know. False: not all of it, as memory is out; to try again is right. */
bool owners_join(struct owners *owners, const struct owners *others);
void owners_free(struct owners *owners);

/* As members of a job's record: "owners", and "shares", their number, which earlier releases read. Reading: names that
 * make no sense are left out. A record of such a release has numbers of shares, and these owners since `moment`. NQ_OK,
 * NQ_INVALID, NQ_NOMEM. */
void owners_write(const struct owners *owners, struct bytes *record);
enum nq_status owners_read(struct owners *owners, const json_t *record, uint64_t moment);

#ifdef CHECKS
/* Asserts that each name is there once. */
void owners_check(const struct owners *owners);
#endif

#endif
