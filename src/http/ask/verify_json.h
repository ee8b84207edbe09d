/* verify_json.h - the states, containers and members of the parser in verify_json.c. */
#ifndef HTTP_ASK_VERIFY_JSON_H
#define HTTP_ASK_VERIFY_JSON_H

#include "http/ask/verify_parts.h"

/* What may come next. */
enum json_state {
    STATE_START,      /* an object or a list */
    STATE_FIRST_NAME, /* a name, or the object's end */
    STATE_NAME,       /* a name */
    STATE_IN_NAME,
    STATE_IN_RULE, /* the name of a rule, a string */
    STATE_COLON,
    STATE_VALUE,
    STATE_FIRST_ITEM, /* an item, or the list's end */
    STATE_ITEM,
    STATE_IN_NUMBER,
    STATE_IN_WORD,
    STATE_IN_ROW,     /* of a board, a string */
    STATE_IN_SKIPPED, /* a value that says nothing */
    STATE_AFTER,      /* a comma, or the end of the container */
    STATE_OVER,       /* nothing but space; of a line: until it ends */
};

/* IN_LIST: of the outermost text, or of `solutions`: what its items are is seen at the first. */
enum json_container {
    IN_NOTHING,
    IN_BOARD,
    IN_LIST,
    IN_SOLUTION,
    IN_QUEEN,
    IN_RANGE,
    IN_NUMBERS,
    IN_QUEENS,
    IN_DRAWING,
    IN_DRAWN_ROW
};

/* The members that say something of a board. */
#define VERIFY_MEMBERS(ROW) \
    ROW(M_N, "n") \
    ROW(M_BASE, "base") \
    ROW(M_RULES, "rules") \
    ROW(M_PERMUTATION, "permutation") \
    ROW(M_QUEENS, "queens") \
    ROW(M_CLUES, "clues") \
    ROW(M_BOARD, "board") \
    ROW(M_ROWS, "rows") \
    ROW(M_SOLUTIONS, "solutions") \
    ROW(M_ROW, "row") \
    ROW(M_COLUMN, "column") \
    ROW(M_FIRST, "first") \
    ROW(M_LAST, "last") \
    ROW(M_END, "end") \
    ROW(M_RETURNED, "returned")

#define MEMBER(member, name) member,
#define NAME(member, name) name,
enum json_member { VERIFY_MEMBERS(MEMBER) MEMBERS };
static inline uint32_t bit(enum json_member member)
{
    return UINT32_C(1) << member;
}

static inline enum json_container innermost(const struct verify_body *body)
{
    return body->json.depth ? body->json.containers[body->json.depth - 1] : IN_NOTHING;
}

static inline bool is_list(enum json_container container)
{
    return container == IN_LIST || container >= IN_NUMBERS;
}

/* One byte of JSON or of its lines, and whether the text is complete. */
void verify_json_byte(struct verify_body *body, unsigned char c);
bool verify_json_whole(struct verify_body *body);

#endif
