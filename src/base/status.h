/* status.h - the results that only the service has, beside those of nqueens.h. http/wire/problem.c derives HTTP
 * statuses from all of them. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <nqueens.h>

/* Users of the library never see them; a macro each, because C cannot add to an enum. */
#define NQ_SERVICE_STATUS(i) ((enum nq_status)(NQ_CANCELLED + (i)))
#define NQ_BUSY NQ_SERVICE_STATUS(1)    /* no capacity at the moment: try later */
#define NQ_TIMEOUT NQ_SERVICE_STATUS(2) /* took longer than the caller may wait */
#define NQ_CLOSED NQ_SERVICE_STATUS(3)  /* shutting down */
#define NQ_BROKEN NQ_SERVICE_STATUS(4)  /* the store cannot be read or written */
#define NQ_DENIED NQ_SERVICE_STATUS(5)  /* the caller may not do this */
#define NQ_QUOTA NQ_SERVICE_STATUS(6)   /* the caller has as many of these as it may have at once */

#endif
