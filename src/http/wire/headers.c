/* headers.c - reads header fields and rejects, before routing, what libmicrohttpd 0.9.75 accepts: two readings of where
 * a request ends (request smuggling), missing or repeated hosts, names with spaces, folded lines, bare CRs, codings on
 * which it would hang, and NULs. */
#include "http/wire/headers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/wire/bearer.h"
#include "http/wire/prefer.h"

/* Larger than any buffer that a request is received into. */
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

/* A folded line: libmicrohttpd 0.9.75 appends what follows to the name, which it moves for that, and loses a length or
 * a coding. In all other lines name and value are where they were received: in one buffer, with a NUL in place of the
 * colon. */
static bool is_folded(const char *name, size_t name_size, const char *value)
{
    const uintptr_t gap = (uintptr_t)value - (uintptr_t)(name + name_size);
    if (gap == 0 || gap > BUFFER_MAX)
        return true;
    const char *colon = name + name_size;
    return *colon != '\0' || strspn(colon + 1, " \t") < gap - 1;
}

static void add(struct field_list *list, const char *value)
{
    if (list->count < ACCEPTS_MAX)
        list->at[list->count++] = value;
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
    headers->bad_value |= memchr(value, '\r', value_size) != NULL;
    if (is(name, name_size, "Host")) {
        headers->hosts++;
    } else if (is(name, name_size, "Content-Length")) {
        headers->lengths++;
        headers->content_length = value;
    } else if (is(name, name_size, "Expect")) {
        headers->expects = true;
    } else if (is(name, name_size, "Transfer-Encoding")) {
        headers->codings++;
        headers->chunked = strcasecmp(value, "chunked") == 0;
    } else if (is(name, name_size, "Accept")) {
        add(&headers->accept, value);
    } else if (is(name, name_size, "Accept-Language")) {
        add(&headers->accept_language, value);
    } else if (is(name, name_size, "Accept-Encoding")) {
        add(&headers->accept_encoding, value);
    } else if (is(name, name_size, "If-None-Match")) {
        add(&headers->if_none_match, value);
    } else if (is(name, name_size, "Forwarded")) {
        add(&headers->forwarded, value);
    } else if (is(name, name_size, "X-Forwarded-For")) {
        add(&headers->x_forwarded_for, value);
    } else if (is(name, name_size, "Authorization")) {
        headers->keys += bearer_read(value, value_size, &headers->key, &headers->key_size);
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

void headers_read(struct MHD_Connection *mhd, struct headers *headers)
{
    *headers = (struct headers){.wait = -1};
    (void)MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, read_one, headers);
}

/* libmicrohttpd ends the path at "%00". */
static bool has_nul(const char *target)
{
    const char *nul = strstr(target, "%00"), *query = strchr(target, '?');
    return nul && (!query || nul < query);
}

bool headers_refuse(const struct headers *headers, const char *version, const char *target, enum problem *problem,
                    const char **detail)
{
    const bool http11 = strcmp(version, "HTTP/1.1") == 0;
    const struct {
        bool wrong;
        const char *detail;
    } checks[] = {
        {headers->size > HEADERS_MAX, "The header fields take more than 16384 bytes."},
        {headers->nul, "The request line or a header field contains a NUL."},
        {headers->folded, "A header field continues on another line. Write it on one line."},
        {headers->bad_name, "A header field's name contains a character that HTTP does not allow there."},
        {headers->bad_value, "A header field's value contains a CR."},
        {headers->hosts > 1 || (http11 && headers->hosts == 0), "A request must have exactly one Host field."},
        {headers->lengths > 1, "Content-Length must be given only once."},
        {headers->lengths && headers->codings, "A request must not have both Content-Length and Transfer-Encoding."},
        {headers->codings > 1 || (headers->codings && !headers->chunked),
         "The only transfer coding accepted is chunked."},
        {has_nul(target), "The path contains a NUL."},
    };
    *problem = headers->size > HEADERS_MAX ? PROBLEM_HEADERS_TOO_LARGE : PROBLEM_BAD_REQUEST;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].wrong) {
            *detail = checks[i].detail;
            return true;
        }
    return false;
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
