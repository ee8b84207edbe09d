/* http_told.h - judges what a server has replied, from its bytes. It knows HTTP and what openapi.yaml says of all
 * replies, not what any one question should be answered. */
#ifndef FUZZ_HTTP_TOLD_H
#define FUZZ_HTTP_TOLD_H

#include "http_asked.h"

/* Whom a server speaks to: one that asks nobody for keys; one that does, to who may have said it or cannot have. */
enum told_access { TOLD_FREELY, TOLD_BY_KEY, TOLD_WITHOUT_KEY };

/* ended: the connection is, in order; else there may be more that was not heard. Aborts when anything is wrong. */
void told_judge(const struct asked *asked, enum told_access access, const char *data, size_t size, bool ended);

#endif
