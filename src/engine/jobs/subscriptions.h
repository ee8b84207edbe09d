/* subscriptions.h - how many subscriptions to a job each name has. It does not know what a job is. */
#ifndef ENGINE_JOBS_SUBSCRIPTIONS_H
#define ENGINE_JOBS_SUBSCRIPTIONS_H

#include "base/json.h"
#include "base/lock.h"
#include "base/status.h"

struct holder;
struct subscriptions {
    struct holder *first; /* one for each name that ever had a subscription */
};

/* Adds a subscription of its own for a name, or the common one: a name has at most one for all its requests that
 * became a job because they took too long. False: out of memory, or there are 10^9 of them; nothing is changed. */
bool subscriptions_add(struct subscriptions *subscriptions, const char *name, bool own);

/* Gives one back: of the name; else of the anonymous holder (""); for the name "" of any holder. NQ_OK; NQ_END: none is
 * left; NQ_DENIED: all belong to other names. */
enum nq_status subscriptions_remove(struct subscriptions *subscriptions, const char *name);

bool subscriptions_has(const struct subscriptions *subscriptions, const char *name);
unsigned subscriptions_count(const struct subscriptions *subscriptions); /* of all names */
#ifdef CHECKS
/* Asserts that every name has one holder, and that the sum is within its limit. */
void subscriptions_check(const struct subscriptions *subscriptions);
#endif
void subscriptions_clear(struct subscriptions *subscriptions);

/* As members of a job's record: "shares" is the total, "joined" and "holders" divide it among names. Subscriptions of
 * a holder that makes no sense become anonymous. Reading: NQ_OK, NQ_INVALID (the total
 * makes no sense), NQ_NOMEM. */
void subscriptions_write(const struct subscriptions *subscriptions, struct bytes *record);
enum nq_status subscriptions_read(struct subscriptions *subscriptions, const json_t *record);

#endif
