/* headers.c - reads header fields and rejects, before routing, what libmicrohttpd 0.9.75 accepts: two readings of where
 * a request ends (request smuggling), missing or repeated hosts, names with spaces, folded lines, bare CRs, codings on
 * which it would hang, and NULs. */
#include "http/wire/headers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"

/* ---- Trace context ---- */

enum { TRACE = 3, PARENT = TRACE + TRACE_ID_SIZE, FLAGS = PARENT + SPAN_ID_SIZE, SIZE = FLAGS + 2 };

static const char digits[] = "0123456789abcdef";

/* Whether it begins with exactly so many digits. */
static bool is_field(const char *text, size_t size)
{
    return strspn(text, digits) == size;
}

static bool is_zero(const char *text, size_t size)
{
    return strspn(text, "0") >= size;
}

static bool is_sound(const char *text)
{
    if (!is_field(text, TRACE - 1) || text[TRACE - 1] != '-' || strncmp(text, "ff", 2) == 0)
        return false;
    if (!is_field(text + TRACE, TRACE_ID_SIZE - 1) || text[PARENT - 1] != '-' ||
        is_zero(text + TRACE, TRACE_ID_SIZE - 1))
        return false;
    if (!is_field(text + PARENT, SPAN_ID_SIZE - 1) || text[FLAGS - 1] != '-' ||
        is_zero(text + PARENT, SPAN_ID_SIZE - 1))
        return false;
    if (!is_field(text + FLAGS, SIZE - FLAGS))
        return false;
    const char *rest = text + SIZE;
    if (*rest == '-')
        return strncmp(text, "00", 2) != 0;
    return rest[strspn(rest, " \t")] == '\0'; /* libmicrohttpd leaves trailing blanks at a value */
}

void trace_read(struct trace_context *context, const char *traceparent, uint64_t number)
{
    *context = (struct trace_context){.trace = ""};
    if (!traceparent || !is_sound(traceparent))
        return;
    memcpy(context->trace, traceparent + TRACE, TRACE_ID_SIZE - 1);
    memcpy(context->parent, traceparent + PARENT, SPAN_ID_SIZE - 1);
    context->sampled = strchr("13579bdf", traceparent[SIZE - 1]); /* the lowest bit */
    const uint64_t span = hash_bytes(hash_text(HASH_START, context->trace), &number, sizeof number);
    hash_hex(span ? span : 1, context->span); /* 0 is not a valid span */
}

void trace_respond(const struct trace_context *context, char text[static TRACE_RESPONSE_SIZE])
{
    (void)snprintf(text, TRACE_RESPONSE_SIZE, "00-%s-%s-0%d", context->trace, context->span, context->sampled);
}

/* ---- Content negotiation ---- */

/* The first of the `stops` at or after `text` that is not in a quoted string, or the end of the text. */
static const char *find(const char *text, const char *stops)
{
    for (bool quoted = false; *text; text++) {
        if (*text == '"')
            quoted = !quoted;
        else if (quoted && *text == '\\' && text[1])
            text++;
        else if (!quoted && strchr(stops, *text))
            break;
    }
    return text;
}

/* A qvalue, "1", "0.25", in thousandths; also what clients write for one: ".2", "0.8000", "\"0.5\"". -1: none of them.
 */
static int qvalue(const char *at, const char *end)
{
    int scale = 1000, value = 0;
    if (end - at > 2 && *at == '"' && end[-1] == '"') {
        at++;
        end--;
    }
    if (at == end || !strchr("01.", *at) || (*at == '.' && end - at < 2))
        return -1;
    if (*at != '.')
        value = (*at++ - '0') * scale;
    if (at < end && *at++ != '.')
        return -1;
    for (; at < end; at++) {
        scale /= 10; /* 0 from the fourth digit on */
        if (!isdigit((unsigned char)*at))
            return -1;
        value += (*at - '0') * scale;
    }
    return value > 1000 ? -1 : value;
}

/* The quality in the parameters of one range, ";a=b;q=0.5": 1000 when there is none, -1 when it is malformed. */
static int quality(const char *text, const char *end)
{
    while (text < end) {
        text++; /* the semicolon */
        text += strspn(text, " \t");
        const char *stop = find(text, ";,");
        if ((text[0] == 'q' || text[0] == 'Q') && text[1] == '=') {
            while (stop[-1] == ' ' || stop[-1] == '\t')
                stop--;
            return qvalue(text + 2, stop);
        }
        text = stop;
    }
    return 1000;
}

/* How precisely a range such as "text/ *" (without the blank) matches the type; 0: not at all. "*" is what Java sent
 * for any type until 2023. */
static int precision(const char *range, size_t size, const char *media_type)
{
    const char *slash = strchr(media_type, '/');
    const size_t type_size = (size_t)(slash - media_type) + 1, full_size = strcspn(media_type, ";");
    if ((size == 1 && *range == '*') || (size == 3 && memcmp(range, "*/*", 3) == 0))
        return 1;
    if (size == type_size + 1 && range[size - 1] == '*' && strncasecmp(range, media_type, type_size) == 0)
        return 2;
    return size == full_size && strncasecmp(range, media_type, size) == 0 ? 3 : 0;
}

/* How precisely a range such as "it-CH" or "*" matches a language of two letters; 0: not at all. */
static int language_precision(const char *range, size_t size, const char *language)
{
    if (size == 1 && *range == '*')
        return 1;
    if (size < 2 || strncasecmp(range, language, 2) != 0)
        return 0;
    return size == 2 ? 3 : range[2] == '-' ? 2 : 0;
}

/* The same of a content coding; "x-gzip" is an old name of gzip (RFC 9110, 8.4.1.3). */
static int coding_precision(const char *range, size_t size, const char *coding)
{
    if (size == 1 && *range == '*')
        return 1;
    if (size > 2 && strncasecmp(range, "x-", 2) == 0) {
        range += 2;
        size -= 2;
    }
    return size == strlen(coding) && strncasecmp(range, coding, size) == 0 ? 3 : 0;
}

enum { QUALITY_LEAST = 1 };

/* A range whose quality cannot be read counts as the least one as long as no other matches: it never excludes. */
static void read_ranges(const char *header, const char *offered, struct accept *accept,
                        int (*precision_of)(const char *range, size_t size, const char *offered))
{
    while (*header) {
        header += strspn(header, ", \t");
        const char *end = find(header, ","), *params = find(header, ",;");
        const int precise = precision_of(header, strcspn(header, ",; \t"), offered);
        const int q = precise && precise >= accept->precision ? quality(params, end) : -1;
        if (precise && q < 0 && accept->precision == 0)
            accept->quality = QUALITY_LEAST;
        if (q >= 0 && (precise > accept->precision || q > accept->quality))
            *accept = (struct accept){precise, q};
        header = end;
    }
}

void accept_read(const char *header, const char *media_type, struct accept *accept)
{
    read_ranges(header, media_type, accept, precision);
}

void accept_language_read(const char *header, const char *language, struct accept *accept)
{
    read_ranges(header, language, accept, language_precision);
}

void accept_encoding_read(const char *header, const char *coding, struct accept *accept)
{
    read_ranges(header, coding, accept, coding_precision);
}

struct accept accept_all(const struct field_list *fields, const char *offered,
                         void (*read)(const char *header, const char *offered, struct accept *accept))
{
    struct accept accept = ACCEPT_UNREAD;
    for (unsigned i = 0; i < fields->count; i++)
        read(fields->at[i], offered, &accept);
    return accept;
}

/* ---- Authorization ---- */

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

bool bearer_read(const char *field, size_t size, const char **key, size_t *key_size)
{
    static const char scheme[] = "Bearer";
    const size_t length = sizeof scheme - 1;
    if (size < length || strncasecmp(field, scheme, length) != 0 || (size > length && field[length] != ' '))
        return false;
    for (field += length, size -= length; size && *field == ' '; size--)
        field++;
    while (size && is_blank(field[size - 1]))
        size--;
    *key = field;
    *key_size = size;
    return true;
}

/* ---- Prefer ---- */

enum { WAIT_MOST = 1000000 };

/* Digits, quoted or not, up to blanks, a semicolon or the end; otherwise negative. */
static int read_seconds(const char *at, const char *end)
{
    const bool quoted = at < end && *at == '"';
    int seconds = 0;
    at += quoted;
    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        seconds = seconds < WAIT_MOST ? seconds * 10 + (*at - '0') : WAIT_MOST;
    if (at == start)
        return -1;
    if (quoted && (at == end || *at++ != '"'))
        return -1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at == end || *at == ';' ? seconds : -1;
}

void prefer_read(const char *field, bool *async, int *wait)
{
    for (const char *at = field; *at;) {
        const char *start = at + strspn(at, " \t"), *end = find(start, ",");
        const size_t name = strcspn(start, "=;, \t");
        if (name == 13 && strncasecmp(start, "respond-async", name) == 0)
            *async = true;
        else if (name == 4 && strncasecmp(start, "wait", name) == 0 && start[name] == '=' && *wait < 0)
            *wait = read_seconds(start + name + 1, end);
        at = *end ? end + 1 : end;
    }
}

/* ---- Bytes of the head ---- */

/* CR LF, or a bare LF, which libmicrohttpd accepts. */
enum { LINE_END_LEAST = 1, LINE_END_MOST = 2, VERSION_SIZE = 8 };

struct scan {
    uintptr_t end; /* of the previous string */
    bool nul;
};

static void expect_line(struct scan *scan, const char *next, size_t line_ends)
{
    const uintptr_t gap = (uintptr_t)next - scan->end; /* large if `next` is at a lower address: then it was moved */
    scan->nul |= gap < line_ends * LINE_END_LEAST || gap > line_ends * LINE_END_MOST;
}

static enum MHD_Result scan_field(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
    struct scan *scan = cls;
    (void)kind;
    expect_line(scan, name, 1);
    scan->end = value ? (uintptr_t)(value + value_size) : (uintptr_t)(name + name_size);
    return MHD_YES;
}

/* In the first line libmicrohttpd replaces one blank after the method by a NUL, though it accepts several, and the
 * blank before the version. */
static bool first_line_has_nul(const struct first_line *line)
{
    const char *blank = line->method + strlen(line->method) + 1;
    while (blank < line->target && *blank == ' ')
        blank++;
    return blank != line->target || line->target + line->target_size + 1 != line->version;
}

bool head_has_nul(struct MHD_Connection *mhd, const struct first_line *line)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    struct scan scan = {.end = (uintptr_t)(line->version + VERSION_SIZE)};
    if (!info || first_line_has_nul(line))
        return true;
    const char *end = line->method + info->header_size;
    (void)MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, scan_field, &scan);
    expect_line(&scan, end, 2); /* the line end of the last field, and the empty line */
    return scan.nul;
}

/* ---- X-Forwarded-Prefix ---- */

/* Whether a segment begins here that leads to no folder of its own. */
static bool is_void_segment(const char *at)
{
    const size_t size = strcspn(at, "/");
    return strspn(at, ".") == size && size <= 2;
}

bool prefix_sound(const char *text)
{
    enum { MOST = 200 };
    if (*text && (*text != '/' || strlen(text) > MOST))
        return false;
    for (; *text; text++)
        if (*text == '/' ? is_void_segment(text + 1) : !isalnum((unsigned char)*text) && !strchr("-._~", *text))
            return false;
    return true;
}

/* ---- All fields ---- */

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
    } else if (is(name, name_size, "X-Forwarded-Prefix")) {
        headers->forwarded_prefix = headers->forwarded_prefix ? "//" : value;
    } else if (is(name, name_size, "X-Request-Id")) {
        headers->request_id = value;
    } else if (is(name, name_size, "Content-Type")) {
        headers->content_type = value;
    } else if (is(name, name_size, "Content-Encoding")) {
        headers->content_encoding = headers->content_encoding ? "" : value;
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

enum coding headers_coding(const struct headers *headers)
{
    const char *coding = headers->content_encoding;
    if (!coding || strcasecmp(coding, "identity") == 0)
        return CODING_IDENTITY;
    return strcasecmp(coding, "gzip") == 0 || strcasecmp(coding, "x-gzip") == 0 ? CODING_GZIP : CODING_OTHER;
}

bool headers_of_type(const struct headers *headers, const char *media_type)
{
    const char *type = headers->content_type;
    const size_t size = strlen(media_type);
    return type && strncasecmp(type, media_type, size) == 0 &&
           (type[size] == '\0' || type[size] == ';' || type[size] == ' ');
}

bool headers_ask_for_job(const struct headers *headers)
{
    return headers->respond_async || headers->wait == 0;
}
