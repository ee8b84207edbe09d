/* verify_json.c - boards in JSON, a document or one a line, which jansson parses: what their members mean. Text that is
 * no JSON is refused with the byte, line and column at which jansson stopped; a value that is none of a board, with its
 * path: "permutation[7]", "solutions[2].queens[0].row", "row of line 3". */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/nearest.h"
#include "base/status.h"
#include "http/ask/verify_drawn.h"
#include "http/ask/verify_parts.h"

/* The members that say something of a board. */
enum member {
    M_N,
    M_BASE,
    M_RULES,
    M_PERMUTATION,
    M_QUEENS,
    M_CLUES,
    M_BOARD,
    M_STATES,
    M_GRID,
    M_REGIONS,
    M_APART,
    M_ROWS,
    M_EXCLUDE,
    M_M,
    M_WALLS,
    M_MAXIMAL,
    M_SQUARES,
    M_SOLUTIONS,
    M_ROW,
    M_COLUMN,
    M_END,
    M_RETURNED,
    M_COUNT, /* `queens`, if it says how many */
    MEMBERS
};

static const char *const names[MEMBERS] = {
    "n",       "base",      "rules", "permutation", "queens",  "clues",    "board",  "states",
    "grid",    "regions",   "apart", "rows",        "exclude", "m",        "walls",  "maximal",
    "squares", "solutions", "row",   "column",      "end",     "returned", "queens",
};

#define BIT(member) (UINT32_C(1) << (member))
/* Those that list queens, one by one; those that draw them; those that say something else of any board. */
#define LISTED (BIT(M_PERMUTATION) | BIT(M_QUEENS) | BIT(M_CLUES) | BIT(M_SQUARES))
#define DRAWN (BIT(M_BOARD) | BIT(M_STATES) | BIT(M_GRID))
#define GIVERS (LISTED | DRAWN)
#define SQUARE (BIT(M_ROW) | BIT(M_COLUMN))
/* Those that each line may have of its own. */
#define OWN (BIT(M_REGIONS) | BIT(M_EXCLUDE) | BIT(M_WALLS))

/* A document, or a line; and what of it is read. */
struct reading {
    struct verify_body *body;
    struct json_budget budget;
    size_t notation;  /* JSON_PYTHON, or 0 */
    const char *list; /* "solutions", or "" for an array that is the document; NULL: no element of a list */
    size_t index;     /* of the element */
    uint32_t line;    /* from 1; 0: a document */
    uint32_t lines;   /* squares, or solutions, before this line */
    bool squares;     /* these are squares */
    bool ended;       /* the end line has come */
};

/* ---- What is wrong ---- */

/* With the value at a path, below the element or the line that is read; why: a reason without members. */
static void refuse(struct reading *reading, enum refusal why, const char *reason, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

enum { WHERE_MAX = 96 };

/* The path of a value below the element or the line that is read. */
static void find_where(const struct reading *reading, const char *below, char where[static WHERE_MAX])
{
    if (reading->list)
        (void)snprintf(where, WHERE_MAX, "%s[%zu]%s%s", reading->list, reading->index,
                       *below && *below != '[' ? "." : "", below);
    else if (reading->line)
        (void)snprintf(where, WHERE_MAX, "%s of line %" PRIu32, below, reading->line);
    else
        (void)snprintf(where, WHERE_MAX, "%s", below);
}

static void refuse(struct reading *reading, enum refusal why, const char *reason, const char *path, ...)
{
    char below[sizeof reading->body->error.parameter], where[WHERE_MAX];
    va_list args;
    va_start(args, path);
    (void)vsnprintf(below, sizeof below, path, args);
    va_end(args);
    find_where(reading, below, where);
    verify_refuse(reading->body, why, where, "%s", reason);
}

/* jansson's text, without what cannot be shown. */
static const char *shown(const json_error_t *error, char text[static JSON_ERROR_TEXT_LENGTH])
{
    size_t i = 0;
    for (; i + 1 < JSON_ERROR_TEXT_LENGTH && error->text[i]; i++) {
        text[i] = error->text[i];
        if (text[i] < ' ' || text[i] > '~')
            text[i] = '?';
    }
    text[i] = '\0';
    return text;
}

/* Whether the byte at fault is behind those that jansson counts as read: what cannot be part of a string. */
static bool points_behind(const json_error_t *error)
{
    return json_error_code(error) == json_error_invalid_utf8 || strncmp(error->text, "unexpected newline", 18) == 0 ||
           strncmp(error->text, "control character", 17) == 0;
}

/* Refuses body->data[begin, end), which is not JSON. */
static void refuse_text(struct reading *reading, const json_error_t *error, size_t begin, size_t end)
{
    struct verify_body *body = reading->body;
    char text[JSON_ERROR_TEXT_LENGTH];
    const size_t read = error->position > 0 ? (size_t)error->position : 0;
    const bool behind = read == 0 || points_behind(error); /* else the last byte that was read is wrong */
    body->offset = begin + read <= end ? begin + read - !behind : begin;
    switch (json_error_code(error)) {
    case json_error_premature_end_of_input:
        body->offset = end;
        verify_refuse_here(body,
                           end < body->size ? "a line must contain a complete object" : "the text ends too early");
        break;
    case json_error_end_of_input_expected:
        verify_refuse_here(body, reading->line ? "expected the end of the line" : "expected the end of the text");
        break;
    default: verify_refuse_here(body, shown(error, text)); break;
    }
}

/* Parses them. NULL: that failed. */
static json_t *parse(struct reading *reading, size_t begin, size_t end)
{
    json_t *json;
    json_error_t error;
    const char *nul = memchr(reading->body->data + begin, '\0', end - begin);
    if (nul) { /* jansson 2.14 overlooks one behind a number */
        reading->body->offset = (size_t)(nul - reading->body->data);
        verify_refuse_here(reading->body, "a NUL is not part of JSON");
        return NULL;
    }
    const enum nq_status status =
        json_read_within(reading->body->data + begin, end - begin,
                         JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | reading->notation, &reading->budget, &json, &error);
    if (status == NQ_INVALID)
        refuse_text(reading, &error, begin, end);
    else if (status != NQ_OK)
        verify_give_up(reading->body, status);
    return json;
}

/* ---- Numbers ---- */

/* NULL; or what is wrong with a value that must be a number, from 0 on. UINT32_MAX stands for all that are too large to
 * mean anything. */
static const char *number_of(const json_t *value, uint32_t *number)
{
    enum { LARGEST = 999999999 };
    if (json_is_real(value))
        return "must be a whole number, without fraction or exponent";
    if (!json_is_integer(value))
        return "must be a number";
    const json_int_t whole = json_integer_value(value);
    *number = whole > LARGEST ? UINT32_MAX : (uint32_t)whole;
    return whole < 0 ? "must not be negative" : NULL;
}

static bool read_number(struct reading *reading, const json_t *value, const char *name, uint32_t *number)
{
    const char *wrong = number_of(value, number);
    if (wrong)
        refuse(reading, REFUSED_SYNTAX, wrong, "%s", name);
    return !wrong;
}

/* A row or column, under any of its names. */
static const json_t *get(const json_t *object, const char *name)
{
    const bool row = strcmp(name, "row") == 0;
    const json_t *value = json_object_get(object, name);
    if (!value && !row)
        value = json_object_get(object, "col");
    return value ? value : json_object_get(object, row ? "y" : "x");
}

/* A member of an element of a list, "queens[2].row". */
static bool read_number_in(struct reading *reading, const json_t *object, const char *name, const char *list,
                           size_t index, uint32_t *number)
{
    const json_t *value = get(object, name);
    const char *wrong = value ? number_of(value, number) : "is required";
    if (wrong)
        refuse(reading, value ? REFUSED_SYNTAX : REFUSED_MISSING, wrong, "%s[%zu].%s", list, index, name);
    return !wrong;
}

/* ---- Queens ---- */

/* null: the row has no queen. name: of the member; "": the array is the document. */
static void read_columns(struct reading *reading, const json_t *array, const char *name)
{
    struct verify_body *body = reading->body;
    size_t i;
    json_t *value;
    verify_kind(body, VERIFY_COLUMNS);
    json_array_foreach(array, i, value)
    {
        uint32_t column = 0;
        const char *wrong = json_is_null(value) ? NULL : number_of(value, &column);
        if (wrong)
            refuse(reading, REFUSED_SYNTAX, wrong, "%s[%zu]", name, i);
        if (!verify_goes_on(body))
            return;
        if (json_is_null(value))
            verify_gap(body, (uint32_t)i);
        else
            verify_queen(body, (uint32_t)i, column);
    }
}

/* [row, column] */
static bool read_pair(struct reading *reading, const json_t *pair, const char *name, size_t i, uint32_t *row,
                      uint32_t *column)
{
    uint32_t *numbers[] = {row, column};
    if (json_array_size(pair) != 2)
        refuse(reading, REFUSED_SYNTAX, "must have two numbers, row and column", "%s[%zu]", name, i);
    for (size_t k = 0; k < 2 && verify_goes_on(reading->body); k++) {
        const char *wrong = number_of(json_array_get(pair, k), numbers[k]);
        if (wrong)
            refuse(reading, REFUSED_SYNTAX, wrong, "%s[%zu][%zu]", name, i, k);
    }
    return verify_goes_on(reading->body);
}

/* put: what a square is. */
static void read_squares(struct reading *reading, const json_t *array, const char *name,
                         void (*put)(struct verify_body *body, uint32_t row, uint32_t column))
{
    struct verify_body *body = reading->body;
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value)
    {
        uint32_t row, column;
        if (json_is_array(value)) {
            if (!read_pair(reading, value, name, i, &row, &column))
                return;
            put(body, row, column);
            continue;
        }
        if (!json_is_object(value))
            refuse(reading, REFUSED_SYNTAX, "must be an object with row and column", "%s[%zu]", name, i);
        if (!verify_goes_on(body) || !read_number_in(reading, value, "row", name, i, &row) ||
            !read_number_in(reading, value, "column", name, i, &column))
            return;
        put(body, row, column);
    }
}

static void read_listed(struct reading *reading, const json_t *array, const char *name)
{
    verify_kind(reading->body, VERIFY_SQUARES);
    read_squares(reading, array, name, verify_queen);
}

static void put_cross(struct verify_body *body, uint32_t row, uint32_t column)
{
    verify_cross(body, false, row, column);
}

/* A row as a string, or as a list of numbers, of which the largest is `most`. */
static bool read_drawn_row(struct reading *reading, const json_t *row, const char *name, size_t i, json_int_t most)
{
    struct verify_body *body = reading->body;
    const size_t squares = json_is_string(row) ? json_string_length(row) : json_array_size(row);
    const char *signs = json_string_value(row);
    if (!json_is_string(row) && !json_is_array(row)) {
        refuse(reading, REFUSED_SYNTAX, "must be a row of the board, a string or a list", "%s[%zu]", name, i);
        return false;
    }
    for (size_t k = 0; signs && k < squares && verify_goes_on(body);)
        if (!verify_square(body, verify_sign(signs, squares, &k)))
            refuse(reading, REFUSED_SYNTAX, "must consist of squares: Q and ., or 1 and 0", "%s[%zu]", name, i);
    for (size_t k = 0; !signs && k < squares && verify_goes_on(body); k++) {
        const json_t *state = json_array_get(row, k);
        const json_int_t number = json_is_integer(state) ? json_integer_value(state) : -1;
        if (number < 0 || number > most)
            refuse(reading, REFUSED_SYNTAX, most == 1 ? "must be 0 or 1" : "must be 0, 1 or 2", "%s[%zu][%zu]", name, i,
                   k);
        if (number == 2)
            verify_cross(body, true, body->rows, body->squares);
        if (body->status == NQ_OK)
            (void)verify_square(body, number == 1 ? '1' : '0');
    }
    return body->status == NQ_OK;
}

static void read_drawing(struct reading *reading, const json_t *array, const char *name)
{
    struct verify_body *body = reading->body;
    const json_int_t most = strcmp(name, names[M_STATES]) == 0 ? 2 : 1; /* 2: it is crossed */
    size_t i;
    json_t *row;
    verify_kind(body, VERIFY_DRAWN);
    json_array_foreach(array, i, row)
    {
        if (!verify_goes_on(body) || !read_drawn_row(reading, row, name, i, most))
            return;
        if (verify_row(body) == VERIFY_ROW_WIDTH)
            refuse(reading, REFUSED_SYNTAX, "must have as many squares as the first row", "%s[%zu]", name, i);
    }
    if (body->status == NQ_OK)
        verify_drawing(body);
}

/* ---- Strings, as programs print solutions ---- */

static void read_string(struct reading *reading, const char *text, size_t size, const char *name)
{
    char where[WHERE_MAX];
    find_where(reading, name, where);
    verify_read_string(reading->body, text, size, *where ? where : "body");
}

/* Whether rows have only the signs of format=text, or are lists of numbers. */
static bool is_plain(const json_t *array)
{
    size_t i;
    json_t *row;
    json_array_foreach(array, i, row)
    {
        const char *signs = json_string_value(row);
        if (json_is_string(json_array_get(row, 0)))
            return false;
        if (signs && strspn(signs, "Q.10\xc2\xb7\xe2\x99\x9b") < json_string_length(row))
            return false;
    }
    return true;
}

/* Appends a string and what stands behind it; without `text` it only counts. */
static void append(char *text, size_t *size, const json_t *string, char behind)
{
    const size_t length = json_string_length(string);
    if (text) {
        if (length)
            memcpy(text + *size, json_string_value(string), length);
        text[*size + length] = behind;
    }
    *size += length + 1;
}

/* The rows as lines, and the strings of a row with blanks between them. Returns the size. */
static size_t join(const json_t *array, char *text)
{
    size_t i, k, size = 0;
    json_t *row, *square;
    json_array_foreach(array, i, row)
    {
        json_array_foreach(row, k, square) append(text, &size, square, ' ');
        append(text, &size, row, '\n');
    }
    return size;
}

static void read_joined(struct reading *reading, const json_t *array, const char *name)
{
    struct verify_body *body = reading->body;
    const struct verify_asked *asked = body->asked;
    const size_t size = join(array, NULL);
    if (asked->hold && !asked->hold(asked->who, size)) {
        verify_give_up(body, NQ_BUSY);
        return;
    }
    char *text = malloc(size);
    if (!text) {
        verify_give_up(body, NQ_NOMEM);
        return;
    }
    (void)join(array, text);
    read_string(reading, text, size, name);
    free(text);
}

static void read_rows_or_strings(struct reading *reading, const json_t *array, const char *name)
{
    if (is_plain(array))
        read_drawing(reading, array, name);
    else
        read_joined(reading, array, name);
}

static void read_queens(struct reading *reading, const json_t *value, enum member member)
{
    const char *name = names[member];
    if (json_is_string(value))
        read_string(reading, json_string_value(value), json_string_length(value), name);
    else if (!json_is_array(value))
        refuse(reading, REFUSED_SYNTAX, "must be a list", "%s", name);
    else if (member == M_PERMUTATION)
        read_columns(reading, value, name);
    else if (BIT(member) & DRAWN)
        read_rows_or_strings(reading, value, name);
    else if (json_is_string(json_array_get(value, 0)))
        read_joined(reading, value, name);
    else
        read_listed(reading, value, name);
}

/* ---- Regions ---- */

/* In any notation of lists: what it looks like as text says what it is. */
static void read_regions(struct reading *reading, const json_t *value)
{
    char text[PARAM_BOARD_MAX + 1];
    if (json_is_string(value)) {
        verify_regions_text(reading->body, json_string_value(value), json_string_length(value));
        return;
    }
    if (!json_is_array(value) && !json_is_object(value)) {
        refuse(reading, REFUSED_SYNTAX, "must be a string or a list", "%s", names[M_REGIONS]);
        return;
    }
    const size_t size = json_dumpb(value, text, sizeof text, JSON_COMPACT);
    verify_regions_text(reading->body, text, size);
}

/* ---- Objects ---- */

/* A board alone, an element of a list, a line that has no square. */
enum object { WHOLE, ELEMENT, LINE };

static enum member find(const char *name)
{
    enum member member = M_N;
    if (strcmp(name, "letters") == 0) /* what /puzzle calls them */
        return M_REGIONS;
    if (strcmp(name, "y") == 0)
        return M_ROW;
    if (strcmp(name, "x") == 0 || strcmp(name, "col") == 0)
        return M_COLUMN;
    while (member < MEMBERS && strcmp(names[member], name) != 0)
        member++;
    return member;
}

/* Members of replies that say nothing of the board, and of boards that puzzle sites exchange: they are ignored. */
static const char *const ignored[] = {
    "algorithm",    "asked",          "at_least",    "attacked",       "by",        "canonical",    "classes",
    "classes_text", "code",           "colours",     "completable",    "complete",  "completed",    "completion",
    "completions",  "conflict_count", "conflicts",   "connected",      "count",     "count_text",   "counts",
    "daily",        "date",           "dead",        "difficulty",     "distinct",  "distribution", "ended",
    "estimate",     "estimate_text",  "first",       "formula",        "free",      "generator",    "grade",
    "hint",         "hint_url",       "id",          "kind",           "last",      "level",        "limit",
    "link",         "log10",          "log10_error", "method",         "minimal",   "next",         "next_cursor",
    "note",         "oeis",           "offset",      "offset_text",    "on_walls",  "orbit",        "order",
    "parts",        "peaceful",       "provenance",  "rank",           "rank_text", "sample",       "seed",
    "sizes",        "solution_url",   "source",      "standard_error", "stats",     "steps",        "symmetry",
    "total",        "total_text",     "transform",   "uniform",        "unique",    "valid",        "walks",
    "wrong",
};

static bool is_ignored(const char *name)
{
    size_t i = 0;
    while (i < sizeof ignored / sizeof ignored[0] && strcmp(ignored[i], name) != 0)
        i++;
    return i < sizeof ignored / sizeof ignored[0];
}

/* The i-th member of a board, NULL after the last. */
static const char *member_name(size_t i)
{
    return i <= M_SOLUTIONS ? names[i] : NULL;
}

static const char *member_at(const void *list, size_t i)
{
    (void)list;
    return member_name(i);
}

/* A member that is none of a board, nor of a reply. */
static void refuse_member(struct reading *reading, const char *name)
{
    enum { SHOWN_MAX = 32 };
    struct verify_body *body = reading->body;
    char shown[SHOWN_MAX + 1], reason[200] = "is no member of a board: these are n, base, m, walls, maximal, rules, "
                                             "regions, apart, rows, permutation, queens, squares, clues, board, "
                                             "states, grid, exclude";
    const bool first = body->status == NQ_OK;
    size_t size = 0;
    for (; name[size] && size < SHOWN_MAX; size++)
        shown[size] = (char)(name[size] >= ' ' && name[size] <= '~' ? name[size] : '?');
    shown[size] = '\0';
    const char *suggestion = names_nearest(shown, member_at, NULL);
    if (suggestion)
        (void)snprintf(reason, sizeof reason, "is no member of a board; the nearest is %s", suggestion);
    refuse(reading, REFUSED_UNKNOWN, reason, "%s", size ? shown : "(empty name)");
    if (first) {
        body->error.choices = member_name;
        body->error.suggestion = suggestion;
    }
}

/* The same of a value: `queens` may say how many, and `squares` be what counts have of each square. */
static enum member member_of(const json_t *object, const char *name, const json_t *value)
{
    const enum member member = find(name);
    const bool range = json_is_string(value) && verify_is_range(json_string_value(value));
    if (member == M_QUEENS && (json_is_integer(value) || range))
        return M_COUNT;
    return member == M_SQUARES && json_object_get(object, "by") ? MEMBERS : member;
}

/* What an object has. */
struct seen {
    uint32_t members;  /* as bits */
    enum member giver; /* whose queens count: columns rather than the same board drawn; MEMBERS: none */
};

static struct seen look(json_t *object)
{
    struct seen seen = {.giver = MEMBERS};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const enum member member = member_of(object, name, value);
        if (member == MEMBERS)
            continue;
        seen.members |= BIT(member);
        if (BIT(member) & LISTED)
            seen.giver = member; /* the last of them */
    }
    for (enum member member = M_BOARD; member <= M_GRID && seen.giver == MEMBERS; member++)
        if (seen.members & BIT(member))
            seen.giver = member;
    return seen;
}

static void read_rows(struct reading *reading, const json_t *value)
{
    struct verify_body *body = reading->body;
    const json_t *first = json_object_get(value, "first"), *last = json_object_get(value, "last");
    if (!json_is_object(value))
        refuse(reading, REFUSED_SYNTAX, "must be an object with first and last", "%s", names[M_ROWS]);
    else if (!first || !last)
        refuse(reading, REFUSED_MISSING, "is required", "rows.%s", first ? "last" : "first");
    else
        body->part = read_number(reading, first, "rows.first", &body->first) &&
                     read_number(reading, last, "rows.last", &body->last);
}

static void read_apart(struct verify_body *body, bool apart)
{
    body->regions.told = true;
    body->regions.apart = apart;
    body->regions.connected |= !apart;
}

/* How many queens: a number, two, or `any`. */
static void read_count(struct reading *reading, const json_t *value)
{
    struct verify_body *body = reading->body;
    uint32_t number = 0;
    if (json_is_string(value))
        (void)snprintf(body->queens, sizeof body->queens, "%s", json_string_value(value));
    else if (read_number(reading, value, names[M_COUNT], &number))
        (void)snprintf(body->queens, sizeof body->queens, "%" PRIu32, number);
}

/* A member that is not about queens. */
static void read_about(struct reading *reading, enum member member, const json_t *value)
{
    struct verify_body *body = reading->body;
    switch (member) {
    case M_N: body->has_n |= read_number(reading, value, names[member], &body->n); break;
    case M_BASE: body->has_base |= read_number(reading, value, names[member], &body->base); break;
    case M_RULES:
        if (json_is_string(value))
            verify_rule(body, json_string_value(value), json_string_length(value));
        else
            refuse(reading, REFUSED_SYNTAX, "must be a string", "%s", names[member]);
        break;
    case M_REGIONS: read_regions(reading, value); break;
    case M_APART:
        if (json_is_boolean(value))
            read_apart(body, json_is_true(value));
        else if (!json_is_array(value)) /* the squares that a reply lists */
            refuse(reading, REFUSED_SYNTAX, "must be true or false", "%s", names[member]);
        break;
    case M_ROWS: read_rows(reading, value); break;
    case M_EXCLUDE:
    case M_WALLS:
        if (json_is_array(value))
            read_squares(reading, value, names[member], member == M_WALLS ? verify_wall : put_cross);
        else
            refuse(reading, REFUSED_SYNTAX, "must be a list", "%s", names[member]);
        break;
    case M_M: body->has_m |= read_number(reading, value, names[member], &body->m); break;
    case M_COUNT: read_count(reading, value); break;
    case M_MAXIMAL:
        if (json_is_boolean(value))
            body->maximal = json_is_true(value);
        else
            refuse(reading, REFUSED_SYNTAX, "must be true or false", "%s", names[member]);
        break;
    default: break;
    }
}

static void read_list(struct reading *reading, const json_t *array, const char *name);

/* The value of `regions`, under either name. */
static const json_t *regions_member(const json_t *object)
{
    const json_t *value = json_object_get(object, names[M_REGIONS]);
    return value ? value : json_object_get(object, "letters");
}

/* The members of a board, in their order. */
static void read_object(struct reading *reading, json_t *object, enum object kind)
{
    struct verify_body *body = reading->body;
    const struct seen seen = look(object);
    const uint32_t both = BIT(M_PERMUTATION) | BIT(M_QUEENS);
    const char *name;
    json_t *value;
    bool begun = kind == ELEMENT, keep = body->keep;
    if ((seen.members & both) == both)
        refuse(reading, REFUSED_SYNTAX, "must not be given beside permutation", "%s", names[M_QUEENS]);
    json_object_foreach(object, name, value)
    {
        const enum member member = member_of(object, name, value);
        if (!verify_goes_on(body))
            return;
        if (member == MEMBERS && !is_ignored(name))
            refuse_member(reading, name);
        if (member == MEMBERS)
            continue;
        if (BIT(member) & GIVERS && !begun) {
            verify_solution(body);
            keep = body->keep;
            begun = true;
        }
        if (member == seen.giver) {
            body->keep = keep; /* of this solution, whatever list stands between two members */
            if (keep)
                read_queens(reading, value, member);
        } else if (member == M_SOLUTIONS && kind == WHOLE) {
            read_list(reading, value, names[member]);
        } else if ((kind != ELEMENT || keep) && (kind != LINE || !(BIT(member) & OWN))) {
            read_about(reading, member, value);
        }
    }
    if (kind != LINE || (!body->keep && seen.giver != MEMBERS))
        return;
    if (seen.members & BIT(M_REGIONS))
        read_regions(reading, regions_member(object));
    if (seen.members & BIT(M_EXCLUDE))
        read_about(reading, M_EXCLUDE, json_object_get(object, names[M_EXCLUDE]));
    if (seen.members & BIT(M_WALLS))
        read_about(reading, M_WALLS, json_object_get(object, names[M_WALLS]));
}

static bool is_square(json_t *object)
{
    const uint32_t members = look(object).members;
    return (members & SQUARE) == SQUARE && !(members & GIVERS);
}

/* Of a permutation. */
static bool is_column(const json_t *value)
{
    return json_is_number(value) || json_is_null(value);
}

/* A solution without an object around it: columns, or a drawn board. */
static void read_alone(struct reading *reading, const json_t *value)
{
    if (json_is_string(value))
        read_string(reading, json_string_value(value), json_string_length(value), "");
    else if (is_column(json_array_get(value, 0)))
        read_columns(reading, value, "");
    else
        read_rows_or_strings(reading, value, "");
}

/* Solutions, or boards; "": the array is the document. */
static void read_list(struct reading *reading, const json_t *array, const char *name)
{
    static const char none[] = "must have permutation, queens, board or states";
    size_t i;
    json_t *value;
    if (!json_is_array(array))
        refuse(reading, REFUSED_SYNTAX, "must be a list", "%s", name);
    json_array_foreach(array, i, value)
    {
        reading->list = name;
        reading->index = i;
        if (!verify_goes_on(reading->body))
            return;
        verify_solution(reading->body);
        if (json_is_array(value) || json_is_string(value)) {
            if (reading->body->keep)
                read_alone(reading, value);
        } else if (!json_is_object(value)) {
            refuse(reading, REFUSED_SYNTAX, "must be an object", "%s", "");
        } else if (look(value).giver == MEMBERS) {
            refuse(reading, REFUSED_NO_QUEENS, none, "%s", "");
        } else {
            read_object(reading, value, ELEMENT);
        }
    }
    reading->list = NULL;
}

/* ---- An array that is the document ---- */

/* What lists of numbers in a list are. */
enum numbers { ROWS, PAIRS, COLUMNS, EITHER };

static enum numbers numbers_of(const json_t *array)
{
    const size_t count = json_array_size(array);
    bool bits = true, two = true;
    size_t i, k;
    json_t *row, *value;
    json_array_foreach(array, i, row)
    {
        two &= json_array_size(row) == 2;
        json_array_foreach(row, k, value) bits &= json_is_integer(value) && (uint64_t)json_integer_value(value) <= 1;
    }
    if (two && count == 2)
        return EITHER;
    return bits ? ROWS : two ? PAIRS : COLUMNS;
}

/* Whether a string is a solution, not a row of one. */
static bool is_whole(const json_t *string)
{
    const char *text = json_string_value(string);
    return text && (strpbrk(text, "\n/") || (strpbrk(text, "23456789") && !isalpha((unsigned char)*text)));
}

/* Whether lists of strings in a list are boards, not rows of one, whose strings are squares. */
static bool are_boards(const json_t *array)
{
    size_t i;
    json_t *string;
    json_array_foreach(json_array_get(array, 0), i, string)
    {
        enum { SIGN_MAX = 4 };
        const char *text = json_string_value(string);
        if (json_is_array(string) || (text && json_string_length(string) > (*text & 0x80 ? SIGN_MAX : 1)))
            return true;
    }
    return false;
}

static void read_lists(struct reading *reading, const json_t *array)
{
    static const char either[] = "can be read in two ways, as rows of a board or as squares: use board or queens";
    const bool numbers = is_column(json_array_get(json_array_get(array, 0), 0));
    const enum numbers kind = numbers ? numbers_of(array) : are_boards(array) ? COLUMNS : ROWS;
    if (kind == COLUMNS) {
        read_list(reading, array, "");
        return;
    }
    verify_solution(reading->body);
    reading->body->counted = kind == PAIRS;
    if (kind == EITHER)
        verify_refuse(reading->body, REFUSED_SYNTAX, "body", "%s", either);
    else if (kind == PAIRS)
        read_listed(reading, array, "");
    else
        read_rows_or_strings(reading, array, "");
}

/* Of boards, of columns, of squares, or of the rows of one that is drawn. */
static void read_array(struct reading *reading, const json_t *array)
{
    json_t *first = json_array_get(array, 0);
    if (json_is_array(first)) {
        read_lists(reading, array);
    } else if (json_is_object(first) && is_square(first)) {
        verify_solution(reading->body);
        reading->body->counted = true;
        read_listed(reading, array, "");
    } else if (!first || json_is_object(first) || is_whole(first)) {
        read_list(reading, array, "");
    } else {
        verify_solution(reading->body);
        read_alone(reading, array);
    }
}

static struct reading begin(struct verify_body *body)
{
    const struct verify_asked *asked = body->asked;
    body->later = true;
    return (struct reading){.body = body, .budget = {.stop = asked->stop, .hold = asked->hold, .who = asked->who}};
}

static void read_document(struct verify_body *body, size_t notation)
{
    struct reading reading = begin(body);
    reading.notation = notation;
    json_t *json = parse(&reading, 0, body->size);
    if (!json)
        return;
    if (json_is_object(json))
        read_object(&reading, json, WHOLE);
    else
        read_array(&reading, json);
    json_free_within(json, &reading.budget);
    if (body->status == NQ_OK && body->solutions == 0 && !body->asked->board)
        verify_refuse(body, REFUSED_NO_QUEENS, "body", "must have permutation, queens, board or states");
}

void verify_read_json(struct verify_body *body)
{
    read_document(body, 0);
}

void verify_read_python(struct verify_body *body)
{
    read_document(body, JSON_PYTHON);
}

/* ---- Lines ---- */

/* The line with the board's size, behind squares or solutions. */
static void read_end(struct reading *reading, json_t *line)
{
    struct verify_body *body = reading->body;
    const json_t *value = json_object_get(line, names[M_RETURNED]);
    uint32_t returned = reading->lines;
    reading->ended = true;
    if (!json_is_true(json_object_get(line, names[M_END])))
        refuse(reading, REFUSED_SYNTAX, "must be true", "%s", names[M_END]);
    if (value && !read_number(reading, value, names[M_RETURNED], &returned))
        return;
    read_object(reading, line, LINE);
    if (returned != reading->lines)
        verify_refuse_with(body, REFUSED_DISAGREES, names[M_RETURNED],
                           MEMBERS(NUMBER(returned), NUMBER(reading->lines)),
                           "is %" PRIu32 ", but %" PRIu32 " lines came before it", returned, reading->lines);
}

static void read_square(struct reading *reading, json_t *line)
{
    struct verify_body *body = reading->body;
    uint32_t row, column;
    if (reading->lines == 0) {
        verify_solution(body);
        verify_kind(body, VERIFY_SQUARES);
        body->line = 1;
    }
    read_object(reading, line, LINE);
    if (read_number(reading, get(line, "row"), "row", &row) &&
        read_number(reading, get(line, "column"), "column", &column))
        verify_queen(body, row, column);
    reading->lines++;
}

/* An end line, a square or a solution; squares and solutions do not mix. */
static void read_line_object(struct reading *reading, json_t *line)
{
    const uint32_t seen = look(line).members, end = BIT(M_END) | BIT(M_N);
    if ((seen & end) == end && !(seen & (SQUARE | GIVERS))) {
        read_end(reading, line);
        return;
    }
    const bool is_square = (seen & SQUARE) == SQUARE && !(seen & (end | GIVERS));
    const bool is_solution = seen & GIVERS && !(seen & (SQUARE | BIT(M_END)));
    if (reading->lines == 0)
        reading->squares = is_square;
    if (!(reading->squares ? is_square : is_solution)) {
        verify_refuse_here(reading->body, "a line must have row and column, or end and n, or all lines a solution");
    } else if (reading->squares) {
        read_square(reading, line);
    } else {
        read_object(reading, line, LINE);
        reading->lines++;
    }
}

/* body->data[body->offset, end), which is not empty. */
static void read_line(struct reading *reading, size_t end)
{
    struct verify_body *body = reading->body;
    if (reading->ended) {
        verify_refuse_here(body, "there must be nothing after the end line");
        return;
    }
    json_t *json = parse(reading, body->offset, end);
    if (json_is_object(json))
        read_line_object(reading, json);
    else if (json)
        verify_refuse_here(body, "a line must be an object");
    json_free_within(json, &reading->budget);
}

/* Moves body->offset to the first byte that is not white space, or to the end of the line. */
static void skip_space(struct verify_body *body, size_t end)
{
    while (body->offset < end && strchr(" \t\r", body->data[body->offset] ? body->data[body->offset] : 'x'))
        body->offset++;
}

void verify_read_lines(struct verify_body *body)
{
    struct reading reading = begin(body);
    for (reading.line = 1; body->offset < body->size && verify_goes_on(body); reading.line++) {
        const char *feed = memchr(body->data + body->offset, '\n', body->size - body->offset);
        const size_t end = feed ? (size_t)(feed - body->data) : body->size;
        skip_space(body, end);
        if (body->offset < end)
            read_line(&reading, end);
        else if (feed && !reading.ended)
            verify_refuse_here(body, "a line must not be empty");
        if (body->status == NQ_OK)
            body->offset = end + (feed != NULL);
    }
    if (body->status != NQ_OK)
        return;
    if (!reading.ended && (body->solutions == 0 || reading.squares)) {
        verify_refuse_here(body, "the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut");
    } else if (body->solutions == 0) { /* no queens on a board of n */
        verify_solution(body);
        verify_kind(body, VERIFY_SQUARES);
    }
}
