/* headers.c - reads header fields and closes, before routing, what libmicrohttpd 0.9.75 lets through: two readings of
 * where a request ends (request smuggling), doubtful hosts, names with spaces, folded lines, codings it would hang on,
 * and NULs in paths. */
#include "http/headers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/keyring.h"
#include "http/prefer.h"

/* More than any buffer that a request comes into. */
enum { BUFFER_MAX = 1 << 20 };

/* RFC 9110, 5.6.2. */
static bool is_token(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isalnum((unsigned char)text[i]) && (!text[i] || !strchr("!#$%&'*+-.^_`|~", text[i])))
            return false;
    return size > 0;
}

static bool is(const char *name, size_t size, const char *wanted)
{
    return strlen(wanted) == size && strncasecmp(name, wanted, size) == 0;
}

/* A folded line: libmicrohttpd 0.9.75 glues what follows to the name, which it moves for that, so that a length or a
 * coding is lost. Of every other line name and value lie where they came in: in one buffer, with a NUL for the colon.
 */
static bool is_folded(const char *name, size_t name_size, const char *value)
{
    const uintptr_t gap = (uintptr_t)value - (uintptr_t)(name + name_size);
    if (gap == 0 || gap > BUFFER_MAX)
        return true;
    const char *colon = name + name_size;
    return *colon != '\0' || strspn(colon + 1, " \t") < gap - 1;
}

static enum MHD_Result read_one(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                const char *value, size_t value_size)
{
    (void)kind;
    struct headers *headers = cls;
    headers->folded |= value && is_folded(name, name_size, value);
    if (!value)
        value = "";
    headers->size += name_size + value_size;
    headers->bad_name |= !is_token(name, name_size);
    if (is(name, name_size, "Host")) {
        headers->hosts++;
    } else if (is(name, name_size, "Content-Length")) {
        headers->lengths++;
        headers->content_length = value;
    } else if (is(name, name_size, "Transfer-Encoding")) {
        headers->codings++;
        headers->chunked = strcasecmp(value, "chunked") == 0;
    } else if (is(name, name_size, "Accept")) {
        if (headers->accepts < ACCEPTS_MAX)
            headers->accept[headers->accepts++] = value;
    } else if (is(name, name_size, "Accept-Language")) {
        if (headers->accept_languages < ACCEPTS_MAX)
            headers->accept_language[headers->accept_languages++] = value;
    } else if (is(name, name_size, "If-None-Match")) {
        if (headers->if_none_matches < ACCEPTS_MAX)
            headers->if_none_match[headers->if_none_matches++] = value;
    } else if (is(name, name_size, "Forwarded")) {
        if (headers->forwards < ACCEPTS_MAX)
            headers->forwarded[headers->forwards++] = value;
    } else if (is(name, name_size, "X-Forwarded-For")) {
        if (headers->x_forwards < ACCEPTS_MAX)
            headers->x_forwarded[headers->x_forwards++] = value;
    } else if (is(name, name_size, "Authorization")) {
        headers->keys += keyring_bearer(value, value_size, &headers->key, &headers->key_size);
    } else if (is(name, name_size, "X-API-Key")) {
        headers->keys++;
        headers->key = value;
        headers->key_size = value_size;
    } else if (is(name, name_size, "Origin")) {
        headers->origin = value;
    } else if (is(name, name_size, "Access-Control-Request-Method")) {
        headers->preflight = true;
    } else if (is(name, name_size, "Traceparent")) {
        headers->traceparent = headers->traceparent ? "" : value; /* of two, neither counts */
    } else if (is(name, name_size, "X-Request-Id")) {
        headers->request_id = value;
    } else if (is(name, name_size, "Content-Type")) {
        headers->content_type = value;
    } else if (is(name, name_size, "Last-Event-ID")) {
        headers->last_event_id = value;
    } else if (is(name, name_size, "Prefer")) {
        prefer_read(value, &headers->respond_async, &headers->wait);
    }
    return MHD_YES;
}

void headers_read(struct MHD_Connection *connection, struct headers *headers)
{
    *headers = (struct headers){.wait = -1};
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, read_one, headers);
}

/* "%00" ends the path as libmicrohttpd hands it on. */
static bool has_nul(const char *target)
{
    const char *nul = strstr(target, "%00"), *query = strchr(target, '?');
    return nul && (!query || nul < query);
}

bool headers_refuse(const struct headers *headers, const char *version, const char *target, enum problem *problem,
                    const char **detail)
{
    const bool http11 = strcmp(version, "HTTP/1.1") == 0;
    *problem = PROBLEM_BAD_REQUEST;
    if (headers->size > HEADERS_MAX) {
        *problem = PROBLEM_HEADERS_TOO_LARGE;
        *detail = "The header fields take more than 16384 bytes.";
    } else if (headers->folded) {
        *detail = "A header field goes on in another line.";
    } else if (headers->bad_name) {
        *detail = "A header field's name is not a token.";
    } else if (headers->hosts > 1 || (http11 && headers->hosts == 0)) {
        *detail = "A request needs exactly one Host field.";
    } else if (headers->lengths > 1) {
        *detail = "Content-Length is given more than once.";
    } else if (headers->lengths && headers->codings) {
        *detail = "Content-Length and Transfer-Encoding exclude each other.";
    } else if (headers->codings > 1 || (headers->codings && !headers->chunked)) {
        *detail = "The only transfer coding understood is chunked.";
    } else if (has_nul(target)) {
        *detail = "The path contains a NUL.";
    } else {
        return false;
    }
    return true;
}

bool headers_announce(const struct headers *headers, uint64_t most)
{
    return headers->lengths && strtoull(headers->content_length, NULL, 10) > most;
}

bool headers_of_type(const struct headers *headers, const char *media_type)
{
    const char *type = headers->content_type;
    const size_t size = strlen(media_type);
    return type && strncasecmp(type, media_type, size) == 0 &&
           (type[size] == '\0' || type[size] == ';' || type[size] == ' ');
}
