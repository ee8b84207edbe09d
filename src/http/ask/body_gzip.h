/* body_gzip.h - decodes a body that was sent as gzip. It knows no requests. */
#ifndef HTTP_ASK_BODY_GZIP_H
#define HTTP_ASK_BODY_GZIP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Decodes all members of gzip, into at most `most` bytes; hold, who, stop: as in struct verify_asked. NQ_OK, with *out,
 * which the caller frees; NQ_INVALID: it is not gzip, or is cut; NQ_LIMIT: it is larger; NQ_BUSY, NQ_NOMEM or
 * NQ_CANCELLED. */
enum nq_status body_gunzip(const char *data, size_t size, size_t most, bool (*hold)(void *who, size_t bytes), void *who,
                           const atomic_bool *stop, char **out, size_t *out_size);

#endif
