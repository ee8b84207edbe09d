/* json.c - reads documents with jansson, and writes them as bytes. */
#include "base/json.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/status.h"
#include "base/stop.h"

/* Numbers below it are written without a fraction if they have none: 2^53. */
#define MOST_WHOLE 9007199254740992.0

/* In what steps a budget grows, and how many pieces are freed between two looks at the stop flag: 20 us or so. */
enum { BUDGET_STEP = 64 << 10, FREED_UNSEEN = 512 };

/* What is read on this thread: within which budget (NULL: none), how much of it is used, and how memory ran out since
 * it began. jansson has one allocator for all threads, which knows nothing of documents. */
static _Thread_local struct {
    struct json_budget *budget;
    size_t used;
    unsigned freed;
    bool refused, out_of_memory;
} reading;

/* What malloc takes for so many bytes, about. */
static size_t cost(size_t size)
{
    enum { OWN = 8, UNIT = 16, LEAST = 32 };
    const size_t whole = (size + OWN + UNIT - 1) / UNIT * UNIT;
    return whole < LEAST ? LEAST : whole;
}

/* Counts an allocation. False: the budget does not grow so far. */
static bool grant(size_t size)
{
    struct json_budget *budget = reading.budget;
    if (!budget || !budget->hold)
        return true;
    if (size > SIZE_MAX / 2 - reading.used)
        return false;
    reading.used += cost(size);
    if (reading.used <= budget->held)
        return true;
    const size_t more = (reading.used - budget->held + BUDGET_STEP - 1) / BUDGET_STEP * BUDGET_STEP;
    if (!budget->hold(budget->who, more))
        return false;
    budget->held += more;
    return true;
}

static void *take(size_t size)
{
    if (!grant(size)) {
        reading.refused = true;
        return NULL;
    }
    void *data = malloc(size);
    reading.out_of_memory |= !data;
    return data;
}

/* A document of millions of values takes tenths of a second to be freed, also when jansson frees it because the rest is
 * wrong. */
static void give_back(void *data)
{
    const struct json_budget *budget = reading.budget;
    const size_t counted = data && budget ? cost(malloc_usable_size(data)) : 0;
    reading.used -= counted < reading.used ? counted : reading.used; /* a large piece may have been rounded up */
    free(data);
    if (budget && ++reading.freed % FREED_UNSEEN == 0)
        (void)stop_wanted(budget->stop); /* it ends all the same, but may be set aside */
}

void json_begin(void)
{
    json_set_alloc_funcs(take, give_back);
}

enum nq_status json_read(const char *text, size_t size, size_t flags, json_t **json, json_error_t *error)
{
    reading.out_of_memory = false;
    *json = json_loadb(text ? text : "", size, flags, error);
    if (!reading.out_of_memory)
        return *json ? NQ_OK : NQ_INVALID;
    json_decref(*json);
    *json = NULL;
    return NQ_NOMEM;
}

/* A text that jansson takes piece by piece. */
struct pieces {
    const char *text;
    size_t left;
    const atomic_bool *stop;
    bool stopped;
    bool python;
    char quote;       /* of the string that goes on; 0: none */
    bool escaped;     /* the byte before was a backslash there */
    const char *word; /* what is left of a word that goes on */
};

/* Whether a list ends behind the comma here. */
static bool ends_list(const char *text, size_t left)
{
    size_t at = 1;
    while (at < left && strchr(" \t\r\n", text[at] ? text[at] : 'x'))
        at++;
    return at < left && strchr(")]}", text[at] ? text[at] : 'x');
}

/* JSON's byte for a byte within a string. */
static char within_string(struct pieces *pieces, char c)
{
    if (c == pieces->quote && !pieces->escaped) {
        pieces->quote = 0;
        return '"';
    }
    pieces->escaped = c == '\\' && !pieces->escaped;
    return c;
}

/* The first byte of JSON's name of a constant, if one begins here; else the byte. */
static char first_of_word(struct pieces *pieces, const char *text, size_t left)
{
    static const char *const words[][2] = {{"True", "true"}, {"False", "false"}, {"None", "null"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (left >= strlen(words[i][0]) && memcmp(text, words[i][0], strlen(words[i][0])) == 0) {
            pieces->word = words[i][1] + 1;
            return *words[i][1];
        }
    return *text;
}

/* JSON's byte for one of Python, of a text that goes on. */
static char from_python(struct pieces *pieces, const char *text, size_t left)
{
    const char c = *text;
    if (pieces->quote)
        return within_string(pieces, c);
    if (*pieces->word)
        return *pieces->word++;
    switch (c) {
    case '"':
    case '\'': pieces->quote = c; return '"';
    case '(': return '[';
    case ')': return ']';
    case ',':
        if (ends_list(text, left))
            return ' ';
        return c;
    default: return first_of_word(pieces, text, left);
    }
}

static size_t next_piece(void *buffer, size_t room, void *data)
{
    struct pieces *pieces = data;
    const size_t size = pieces->left < room ? pieces->left : room;
    pieces->stopped = stop_wanted(pieces->stop);
    if (pieces->stopped)
        return 0;
    memcpy(buffer, pieces->text, size);
    for (size_t i = 0; pieces->python && i < size; i++)
        ((char *)buffer)[i] = from_python(pieces, pieces->text + i, pieces->left - i);
    pieces->text += size;
    pieces->left -= size;
    return size;
}

enum nq_status json_read_within(const char *text, size_t size, size_t flags, struct json_budget *budget, json_t **json,
                                json_error_t *error)
{
    struct pieces pieces = {
        .text = text ? text : "", .left = size, .stop = budget->stop, .python = flags & JSON_PYTHON, .word = ""};
    assert(!reading.budget);
    reading.budget = budget;
    reading.used = 0;
    reading.refused = reading.out_of_memory = false;
    *json = json_load_callback(next_piece, &pieces, flags & ~JSON_PYTHON, error);
    reading.budget = NULL;
    if (!reading.refused && !reading.out_of_memory && !pieces.stopped)
        return *json ? NQ_OK : NQ_INVALID;
    json_free_within(*json, budget);
    *json = NULL;
    return pieces.stopped ? NQ_CANCELLED : reading.refused ? NQ_BUSY : NQ_NOMEM;
}

void json_free_within(json_t *json, struct json_budget *budget)
{
    assert(!reading.budget);
    reading.budget = budget;
    json_decref(json);
    reading.budget = NULL;
}

bool json_whole(const json_t *object, const char *name, uint64_t most, uint64_t *number)
{
    const json_t *member = json_object_get(object, name);
    const json_int_t value = json_integer_value(member);
    *number = value < 0 ? 0 : (uint64_t)value;
    return !member || (json_is_integer(member) && value >= 0 && *number <= most);
}

void json_fault_read(const json_t *object, struct fault *fault)
{
    const char *code = json_string_value(json_object_get(object, "code"));
    fault->why = UNCODED;
    for (int why = FAULTS; code && why < REFUSALS; why++)
        if (strcmp(code, refusals[why].code) == 0)
            fault->why = (enum refusal)why;
    for (size_t i = 0; i < REFUSAL_MEMBERS_MAX && fault->why && refusals[fault->why].members[i]; i++)
        fault->numbers[i] = json_number_value(json_object_get(object, refusals[fault->why].members[i]));
}

static int append(const char *text, size_t size, void *out)
{
    bytes_add(out, text, size);
    return 0;
}

/* ---- Writing value by value ---- */

/* The last byte; 0: there is none. */
static char last(const struct bytes *out)
{
    return (char)(out->size && !out->failed ? out->data[out->size - 1] : '\0');
}

/* A value ends with a quote, a digit, a letter or a bracket that closes; nothing else is followed by a comma. */
static bool ends_value(char c)
{
    return c && c != '{' && c != '[' && c != ':' && c != ',' && c != '\n' && c != ' ';
}

#ifdef CHECKS
/* Asserts that a value can be written here, as an element or as a member with a name. */
static void json_place_check(const struct bytes *out, bool named)
{
    const char before = last(out);
    assert(!before || (named ? before != '[' && before != ':' : before != '{'));
}

/* Asserts that an object or array can end here: not after a name or a comma, nor inside another bracket. */
static void json_end_check(const struct bytes *out, char bracket)
{
    const char before = last(out);
    assert(!before || !strchr(bracket == '}' ? ":,[" : ":,{", before));
}

/* Asserts that the bytes from `start` on are one JSON value, without two members of one name in an object. */
static void json_document_check(const struct bytes *out, size_t start)
{
    json_error_t error;
    json_t *json = out->failed ? NULL
                               : json_loadb(out->data + start, out->size - start,
                                            JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    assert(out->failed || json || json_error_code(&error) == json_error_out_of_memory);
    json_decref(json);
}
#endif

/* Appends what stands before a value, and the first byte of it; 0: none. */
static void begin_value(struct bytes *out, const char *name, char first)
{
    const size_t length = name ? strlen(name) : 0;
    char *start = bytes_reserve(out, length + sizeof ",\"\":{"), *to = start;
    CHECKED(json_place_check(out, name));
    if (!start)
        return;
    if (ends_value(last(out)))
        *to++ = ',';
    if (name) {
        *to++ = '"';
        to = mempcpy(to, name, length);
        *to++ = '"';
        *to++ = ':';
    }
    *to = first;
    out->size += (size_t)(to - start) + (first != '\0');
}

void json_name(struct bytes *out, const char *name)
{
    begin_value(out, name, '\0');
}

void json_begin_object(struct bytes *out, const char *name)
{
    begin_value(out, name, '{');
}

void json_end_object(struct bytes *out)
{
    CHECKED(json_end_check(out, '}'));
    bytes_char(out, '}');
}

void json_begin_array(struct bytes *out, const char *name)
{
    begin_value(out, name, '[');
}

void json_end_array(struct bytes *out)
{
    CHECKED(json_end_check(out, ']'));
    bytes_char(out, ']');
}

void json_begin_text(struct bytes *out, const char *name)
{
    begin_value(out, name, '"');
}

void json_end_text(struct bytes *out)
{
    bytes_char(out, '"');
}

/* Appends the escape of a byte. */
static void escape(struct bytes *out, unsigned char c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = c ? strchr(plain, c) : NULL;
    if (at) {
        const char two[] = {'\\', letters[at - plain]};
        bytes_add(out, two, sizeof two);
    } else {
        bytes_format(out, "\\u%04X", c);
    }
}

/* Whether it is UTF-8, for jansson; false also without memory. */
static bool is_utf8(const char *text, size_t size)
{
    json_t *string = json_stringn(text, size);
    const bool sound = string;
    json_decref(string);
    return sound;
}

void json_write_part(struct bytes *out, const char *name, const char *text, size_t size)
{
    unsigned char bits = 0;
    json_begin_text(out, name);
    for (size_t done = 0, at = 0; done < size; done = at) {
        while (at < size && (unsigned char)text[at] >= ' ' && text[at] != '"' && text[at] != '\\')
            bits |= (unsigned char)text[at++];
        bytes_add(out, text + done, at - done);
        if (at < size)
            escape(out, (unsigned char)text[at++]);
    }
    json_end_text(out);
    out->failed |= bits >= 0x80 && !is_utf8(text, size);
}

void json_write_text(struct bytes *out, const char *name, const char *text)
{
    if (text)
        json_write_part(out, name, text, strlen(text));
    else
        json_write_null(out, name);
}

void json_text_if(struct bytes *out, const char *name, const char *text)
{
    if (text)
        json_write_text(out, name, text);
}

void json_write_number(struct bytes *out, const char *name, uint64_t number)
{
    json_name(out, name);
    bytes_number(out, number);
}

void json_write_real(struct bytes *out, const char *name, double number, int digits)
{
    char text[40];
    json_name(out, name);
    (void)snprintf(text, sizeof text, "%.*g", digits, number);
    const size_t mantissa = strcspn(text, "e");
    bytes_add(out, text, mantissa);
    if (!text[mantissa]) {
        bytes_text(out, strchr(text, '.') ? "" : ".0");
        return;
    }
    const char *exponent = text + mantissa + 1;
    bytes_text(out, *exponent == '-' ? "e-" : "e");
    bytes_text(out, exponent + strspn(exponent, "+-0"));
}

void json_write_bool(struct bytes *out, const char *name, bool value)
{
    json_name(out, name);
    bytes_text(out, value ? "true" : "false");
}

void json_write_null(struct bytes *out, const char *name)
{
    json_name(out, name);
    bytes_text(out, "null");
}

void json_write_words(struct bytes *out, const char *name, const char *(*word)(size_t i))
{
    json_begin_array(out, name);
    for (size_t i = 0; word(i); i++)
        json_write_text(out, NULL, word(i));
    json_end_array(out);
}

void json_write_value(struct bytes *out, const char *name, const json_t *value, size_t flags)
{
    json_name(out, name);
    out->failed |= !value || json_dump_callback(value, append, out, flags | JSON_COMPACT) != 0;
}

void json_fault(struct bytes *out, const struct fault *fault, int digits)
{
    assert(fault->why < REFUSALS);
    const struct refusal_row *row = &refusals[fault->why];
    if (!fault_coded(fault))
        return;
    json_write_text(out, "code", row->code);
    for (size_t i = 0; i < REFUSAL_MEMBERS_MAX && row->members[i]; i++) {
        const double number = fault->numbers[i];
        if (number >= 0 && number < MOST_WHOLE && number == (double)(uint64_t)number)
            json_write_number(out, row->members[i], (uint64_t)number);
        else
            json_write_real(out, row->members[i], number, digits);
    }
}

void json_failure(struct bytes *out, const struct fault *fault, int digits)
{
    if (!fault_coded(fault))
        return;
    json_begin_object(out, "failure");
    json_fault(out, fault, digits);
    json_end_object(out);
}

void json_end_document(struct bytes *out, size_t start)
{
    (void)start;
    CHECKED(json_document_check(out, start));
    bytes_char(out, '\n');
}

/* Begins a line. */
static void new_line(struct bytes *out, unsigned depth)
{
    bytes_char(out, '\n');
    while (depth-- > 0)
        bytes_text(out, "  ");
}

/* Copies a byte that is in no text, and what is written around it. */
static void copy_indented(struct bytes *out, const char *at, unsigned *depth)
{
    const bool begins = *at == '{' || *at == '[', ends = *at == '}' || *at == ']';
    const bool empty = (ends && (at[-1] == '{' || at[-1] == '[')) || (begins && (at[1] == '}' || at[1] == ']'));
    *depth -= ends;
    if (ends && !empty)
        new_line(out, *depth);
    bytes_char(out, *at);
    *depth += begins;
    if (*at == ':')
        bytes_char(out, ' ');
    else if ((begins && !empty) || *at == ',')
        new_line(out, *depth);
}

void json_end_indented(struct bytes *out, size_t start)
{
    struct bytes plain = *out;
    unsigned depth = 0;
    bool in_text = false;
    json_end_document(&plain, start);
    *out = (struct bytes){.failed = plain.failed};
    bytes_add(out, plain.data, start);
    for (size_t at = start; !plain.failed && at < plain.size - 1; at++) {
        const char c = plain.data[at];
        if (c == '"')
            in_text = !in_text;
        if (in_text || c == '"')
            bytes_char(out, c);
        else
            copy_indented(out, plain.data + at, &depth);
        if (in_text && c == '\\')
            bytes_char(out, plain.data[++at]);
    }
    bytes_char(out, '\n');
    bytes_free(&plain);
}
