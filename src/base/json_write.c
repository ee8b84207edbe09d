/* json_write.c - a value ends with a quote, a digit, a letter or a bracket that closes; nothing else is followed by a
 * comma. */
#include "base/json_write.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"

/* The last byte; 0: there is none. */
static char last(const struct bytes *out)
{
    return out->size && !out->failed ? out->data[out->size - 1] : '\0';
}

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
static void begin(struct bytes *out, const char *name, char first)
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
        memcpy(to, name, length);
        to += length;
        *to++ = '"';
        *to++ = ':';
    }
    *to = first;
    out->size += (size_t)(to - start) + (first != '\0');
}

void json_name(struct bytes *out, const char *name)
{
    begin(out, name, '\0');
}

void json_begin_object(struct bytes *out, const char *name)
{
    begin(out, name, '{');
}

void json_end_object(struct bytes *out)
{
    CHECKED(json_end_check(out, '}'));
    bytes_char(out, '}');
}

void json_begin_array(struct bytes *out, const char *name)
{
    begin(out, name, '[');
}

void json_end_array(struct bytes *out)
{
    CHECKED(json_end_check(out, ']'));
    bytes_char(out, ']');
}

void json_begin_text(struct bytes *out, const char *name)
{
    begin(out, name, '"');
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

void json_write_text(struct bytes *out, const char *name, const char *text)
{
    if (!text) {
        json_write_null(out, name);
        return;
    }
    json_begin_text(out, name);
    while (*text) {
        size_t whole = 0;
        while ((unsigned char)text[whole] >= ' ' && text[whole] != '"' && text[whole] != '\\')
            whole++;
        bytes_add(out, text, whole);
        text += whole;
        if (*text)
            escape(out, (unsigned char)*text++);
    }
    json_end_text(out);
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

void json_end_document(struct bytes *out, size_t start)
{
    (void)start;
    CHECKED(json_document_check(out, start));
    bytes_char(out, '\n');
}
