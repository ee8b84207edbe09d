/* list.h - replies with a list of solutions that needs more: how many there are, where the list begins. Each of these
 * is a question of its own, asked before, and may become a job. */
#ifndef HTTP_ROUTES_LIST_H
#define HTTP_ROUTES_LIST_H

#include "engine/ask/query_values.h"
#include "http/reply/route.h"

struct list_needs {
    const struct query_values *query; /* which solutions, in the words of the request */
    bool total;                       /* the number of solutions */
    bool index;                       /* ranks must be found, or solutions by their rank */
};

/* Replies to the request's question with a page or a stream, from the cache if it is there. The question must be
 * complete but for what is needed. */
enum MHD_Result reply_list(struct request *request, const struct list_needs *needs);

/* Replies with the answer to the request's question, which looks into the index of a list, once that is made. */
enum MHD_Result reply_ranked(struct request *request, const struct query_values *query);

#endif
