/* fuzz_headers.c - header fields of any bytes: the first line is the protocol version, the second the target, the
 * others are "Name:value" each, folded lines where the value begins with a tab. What is read of them and what is
 * refused is compared with the rules, written down once more. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "fuzz.h"

/* The file itself, for its static functions, under names that do not collide with those of the library. */
#define headers_read fuzzed_headers_read
#define headers_refuse fuzzed_headers_refuse
#define headers_announce fuzzed_headers_announce
#define headers_of_type fuzzed_headers_of_type
#include "http/wire/headers.c"

struct field {
    char *buffer;       /* as libmicrohttpd has it: a line with a NUL for the colon, and one at the end */
    bool moved;         /* it is folded: the name lies elsewhere in the same buffer */
    char *name, *value; /* value NULL: there is none */
    size_t name_size, value_size;
};

enum { FIELDS_MAX = 200 };

static struct field fields[FIELDS_MAX];
static size_t count;

/* Takes the next line off; "" when there is none. */
static char *take_line(const char **text, size_t *size)
{
    const char *end = memchr(*text, '\n', *size);
    const size_t length = end ? (size_t)(end - *text) : *size;
    char *line = fuzz_text(*text, length);
    *text += end ? length + 1 : length;
    *size -= end ? length + 1 : length;
    return line;
}

static void split(const char *text, size_t size)
{
    for (count = 0; size && count < FIELDS_MAX; count++) {
        struct field *field = &fields[count];
        const char *end = memchr(text, '\n', size);
        const size_t length = end ? (size_t)(end - text) : size;
        const char *colon = memchr(text, ':', length);
        field->name_size = colon ? (size_t)(colon - text) : length;
        field->moved = colon && colon + 1 < text + length && colon[1] == '\t';
        const size_t ahead = field->moved ? field->name_size + 1 : 0;
        field->buffer = malloc(ahead + length + 1);
        REQUIRE(field->buffer);
        memcpy(field->buffer, text, ahead);
        if (ahead)
            field->buffer[ahead - 1] = '\0';
        char *line = field->buffer + ahead;
        memcpy(line, text, length);
        line[length] = '\0';
        field->value = colon ? line + field->name_size + 1 : NULL;
        field->name = field->buffer;
        if (colon) {
            line[field->name_size] = '\0';
            field->value += strspn(field->value, " ");
        }
        field->value_size = colon ? (size_t)(line + length - field->value) : 0;
        text += end ? length + 1 : length;
        size -= end ? length + 1 : length;
    }
}

static bool named(const struct field *field, const char *name)
{
    return field->name_size == strlen(name) && strncasecmp(field->name, name, field->name_size) == 0;
}

/* How many fields have a name; the last of them. */
static unsigned number_of(const char *name, const struct field **last)
{
    unsigned number = 0;
    *last = NULL;
    for (size_t i = 0; i < count; i++)
        if (named(&fields[i], name)) {
            number++;
            *last = &fields[i];
        }
    return number;
}

/* RFC 9110, 5.6.2: letters, digits and these; at least one. */
static bool names_are_tokens(void)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].name_size == 0)
            return false;
        for (size_t k = 0; k < fields[i].name_size; k++) {
            const unsigned char c = (unsigned char)fields[i].name[k];
            if (!isalnum(c) && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
                return false;
        }
    }
    return true;
}

static bool values_have_cr(void)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].value && memchr(fields[i].value, '\r', fields[i].value_size))
            return true;
    return false;
}

static bool some_are_folded(void)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].moved)
            return true;
    return false;
}

/* What the rules say, in the order they are looked at. */
static bool expected(const char *version, const char *target, enum problem *problem)
{
    const struct field *length, *coding, *host;
    const unsigned lengths = number_of("content-length", &length), codings = number_of("transfer-encoding", &coding),
                   hosts = number_of("host", &host);
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += fields[i].name_size + fields[i].value_size;
    *problem = PROBLEM_BAD_REQUEST;
    if (size > HEADERS_MAX)
        *problem = PROBLEM_HEADERS_TOO_LARGE;
    else if (some_are_folded() || !names_are_tokens() || values_have_cr() || hosts > 1 ||
             (hosts == 0 && strcmp(version, "HTTP/1.1") == 0))
        return true;
    else if (lengths > 1 || codings > 1 || (lengths && codings))
        return true;
    else if (codings && (!coding->value || strcasecmp(coding->value, "chunked") != 0))
        return true;
    else if (strcspn(target, "?") > 2 && memmem(target, strcspn(target, "?"), "%00", 3))
        return true;
    else
        return false;
    return true;
}

static void check(const char *version, const char *target)
{
    struct headers headers = {0};
    const struct field *last;
    for (size_t i = 0; i < count; i++)
        REQUIRE(read_one(&headers, MHD_HEADER_KIND, fields[i].name, fields[i].name_size, fields[i].value,
                         fields[i].value_size) == MHD_YES);
    const unsigned accepts = number_of("accept", &last), matches = number_of("if-none-match", &last);
    REQUIRE(headers.accept.count == (accepts < ACCEPTS_MAX ? accepts : ACCEPTS_MAX));
    REQUIRE(headers.if_none_match.count == (matches < ACCEPTS_MAX ? matches : ACCEPTS_MAX));
    for (unsigned i = 0; i < headers.accept.count; i++)
        REQUIRE(headers.accept.at[i]);
    for (unsigned i = 0; i < headers.if_none_match.count; i++)
        REQUIRE(headers.if_none_match.at[i]);
    REQUIRE(number_of("x-request-id", &last) == 0 || headers.request_id);

    enum problem problem = PROBLEM_INTERNAL, wanted;
    const char *detail = NULL;
    const bool refused = headers_refuse(&headers, version, target, &problem, &detail);
    REQUIRE(refused == expected(version, target, &wanted));
    REQUIRE(!refused || problem == wanted);
    REQUIRE(!refused || (detail && detail[0]));
    if (refused)
        return;
    const unsigned lengths = number_of("content-length", &last);
    const uint64_t announced = lengths && last->value ? strtoull(last->value, NULL, 10) : 0;
    REQUIRE(headers_announce(&headers, BODY_MAX) == (announced > BODY_MAX));
    REQUIRE(!announced || headers_announce(&headers, announced - 1));
    REQUIRE(!headers_announce(&headers, announced));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char *version = take_line(&text, &size), *target = take_line(&text, &size);
    split(text, size);
    check(version, target);
    for (size_t i = 0; i < count; i++)
        free(fields[i].buffer);
    free(version);
    free(target);
    return 0;
}
