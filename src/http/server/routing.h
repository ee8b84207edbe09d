/* routing.h - from a whole request to its route. */
#ifndef HTTP_SERVER_ROUTING_H
#define HTTP_SERVER_ROUTING_H

#include "http/reply/request.h"

/* The row of a method; never NULL. */
const struct method_row *method_row(const char *method);

/* The reader of the route that such a request will come to, NULL: it has none. url is the decoded path. */
const struct body_reader *routing_body_reader(const struct request *request, const char *url);

/* The request is whole: finds its route, reads its parameters and calls it, or refuses. */
enum MHD_Result routing_dispatch(struct request *request, const char *url);

#endif
