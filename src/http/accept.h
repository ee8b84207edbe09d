/* accept.h - content negotiation (RFC 9110, 12.5.1 and 12.5.4). It knows media types and languages, not formats. */
#ifndef HTTP_ACCEPT_H
#define HTTP_ACCEPT_H

/* How much a client wants one media type or language, as far as its Accept headers have been read. Begin with
 * ACCEPT_UNREAD. */
struct accept {
    int precision; /* of the best matching range: 0 none, 1 any, 2 any subtype, or the language as a country has it, 3
                      exact */
    int quality;   /* in thousandths */
};
#define ACCEPT_UNREAD ((struct accept){0, 0})

/* Reads one Accept header for a media type. Ranges that are not well-formed are passed over. */
void accept_read(const char *header, const char *media_type, struct accept *accept);

/* The same of one Accept-Language header for a language of two letters. */
void accept_language_read(const char *header, const char *language, struct accept *accept);

#endif
