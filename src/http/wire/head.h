/* head.h - the bytes of a request's head, as libmicrohttpd leaves them in its buffer. */
#ifndef HTTP_WIRE_HEAD_H
#define HTTP_WIRE_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

/* The first line. The texts are in the buffer of the connection. */
struct first_line {
    const char *method, *target, *version;
    size_t target_size; /* up to its first NUL, measured before libmicrohttpd decoded it */
};

/* Whether the client sent a NUL in the first line or in a header field: libmicrohttpd ignores what follows it. Not
 * seen: a NUL before a bare LF, and a line that begins with a NUL before the first line. */
bool head_has_nul(struct MHD_Connection *mhd, const struct first_line *line);

#endif
