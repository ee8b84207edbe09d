/* fuzz_accept.c - an Accept header of any bytes, read for every media type there is, as Accept-Language and as
 * Accept-Encoding. What it says must not depend on case, on the order of its ranges, or on whether they come in one
 * field or in several. */
#include <ctype.h>
#include <string.h>

#include "fuzz.h"
#include "http/routes/routes.h"
#include "http/wire/headers.h"

/* Of a media type, or of a language or coding, which have no slash; a language has two letters. */
static void read_as(const char *header, const char *offered, struct accept *accept)
{
    if (strchr(offered, '/'))
        accept_read(header, offered, accept);
    else if (strlen(offered) > 2)
        accept_encoding_read(header, offered, accept);
    else
        accept_language_read(header, offered, accept);
}

static struct accept said(const char *header, const char *media_type)
{
    struct accept accept = ACCEPT_UNREAD;
    read_as(header, media_type, &accept);
    REQUIRE(accept.precision >= 0 && accept.precision <= 3);
    REQUIRE(accept.quality >= 0 && accept.quality <= 1000);
    REQUIRE(accept.precision || accept.quality <= 1); /* 1: its quality could not be read */
    return accept;
}

static bool same(struct accept a, struct accept b)
{
    return a.precision == b.precision && a.quality == b.quality;
}

/* The ranges one by one, from the last to the first. */
static struct accept said_backwards(const char *header, const char *media_type)
{
    struct accept accept = ACCEPT_UNREAD;
    char *text = strdup(header), *comma;
    REQUIRE(text);
    while ((comma = strrchr(text, ','))) {
        read_as(comma + 1, media_type, &accept);
        *comma = '\0';
    }
    read_as(text, media_type, &accept);
    free(text);
    return accept;
}

static void check_type(const char *header, const char *swapped, const char *media_type)
{
    const struct accept accept = said(header, media_type);
    struct accept twice = accept;
    read_as(header, media_type, &twice);
    REQUIRE(same(accept, twice));
    REQUIRE(same(accept, said(swapped, media_type)));
    if (!strchr(header, '"')) /* between quotes a comma divides nothing */
        REQUIRE(same(accept, said_backwards(header, media_type)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *header = fuzz_text(data, size), *swapped = fuzz_text(data, size);
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)header[i];
        swapped[i] = (char)(isupper(c) ? tolower(c) : toupper(c));
    }
    for (const struct route *const *at = routes; *at; at++)
        for (size_t i = 0; route_media_type(*at, i); i++)
            check_type(header, swapped, route_media_type(*at, i));
    check_type(header, swapped, "it");
    check_type(header, swapped, "gzip");
    free(header);
    free(swapped);
    return 0;
}
