/* wait.h - requests that wait: for an answer, or for a job to be recorded; more of it is in route.h. */
#ifndef HTTP_REPLY_WAIT_H
#define HTTP_REPLY_WAIT_H

#include "http/reply/request.h"

/* Whether a request asks for a job that is never begun for its client: then that is the reply. */
bool wait_barred(struct request *request, const struct question *question, enum MHD_Result *result);

#endif
