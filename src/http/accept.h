/* accept.h - content negotiation (RFC 9110, 12.5.1). It knows media types, not formats. */
#ifndef HTTP_ACCEPT_H
#define HTTP_ACCEPT_H

/* How much a client wants one media type, as far as its Accept headers have been read. Begin with ACCEPT_UNREAD. */
struct accept {
    int precision; /* of the best matching range: 0 none, 1 any type, 2 any subtype, 3 exact */
    int quality;   /* in thousandths */
};
#define ACCEPT_UNREAD ((struct accept){0, 0})

/* Reads one Accept header for a media type. Ranges that are not well-formed are passed over. */
void accept_read(const char *header, const char *media_type, struct accept *accept);

#endif
