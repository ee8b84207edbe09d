/* format.h - the shape of a representation: solutions, rows and counts as bytes. It knows neither HTTP nor where bytes
 * go; numbers come in 0-based and leave in the base the client asked for. */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include <nqueens.h>

#include "base/bytes.h"
#include "base/wide.h"
#include "steps/stats.h"

enum board_style { BOARD_NONE, BOARD_ASCII, BOARD_UNICODE, BOARD_GRID };

/* How many solutions of a list stand before one: its rank, or this when nobody has counted them. */
#define RANK_UNKNOWN UINT64_MAX

static inline uint64_t rank_after(uint64_t rank, uint64_t solutions)
{
    return rank == RANK_UNKNOWN ? rank : rank + solutions;
}

/* A list of solutions, as asked. */
struct list_head {
    uint32_t n, base;
    const char *order;
    const char *distinct, *symmetry; /* NULL: all solutions */
    enum board_style board;
    bool ranked;      /* every solution is to tell its rank */
    uint64_t offset;  /* rank of the first one here; not of samples */
    uint64_t limit;   /* at most so many are wanted */
    uint64_t samples; /* not 0: so many, drawn at random by this seed */
    bool seeded;      /* found by an algorithm that draws by this seed */
    uint64_t seed;
    bool total_known;
    uint64_t total;
};

/* How the list ended. next is a path below the public prefix, NULL at the end of the list. */
struct list_tail {
    uint64_t returned;
    bool complete; /* false: the budget ran out before the list was as long as was asked */
    const char *prefix;
    const char *next, *next_cursor;
    const struct stats *stats; /* of the search that made it, NULL: not asked for */
};

/* What an algorithm does, from one of its steps on. */
struct trace_head {
    uint32_t n, base;
    const char *algorithm;
    bool seeded;
    uint64_t seed;
    uint64_t offset; /* steps before the first one here */
    uint64_t limit;
    const uint32_t *board; /* before that step: the column of the queen in each row, NOWHERE in one without */
};

struct trace_tail {
    uint64_t returned;
    bool complete;             /* false: a budget ran out first */
    bool ended;                /* the algorithm does nothing more, or nothing more was asked for */
    const struct stats *stats; /* from its first step on */
    const char *prefix;
    const char *next, *next_cursor;
};

/* One construction, or a stretch of its rows. */
struct build_head {
    uint32_t n, base;
    const char *method;
    bool part; /* only rows first..last were asked for */
    uint32_t first, last;
    bool seeded; /* it hangs on the seed */
    uint64_t seed;
    bool random; /* it is to tell whether all solutions were as likely: */
    bool uniform;
};

struct format {
    const char *name;       /* as in format= */
    const char *media_type; /* as in Accept and Content-Type */
    bool lines;             /* one value a line: may be read before it ends, so it is streamed and unlimited */
    bool numbered;          /* every solution tells its rank */
    uint32_t row_bytes;     /* every row of a construction takes so many, and nothing else any; 0: not so */

    /* Lists; NULL: it has none. */
    void (*list_begin)(struct bytes *out, const struct list_head *head);
    /* index: how many came before it here. rank: in the list. */
    void (*list_solution)(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t index,
                          uint64_t rank);
    /* Returns where in `out` the next link's path begins (after the prefix), or 0 when there is none. */
    size_t (*list_end)(struct bytes *out, const struct list_head *head, const struct list_tail *tail);

    void (*build_begin)(struct bytes *out, const struct build_head *head);
    void (*build_rows)(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                       const uint32_t *columns);
    void (*build_end)(struct bytes *out, const struct build_head *head, uint64_t returned);

    /* NULL in formats without traces. number: of the step. board: after it. trace_end as list_end. */
    void (*trace_begin)(struct bytes *out, const struct trace_head *head);
    void (*trace_step)(struct bytes *out, const struct trace_head *head, uint64_t number, const struct step *step,
                       const uint32_t *board);
    size_t (*trace_end)(struct bytes *out, const struct trace_head *head, const struct trace_tail *tail);

    /* A picture shows one whole board, of 1 to PICTURE_MAX_N rows, and has no other function. NULL: not a picture. */
    void (*draw)(struct bytes *out, uint32_t n, uint32_t base, const uint32_t *columns);
};

/* Ends with NULL. The first is the one for clients that do not say. */
extern const struct format *const formats[];

const struct format *format_find(const char *name);

/* An answer to "how many": exactly one of the ways below, and what it is about. */
struct count_fact {
    uint32_t n, base;
    const char *distinct, *symmetry; /* NULL: all solutions */
    const char *provenance;          /* "computed", "table", "estimate" or "asymptotic" */
    const char *note;                /* a sentence, or NULL */
    /* computed, table */
    nq_wide count;
    const char *oeis;       /* of the table, NULL otherwise */
    const nq_wide *squares; /* n * n counts, by square; NULL: not asked for */
    /* estimate; asymptotic has the last only */
    double estimate, standard_error, log10;
    const char *estimate_text; /* to as many digits as mean anything */
    uint64_t walks, completed, seed;
};
/* One JSON object and a line feed. A count beyond 2^63 - 1 is null, and its text alone counts. */
void format_count(struct bytes *out, const struct count_fact *fact);

/* Appends the JSON value of "board": an array of strings, or for BOARD_GRID of arrays of 0 and 1. Not for BOARD_NONE.
 */
void format_board(struct bytes *out, enum board_style style, uint32_t n, const uint32_t *columns);

/* Appends the same squares as they are, one row after the other. */
void format_squares(struct bytes *out, enum board_style style, uint32_t n, const uint32_t *columns,
                    const char *between_rows);

/* Appends {"permutation":[...]} with board and rank if they were asked for: a solution is the same object wherever it
 * stands. */
void format_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t rank);

/* Appends the members that tell what a construction owes to chance: nothing, if it owes nothing. */
void format_chance(struct bytes *out, const struct build_head *head);

/* Appends columns as numbers in the given base, separated by commas. */
void format_columns(struct bytes *out, uint32_t base, uint32_t count, const uint32_t *columns);

/* Appends the members of a square, "row" and "column". */
void format_square(struct bytes *out, uint32_t base, uint32_t row, uint32_t column);

/* Appends the JSON objects of figures, and of a step but for its closing brace. */
void format_stats(struct bytes *out, const struct stats *stats);
void format_step(struct bytes *out, const struct trace_head *head, uint64_t number, const struct step *step,
                 const uint32_t *board);

/* Appends columns as a JSON array, null for NOWHERE. */
void format_partial(struct bytes *out, uint32_t base, uint32_t count, const uint32_t *columns);

/* Appends the members `next` and `next_cursor`; returns where the link's path begins, 0 when nothing follows. */
size_t format_next(struct bytes *out, const char *prefix, const char *next, const char *next_cursor);

/* Appends the members that end a trace, from a comma on; the link as with list_end. */
size_t format_trace_end(struct bytes *out, const struct trace_tail *tail);

/* ---- What pictures have in common ---- */

/* At most so many rows, and so many pixels from edge to edge. */
enum { PICTURE_MAX_N = 4096 };

/* Pixels along the edge of a square: the board fits, and a small one is large enough to look at. */
uint32_t picture_scale(uint32_t n);

/* The colours, as 0xRRGGBB. The square in the upper left corner is light, as on any chessboard. */
struct picture_colours {
    uint32_t light, dark, queen;
};
extern const struct picture_colours picture_day, picture_night;

/* The queen, in hundredths of a square's edge: whatever lies in a polygon or in a disc. */
struct picture_point {
    int x, y;
};
enum { QUEEN_CROWN = 11, QUEEN_FOOT = 4, QUEEN_PEARLS = 5, QUEEN_PEARL_RADIUS = 6 };
extern const struct picture_point queen_crown[QUEEN_CROWN], queen_foot[QUEEN_FOOT], queen_pearls[QUEEN_PEARLS];

#endif
