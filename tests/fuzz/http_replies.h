/* http_replies.h - checks the bytes of a server's replies against HTTP and against what openapi.yaml states of every
 * reply. */
#ifndef FUZZ_HTTP_REPLIES_H
#define FUZZ_HTTP_REPLIES_H

#include "http_requests.h"

/* The server asks for no keys; it does, and the client may have sent one; it does, and the client cannot have. */
enum replies_access { ACCESS_OPEN, ACCESS_WITH_KEY, ACCESS_WITHOUT_KEY };

/* ended: the connection has ended in order; else there may be more than was received. Aborts if anything is wrong. */
void replies_judge(const struct requests *requests, enum replies_access access, const char *data, size_t size,
                   bool ended);

#endif
