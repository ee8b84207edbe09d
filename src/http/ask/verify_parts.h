/* verify_parts.h - a board that is read, and what its parsers share: errors, numbers, solutions and their queens. It
 * knows no shape of text. */
#ifndef HTTP_ASK_VERIFY_PARTS_H
#define HTTP_ASK_VERIFY_PARTS_H

#include "base/param.h"
#include "board/conflicts.h"
#include "board/regions.h"
#include "engine/ask/placement.h"

enum { VERIFY_MAX_N = 1000000, VERIFY_NAME_MAX = 23 };

/* In which shapes a board comes. All but the octets are what /solve and /construct write, whole or in part; members,
 * lines and columns that say nothing of the board are skipped.
 * JSON: {"n":8,"base":1,"permutation":[1,5,8,6,3,7,2,4]}, or "queens" or "clues":[{"row":1,"column":1},...] or "board":
 *   ["Q...",...] or [[1,0],...] or "states":[[0,1,2],...] instead of the permutation; with them perhaps "regions":
 *   "aab/...", ["aab",...] or [[0,0,1],...], and "apart":true; such objects as "solutions":[...], or in an array; or
 * the array of a permutation or a board alone. LINES: {"row":1,"column":1} a line, then {"end":true,"n":8,"base":1}; or
 * such objects, one a line. TEXT: "n = 8, base = 1", then columns in one line, or drawn boards, and READY.; columns or
 * boards may stand alone. CSV: "row 1..8,column 1..8", then a queen a line; or "offset,row 1,...", then a solution a
 * line. OCTETS: columns of four bytes, the least significant first; the caller says n and base. */
enum verify_shape { VERIFY_JSON, VERIFY_LINES, VERIFY_TEXT, VERIFY_CSV, VERIFY_OCTETS };

/* Which of several solutions is read: the first, and more than one are an error. */
#define VERIFY_ONLY UINT32_MAX

/* Whether so many more bytes may be allocated. */
typedef bool (*verify_hold)(void *who, size_t bytes);

/* How the queens of the solution are given. */
enum verify_kind { VERIFY_NOTHING, VERIFY_COLUMNS, VERIFY_SQUARES, VERIFY_DRAWN };

enum { VERIFY_DEPTH = 6, VERIFY_HEAD_MAX = 79 + REGIONS_TEXT_MAX };

/* Regions that are read: rows of letters, or numbers by square. */
struct verify_painting {
    enum painted { PAINTED_NOTHING, PAINTED_LETTERS, PAINTED_NUMBERS } kind;
    uint32_t rows, columns;          /* of a list: complete ones, and of numbers those in this row */
    uint32_t size;                   /* letters or numbers so far */
    uint32_t lengths[REGIONS_MAX_N]; /* of numbers: columns by row */
    union {
        char text[PARAM_TEXT_MAX];
        uint32_t ids[REGIONS_MAX_SQUARES];
    };
};

struct verify_regions {
    struct regions regions;     /* once verify_body_end() has returned NQ_OK; n is 0: there are none */
    const char *parameter;      /* their text; NULL: only the body says them. Borrowed */
    bool given;                 /* so far, and */
    struct regions_fault fault; /* what is wrong with them */
    bool apart;                 /* they need not be connected */
};

struct verify_json {
    unsigned state;                    /* what may come next, */
    unsigned containers[VERIFY_DEPTH]; /* in which objects and lists, */
    unsigned depth;                    /* how many they are, */
    unsigned member;                   /* and which member of the innermost object */
    char name[VERIFY_NAME_MAX + 1];    /* of a member, or of a rule */
    bool long_name;
    const char *word;                               /* that is read */
    uint32_t length;                                /* of the name or word so far */
    uint32_t seen, seen_of_solution, seen_of_queen; /* members, as bits: of the outermost object, of a solution in a
                                                       list, and of a square or a range of rows */
    uint32_t returned, lines;
    uint64_t brackets; /* of a value that is skipped: a bit for each, 1 for {; and how many are open */
    unsigned open;
    bool squares;                /* lines have a queen each; else a solution each */
    bool quoted, escaped, ended; /* ended: the end line has come */
    bool painted;                /* the line has regions */
    struct verify_painting painting;
};

struct verify_lines {
    unsigned state;
    char head[VERIFY_HEAD_MAX + 1]; /* the beginning of a line of words, or of the header of CSV */
    uint32_t length;                /* of that line */
    bool headed, ready;             /* the first line, and READY., have come */
    bool indented;                  /* text: the line begins with a blank */
    bool listed;                    /* text: a board that follows is of a solution whose columns were given */
    bool squares, drawn;            /* CSV: a queen a line; a solution ends with its board */
    bool empty;                     /* CSV: the field has no digit yet */
    uint32_t field, columns;        /* CSV: in the line, counted from 0; of the header, those of rows */
};

struct verify_body {
    /* Valid once verify_body_end() has returned NQ_OK. */
    uint32_t n, base;
    struct placement *placement;
    /* NQ_OK so far, NQ_INVALID, NQ_LIMIT, NQ_BUSY (no more may be held) or NQ_NOMEM; with the first two, what is wrong:
     */
    enum nq_status status;
    struct validation_error error; /* of "body", or of a member: "queens[2].row", from 0; "row of line 3", from 1 */
    /* The parsers' state. */
    enum verify_shape shape;
    verify_hold hold;
    void *who;
    uint64_t offset; /* of the byte that is read */
    uint32_t number; /* that is read; UINT32_MAX for what is larger than any */
    uint32_t row, column;
    uint32_t first, last;          /* of the rows, if only a part of them is given */
    uint32_t width, rows, squares; /* of the board that is drawn: of its first row, before this row, in this row */
    uint32_t drawn;                /* rows of the wanted board, if it is drawn */
    unsigned sign;                 /* bytes of a square's sign so far */
    bool has_n, part;
    bool ruled;    /* the body names a rule, */
    uint32_t rule; /* and which of rules[] */
    struct verify_regions regions;
    uint32_t wanted, solutions; /* VERIFY_ONLY or the one to read; that began so far */
    bool keep;                  /* the solution that is read is the wanted one */
    enum verify_kind kind;      /* of the wanted one */
    uint32_t capacity;          /* of the placement */
    union {
        struct verify_json json;
        struct verify_lines lines;
    };
};

/* Fails: `where` is what the reason is about; see reject_param(). verify_refuse_here: at the byte that is read.
 * verify_give_up: for now, with NQ_BUSY or NQ_NOMEM. */
void verify_refuse(struct verify_body *body, enum refusal why, const char *where, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));
void verify_fail(struct verify_body *body, const struct validation_errors *errors); /* with the first of them */
void verify_give_up(struct verify_body *body, enum nq_status status);
void verify_refuse_here(struct verify_body *body, const char *what);
void verify_unexpected(struct verify_body *body, unsigned char c, const char *wanted);

/* The size of the board and the number of its first row and column. */
void verify_board(struct verify_body *body, uint32_t n, uint32_t base);

/* A rule by its name. */
void verify_rule(struct verify_body *body, const char *name, size_t length);
/* The same, of a text that goes on with a label and the name, and moves the text behind it; without the label nothing
 * is read. */
void verify_rule_after(struct verify_body *body, const char **text, const char *label);

/* A solution begins; its queens are kept if it is the wanted one. */
void verify_solution(struct verify_body *body);

/* Begins to read its queens in a kind; what another kind gave before is dropped. */
void verify_kind(struct verify_body *body, enum verify_kind kind);

void verify_queen(struct verify_body *body, uint32_t row, uint32_t column);
/* Makes room for more; false: there is none, and it has failed. */
bool verify_grow(struct verify_body *body);

uint32_t verify_count(const struct verify_body *body);

/* Drops the queens after the first `count`. */
void verify_drop(struct verify_body *body, uint32_t count);

/* Reads what stands before a number, and the number, of up to nine digits, and moves the text behind it. False: they
 * are not there, and nothing is read. */
bool verify_labelled(const char **text, const char *label, uint32_t *number);

/* A byte of a row that is drawn: Q . 1 0 or the two signs of board=unicode. False: it is none. */
bool verify_square(struct verify_body *body, unsigned char c);

/* A row of a drawn board ends, and the board: both must be as wide as the first row. */
void verify_row(struct verify_body *body);
void verify_drawing(struct verify_body *body);

/* body->number with one more digit. */
void verify_digit(struct verify_body *body, unsigned char c);

static inline bool verify_is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

#endif
