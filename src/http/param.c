/* param.c - the strict reading of query parameters. */
#include "http/param.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void complain(struct complaints *complaints, bool policy, const char *parameter, const char *reason, ...)
{
    complaints->made++;
    complaints->invalid |= !policy;
    if (complaints->count == COMPLAINTS_MAX)
        return;
    struct complaint *complaint = &complaints->list[complaints->count++];
    complaint->policy = policy;
    (void)snprintf(complaint->parameter, sizeof complaint->parameter, "%s", parameter);
    va_list args;
    va_start(args, reason);
    (void)vsnprintf(complaint->reason, sizeof complaint->reason, reason, args);
    va_end(args);
}

void params_begin(const struct param *rows, struct value *values)
{
    for (; rows->name; rows++, values++) {
        values->given = false;
        values->sound = !rows->required;
        values->number = rows->has_preset ? rows->preset : 0;
        values->last = 0;
        values->token[0] = '\0';
    }
}

/* Plain decimal digits, without leading zeros, below 2^63. */
static bool read_number(const char *text, size_t size, uint64_t *number)
{
    if (size == 0 || (size > 1 && text[0] == '0'))
        return false;
    *number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (*number > (INT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return true;
}

static void check_bounds(const struct param *row, uint64_t number, struct complaints *complaints)
{
    if (number < row->least)
        complain(complaints, false, row->name, "must be at least %" PRIu64, row->least);
    else if (number > row->most)
        complain(complaints, true, row->name, "is at most %" PRIu64, row->most);
}

static void read_choice(const struct param *row, struct value *value, const char *text, size_t size,
                        struct complaints *complaints)
{
    char list[sizeof complaints->list->reason]; /* more is not told anyway */
    size_t length = 0;
    const char *word;
    list[0] = '\0';
    for (size_t i = 0; (word = row->choices(i)); i++) {
        if (strlen(word) == size && memcmp(word, text, size) == 0) {
            value->number = i;
            return;
        }
        if (length < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", word);
    }
    complain(complaints, false, row->name, "must be one of %s", list);
}

static bool is_token(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
            return false;
    }
    return true;
}

static void read_range(const struct param *row, struct value *value, const char *text, size_t size,
                       struct complaints *complaints)
{
    const char *dash = memchr(text, '-', size);
    size_t first_size = dash ? (size_t)(dash - text) : 0;
    if (!dash || !read_number(text, first_size, &value->number) ||
        !read_number(dash + 1, size - first_size - 1, &value->last))
        complain(complaints, false, row->name,
                 "must be two whole numbers, first-last, without signs or leading zeros, below 2^63");
    else if (value->last < value->number)
        complain(complaints, false, row->name, "must not end before it begins");
    else
        check_bounds(row, value->last, complaints);
}

/* "row:column", both below 2^16. */
static bool read_square(const char *text, size_t size, struct param_square *square)
{
    const char *colon = memchr(text, ':', size);
    uint64_t row, column;
    if (!colon || !read_number(text, (size_t)(colon - text), &row) ||
        !read_number(colon + 1, size - (size_t)(colon - text) - 1, &column) || row > UINT16_MAX || column > UINT16_MAX)
        return false;
    *square = (struct param_square){(uint16_t)row, (uint16_t)column};
    return true;
}

/* Puts a square in its place; false when it is there already. */
static bool add_square(struct value *value, struct param_square square)
{
    size_t at = value->number;
    for (; at > 0; at--) {
        const struct param_square *before = &value->squares[at - 1];
        if (before->row == square.row && before->column == square.column)
            return false;
        if (before->row < square.row || (before->row == square.row && before->column < square.column))
            break;
    }
    memmove(&value->squares[at + 1], &value->squares[at], (value->number - at) * sizeof square);
    value->squares[at] = square;
    value->number++;
    return true;
}

static void read_squares(const struct param *row, struct value *value, const char *text, size_t size,
                         struct complaints *complaints)
{
    const char *end = text + size;
    for (value->number = 0;; text++) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma ? comma : end;
        struct param_square square;
        if (value->number == PARAM_SQUARES_MAX) {
            complain(complaints, true, row->name, "takes at most %d squares", PARAM_SQUARES_MAX);
            return;
        }
        if (!read_square(text, (size_t)(stop - text), &square)) {
            complain(complaints, false, row->name,
                     "must be squares, row:column,row:column, in plain digits without signs or leading zeros");
            return;
        }
        if (!add_square(value, square)) {
            complain(complaints, false, row->name, "names square %d:%d twice", square.row, square.column);
            return;
        }
        if (!comma)
            return;
        text = comma;
    }
}

static void read_columns(const struct param *row, struct value *value, const char *text, size_t size,
                         struct complaints *complaints)
{
    const char *end = text + size;
    for (value->number = 0;; text++) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma ? comma : end;
        uint64_t column;
        if (value->number == PARAM_COLUMNS_MAX) {
            complain(complaints, true, row->name, "takes at most %d numbers", PARAM_COLUMNS_MAX);
            return;
        }
        if (!read_number(text, (size_t)(stop - text), &column) || column > UINT16_MAX) {
            complain(complaints, false, row->name,
                     "must be whole numbers and commas, in plain digits without signs or leading zeros, as in 2,4,1,3");
            return;
        }
        value->columns[value->number++] = (uint16_t)column;
        if (!comma)
            return;
        text = comma;
    }
}

static void read_factors(const struct param *row, struct value *value, const char *text, size_t size,
                         struct complaints *complaints)
{
    const char *end = text + size;
    for (value->number = 0;; text++) {
        const char *times = memchr(text, 'x', (size_t)(end - text)), *stop = times ? times : end;
        uint64_t factor;
        if (value->number == PARAM_FACTORS_MAX) {
            complain(complaints, true, row->name, "takes at most %d factors", PARAM_FACTORS_MAX);
            return;
        }
        if (!read_number(text, (size_t)(stop - text), &factor) || factor < 2) {
            complain(complaints, false, row->name,
                     "must be whole numbers of 2 or more, in plain digits without signs or leading zeros, as in 5x25");
            return;
        }
        if (factor > row->most) {
            complain(complaints, true, row->name, "has factors of at most %" PRIu64, row->most);
            return;
        }
        value->factors[value->number++] = (uint32_t)factor;
        if (!times)
            return;
        text = times;
    }
}

static void read_value(const struct param *row, struct value *value, const char *text, size_t size,
                       struct complaints *complaints)
{
    switch (row->type) {
    case PARAM_NUMBER:
        if (read_number(text, size, &value->number))
            check_bounds(row, value->number, complaints);
        else
            complain(complaints, false, row->name,
                     "must be a whole number in plain digits, without sign or leading zeros, below 2^63");
        break;
    case PARAM_CHOICE: read_choice(row, value, text, size, complaints); break;
    case PARAM_TOKEN:
        if (size > PARAM_TOKEN_MAX || !is_token(text, size)) {
            complain(complaints, false, row->name, "is not one this service gave out");
            break;
        }
        memcpy(value->token, text, size);
        value->token[size] = '\0';
        break;
    case PARAM_RANGE: read_range(row, value, text, size, complaints); break;
    case PARAM_SQUARES: read_squares(row, value, text, size, complaints); break;
    case PARAM_COLUMNS: read_columns(row, value, text, size, complaints); break;
    case PARAM_FACTORS: read_factors(row, value, text, size, complaints); break;
    }
}

/* A stranger's name, fit to be shown: printable ASCII, cut where it gets long. */
static void showable(const char *name, size_t size, char shown[static 48])
{
    size_t length = size < 40 ? size : 40;
    for (size_t i = 0; i < length; i++)
        shown[i] = (char)(name[i] >= ' ' && name[i] <= '~' ? name[i] : '?');
    memcpy(shown + length, size > 40 ? "..." : "", size > 40 ? 4 : 1);
}

void params_read(const struct param *rows, struct value *values, const char *name, size_t name_size, const char *value,
                 size_t value_size, struct complaints *complaints)
{
    size_t i = 0;
    while (rows[i].name && (strlen(rows[i].name) != name_size || memcmp(rows[i].name, name, name_size) != 0))
        i++;
    if (!rows[i].name) {
        char shown[48];
        showable(name, name_size, shown);
        complain(complaints, false, shown[0] ? shown : "(empty name)", "is not a parameter of this route");
    } else if (values[i].given) {
        complain(complaints, false, rows[i].name, "is given more than once");
    } else {
        const size_t before = complaints->made;
        values[i].given = true;
        if (!value || value_size == 0)
            complain(complaints, false, rows[i].name, "needs a value");
        else
            read_value(&rows[i], &values[i], value, value_size, complaints);
        values[i].sound = complaints->made == before;
    }
}

void params_end(const struct param *rows, const struct value *values, struct complaints *complaints)
{
    for (; rows->name; rows++, values++)
        if (rows->required && !values->given)
            complain(complaints, false, rows->name, "is required");
}

void params_canonical(const struct param *rows, const struct value *values, bool placed, struct bytes *out)
{
    char separator = '?';
    for (; rows->name; rows++, values++) {
        bool preset = (rows->has_preset || rows->type == PARAM_CHOICE) && values->number == rows->preset;
        if (!values->given || (preset && !rows->required && !rows->keep) || (rows->place && !placed))
            continue;
        bytes_char(out, separator);
        bytes_text(out, rows->name);
        bytes_char(out, '=');
        separator = '&';
        switch (rows->type) {
        case PARAM_NUMBER: bytes_number(out, values->number); break;
        case PARAM_CHOICE: bytes_text(out, rows->choices(values->number)); break;
        case PARAM_TOKEN: bytes_text(out, values->token); break;
        case PARAM_RANGE: bytes_format(out, "%" PRIu64 "-%" PRIu64, values->number, values->last); break;
        case PARAM_SQUARES:
            for (size_t i = 0; i < values->number; i++)
                bytes_format(out, "%s%d:%d", i ? "," : "", values->squares[i].row, values->squares[i].column);
            break;
        case PARAM_COLUMNS:
            for (size_t i = 0; i < values->number; i++)
                bytes_format(out, "%s%d", i ? "," : "", values->columns[i]);
            break;
        case PARAM_FACTORS:
            for (size_t i = 0; i < values->number; i++)
                bytes_format(out, "%s%" PRIu32, i ? "x" : "", values->factors[i]);
            break;
        }
    }
}
