/* arrival.h - a request arrives: its head, the pieces of its body, its end. Each returns MHD_NO to close the
 * connection. */
#ifndef HTTP_SERVER_ARRIVAL_H
#define HTTP_SERVER_ARRIVAL_H

#include "http/reply/request.h"

/* Refuses what makes the rest of the connection doubtful. url is the decoded path. */
enum MHD_Result arrival_head(struct request *request, const char *url, const char *method, const char *version);

/* What is more than the route accepts is dropped, up to a limit. */
enum MHD_Result arrival_piece(struct request *request, const char *piece, size_t size);

/* Hands the whole request to its route. */
enum MHD_Result arrival_end(struct request *request, const char *url);

/* The address of a connection's other end, NULL: unknown. */
const struct sockaddr *arrival_address(struct MHD_Connection *mhd);

#endif
