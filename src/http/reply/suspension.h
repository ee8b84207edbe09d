/* suspension.h - suspends a request while it waits for the engine. */
#ifndef HTTP_REPLY_SUSPENSION_H
#define HTTP_REPLY_SUSPENSION_H

#include "http/reply/request.h"

/* Suspends the request, which must come before anything that can wake it. */
void suspension_begin(struct request *request, enum task task, enum MHD_Result (*resumed)(struct request *request));

/* Lets the watcher dismiss what the request waits for. NULL: memory was out, and nothing else wakes the request. */
void suspension_watch(struct request *request, struct cancellable *cancellable, unsigned seconds);

#endif
