/* verify_body.c - a push parser for two shapes of text: one state, one container, one byte at a time, so that it makes
 * no difference where a text is cut. What the numbers mean together is looked at when all of them are there, for
 * members come in any order. It does not know who sends the text. */
#include "http/verify_body.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What may come next. */
enum state {
    STATE_START,      /* an object */
    STATE_FIRST_NAME, /* a name, or the object's end */
    STATE_NAME,       /* a name */
    STATE_IN_NAME,
    STATE_COLON,
    STATE_VALUE,
    STATE_FIRST_ITEM, /* an item, or the list's end */
    STATE_ITEM,
    STATE_IN_NUMBER,
    STATE_IN_WORD,
    STATE_AFTER, /* a comma, or the end of the container */
    STATE_OVER,  /* nothing but space; of a line: until it ends */
};

enum container { IN_BOARD, IN_LINE, IN_QUEEN, IN_NUMBERS, IN_QUEENS };

enum member {
    M_N,
    M_BASE,
    M_PERMUTATION,
    M_QUEENS,
    M_ROW,
    M_COLUMN,
    M_END,
    M_SEED,
    M_UNIFORM,
    M_RETURNED,
    M_NEXT,
    MEMBERS
};

static const char *const names[] = {"n",   "base", "permutation", "queens",   "row", "column",
                                    "end", "seed", "uniform",     "returned", "next"};

static uint32_t bit(enum member member)
{
    return UINT32_C(1) << member;
}

/* ---- Failing ---- */

static void refuse(struct verify_body *body, enum nq_status status, const char *where, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

static void refuse(struct verify_body *body, enum nq_status status, const char *where, const char *why, ...)
{
    va_list args;
    body->status = status;
    (void)snprintf(body->where, sizeof body->where, "%s", where);
    va_start(args, why);
    (void)vsnprintf(body->why, sizeof body->why, why, args);
    va_end(args);
    placement_unref(body->placement);
    body->placement = NULL;
    body->capacity = 0;
}

/* At the byte that is read. */
static void refuse_here(struct verify_body *body, const char *what)
{
    refuse(body, NQ_INVALID, "body", "at byte %" PRIu64 ": %s", body->offset, what);
}

static void refuse_name(struct verify_body *body, const char *what)
{
    refuse(body, NQ_INVALID, "body", "at byte %" PRIu64 ": the member \"%s\" %s", body->offset, body->name, what);
}

static void unexpected(struct verify_body *body, unsigned char c, const char *wanted)
{
    char seen[8];
    (void)snprintf(seen, sizeof seen, c > ' ' && c <= '~' ? "%c" : "0x%02x", c);
    refuse(body, NQ_INVALID, "body", "at byte %" PRIu64 ": %s should come here, not %s", body->offset, wanted, seen);
}

/* ---- Queens ---- */

static bool grow(struct verify_body *body)
{
    enum { LEAST = 64 };
    uint32_t capacity = body->capacity ? 2 * body->capacity : LEAST;
    if (capacity > VERIFY_MAX_N)
        capacity = VERIFY_MAX_N;
    if (capacity == body->capacity) {
        refuse(body, NQ_LIMIT, "body", "has more than %d queens, which is the most", VERIFY_MAX_N);
        return false;
    }
    if (body->hold && !body->hold(body->who, (capacity - body->capacity) * sizeof(struct queen))) {
        refuse(body, NQ_BUSY, "body", "cannot be taken now");
        return false;
    }
    struct placement *placement = realloc(body->placement, sizeof *placement + capacity * sizeof placement->queens[0]);
    if (!placement) {
        refuse(body, NQ_NOMEM, "body", "cannot be taken now");
        return false;
    }
    if (!body->placement) {
        atomic_init(&placement->references, 1);
        placement->count = 0;
    }
    body->placement = placement;
    body->capacity = capacity;
    return true;
}

static void add_queen(struct verify_body *body, uint32_t row, uint32_t column)
{
    if ((!body->placement || body->placement->count == body->capacity) && !grow(body))
        return;
    body->placement->queens[body->placement->count++] = (struct queen){row, column};
}

/* ---- What a member, a queen or a line comes to ---- */

static uint32_t *seen_in(struct verify_body *body)
{
    return body->container == IN_QUEEN ? &body->seen_of_queen : &body->seen;
}

static void end_name(struct verify_body *body)
{
    static const uint32_t allowed[] = {
        [IN_BOARD] = 1 << M_N | 1 << M_BASE | 1 << M_PERMUTATION | 1 << M_QUEENS,
        [IN_LINE] = 1 << M_ROW | 1 << M_COLUMN | 1 << M_END | 1 << M_N | 1 << M_BASE | 1 << M_SEED | 1 << M_UNIFORM |
                    1 << M_RETURNED | 1 << M_NEXT,
        [IN_QUEEN] = 1 << M_ROW | 1 << M_COLUMN,
    };
    const uint32_t both = bit(M_PERMUTATION) | bit(M_QUEENS);
    enum member member = M_N;
    body->name[body->length] = '\0';
    while (member < MEMBERS && strcmp(names[member], body->name) != 0)
        member++;
    uint32_t *seen = seen_in(body);
    if (member == MEMBERS || !(allowed[body->container] & bit(member))) {
        refuse_name(body, "is not one of this object");
    } else if (*seen & bit(member)) {
        refuse_name(body, "is given twice");
    } else {
        *seen |= bit(member);
        body->member = member;
        body->state = STATE_COLON;
        if ((*seen & both) == both)
            refuse_here(body, "permutation and queens exclude each other");
    }
}

static void end_number(struct verify_body *body)
{
    body->state = STATE_AFTER;
    if (body->container == IN_NUMBERS) {
        add_queen(body, body->placement ? body->placement->count : 0, body->number);
        return;
    }
    switch (body->member) {
    case M_N: body->n = body->number; break;
    case M_BASE: body->base = body->number; break;
    case M_ROW: body->row = body->number; break;
    case M_COLUMN: body->column = body->number; break;
    case M_RETURNED: body->returned = body->number; break;
    default: break; /* a seed makes no difference */
    }
}

static void end_queen(struct verify_body *body)
{
    if (body->seen_of_queen == (bit(M_ROW) | bit(M_COLUMN)))
        add_queen(body, body->row, body->column);
    else
        refuse_here(body, "a queen needs row and column");
    body->container = IN_QUEENS;
    body->state = STATE_AFTER;
}

static void end_line(struct verify_body *body)
{
    const uint32_t square = bit(M_ROW) | bit(M_COLUMN), end = bit(M_END) | bit(M_N);
    body->state = STATE_OVER;
    if (body->seen == square)
        add_queen(body, body->row, body->column);
    else if ((body->seen & end) == end && !(body->seen & square))
        body->ended = true;
    else
        refuse_here(body, "a line needs row and column alone, or else end and n");
}

/* ---- Byte by byte ---- */

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static void begin_number(struct verify_body *body, unsigned char c)
{
    if (c == '-')
        refuse_here(body, "numbers must not be negative");
    else if (!is_digit(c))
        unexpected(body, c, "a number");
    body->number = (uint32_t)(c - '0');
    body->state = STATE_IN_NUMBER;
}

/* Whether the byte belongs to the number. */
static bool read_number(struct verify_body *body, unsigned char c)
{
    enum { LARGE = 100000000 };
    if (c == '.' || c == 'e' || c == 'E') {
        refuse_here(body, "numbers must be whole, without fraction or exponent");
        return true;
    }
    if (!is_digit(c)) {
        end_number(body);
        return false;
    }
    if (body->number == 0)
        refuse_here(body, "numbers must not begin with 0");
    body->number = body->number >= LARGE ? UINT32_MAX : 10 * body->number + (uint32_t)(c - '0');
    return true;
}

static void read_name(struct verify_body *body, unsigned char c)
{
    if (c == '"')
        end_name(body);
    else if (c == '\\')
        refuse_here(body, "names must be written without escapes");
    else if (c < ' ' || c > '~')
        unexpected(body, c, "a letter of a name");
    else if (body->length == VERIFY_NAME_MAX)
        refuse_here(body, "no member has so long a name");
    else
        body->name[body->length++] = (char)c;
}

/* `end` is true, `next` is null, and `uniform` is true or false, which makes no difference. */
static void read_word(struct verify_body *body, unsigned char c)
{
    if (body->length == 0)
        body->word = body->member == M_NEXT ? "null" : body->member == M_UNIFORM && c == 'f' ? "false" : "true";
    const char *word = body->word;
    if (c != (unsigned char)word[body->length])
        unexpected(body, c, word);
    else if (!word[++body->length])
        body->state = STATE_AFTER;
}

static void begin_value(struct verify_body *body, unsigned char c)
{
    switch (body->member) {
    case M_PERMUTATION:
    case M_QUEENS:
        if (c != '[')
            unexpected(body, c, "[");
        body->container = body->member == M_PERMUTATION ? IN_NUMBERS : IN_QUEENS;
        body->state = STATE_FIRST_ITEM;
        break;
    case M_END:
    case M_UNIFORM:
    case M_NEXT:
        body->length = 0;
        body->state = STATE_IN_WORD;
        read_word(body, c);
        break;
    default: begin_number(body, c); break;
    }
}

static void begin_item(struct verify_body *body, unsigned char c)
{
    if (body->container == IN_NUMBERS) {
        begin_number(body, c);
    } else if (c == '{') {
        body->container = IN_QUEEN;
        body->seen_of_queen = 0;
        body->state = STATE_FIRST_NAME;
    } else {
        unexpected(body, c, "{");
    }
}

static void end_container(struct verify_body *body)
{
    switch (body->container) {
    case IN_BOARD: body->state = STATE_OVER; break;
    case IN_LINE: end_line(body); break;
    case IN_QUEEN: end_queen(body); break;
    default:
        body->container = IN_BOARD;
        body->state = STATE_AFTER;
        break;
    }
}

static void read_after(struct verify_body *body, unsigned char c)
{
    const bool list = body->container == IN_NUMBERS || body->container == IN_QUEENS;
    if (c == ',')
        body->state = list ? STATE_ITEM : STATE_NAME;
    else if (c == (list ? ']' : '}'))
        end_container(body);
    else
        unexpected(body, c, list ? "a comma or ]" : "a comma or }");
}

static void begin_object(struct verify_body *body, unsigned char c)
{
    if (c != '{') {
        unexpected(body, c, "{");
    } else if (body->ended) {
        refuse_here(body, "nothing may come after the end line");
    } else {
        body->container = body->shape == VERIFY_LINES ? IN_LINE : IN_BOARD;
        body->seen = 0;
        body->state = STATE_FIRST_NAME;
    }
}

/* A line feed, where lines matter. */
static void read_line_feed(struct verify_body *body)
{
    if (body->state == STATE_OVER)
        body->state = STATE_START;
    else if (body->state != STATE_START)
        refuse_here(body, "a line must hold a whole object");
    else if (!body->ended)
        refuse_here(body, "a line must not be empty");
}

/* What is no part of a name, number or word. */
static void read_mark(struct verify_body *body, unsigned char c)
{
    if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && body->shape == VERIFY_JSON))
        return;
    if (c == '\n') {
        read_line_feed(body);
        return;
    }
    const bool first_name = body->state == STATE_FIRST_NAME;
    switch (body->state) {
    case STATE_START: begin_object(body, c); break;
    case STATE_FIRST_NAME:
    case STATE_NAME:
        body->length = 0;
        body->state = STATE_IN_NAME;
        if (first_name && c == '}')
            end_container(body);
        else if (c != '"')
            unexpected(body, c, first_name ? "a name or }" : "a name");
        break;
    case STATE_COLON:
        body->state = STATE_VALUE;
        if (c != ':')
            unexpected(body, c, "a colon");
        break;
    case STATE_VALUE: begin_value(body, c); break;
    case STATE_FIRST_ITEM:
        if (c == ']')
            end_container(body);
        else
            begin_item(body, c);
        break;
    case STATE_ITEM: begin_item(body, c); break;
    case STATE_AFTER: read_after(body, c); break;
    default: unexpected(body, c, body->shape == VERIFY_LINES ? "the end of the line" : "nothing"); break;
    }
}

static void read_byte(struct verify_body *body, unsigned char c)
{
    switch (body->state) {
    case STATE_IN_NAME: read_name(body, c); return;
    case STATE_IN_WORD: read_word(body, c); return;
    case STATE_IN_NUMBER:
        if (read_number(body, c) || body->status != NQ_OK)
            return;
        break;
    default: break;
    }
    read_mark(body, c);
}

void verify_body_begin(struct verify_body *body, enum verify_shape shape, verify_hold hold, void *who)
{
    *body = (struct verify_body){.status = NQ_OK, .base = 1, .shape = shape, .hold = hold, .who = who};
}

void verify_body_add(struct verify_body *body, const char *piece, size_t size)
{
    for (size_t i = 0; i < size && body->status == NQ_OK; i++) {
        read_byte(body, (unsigned char)piece[i]);
        body->offset++;
    }
}

void verify_body_free(struct verify_body *body)
{
    placement_unref(body->placement);
    body->placement = NULL;
}

/* ---- What the numbers mean together ---- */

/* Whether a number is one of a row or column; then it is 0-based from here on. */
static bool settle_number(const struct verify_body *body, uint32_t *number)
{
    const bool inside = *number >= body->base && *number - body->base < body->n;
    *number -= body->base;
    return inside;
}

static void refuse_queen(struct verify_body *body, uint32_t index, const char *member)
{
    char where[VERIFY_WHERE_MAX];
    if (body->shape == VERIFY_LINES)
        (void)snprintf(where, sizeof where, "%s of line %" PRIu32, member, index + 1);
    else if (body->seen & bit(M_PERMUTATION))
        (void)snprintf(where, sizeof where, "permutation[%" PRIu32 "]", index);
    else
        (void)snprintf(where, sizeof where, "queens[%" PRIu32 "].%s", index, member);
    if (body->n)
        refuse(body, NQ_INVALID, where, "must be %" PRIu32 " to %" PRIu32, body->base, body->n - 1 + body->base);
    else
        refuse(body, NQ_INVALID, where, "is not on a board without squares");
}

static void settle_queens(struct verify_body *body)
{
    const bool rows = !(body->seen & bit(M_PERMUTATION)); /* those of a permutation are in order, and 0-based */
    for (uint32_t i = 0; body->status == NQ_OK && i < body->placement->count; i++) {
        struct queen *queen = &body->placement->queens[i];
        if (rows && !settle_number(body, &queen->row))
            refuse_queen(body, i, "row");
        else if (!settle_number(body, &queen->column))
            refuse_queen(body, i, "column");
    }
}

/* Whether all the text is there that has to be. */
static bool whole(struct verify_body *body)
{
    const bool lines = body->shape == VERIFY_LINES;
    if (body->state != STATE_OVER && !(lines && body->state == STATE_START))
        refuse_here(body, "the text ends too early");
    else if (lines && !body->ended)
        refuse_here(body, "the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut");
    else if (!lines && !(body->seen & (bit(M_PERMUTATION) | bit(M_QUEENS))))
        refuse(body, NQ_INVALID, "body", "needs a permutation or queens");
    else if (!(body->seen & (bit(M_PERMUTATION) | bit(M_N))))
        refuse(body, NQ_INVALID, "n", "must be given with queens");
    return body->status == NQ_OK;
}

enum nq_status verify_body_end(struct verify_body *body)
{
    if (body->status != NQ_OK || !whole(body) || (!body->placement && !grow(body)))
        return body->status;
    const uint32_t count = body->placement->count;
    if (!(body->seen & bit(M_N)))
        body->n = count;
    if (body->base > 1)
        refuse(body, NQ_INVALID, "base", "must be 1 or 0");
    else if (body->n > VERIFY_MAX_N)
        refuse(body, NQ_LIMIT, "n", "must be at most %d", VERIFY_MAX_N);
    else if ((body->seen & bit(M_PERMUTATION)) && count != body->n)
        refuse(body, NQ_INVALID, "permutation", "has %" PRIu32 " columns, and n is %" PRIu32, count, body->n);
    else if (count > body->n)
        refuse(body, NQ_INVALID, "body", "has %" PRIu32 " queens, and at most n may be given: %" PRIu32, count,
               body->n);
    else if ((body->seen & bit(M_RETURNED)) && body->returned != count)
        refuse(body, NQ_INVALID, "returned", "is not how many lines came before, %" PRIu32, count);
    else
        settle_queens(body);
    return body->status;
}
