/* page.h - a page whose first lines are written for each request, before the rest, which was compressed beforehand. */
#ifndef HTTP_REPLY_PAGE_H
#define HTTP_REPLY_PAGE_H

#include "base/bytes.h"
#include "steps/embed.h"

/* Files that become part of the binary when it is built, each with a gzip copy that the build has made unless that
 * saves nothing. It knows bytes, no requests. */

struct embedded {
    const char *begin, *end;           /* the file */
    const char *gzip_begin, *gzip_end; /* and its copy; NULL: it has none */
};

/* The symbols of a file and of its copy. */
#define EMBED(symbol, path, gzip_path) EMBED_ONE(symbol, path) EMBED_ONE(symbol##_gzip, gzip_path)

#define EMBEDDED(symbol) \
    { \
        .begin = symbol##_begin, .end = symbol##_end, .gzip_begin = symbol##_gzip_begin, .gzip_end = symbol##_gzip_end \
    }

/* Appends head and rest as one gzip stream. rest: its copy is gzip without a name. False: out of memory. */
bool page_gzip(struct bytes *out, const struct bytes *head, const struct embedded *rest);

#endif
