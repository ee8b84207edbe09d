/* body_gzip.h - decodes a body that was sent as gzip. It knows no requests. */
#ifndef HTTP_ASK_BODY_GZIP_H
#define HTTP_ASK_BODY_GZIP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Of what a body may take, as in struct verify_asked. */
struct gunzip_limits {
    size_t most; /* bytes that it may come to */
    bool (*hold)(void *who, size_t bytes);
    void *who;
    const atomic_bool *stop;
};

/* Decodes all members of gzip. NQ_OK, with *out, which the caller frees; NQ_INVALID: it is not gzip, or is cut;
 * NQ_LIMIT: it is larger; NQ_BUSY, NQ_NOMEM or NQ_CANCELLED. */
enum nq_status body_gunzip(const char *data, size_t size, const struct gunzip_limits *limits, char **out,
                           size_t *out_size);

#endif
