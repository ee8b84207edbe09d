/* verify_parts.h - a board that is read, and what the readers of all forms share: what is wrong and where, numbers,
 * solutions and their queens, drawn boards, regions. It knows no form. */
#ifndef HTTP_ASK_VERIFY_PARTS_H
#define HTTP_ASK_VERIFY_PARTS_H

#include <stdatomic.h>

#include "base/param.h"
#include "board/conflicts.h"
#include "board/regions.h"
#include "engine/ask/placement.h"

enum { VERIFY_MAX_N = 1000000 };

/* Characters of a range of numbers of queens. */
enum { VERIFY_RANGE_MAX = 23 };

/* Which of several solutions is read: the first, and more than one are an error. */
#define VERIFY_ONLY UINT32_MAX

struct verify_body;

/* In which forms a board comes. All but the octets are what /solve and /construct write, whole or in part; members,
 * lines and columns that say nothing of the board are skipped.
 * JSON: {"n":8,"base":1,"permutation":[1,5,8,6,3,7,2,4]}, or "queens" or "clues":[{"row":1,"column":1},...] or "board":
 *   ["Q...",...] or [[1,0],...] or "states":[[0,1,2],...] instead of the permutation; with them perhaps "regions":
 *   "aab/...", ["aab",...] or [[0,0,1],...], and "apart":true; such objects as "solutions":[...], or in an array; or
 * the array of a permutation or a board alone. Of a board of any shape also "m", "walls":[[2,3],...], "queens":3, "0-8"
 * or "any", and "maximal":true, and "squares":[[1,1],...]. NDJSON: {"row":1,"column":1} a line, then
 * {"end":true,"n":8,"base":1}; or such objects, one a line. Text: "n = 8, base = 1", then columns in one line, or drawn
 * boards, and READY.; columns or boards may stand alone. CSV: "row 1..8,column 1..8", then a queen a line; or
 * "offset,row 1,...", then a solution a line. Octets: columns of four bytes, the least significant first; the caller
 * says n and base. A further form is one more row, and one function. */
struct verify_form {
    const char *media_type;
    size_t most;  /* bytes of a body: what takes more memory to be read than to be sent has less */
    bool unsized; /* says neither n nor base */
    bool alias;   /* another name of a form before it */
    /* Reads body->data, up to body->size: calls verify_solution(), verify_kind() and verify_queen(). What is wrong
     * makes body->status something else than NQ_OK; then it returns soon. */
    void (*read)(struct verify_body *body);
};
/* What comes beside a body. */
struct verify_asked {
    uint32_t wanted; /* the number of the solution to read, counted from 0, or VERIFY_ONLY */
    /* The board is what is asked about: it may have no queens, or any, what is not said of it is beside the body, and
     * a text may be its regions. */
    bool board;
    /* For a form that is unsized; of a board, or one of any shape, if the body does not say it. */
    bool has_n;
    uint32_t n, base;
    uint32_t m;  /* rows of the board, if the body does not say it; 0: there are n */
    bool shaped; /* it is a board of any shape, whatever the body says */
    /* Regions that are not in the body, or the same there, as text; NULL: none. connected: those of the body or of the
     * text must be. */
    const char *regions;
    bool connected;
    /* Whether so many more bytes may be allocated; NULL: always. For the queens that are read, and for what reading
     * them takes meanwhile. */
    bool (*hold)(void *who, size_t bytes);
    void *who;
    const atomic_bool *stop; /* looked at every few microseconds; NULL: nobody stops it */
};

/* How the queens of the solution are given. */
enum verify_kind { VERIFY_NOTHING, VERIFY_COLUMNS, VERIFY_SQUARES, VERIFY_DRAWN, VERIFY_NAMED };

struct verify_regions {
    struct regions regions;     /* of a body that was read; n is 0: there are none */
    bool given;                 /* so far, and */
    struct regions_fault fault; /* what is wrong with them */
    bool connected;             /* they must be */
    bool told, apart;           /* the body says that they need not, or that they must be */
};

/* Squares that have no queens. */
struct verify_squares {
    struct queen *squares;
    uint32_t count, capacity;
    bool drawn; /* they are 0-based, as those of drawn boards are; else numbers as they are written */
};

struct verify_body {
    /* Of a body that was read: */
    uint32_t n, base;
    /* What it says of a board of any shape: */
    bool has_m, maximal;
    uint32_t m;
    char queens[VERIFY_RANGE_MAX + 1]; /* how many, as a parameter has it; "": it does not say */
    struct verify_squares walls;       /* 0-based; verify_body_free() frees them */
    struct placement *placement;       /* with its crosses; verify_body_free() gives its reference back */
    bool ruled;                        /* the body names a rule, */
    uint32_t rule;                     /* and which of rules[] */
    struct verify_regions regions;
    /* NQ_OK, NQ_INVALID, NQ_LIMIT, NQ_BUSY (no more may be held), NQ_NOMEM or NQ_CANCELLED; with NQ_INVALID and
     * NQ_LIMIT, what is wrong: */
    enum nq_status status;
    struct validation_error error; /* of "body", or of a member: "queens[2].row", from 0; "row of line 3", from 1 */

    /* ---- Of the readers, see verify_parts.h ---- */
    const struct verify_form *form;
    const struct verify_asked *asked;
    const char *data; /* of the body, and its size */
    size_t size;
    size_t offset; /* of the byte that is read */
    bool has_n, has_base, part;
    uint32_t first, last;          /* of the rows, if only a part of them is given */
    uint32_t width, rows, squares; /* of the board that is drawn: of its first row, before this row, in this row */
    uint32_t drawn, drawn_width;   /* rows of the wanted board, and their squares, if it is drawn */
    uint32_t odd_rows, odd_width;  /* of the first drawn board that is not square, if m may come later; 0: none */
    uint32_t listed;               /* rows of the wanted board, if its columns are given */
    uint32_t height;               /* rows of the board */
    bool later;                    /* m may come behind a board */
    bool edge;                     /* the row has signs of the upper edge of a board */
    uint32_t solutions;            /* that began so far */
    bool keep;                     /* the solution that is read is the wanted one */
    enum verify_kind kind;         /* of the wanted one */
    bool counted;                  /* n is the number of queens, if nothing says it */
    uint32_t line;                 /* of its first queen, if each has a line; 0: they have none */
    uint32_t capacity;             /* of the placement */
    struct verify_squares crosses;
};

/* ---- What is wrong ---- */

/* `where` is what the reason is about; see reject_with(). The first reason stays. */
void verify_refuse_with(struct verify_body *body, enum refusal why, const char *where,
                        const struct refusal_member *members, const char *reason, ...)
    __attribute__((format(printf, 5, 6)));
#define verify_refuse(body, why, where, ...) verify_refuse_with(body, why, where, NULL, __VA_ARGS__)

/* With the first of these errors. */
void verify_refuse_as(struct verify_body *body, const struct validation_errors *errors);

/* For now: NQ_BUSY, NQ_NOMEM or NQ_CANCELLED. */
void verify_give_up(struct verify_body *body, enum nq_status status);

/* At body->offset, of which the reason has the byte, counted from 0, and line and column, counted from 1. */
void verify_refuse_here(struct verify_body *body, const char *what);
void verify_unexpected(struct verify_body *body, unsigned char c, const char *wanted);

/* Whether to go on: nothing is wrong so far, and nobody stops it. For every loop that a body makes long. */
bool verify_goes_on(struct verify_body *body);

/* ---- Bytes of forms that come in lines, where a \r says nothing ---- */

/* The byte at body->offset; at the end of the text \n, as at that of a line. */
int verify_peek(struct verify_body *body);
/* The same, and moves behind it, but not behind the end of the text. */
int verify_next(struct verify_body *body);

/* Whether the text has nothing more. */
static inline bool verify_at_end(struct verify_body *body)
{
    return verify_peek(body) == '\n' && body->offset == body->size;
}

static inline bool verify_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* A number with one more digit; UINT32_MAX for what is larger than any that means something. */
uint32_t verify_digit(uint32_t number, int digit);

/* Reads what stands before a number, and the number, of up to nine digits, and moves the text behind it. False: they
 * are not there, and nothing is read. */
bool verify_labelled(const char **text, const char *label, uint32_t *number);

/* ---- The board ---- */

/* The size of the board and the number of its first row and column. */
void verify_board(struct verify_body *body, uint32_t n, uint32_t base);

/* A rule by its name. */
void verify_rule(struct verify_body *body, const char *name, size_t length);
/* The same, of a text that goes on with a label and the name, and moves the text behind it; without the label nothing
 * is read. */
void verify_rule_after(struct verify_body *body, const char **text, const char *label);

/* Regions in any form of regions_read(). In all places they must be the same. */
void verify_regions_text(struct verify_body *body, const char *text, size_t size);
/* As verify_rule_after(). */
void verify_regions_after(struct verify_body *body, const char **text, const char *label);

/* ---- Queens ---- */

/* A solution begins; its queens are kept if it is the wanted one. */
void verify_solution(struct verify_body *body);

/* Begins to read its queens in a kind; what another kind gave before is dropped. */
void verify_kind(struct verify_body *body, enum verify_kind kind);

/* Numbers as they are written, from `base`. */
void verify_queen(struct verify_body *body, uint32_t row, uint32_t column);

/* A square that is crossed, drawn or listed; of one body all are the same. */
void verify_cross(struct verify_body *body, bool drawn, uint32_t row, uint32_t column);

/* A square that is a wall. */
void verify_wall(struct verify_body *body, uint32_t row, uint32_t column);

/* The next row has no queen, where columns are given. */
void verify_gap(struct verify_body *body, uint32_t row);

/* How many queens are asked for, if a text says that: digits, two numbers, or `any`. */
bool verify_is_range(const char *text);

/* Makes room for more queens; false: there is none, and it has failed. more: for so many; 0: for some. */
bool verify_grow(struct verify_body *body, uint32_t more);

uint32_t verify_count(const struct verify_body *body);

/* The character of UTF-8 at an offset, which moves behind it. VERIFY_BROKEN: the byte there is no beginning of one. */
enum { VERIFY_BROKEN = 0xfffd };
uint32_t verify_sign(const char *text, size_t size, size_t *at);

/* A sign of a row that is drawn: Q . 1 0 or those of board=unicode and petscii. False: it is none. */
bool verify_square(struct verify_body *body, uint32_t code);

/* Whether a row that was drawn is as wide as the first. EDGE: it has no squares, but the upper edge of a board. */
enum verify_row { VERIFY_ROW, VERIFY_ROW_EDGE, VERIFY_ROW_WIDTH };
enum verify_row verify_row(struct verify_body *body);

/* How many rows a board has whose first row has so many squares. */
uint32_t verify_rows(const struct verify_body *body, uint32_t width);

/* The end of a drawn board, which must have verify_rows(). */
void verify_drawing(struct verify_body *body);

/* ---- The readers of JSON and of its lines, in verify_json.c ---- */

void verify_read_json(struct verify_body *body);
void verify_read_lines(struct verify_body *body);

/* A document in Python's notation: the same lists and objects. */
void verify_read_python(struct verify_body *body);

#endif
