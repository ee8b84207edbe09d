/* http_requests.c - parses requests strictly as RFC 9112 defines them, where a server may be lenient. */
#include "http_requests.h"

#include <string.h>
#include <strings.h>

struct reader {
    const char *at, *end;
};

/* The framing of one request. */
struct framing {
    unsigned lengths, codings, hosts;
    bool chunked, http10, close, odd, nul;
    size_t length;
};

enum { LENGTH_DIGITS = 7, CHUNK_DIGITS = 5, LINE_MAX = 4096, LINES_MAX = 40 };

enum line { LINE_READ, LINE_CUT, LINE_ODD };

static bool is_text(char c, bool nuls)
{
    return (unsigned char)c >= ' ' ? c != 0x7f : c == '\t' || (c == '\0' && nuls);
}

/* Takes a line of visible characters, blanks and bytes above 127, without its CR LF. */
static enum line take_text(struct reader *reader, const char **line, size_t *size, bool nuls)
{
    const char *at = reader->at;
    while (at < reader->end && is_text(*at, nuls))
        at++;
    *line = reader->at;
    *size = (size_t)(at - reader->at);
    if (at == reader->end || (*at == '\r' && at + 1 == reader->end))
        return LINE_CUT;
    if (at[0] != '\r' || at[1] != '\n' || *size > LINE_MAX)
        return LINE_ODD;
    reader->at = at + 2;
    return LINE_READ;
}

static enum line take_line(struct reader *reader, const char **line, size_t *size)
{
    return take_text(reader, line, size, false);
}

/* Takes a header field, which may contain NULs: *size is up to the first, as for a string. */
static enum line take_field(struct reader *reader, const char **line, size_t *size, bool *nul)
{
    const enum line read = take_text(reader, line, size, true);
    const char *first = read == LINE_READ ? memchr(*line, '\0', *size) : NULL;
    *nul |= first != NULL;
    *size = first ? (size_t)(first - *line) : *size;
    return read;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "GET /path HTTP/1.1", without blanks in the path, where NULs may be. */
static bool read_request_line(const char *line, size_t size, bool *head, bool *http10)
{
    const char *end = line + size, *at = line;
    while (at < end && is_letter(*at))
        at++;
    const size_t method = (size_t)(at - line);
    if (method == 0 || method > 16 || at == end || *at++ != ' ' || at == end || (*at != '/' && *at != '*'))
        return false;
    while (at < end && (*at > ' ' || *at == '\0'))
        at++;
    if (end - at != 9 || strncmp(at, " HTTP/1.", 8) != 0 || (at[8] != '0' && at[8] != '1'))
        return false;
    *head = method == 4 && strncmp(line, "HEAD", 4) == 0;
    *http10 = at[8] == '0';
    return true;
}

static bool is(const char *text, size_t size, const char *wanted)
{
    return strlen(wanted) == size && strncasecmp(text, wanted, size) == 0;
}

static void read_length(const char *value, size_t size, struct framing *framing)
{
    framing->lengths++;
    framing->odd |= size == 0 || size > LENGTH_DIGITS;
    framing->length = 0;
    for (size_t i = 0; i < size && i < LENGTH_DIGITS; i++) {
        framing->odd |= !is_digit(value[i]);
        framing->length = framing->length * 10 + (size_t)(value[i] - '0');
    }
}

static void read_field(const char *line, size_t size, struct framing *framing)
{
    size_t name = 0;
    while (name < size && (is_letter(line[name]) || is_digit(line[name]) || line[name] == '-'))
        name++;
    if (name == 0 || name == size || line[name] != ':') {
        framing->odd = true;
        return;
    }
    const char *value = line + name + 1, *end = line + size;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const size_t length = (size_t)(end - value);
    if (is(line, name, "Content-Length")) /* to libmicrohttpd 0.9.75 a blank behind it is a part of it: refused */
        read_length(value, (size_t)(line + size - value), framing);
    else if (is(line, name, "Transfer-Encoding"))
        framing->codings++, framing->chunked = is(value, length, "chunked");
    else if (is(line, name, "Host"))
        framing->hosts++;
    else if (is(line, name, "Connection") && is(value, length, "close"))
        framing->close = true;
    else if (is(line, name, "Connection") || is(line, name, "Upgrade") || is(line, name, "Expect"))
        framing->odd = true;
}

/* The size of a chunk, in hexadecimal digits and nothing else. */
static enum line read_chunk_size(struct reader *reader, size_t *chunk)
{
    const char *line;
    size_t size;
    const enum line read = take_line(reader, &line, &size);
    if (read != LINE_READ)
        return read;
    *chunk = 0;
    for (size_t i = 0; i < size; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *digit = strchr(digits, line[i]);
        if (!digit || i >= CHUNK_DIGITS)
            return LINE_ODD;
        *chunk = *chunk * 16 + (size_t)(digit - digits) % 16;
    }
    return size ? LINE_READ : LINE_ODD;
}

static enum line skip_chunks(struct reader *reader)
{
    for (;;) {
        size_t chunk, size;
        const char *line;
        enum line read = read_chunk_size(reader, &chunk);
        if (read != LINE_READ)
            return read;
        if (chunk > (size_t)(reader->end - reader->at))
            return LINE_CUT;
        reader->at += chunk;
        read = take_line(reader, &line, &size); /* what ends a chunk; no trailers */
        if (read != LINE_READ || size)
            return read == LINE_CUT ? LINE_CUT : LINE_ODD;
        if (chunk == 0)
            return LINE_READ;
    }
}

static enum line skip_body(struct reader *reader, const struct framing *framing)
{
    if (framing->codings)
        return skip_chunks(reader);
    if (framing->length > (size_t)(reader->end - reader->at))
        return LINE_CUT;
    reader->at += framing->length;
    return LINE_READ;
}

static bool is_doubtful(const struct framing *framing)
{
    return framing->nul || framing->lengths + framing->codings > 1 || (framing->codings && !framing->chunked) ||
           framing->hosts > 1 || (framing->hosts == 0 && !framing->http10);
}

/* Reads one request. False: there is none, and *rest is what there is instead. */
static bool read_request(struct reader *reader, struct framing *framing, bool *head, enum requests_rest *rest)
{
    const char *line;
    size_t size;
    unsigned lines = 0;
    enum line read = take_text(reader, &line, &size, true);
    *rest = read == LINE_CUT ? REQUESTS_CUT : REQUESTS_ODD;
    if (read != LINE_READ || !read_request_line(line, size, head, &framing->http10))
        return false;
    framing->nul = memchr(line, '\0', size) != NULL;
    while ((read = take_field(reader, &line, &size, &framing->nul)) == LINE_READ && size) {
        read_field(line, size, framing);
        framing->odd |= ++lines > LINES_MAX;
    }
    *rest = read == LINE_CUT && !framing->odd ? REQUESTS_CUT : REQUESTS_ODD;
    if (read != LINE_READ || framing->odd || (framing->http10 && framing->codings))
        return false;
    if (is_doubtful(framing)) {
        *rest = REQUESTS_DOUBTFUL;
        return false;
    }
    read = skip_body(reader, framing);
    *rest = read == LINE_CUT ? REQUESTS_CUT : REQUESTS_ODD;
    return read == LINE_READ;
}

void requests_read(const uint8_t *data, size_t size, struct requests *requests)
{
    struct reader reader = {.at = (const char *)data, .end = (const char *)data + size};
    struct framing framing = {0};
    requests->count = 0;
    requests->rest = REQUESTS_CUT;
    while (reader.at < reader.end && requests->count < REQUESTS_MAX) {
        framing = (struct framing){0};
        if (!read_request(&reader, &framing, &requests->head[requests->count], &requests->rest))
            return;
        requests->count++;
        if (framing.close || framing.http10) {
            requests->rest = REQUESTS_CLOSE;
            return;
        }
    }
    requests->rest = reader.at < reader.end ? REQUESTS_ODD : REQUESTS_CUT;
}
