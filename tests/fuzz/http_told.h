/* http_told.h - judges what a server has replied, from its bytes. It knows HTTP and what openapi.yaml says of all
 * replies, not what any one question should be answered. */
#ifndef FUZZ_HTTP_TOLD_H
#define FUZZ_HTTP_TOLD_H

#include "http_asked.h"

/* ended: the connection is, in order; else there may be more that was not heard. Aborts when anything is wrong. */
void told_judge(const struct asked *asked, const char *data, size_t size, bool ended);

#endif
