/* list.h - replies with solutions, once it is known what that takes: how many there are, where the list begins. Each of
 * these is a question of its own, asked on the way, and may become a job. */
#ifndef HTTP_LIST_H
#define HTTP_LIST_H

#include "http/ask_query.h"
#include "http/route.h"

struct list_needs {
    const struct query_values *query; /* which solutions, in the words of the request */
    bool total;                       /* how many there are */
    bool index;                       /* ranks must be found, or solutions by their rank */
};

/* Replies with a page or a stream, from the cache if it is there. The question must be complete but for what is needed.
 */
enum MHD_Result reply_list(struct request *request, const struct question *question, const struct list_needs *needs);

/* Replies with the answer to a question that is to look into the index of a list, once that is made. */
enum MHD_Result reply_ranked(struct request *request, const struct question *question,
                             const struct query_values *query);

/* What a request keeps on the way; for its end. */
struct list;
void list_free(struct list *list);

#endif
