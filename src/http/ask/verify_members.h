/* verify_members.h - the states, containers and members of a board in JSON, and what members mean once their names and
 * values are read. */
#ifndef HTTP_ASK_VERIFY_MEMBERS_H
#define HTTP_ASK_VERIFY_MEMBERS_H

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
    STATE_IN_LETTERS, /* of regions, a string */
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
    IN_DRAWN_ROW,
    IN_REGIONS,
    IN_REGION_ROW
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
    ROW(M_STATES, "states") \
    ROW(M_GRID, "grid") \
    ROW(M_REGIONS, "regions") \
    ROW(M_APART, "apart") \
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

/* The members of the innermost object so far, as bits; and those that give queens. */
uint32_t *verify_seen(struct verify_body *body);
enum { VERIFY_GIVERS = 1 << M_PERMUTATION | 1 << M_QUEENS | 1 << M_CLUES | 1 << M_BOARD | 1 << M_STATES | 1 << M_GRID };

/* The end of a name, a value, an object, or of a list or string of regions. */
void verify_end_name(struct verify_body *body);
void verify_end_rule(struct verify_body *body);
void verify_end_number(struct verify_body *body);
void verify_end_word(struct verify_body *body);
void verify_end_regions(struct verify_body *body);
void verify_end_object(struct verify_body *body);

#endif
