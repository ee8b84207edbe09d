/* lease.h - what becomes of a batch that was taken: it is worth as much as the claim with which it was posted. */
#ifndef STORES_LEASE_H
#define STORES_LEASE_H

#include "stores/queue.h"

/* posted: as of claim_check(). NQ_OK: *out is the lease; otherwise it was ended: NQ_TIMEOUT: there is another claim by
 * now, or none; or why it is not known. A batch of a work that nobody has comes again some times: its server may have
 * been away for so long that the broker forgot the claim. */
static inline enum nq_status lease_judge(struct lease *lease, enum nq_status posted, struct lease **out)
{
    enum { TRIES = 5, AGAIN_MS = 1000 };
    if (posted == NQ_OK) {
        *out = lease;
        return NQ_OK;
    }
    if (posted == NQ_DENIED || (posted == NQ_NONE && lease_deliveries(lease) >= TRIES))
        (void)lease_done(lease);
    else
        (void)lease_return(lease, AGAIN_MS);
    return posted == NQ_DENIED || posted == NQ_NONE ? NQ_TIMEOUT : posted;
}

#endif
