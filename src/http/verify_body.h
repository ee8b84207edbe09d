/* verify_body.h - reads a board out of a text that comes in pieces, without ever holding the text: JSON or lines of it.
 * It knows neither requests nor what is asked about the board. */
#ifndef HTTP_VERIFY_BODY_H
#define HTTP_VERIFY_BODY_H

#include "board/conflicts.h"
#include "engine/placement.h"

enum { VERIFY_MAX_N = 1000000, VERIFY_NAME_MAX = 11, VERIFY_WHERE_MAX = 48, VERIFY_WHY_MAX = 160 };

/* VERIFY_JSON: {"n":8,"base":1,"permutation":[1,5,8,6,3,7,2,4]}, or "queens":[{"row":1,"column":1},...] instead of the
 * permutation, in any order. base is 1 unless given; a permutation says n by its length.
 * VERIFY_LINES: {"row":1,"column":1} a line, then {"end":true,"n":8,"base":1}, which may also have "returned", how many
 * lines came before, "next", which is null, and what format_chance() appends: "seed" and "uniform".
 * Members are given once, by names written without escapes; numbers are plain digits. */
enum verify_shape { VERIFY_JSON, VERIFY_LINES };

/* Whether so many more bytes may be held. */
typedef bool (*verify_hold)(void *who, size_t bytes);

struct verify_body {
    /* What has been read; n, base and the placement are there once verify_body_end() has returned NQ_OK. */
    uint32_t n, base;
    struct placement *placement;
    /* NQ_OK so far, NQ_INVALID, NQ_LIMIT, NQ_BUSY (no more may be held) or NQ_NOMEM; with the first two, what is wrong:
     */
    enum nq_status status;
    char where[VERIFY_WHERE_MAX]; /* "body", or the member: "queens[2].row", counted from 0; "row of line 3", from 1 */
    char why[VERIFY_WHY_MAX];     /* how it goes on: "must be ..." */
    /* The reader's own. */
    enum verify_shape shape;
    verify_hold hold;
    void *who;
    uint64_t offset;    /* of the byte that is read */
    unsigned state;     /* what may come next, */
    unsigned container; /* in which object or list, */
    unsigned member;    /* and which of its members */
    char name[VERIFY_NAME_MAX + 1];
    const char *word;             /* that is read */
    uint32_t length;              /* of the name or word so far */
    uint32_t number;              /* that is read; UINT32_MAX for what is larger than any */
    uint32_t seen, seen_of_queen; /* members, as bits: of the board or the line, and of a queen in a list */
    uint32_t row, column, returned;
    uint32_t capacity; /* of the placement */
    bool ended;        /* the end line has come */
};

/* Begins to read; hold may be NULL: as much as the limits allow, 8 bytes a queen. */
void verify_body_begin(struct verify_body *body, enum verify_shape shape, verify_hold hold, void *who);

/* Reads on. Once it has failed, pieces are dropped, and what was held is free. */
void verify_body_add(struct verify_body *body, const char *piece, size_t size);

/* The text is whole. NQ_OK, or body->status. */
enum nq_status verify_body_end(struct verify_body *body);

void verify_body_free(struct verify_body *body);

#endif
