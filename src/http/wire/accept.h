/* accept.h - content negotiation (RFC 9110, 12.5.1, 12.5.3 and 12.5.4). It knows media types,
 * languages and codings, not formats. */
#ifndef HTTP_WIRE_ACCEPT_H
#define HTTP_WIRE_ACCEPT_H

/* How well one media type or language suits a client, by the Accept headers read so far. Begin with ACCEPT_UNREAD. */
struct accept {
    int precision; /* of the best matching range: 0 none, 1 any, 2 any subtype, or the language with a country, 3 exact
                    */
    int quality;   /* in thousandths */
};
#define ACCEPT_UNREAD ((struct accept){0, 0})

/* Reads one Accept header for a media type. Malformed ranges are skipped. */
void accept_read(const char *header, const char *media_type, struct accept *accept);

/* The same for one Accept-Language header and a language of two letters. */
void accept_language_read(const char *header, const char *language, struct accept *accept);

/* The same for one Accept-Encoding header and a coding such as "gzip". */
void accept_encoding_read(const char *header, const char *coding, struct accept *accept);

#endif
