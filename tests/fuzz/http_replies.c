/* http_replies.c - parses replies as RFC 9112 defines them and checks each: its status, its framing, its headers, and a
 * body that says of itself what it is. It must not believe in anything but bytes. */
#include "http_replies.h"

#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "fuzz.h"

struct reply {
    unsigned status;
    const char *fields, *fields_end;
    const char *body; /* as sent, perhaps in chunks */
    size_t size;
    bool whole;   /* it is complete */
    bool closing; /* it announces the end of the connection */
    bool chunked;
};

/* Of a body to be read. */
enum { JUDGED_MAX = 64 << 10 };

static bool is(const char *text, size_t size, const char *wanted)
{
    return strlen(wanted) == size && strncasecmp(text, wanted, size) == 0;
}

/* The value of a field, or NULL. It may be given once. */
static const char *field(const struct reply *reply, const char *name, size_t *size)
{
    const char *found = NULL;
    for (const char *line = reply->fields; line < reply->fields_end;) {
        const char *end = memmem(line, (size_t)(reply->fields_end - line), "\r\n", 2);
        const char *colon = memchr(line, ':', (size_t)(end - line));
        REQUIRE(colon && colon > line && colon[1] == ' ');
        for (const char *at = line; at < end; at++)
            REQUIRE((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7f);
        if (is(line, (size_t)(colon - line), name)) {
            REQUIRE(!found);
            found = colon + 2;
            *size = (size_t)(end - found);
        }
        line = end + 2;
    }
    return found;
}

static bool says(const struct reply *reply, const char *name, const char *wanted)
{
    size_t size;
    const char *value = field(reply, name, &size);
    return value && strncasecmp(value, wanted, strlen(wanted)) == 0;
}

static bool has(const struct reply *reply, const char *name)
{
    size_t size;
    return field(reply, name, &size) != NULL;
}

/* ---- Framing ---- */

/* The bytes of all chunks including the last one; 0: that is missing. */
static size_t chunks_size(const char *data, size_t size)
{
    for (size_t at = 0;;) {
        const char *end = memmem(data + at, size - at, "\r\n", 2);
        size_t chunk = 0;
        if (!end)
            return 0;
        REQUIRE(end > data + at && end - (data + at) <= 8);
        for (const char *c = data + at; c < end; c++) {
            const char *digits = "0123456789abcdef0123456789ABCDEF", *digit = strchr(digits, *c);
            REQUIRE(*c && digit);
            chunk = chunk * 16 + (size_t)(digit - digits) % 16;
        }
        at = (size_t)(end - data) + 2;
        if (size - at < chunk + 2)
            return 0;
        at += chunk;
        REQUIRE(memcmp(data + at, "\r\n", 2) == 0); /* no trailers */
        at += 2;
        if (chunk == 0)
            return at;
    }
}

/* Bodies never begin so. */
static bool next_begins(const char *data, size_t size)
{
    return size == 0 || (size >= 7 && memcmp(data, "HTTP/1.", 7) == 0);
}

/* Finds the body. bare: -1: it is not known whether the request was a HEAD. */
static void frame(struct reply *reply, const char *data, size_t size, int bare, bool ended)
{
    size_t length_size;
    const char *length = field(reply, "Content-Length", &length_size);
    reply->body = data;
    reply->chunked = says(reply, "Transfer-Encoding", "chunked");
    reply->closing = says(reply, "Connection", "close");
    REQUIRE(!(length && reply->chunked));
    if (reply->status == 204 || reply->status == 304 || bare > 0 || (bare < 0 && next_begins(data, size))) {
        reply->whole = true;
    } else if (length) {
        const size_t wanted = strtoul(length, NULL, 10);
        REQUIRE(length_size > 0 && strspn(length, "0123456789") == length_size);
        reply->whole = wanted <= size;
        reply->size = reply->whole ? wanted : size;
    } else if (reply->chunked) {
        reply->size = chunks_size(data, size);
        reply->whole = reply->size > 0;
        reply->size = reply->whole ? reply->size : size;
    } else {
        reply->size = size; /* up to the end of the connection: over HTTP/1.0 only */
        reply->closing = true;
        reply->whole = ended;
    }
}

/* Reads the next reply; returns its size, or 0 if its headers are incomplete. */
static size_t take(struct reply *reply, const char *data, size_t size, int bare, bool ended)
{
    const char *blank = memmem(data, size, "\r\n\r\n", 4), *line = memmem(data, size, "\r\n", 2);
    *reply = (struct reply){0};
    if (!blank)
        return 0;
    REQUIRE(line - data >= 13 && memcmp(data, "HTTP/1.", 7) == 0 && (data[7] == '0' || data[7] == '1'));
    REQUIRE(data[8] == ' ' && data[12] == ' ' && strspn(data + 9, "0123456789") == 3);
    reply->status = (unsigned)strtoul(data + 9, NULL, 10);
    reply->fields = line + 2;
    reply->fields_end = blank + 2;
    const size_t headers = (size_t)(blank + 4 - data);
    if (reply->status != 100)
        frame(reply, data + headers, size - headers, bare, ended);
    return headers + reply->size;
}

/* ---- A reply ---- */

static void judge_status(const struct reply *reply, enum replies_access access)
{
    static const unsigned known[] = {200, 202, 204, 304, 400, 401, 403, 404, 405, 406,
                                     408, 413, 414, 415, 422, 429, 431, 501, 503, 505}; /* 500 is none of them */
    size_t i = 0;
    while (i < sizeof known / sizeof known[0] && known[i] != reply->status)
        i++;
    REQUIRE(i < sizeof known / sizeof known[0]);
    REQUIRE(reply->status != 405 || has(reply, "Allow"));
    REQUIRE(reply->status != 429 || has(reply, "Retry-After"));
    REQUIRE(reply->status != 202 || (has(reply, "Location") && access != ACCESS_WITHOUT_KEY)); /* a job */
    REQUIRE(reply->status != 401 || (has(reply, "WWW-Authenticate") && access != ACCESS_OPEN));
    REQUIRE(reply->status != 403 || access == ACCESS_WITH_KEY);
}

static void judge_problem(const json_t *json, unsigned status)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    REQUIRE(type && strncmp(type, "urn:nqueensd:problem:", 21) == 0);
    REQUIRE(json_is_string(json_object_get(json, "title")) && json_is_string(json_object_get(json, "detail")));
    REQUIRE((unsigned)json_integer_value(json_object_get(json, "status")) == status);
}

static void judge_json(const struct reply *reply, const char *text, size_t size, bool problem)
{
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    REQUIRE(json_is_object(json));
    if (problem)
        judge_problem(json, reply->status);
    json_decref(json);
}

static void judge_lines(const struct reply *reply, const char *text, size_t size)
{
    const char *line = text, *end;
    while ((end = memchr(line, '\n', size - (size_t)(line - text)))) {
        judge_json(reply, line, (size_t)(end - line), false);
        line = end + 1;
    }
    REQUIRE(line == text + size);
}

/* The same tag, the same bytes: on every replica, and so in every run. */
static void judge_tag(const struct reply *reply, const char *text, size_t size)
{
    static struct {
        uint64_t tag, body;
    } seen[1 << 14];
    size_t tag_size;
    const char *tag = field(reply, "ETag", &tag_size);
    if (!tag || reply->status != 200)
        return;
    const uint64_t name = hash_bytes(HASH_START, tag, tag_size), body = hash_bytes(HASH_START, text, size);
    const size_t slot = name % (sizeof seen / sizeof seen[0]);
    REQUIRE(seen[slot].tag != name || seen[slot].body == body);
    seen[slot].tag = name;
    seen[slot].body = body;
}

static void judge_body(const struct reply *reply)
{
    static char text[JUDGED_MAX];
    size_t size = 0;
    if (reply->size > JUDGED_MAX)
        return;
    if (!reply->chunked) {
        memcpy(text, reply->body, reply->size);
        size = reply->size;
    }
    for (const char *at = reply->body; reply->chunked;) {
        const size_t chunk = strtoul(at, NULL, 16);
        if (chunk == 0)
            break;
        at = memchr(at, '\n', (size_t)(reply->body + reply->size - at));
        memcpy(text + size, at + 1, chunk);
        size += chunk;
        at += 1 + chunk + 2;
    }
    if (says(reply, "Content-Type", "application/problem+json"))
        judge_json(reply, text, size, true);
    else if (says(reply, "Content-Type", "application/json"))
        judge_json(reply, text, size, false);
    else if (says(reply, "Content-Type", "application/x-ndjson"))
        judge_lines(reply, text, size);
    judge_tag(reply, text, size);
}

/* libmicrohttpd's own pages have no Content-Type. */
static bool of_library(const struct reply *reply)
{
    return reply->status >= 400 && !has(reply, "Content-Type");
}

/* plain: it is the reply to a request that a strict reader understands, so libmicrohttpd has nothing to complain
 * of. */
static void judge(const struct reply *reply, enum replies_access access, bool plain)
{
    judge_status(reply, access);
    if (of_library(reply)) {
        REQUIRE(!plain && reply->closing);
        return;
    }
    REQUIRE(reply->status < 400 || says(reply, "Content-Type", "application/problem+json"));
    REQUIRE(reply->status < 400 || says(reply, "Cache-Control", "no-store"));
    REQUIRE(reply->status >= 400 || has(reply, "X-Request-Id"));
    REQUIRE(!(has(reply, "ETag") && says(reply, "Cache-Control", "no-store")));
    if (reply->whole && reply->size)
        judge_body(reply);
}

/* Streams may be cut, by their time or by a full queue; nothing else may. */
static bool may_be_cut(const struct reply *reply)
{
    return reply->chunked || says(reply, "Content-Type", "application/octet-stream");
}

/* Checks the number of replies. */
static void judge_count(const struct requests *requests, size_t count, const struct reply *last, bool ended)
{
    const bool refused = count && last->status >= 400;
    const bool over = count && (last->closing || !last->whole);
    switch (requests->rest) {
    case REQUESTS_CLOSE: REQUIRE(count <= requests->count); break;
    case REQUESTS_CUT:
        REQUIRE(count <= requests->count || (count == requests->count + 1 && refused && last->closing));
        break;
    case REQUESTS_DOUBTFUL:
        REQUIRE(count <= requests->count || (count == requests->count + 1 && refused && last->closing));
        break;
    case REQUESTS_ODD: break;
    }
    if (ended && requests->rest == REQUESTS_DOUBTFUL)
        REQUIRE(count == requests->count + 1 || over);
    else if (ended)
        REQUIRE(count >= requests->count || over);
}

void replies_judge(const struct requests *requests, enum replies_access access, const char *data, size_t size,
                   bool ended)
{
    struct reply reply = {.whole = true};
    size_t count = 0;
    while (size && reply.whole) {
        const bool plain = count < requests->count;
        /* Nothing comes behind the last one; but libmicrohttpd 0.9.75 sends the headers of a page about a
         * Content-Length twice. */
        REQUIRE(!reply.closing || of_library(&reply));
        const size_t taken = take(&reply, data, size, plain ? requests->head[count] : -1, ended);
        if (taken == 0) {
            REQUIRE(!ended);
            return;
        }
        data += taken;
        size -= taken;
        if (reply.status == 100)
            continue;
        REQUIRE(reply.whole || !ended || may_be_cut(&reply));
        judge(&reply, access, plain);
        count++;
    }
    judge_count(requests, count, &reply, ended);
}
