/* page.h - a page whose first lines are written for each request, before the rest, which was compressed beforehand. */
#ifndef HTTP_REPLY_PAGE_H
#define HTTP_REPLY_PAGE_H

#include "base/bytes.h"
#include "http/reply/embedded.h"

/* Appends head and rest as one gzip stream. rest: its copy is gzip without a name. False: out of memory. */
bool page_gzip(struct bytes *out, const struct bytes *head, const struct embedded *rest);

#endif
