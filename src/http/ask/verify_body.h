/* verify_body.h - reads a board, as people write it and as this service does, from the complete bytes of a body. It
 * knows no requests. */
#ifndef HTTP_ASK_VERIFY_BODY_H
#define HTTP_ASK_VERIFY_BODY_H

#include <stdatomic.h>

#include "base/param.h"
#include "board/conflicts.h"
#include "board/regions.h"
#include "engine/ask/placement.h"

enum { VERIFY_MAX_N = 1000000 };

/* Which of several solutions is read: the first, and more than one are an error. */
#define VERIFY_ONLY UINT32_MAX

struct verify_body;

/* In which forms a board comes. All but the octets are what /solve and /construct write, whole or in part; members,
 * lines and columns that say nothing of the board are skipped.
 * JSON: {"n":8,"base":1,"permutation":[1,5,8,6,3,7,2,4]}, or "queens" or "clues":[{"row":1,"column":1},...] or "board":
 *   ["Q...",...] or [[1,0],...] or "states":[[0,1,2],...] instead of the permutation; with them perhaps "regions":
 *   "aab/...", ["aab",...] or [[0,0,1],...], and "apart":true; such objects as "solutions":[...], or in an array; or
 * the array of a permutation or a board alone. NDJSON: {"row":1,"column":1} a line, then {"end":true,"n":8,"base":1};
 * or such objects, one a line. Text: "n = 8, base = 1", then columns in one line, or drawn boards, and READY.; columns
 * or boards may stand alone. CSV: "row 1..8,column 1..8", then a queen a line; or "offset,row 1,...", then a solution a
 * line. Octets: columns of four bytes, the least significant first; the caller says n and base.
 * A further form is one more row, and one function. */
struct verify_form {
    const char *media_type;
    size_t most;  /* bytes of a body: what takes more memory to be read than to be sent has less */
    bool unsized; /* says neither n nor base */
    /* Reads body->data, up to body->size: calls verify_solution(), verify_kind() and verify_queen(). What is wrong
     * makes body->status something else than NQ_OK; then it returns soon. */
    void (*read)(struct verify_body *body);
};
/* Ends with a row without a media type. */
extern const struct verify_form verify_forms[];

/* What comes beside a body. */
struct verify_asked {
    uint32_t wanted; /* the number of the solution to read, counted from 0, or VERIFY_ONLY */
    /* For a form that is unsized. */
    bool has_n;
    uint32_t n, base;
    /* Regions that are not in the body, or the same there, as text; NULL: none. apart: those of the body or of the text
     * need not be connected. */
    const char *regions;
    bool apart;
    /* Whether so many more bytes may be allocated; NULL: always. For the queens that are read, and for what reading
     * them takes meanwhile. */
    bool (*hold)(void *who, size_t bytes);
    void *who;
    const atomic_bool *stop; /* looked at every few microseconds; NULL: nobody stops it */
};

/* How the queens of the solution are given. */
enum verify_kind { VERIFY_NOTHING, VERIFY_COLUMNS, VERIFY_SQUARES, VERIFY_DRAWN };

struct verify_regions {
    struct regions regions;     /* of a body that was read; n is 0: there are none */
    bool given;                 /* so far, and */
    struct regions_fault fault; /* what is wrong with them */
    bool apart;                 /* they need not be connected */
};

struct verify_body {
    /* Of a body that was read: */
    uint32_t n, base;
    struct placement *placement; /* verify_body_free() gives its reference back */
    bool ruled;                  /* the body names a rule, */
    uint32_t rule;               /* and which of rules[] */
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
    bool has_n, part;
    uint32_t first, last;          /* of the rows, if only a part of them is given */
    uint32_t width, rows, squares; /* of the board that is drawn: of its first row, before this row, in this row */
    uint32_t drawn;                /* rows of the wanted board, if it is drawn */
    unsigned sign;                 /* bytes of a square's sign so far */
    uint32_t solutions;            /* that began so far */
    bool keep;                     /* the solution that is read is the wanted one */
    enum verify_kind kind;         /* of the wanted one */
    uint32_t line;                 /* of its first queen, if each has a line; 0: they have none */
    uint32_t capacity;             /* of the placement */
};

/* Reads a body. Nothing is asked of `data` or `asked` later. Returns body->status. */
enum nq_status verify_body_read(struct verify_body *body, const struct verify_form *form,
                                const struct verify_asked *asked, const char *data, size_t size);

/* Gives the placement back. */
void verify_body_free(struct verify_body *body);

#endif
