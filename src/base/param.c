/* param.c - the strict reading of query parameters, and which of them go together. */
#include "base/param.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/options.h"

/* What its refusal says of itself, for programs. */
static void set_members(struct validation_error *error, const struct refusal_member *members)
{
    for (size_t i = 0; i < REFUSAL_MEMBERS_MAX && members[i].given; i++) {
        assert(refusals[error->why].members[i]);
        error->values[i] = (struct refusal_value){.given = true, .number = members[i].number};
        if (members[i].word)
            (void)snprintf(error->values[i].text, sizeof error->values[i].text, "%s", members[i].word);
    }
}

void validation_error_write(struct validation_error *error, enum refusal why, const char *parameter,
                            const struct refusal_member *members, const char *reason, va_list args)
{
    *error = (struct validation_error){.why = why};
    (void)snprintf(error->parameter, sizeof error->parameter, "%s", parameter);
    (void)vsnprintf(error->reason, sizeof error->reason, reason, args);
    if (members)
        set_members(error, members);
}

struct validation_error *reject(struct validation_errors *errors, enum refusal why, const char *parameter)
{
    errors->made++;
    errors->invalid |= !refusals[why].policy;
    if (errors->count == VALIDATION_ERRORS_MAX)
        return NULL;
    struct validation_error *error = &errors->list[errors->count++];
    *error = (struct validation_error){.why = why};
    (void)snprintf(error->parameter, sizeof error->parameter, "%s", parameter);
    return error;
}

void reject_with(struct validation_errors *errors, enum refusal why, const char *parameter,
                 const struct refusal_member *members, const char *reason, ...)
{
    struct validation_error *error = reject(errors, why, parameter);
    va_list args;
    if (!error)
        return;
    va_start(args, reason);
    validation_error_write(error, why, parameter, members, reason, args);
    va_end(args);
}

void reject_choice(struct validation_errors *errors, const char *parameter, param_choices choices, const char *reason)
{
    char list[sizeof errors->list->reason] = ""; /* a longer one would be cut */
    const size_t before = errors->count;
    const char *word;
    size_t length = 0;
    for (size_t i = 0; (word = choices(i)) && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", word);
    if (reason)
        reject_param(errors, REFUSED_CHOICE, parameter, "%s", reason);
    else
        reject_param(errors, REFUSED_CHOICE, parameter, "must be one of %s", list);
    if (errors->count > before)
        errors->list[before].choices = choices;
}

/* "name=value", the form in which a refusal says what a parameter cannot be used with, or only with. Returns pair. */
enum { PAIR_MAX = 48 };
static const char *pair_of(char pair[static PAIR_MAX], const char *name, const char *value)
{
    (void)snprintf(pair, PAIR_MAX, "%s=%s", name, value);
    return pair;
}

void validation_errors_add(struct validation_errors *errors, const struct validation_errors *more)
{
    errors->made += more->made;
    errors->invalid |= more->invalid;
    for (size_t i = 0; i < more->count && errors->count < VALIDATION_ERRORS_MAX; i++)
        errors->list[errors->count++] = more->list[i];
}

size_t param_place(const struct param *rows, const char *name, size_t size)
{
    size_t i = 0;
    while (rows[i].name && (strlen(rows[i].name) != size || memcmp(rows[i].name, name, size) != 0))
        i++;
    return i;
}

struct value *value_named(const struct param *rows, struct value *values, const char *name)
{
    const size_t i = param_place(rows, name, strlen(name));
    return rows[i].name ? &values[i] : NULL;
}

void value_set(struct value *value, uint64_t number)
{
    value->given = true;
    value->number = number;
}

void value_preset(const struct param *row, struct value *value)
{
    *value = (struct value){.sound = !row->required, .number = row->has_preset ? row->preset : 0};
}

static void preset_all(const struct param *rows, struct value *values)
{
    const struct value *const first = values;
    for (; rows->name; rows++, values++)
        value_preset(rows, values);
    assert(values - first <= PARAMS_MAX); /* a table has as many rows as there is room for */
}

void params_begin(struct params *params, const struct param *rows)
{
    params->rows = rows;
    params->errors.made = params->errors.count = 0;
    params->errors.invalid = false;
    params->loose = false;
    params->used = 0;
    preset_all(rows, params->values);
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

static void check_bounds(const struct param *row, uint64_t number, struct validation_errors *errors)
{
    if (number < row->least)
        reject_with(errors, REFUSED_LESS, row->name, MEMBERS(NUMBER(row->least)), "must be at least %" PRIu64,
                    row->least);
    else if (number > row->most)
        reject_with(errors, REFUSED_UPPER_LIMIT, row->name, MEMBERS(NUMBER(row->most)), "must be at most %" PRIu64,
                    row->most);
}

static void read_choice(const struct param *row, struct value *value, const char *text, size_t size,
                        struct validation_errors *errors)
{
    const char *word;
    for (size_t i = 0; (word = row->choices(i)); i++)
        if (strlen(word) == size && memcmp(word, text, size) == 0) {
            value->number = i;
            return;
        }
    reject_choice(errors, row->name, row->choices, NULL);
}

/* Whether text has letters, digits and some other characters only. */
static bool is_made_of(const char *text, size_t size, const char *others)
{
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr(others, c))))
            return false;
    }
    return true;
}

static void read_range(const struct param *row, struct value *value, const char *text, size_t size,
                       struct validation_errors *errors)
{
    const char *dash = memchr(text, '-', size);
    size_t first_size = dash ? (size_t)(dash - text) : 0;
    if (!dash || !read_number(text, first_size, &value->number) ||
        !read_number(dash + 1, size - first_size - 1, &value->last))
        reject_param(errors, REFUSED_SYNTAX, row->name,
                     "must be two whole numbers below 2^63, first-last, without signs or leading zeros, as in 1-5");
    else if (value->last < value->number)
        reject_param(errors, REFUSED_REVERSED, row->name, "must have a first number that is not above the last");
    else
        check_bounds(row, value->number < row->least ? value->number : value->last, errors);
}

/* A number, or a range where the row accepts one. */
static void read_number_or_range(const struct param *row, struct value *value, const char *text, size_t size,
                                 struct validation_errors *errors)
{
    const bool all = row->all && strlen(row->all) == size && memcmp(row->all, text, size) == 0;
    value->ranged = all || (row->sizes && text[0] != '-' && memchr(text, '-', size));
    if (all) {
        value->number = row->least;
        value->last = row->most;
    } else if (value->ranged) {
        const size_t before = errors->made;
        read_range(row, value, text, size, errors);
        if (errors->made == before && value->last - value->number >= row->sizes)
            reject_with(errors, REFUSED_LONG, row->name, MEMBERS(NUMBER(row->sizes)),
                        "must be a range of at most %" PRIu64 " numbers", row->sizes);
    } else if (read_number(text, size, &value->number)) {
        check_bounds(row, value->number, errors);
    } else {
        reject_param(errors, REFUSED_SYNTAX, row->name,
                     "must be a whole number in plain digits, without sign or leading zeros, below 2^63%s%s",
                     row->all ? ", or " : "", row->all ? row->all : "");
    }
}

/* Room for the list or token that is read next, of any type; then as much of it as is kept. */
static void *take_room(struct params *params)
{
    return &params->room[params->used];
}

static void keep_room(struct params *params, size_t size)
{
    params->used += (uint32_t)((size + sizeof params->room[0] - 1) / sizeof params->room[0]);
}

/* Puts a square in its place; false when it is there already. */
static bool add_square(struct value *value, struct param_square *squares, struct param_square square)
{
    size_t at = value->number;
    for (; at > 0; at--) {
        const struct param_square *before = &squares[at - 1];
        if (before->row == square.row && before->column == square.column)
            return false;
        if (before->row < square.row || (before->row == square.row && before->column < square.column))
            break;
    }
    memmove(&squares[at + 1], &squares[at], (value->number - at) * sizeof square);
    squares[at] = square;
    value->number++;
    return true;
}

static bool read_square(struct params *params, const struct param *row, struct value *value, const char *text,
                        size_t size)
{
    const char *colon = memchr(text, ':', size);
    uint64_t line, column;
    if (!colon || !read_number(text, (size_t)(colon - text), &line) ||
        !read_number(colon + 1, size - (size_t)(colon - text) - 1, &column) ||
        line > UINT16_MAX - (row->type == PARAM_QUEENS) || column > UINT16_MAX) {
        reject_param(&params->errors, REFUSED_SYNTAX, row->name,
                     "must be squares in plain digits without signs or leading zeros, as in 1:5,2:7 (row:column)");
        return false;
    }
    const struct param_square square = {(uint16_t)line, (uint16_t)column};
    const bool added = add_square(value, take_room(params), square);
    if (!added)
        reject_with(&params->errors, REFUSED_REPEATED, row->name, MEMBERS(NUMBER(square.row), NUMBER(square.column)),
                    "names square %d:%d twice", square.row, square.column);
    return added;
}

static bool read_column(struct params *params, const struct param *row, struct value *value, const char *text,
                        size_t size)
{
    uint64_t column;
    if (read_number(text, size, &column) && column <= UINT16_MAX) {
        if (row->type == PARAM_QUEENS)
            ((struct param_square *)take_room(params))[value->number++] =
                (struct param_square){PARAM_NO_ROW, (uint16_t)column};
        else
            ((uint16_t *)take_room(params))[value->number++] = (uint16_t)column;
        return true;
    }
    reject_param(&params->errors, REFUSED_SYNTAX, row->name,
                 "must be whole numbers and commas, in plain digits without signs or leading zeros, as in 2,4,1,3");
    return false;
}

/* As the first of its list is written. */
static bool read_queen(struct params *params, const struct param *row, struct value *value, const char *text,
                       size_t size)
{
    const bool squares = value->number ? value->squares[0].row != PARAM_NO_ROW : memchr(text, ':', size) != NULL;
    return (squares ? read_square : read_column)(params, row, value, text, size);
}

/* Reads the columns of a board behind its word; false: they are no permutation from 0 or 1. There is room. */
static bool read_factor_board(uint32_t *board, uint32_t size, const char *text, const char *end)
{
    uint64_t had[PARAM_FACTOR_COLUMNS_MAX / 64 + 1] = {0}, column;
    bool from_0 = false;
    for (uint32_t i = 1; i <= size; i++) {
        const char *stop = i < size ? memchr(text, ',', (size_t)(end - text)) : end;
        if (!read_number(text, (size_t)(stop - text), &column) || column > size || had[column / 64] >> column % 64 & 1)
            return false;
        had[column / 64] |= UINT64_C(1) << column % 64;
        from_0 |= column == 0;
        board[i] = (uint32_t)column;
        text = stop + 1;
    }
    for (uint32_t i = 1; i <= size; i++)
        board[i] += from_0;
    board[0] = PARAM_BOARD | size;
    return !from_0 || !(had[size / 64] >> size % 64 & 1);
}

static uint32_t commas_in(const char *text, size_t size)
{
    uint32_t commas = 0;
    for (size_t i = 0; i < size; i++)
        commas += text[i] == ',';
    return commas;
}

static bool read_factor(struct params *params, const struct param *row, struct value *value, const char *text,
                        size_t size)
{
    uint32_t *words = (uint32_t *)take_room(params) + value->last;
    const uint32_t commas = commas_in(text, size), columns = commas ? commas + 1 : 0;
    uint64_t factor = 0;
    if (columns > PARAM_FACTOR_COLUMNS_MAX - (value->last - value->number)) {
        reject_with(&params->errors, REFUSED_LONG, row->name, MEMBERS(NUMBER(PARAM_FACTOR_COLUMNS_MAX)),
                    "must have boards of at most %d columns together", PARAM_FACTOR_COLUMNS_MAX);
    } else if (columns ? !read_factor_board(words, columns, text, text + size)
                       : !read_number(text, size, &factor) || factor < 2) {
        reject_param(&params->errors, REFUSED_SYNTAX, row->name,
                     "must be whole numbers of 2 or more, or boards with each column once, in plain digits without "
                     "signs or leading zeros, joined by x, as in 5x25 or 4x2,5,3,1,4");
    } else if (factor > row->most) {
        reject_with(&params->errors, REFUSED_UPPER_LIMIT, row->name, MEMBERS(NUMBER(row->most)),
                    "must have factors of at most %" PRIu64, row->most);
    } else {
        if (!columns)
            *words = (uint32_t)factor;
        value->number++;
        value->last += columns + 1;
        return true;
    }
    return false;
}

/* Lists: what separates their items, how many there may be, and how one is read and added; false: it was rejected. */
static const struct list {
    char separator;
    uint16_t most, size; /* items; bytes of one */
    const char *items;
    bool (*read)(struct params *params, const struct param *row, struct value *value, const char *text, size_t size);
} lists[] = {
    [PARAM_SQUARES] = {',', PARAM_SQUARES_MAX, sizeof(struct param_square), "squares", read_square},
    [PARAM_COLUMNS] = {',', PARAM_COLUMNS_MAX, sizeof(uint16_t), "numbers", read_column},
    [PARAM_QUEENS] = {',', PARAM_SQUARES_MAX, sizeof(struct param_square), "queens", read_queen},
    [PARAM_FACTORS] = {'x', PARAM_FACTORS_MAX, sizeof(uint32_t), "factors", read_factor},
};

static void read_list(struct params *params, const struct param *row, struct value *value, const char *text,
                      size_t size)
{
    const struct list *list = &lists[row->type];
    const char *end = text + size, *stop = NULL;
    value->items = take_room(params);
    value->last = 0;
    for (value->number = 0; stop != end; text = stop + 1) {
        stop = memchr(text, list->separator, (size_t)(end - text));
        stop = stop ? stop : end;
        if (value->number == list->most) {
            reject_with(&params->errors, REFUSED_LONG, row->name, MEMBERS(NUMBER(list->most)),
                        "must have at most %d %s", list->most, list->items);
            return;
        }
        if (!list->read(params, row, value, text, (size_t)(stop - text)))
            return;
    }
    keep_room(params, (value->last ? value->last : value->number) * list->size);
}

static void read_token(struct params *params, const struct param *row, struct value *value, const char *text,
                       size_t size)
{
    char *token = take_room(params);
    value->token = "";
    if (size > PARAM_TOKEN_MAX || !is_made_of(text, size, "-_")) {
        reject_param(&params->errors, REFUSED_CURSOR, row->name,
                     "is not a cursor of this service; take next_cursor of a page, or leave the cursor out");
        return;
    }
    memcpy(token, text, size);
    token[size] = '\0';
    value->token = token;
    keep_room(params, size + 1);
}

static void read_text(struct params *params, const struct param *row, struct value *value, const char *text,
                      size_t size)
{
    const int most = row->board ? PARAM_BOARD_MAX : PARAM_TEXT_MAX;
    value->text = take_room(params);
    value->text[0] = '\0';
    if (size > (size_t)most) {
        reject_with(&params->errors, REFUSED_LONG, row->name, MEMBERS(NUMBER(most)), "must have at most %d characters",
                    most);
        return;
    }
    if (row->board && memchr(text, '\0', size)) {
        reject_param(&params->errors, REFUSED_SYNTAX, row->name, "must not have a NUL");
        return;
    }
    if (!row->board && !is_made_of(text, size, "-./:?_")) {
        reject_param(&params->errors, REFUSED_SYNTAX, row->name, "must have only letters, digits and - . / : ? _");
        return;
    }
    memcpy(value->text, text, size);
    value->text[size] = '\0';
    keep_room(params, (size_t)most + 1);
}

static void read_value(struct params *params, const struct param *row, struct value *value, const char *text,
                       size_t size)
{
    struct validation_errors *errors = &params->errors;
    switch (row->type) {
    case PARAM_NUMBER: read_number_or_range(row, value, text, size, errors); break;
    case PARAM_CHOICE: read_choice(row, value, text, size, errors); break;
    case PARAM_TOKEN: read_token(params, row, value, text, size); break;
    case PARAM_TEXT: read_text(params, row, value, text, size); break;
    case PARAM_RANGE: read_range(row, value, text, size, errors); break;
    case PARAM_SQUARES:
    case PARAM_COLUMNS:
    case PARAM_QUEENS:
    case PARAM_FACTORS: read_list(params, row, value, text, size); break;
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

static const char *row_name(const void *rows, size_t i)
{
    return ((const struct param *)rows)[i].name;
}

static void reject_name(struct params *params, const char *name, size_t size)
{
    struct validation_errors *errors = &params->errors;
    const size_t before = errors->count;
    char shown[48];
    showable(name, size, shown);
    reject_param(errors, REFUSED_UNKNOWN, shown[0] ? shown : "(empty name)", "is not a parameter of this route");
    if (errors->count == before)
        return;
    struct validation_error *error = &errors->list[before];
    error->among = params->rows;
    error->suggestion = names_nearest(shown, row_name, params->rows);
    if (error->suggestion)
        (void)snprintf(error->reason, sizeof error->reason, "is not a parameter of this route; the nearest is %s",
                       error->suggestion);
}

/* Names that shops, mailers and libraries add to links of others: every route ignores them. */
static const char *const ignored[] = {"_",          "fbclid",      "gclid",   "msclkid", "utm_source", "utm_campaign",
                                      "utm_medium", "utm_content", "utm_term"};

/* Whether a name that is no row's asks for nothing: one of those, or nothing between two "&". */
static bool is_ignored(const char *name, size_t size, const char *value)
{
    if (size == 0)
        return !value;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        if (strlen(ignored[i]) == size && memcmp(ignored[i], name, size) == 0)
            return true;
    return false;
}

void params_read(struct params *params, const char *name, size_t name_size, const char *value, size_t value_size)
{
    struct validation_errors *errors = &params->errors;
    const size_t i = param_place(params->rows, name, name_size);
    const struct param *row = &params->rows[i];
    struct value *read = &params->values[i];
    if (!row->name && (params->loose || is_ignored(name, name_size, value)))
        return;
    if (!row->name) {
        reject_name(params, name, name_size);
    } else if (read->given) {
        reject_param(errors, REFUSED_TWICE, row->name, "must be given only once");
    } else {
        const size_t before = errors->made;
        read->given = true;
        if (value && value_size == 0 && (row->type == PARAM_SQUARES || row->type == PARAM_QUEENS))
            read->number = 0; /* no squares, see params_end() */
        else if (!value || value_size == 0)
            reject_param(errors, REFUSED_EMPTY, row->name, "needs a value");
        else
            read_value(params, row, read, value, value_size);
        read->sound = errors->made == before;
    }
}

/* Whether a parameter is given with which a required one may be missing. */
static bool excused(const struct params *params, const struct param *row)
{
    for (size_t i = 0; row->unless && params->rows[i].name; i++)
        if (params->values[i].given && options_has(row->unless, ' ', params->rows[i].name))
            return true;
    return false;
}

void params_end(struct params *params)
{
    struct value *value = params->values;
    for (const struct param *row = params->rows; row->name; row++, value++) {
        if (row->type == PARAM_SQUARES && value->sound && value->number == 0)
            value->given = false; /* an empty list is the same as none */
        if (row->required && !value->given && excused(params, row))
            value->sound = true;
        else if (row->required && !value->given)
            reject_param(&params->errors, REFUSED_MISSING, row->name, "is required");
    }
}

bool params_parse(struct params *params, const struct param *rows, const char *text)
{
    params_begin(params, rows);
    for (char separator = '?'; *text; separator = '&') { /* canonical text holds nothing that is percent-encoded */
        const char *name = text + 1, *end = name + strcspn(name, "&"),
                   *equals = memchr(name, '=', (size_t)(end - name));
        if (*text != separator || !equals)
            return false;
        params_read(params, name, (size_t)(equals - name), equals + 1, (size_t)(end - equals - 1));
        text = end;
    }
    params_end(params);
    return true;
}

static void write_factors(const struct value *value, struct bytes *out)
{
    const uint32_t *word = value->factors;
    for (size_t i = 0; i < value->number; i++) {
        const uint32_t size = *word & ~PARAM_BOARD, columns = *word & PARAM_BOARD ? size : 0;
        word++;
        bytes_text(out, i ? "x" : "");
        if (!columns)
            bytes_number(out, size);
        for (uint32_t k = 0; k < columns; k++)
            bytes_format(out, "%s%" PRIu32, k ? "," : "", *word++);
    }
}

/* On the thread that serves everybody: no printf. */
static void write_squares(const struct value *value, bool columns, struct bytes *out)
{
    for (size_t i = 0; i < value->number; i++) {
        if (i)
            bytes_char(out, ',');
        if (!columns) {
            bytes_number(out, value->squares[i].row);
            bytes_char(out, ':');
        }
        bytes_number(out, value->squares[i].column);
    }
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
        case PARAM_NUMBER:
            if (values->ranged && rows->all && values->number == rows->least && values->last == rows->most) {
                bytes_text(out, rows->all);
                break;
            }
            bytes_number(out, values->number);
            if (values->ranged)
                bytes_format(out, "-%" PRIu64, values->last);
            break;
        case PARAM_CHOICE: bytes_text(out, rows->choices(values->number)); break;
        case PARAM_TOKEN: bytes_text(out, values->token); break;
        case PARAM_TEXT: bytes_text(out, values->text); break;
        case PARAM_RANGE: bytes_format(out, "%" PRIu64 "-%" PRIu64, values->number, values->last); break;
        case PARAM_SQUARES:
        case PARAM_QUEENS:
            write_squares(values,
                          rows->type == PARAM_QUEENS && values->number && values->squares[0].row == PARAM_NO_ROW, out);
            break;
        case PARAM_COLUMNS:
            for (size_t i = 0; i < values->number; i++) {
                if (i)
                    bytes_char(out, ',');
                bytes_number(out, values->columns[i]);
            }
            break;
        case PARAM_FACTORS: write_factors(values, out); break;
        }
    }
}

/* ---- Bonds ---- */

enum holds { DOES_NOT_HOLD, HOLDS, UNKNOWN };

/* The words of a condition; NULL: it has none. */
static const char *words_of(const struct condition *condition)
{
    const char *equals = strchr(condition->text, '=');
    return equals ? equals + 1 : NULL;
}

size_t condition_place(const struct param *rows, const struct condition *condition)
{
    return param_place(rows, condition->text, strcspn(condition->text, "="));
}

static const char *word_of(const struct param *row, const struct value *value)
{
    return row->type == PARAM_CHOICE ? row->choices(value->number) : "";
}

/* Given, and asks for something. */
static bool is_set(const struct param *row, const struct value *value)
{
    return value->given && !(row->neutral && value->number == row->preset);
}

bool condition_admits(const struct condition *condition, const char *word)
{
    const char *words = words_of(condition);
    return (!words || options_has(words, '|', word)) && (!condition->has || condition->has(word));
}

static enum holds holds(const struct param *rows, const struct value *values, const struct condition *condition)
{
    const size_t i = condition_place(rows, condition);
    const struct param *row = &rows[i];
    const struct value *value = &values[i];
    const char *words = words_of(condition);
    if (!row->name || !value->sound)
        return UNKNOWN;
    if (words && !*words)
        return value->ranged ? HOLDS : DOES_NOT_HOLD;
    if (!words && !condition->has)
        return is_set(row, value) ? HOLDS : DOES_NOT_HOLD;
    if (condition->given && !value->given)
        return DOES_NOT_HOLD;
    return condition_admits(condition, word_of(row, value)) ? HOLDS : DOES_NOT_HOLD;
}

bool bond_admits(const struct bond *bond, const char *word)
{
    return (!bond->own || options_has(bond->own, '|', word)) && (!bond->own_has || bond->own_has(word));
}

/* Whether a parameter is what a bond is about. */
static bool is_bound(const struct param *row, const struct value *value, const struct bond *bond)
{
    if (!bond->own && !bond->own_has)
        return is_set(row, value);
    return value->given && bond_admits(bond, word_of(row, value));
}

/* Whether one of some parameters is given, "a b". */
static bool any_set(const struct param *rows, const struct value *values, const char *names)
{
    for (; rows->name; rows++, values++)
        if (options_has(names, ' ', rows->name) && is_set(rows, values))
            return true;
    return false;
}

static bool breaks(const struct param *rows, const struct value *values, size_t i, const struct bond *bond)
{
    const struct value *value = &values[i];
    if (!value->sound || !is_bound(&rows[i], value, bond))
        return false;
    if (bond->kind == NEVER)
        return true;
    if (bond->unless.text && holds(rows, values, &bond->unless) == HOLDS)
        return false;
    if (bond->unless_any && any_set(rows, values, bond->unless_any))
        return false;
    if (bond->also.text && holds(rows, values, &bond->also) != HOLDS)
        return false;
    const enum holds with = holds(rows, values, &bond->with);
    switch (bond->kind) {
    case NEEDS: return with == DOES_NOT_HOLD;
    case MUST_BE: return with == HOLDS && !options_has(bond->value, '|', word_of(&rows[i], value));
    case AT_MOST: return with == HOLDS && value->number > bond->limit;
    case AT_LEAST: return with == HOLDS && value->number < bond->limit;
    default: return with == HOLDS;
    }
}

/* What a condition names: "regions", "format=svg", "n=4-8". */
static void write_given(const struct param *rows, const struct value *values, const struct condition *condition,
                        char pair[static PAIR_MAX])
{
    const size_t i = condition_place(rows, condition);
    if (condition->called)
        (void)snprintf(pair, PAIR_MAX, "%s", condition->called);
    else if (values[i].ranged)
        (void)snprintf(pair, PAIR_MAX, "%s=%" PRIu64 "-%" PRIu64, rows[i].name, values[i].number, values[i].last);
    else if (rows[i].type == PARAM_CHOICE)
        (void)pair_of(pair, rows[i].name, word_of(&rows[i], &values[i]));
    else
        (void)snprintf(pair, PAIR_MAX, "%s", rows[i].name);
}

/* All that will do: "format=json or format=ndjson". first: how much of it is the first of them. */
static size_t write_needed(const struct bond *bond, char *text, size_t size)
{
    const char *words = words_of(&bond->with), *name = bond->with.text;
    const int name_size = (int)strcspn(name, "=");
    size_t length = 0, first = 0;
    if (!words)
        first = length = (size_t)snprintf(text, size, "%s", name);
    while (words && length < size) {
        const int word = (int)strcspn(words, "|");
        length += (size_t)snprintf(text + length, size - length, "%s%.*s=%.*s", length ? " or " : "", name_size, name,
                                   word, words);
        first = first ? first : length;
        words = words[word] ? words + word + 1 : NULL;
    }
    if (bond->unless.text && length < size)
        (void)snprintf(text + length, size - length, " or %s", bond->unless.text);
    return first;
}

/* Adds the error of a broken bond, which names both parameters. */
static void refuse(const struct param *rows, const struct value *values, size_t i, const struct bond *bond,
                   struct validation_errors *errors)
{
    static const enum refusal usual[] = {
        [EXCLUDES] = REFUSED_WITH,       [NEEDS] = REFUSED_WITHOUT,        [MUST_BE] = REFUSED_VALUE_WITH,
        [AT_MOST] = REFUSED_UPPER_LIMIT, [AT_LEAST] = REFUSED_LOWER_LIMIT, [NEVER] = REFUSED_ONLY_COUNTED};
    struct validation_error *error = reject(errors, bond->why ? bond->why : usual[bond->kind], rows[i].name);
    const char *because = bond->because ? bond->because : "", *word = word_of(&rows[i], &values[i]);
    const bool own = bond->own || bond->own_has;
    char with[PAIR_MAX] = "", needed[160];
    if (!error)
        return;
    if (bond->kind != NEVER && bond->kind != NEEDS)
        write_given(rows, values, &bond->with, with);
    char *reason = error->reason;
    const size_t size = sizeof error->reason;
    switch (bond->kind) {
    case EXCLUDES:
        (void)snprintf(reason, size, "cannot be %s together with %s%s", own ? word : "used", with, because);
        set_members(error, MEMBERS(WORD(error->why == REFUSED_RULE ? strchr(with, '=') + 1 : with)));
        break;
    case NEEDS: {
        const int first = (int)write_needed(bond, needed, sizeof needed);
        (void)snprintf(reason, size, "can be used only with %s%s", needed, because);
        needed[first] = '\0';
        set_members(error, MEMBERS(WORD(needed)));
        break;
    }
    case MUST_BE:
        (void)snprintf(reason, size, "must be %s with %s%s", bond->value, with, because);
        set_members(error, MEMBERS(WORD(bond->value), WORD(with)));
        break;
    case AT_MOST:
    case AT_LEAST:
        (void)snprintf(reason, size, "must be at %s %" PRIu64 " with %s%s", bond->kind == AT_MOST ? "most" : "least",
                       bond->limit, with, because);
        set_members(error, MEMBERS(NUMBER(bond->limit)));
        break;
    case NEVER: (void)snprintf(reason, size, "must not be %s%s", word, because); break;
    case BOND_NONE: break;
    }
}

/* Whether two conditions are on one parameter: "order" and "order=any". */
static bool is_same_parameter(const char *one, const char *other)
{
    const size_t length = strcspn(one, "=");
    return length && length == strcspn(other, "=") && strncmp(one, other, length) == 0;
}

bool params_bonds(const struct param *rows, const struct value *values, struct validation_errors *errors)
{
    const size_t before = errors->made;
    for (size_t i = 0; rows[i].name; i++) {
        const char *refused = ""; /* by two bonds to the same parameter a value is refused once */
        for (const struct bond *bond = rows[i].bonds; bond && bond->kind; bond++) {
            if ((bond->with.text && is_same_parameter(bond->with.text, refused)) || !breaks(rows, values, i, bond))
                continue;
            refuse(rows, values, i, bond, errors);
            refused = bond->with.text ? bond->with.text : "";
        }
    }
    return errors->made == before;
}
