/* format.h - the shape of a representation: solutions, rows and counts as bytes. It knows neither HTTP nor where bytes
 * go; numbers come in 0-based and leave in the base the client asked for. */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include <nqueens.h>
#include <stdatomic.h>

#include "base/bytes.h"
#include "base/wide.h"
#include "board/regions.h"
#include "steps/machine.h"

struct shape;

enum board_style { BOARD_NONE, BOARD_ASCII, BOARD_UNICODE, BOARD_GRID, BOARD_PETSCII };

/* The rank of a solution is the number of solutions before it in the list; this if it is not known. */
#define RANK_UNKNOWN UINT64_MAX

static inline uint64_t rank_after(uint64_t rank, uint64_t solutions)
{
    return rank == RANK_UNKNOWN ? rank : rank + solutions;
}

/* The query of a list of solutions. */
struct list_head {
    uint32_t n, base;
    const char *order;
    const char *distinct, *symmetry; /* NULL: all solutions */
    const char *transform;           /* how boards are shown; NULL: as they are */
    const char *rules;               /* NULL: that of queens */
    const char *regions;             /* of the board as it is shown, as text; NULL: it has none */
    const struct shape *shape;       /* placements on this board are listed; NULL: of n queens on n x n */
    const char *note;                /* why there are none; NULL: nothing says that */
    enum board_style board;
    bool ranked;      /* every solution has a member rank */
    uint64_t offset;  /* rank of the first solution; not of samples */
    uint64_t limit;   /* the most solutions wanted */
    uint64_t samples; /* not 0: the number of solutions drawn at random with this seed */
    bool seeded;      /* found by an algorithm that depends on this seed */
    uint64_t seed;
    bool total_known;
    uint64_t total;
    const char *first; /* the OEIS sequence in which the first solution is published; NULL: it was searched for */
};

/* Whether squares with and without queens can be completed: what a page of a list of completions has found out. */
struct completion {
    bool decided, completable; /* completable only if decided */
    bool counted;              /* the whole list is known to have so many solutions */
    uint64_t count;
    uint64_t placements; /* of the page's search, as its budget counts them */
};

/* How the list ended. next is a path below the public prefix, NULL at the end of the list. */
struct list_tail {
    uint64_t returned;
    bool complete; /* false: the budget ran out before the list reached its limit */
    const char *prefix;
    const char *next, *next_cursor;
    const struct stats *stats;           /* of the search; NULL: not wanted */
    const struct completion *completion; /* NULL: the list is of a whole board */
};

/* The query of a trace: the steps of an algorithm, from one of them on. */
struct trace_head {
    uint32_t n, base, rows;    /* rows: of the board, n unless it has a shape */
    const struct shape *shape; /* the board, with one queen in each row; NULL: n x n */
    const char *rules;         /* NULL: that of queens */
    const char *regions;       /* of the board, as text; NULL: it has none */
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
    bool ended;                /* the algorithm has no more steps, or no more are wanted */
    const struct stats *stats; /* from its first step on */
    const char *prefix;
    const char *next, *next_cursor;
};

/* The query of a construction, or of a range of its rows. */
struct build_head {
    uint32_t n, base;
    const char *rules; /* NULL: that of queens */
    const char *method;
    bool part; /* only the rows first to last */
    uint32_t first, last;
    bool seeded; /* it depends on the seed */
    uint64_t seed;
    bool random; /* it has a member uniform: whether all solutions were equally likely */
    bool uniform;
};

struct queen;
struct conflict;

/* Some squares of a board, counted from 0. */
struct shown_squares {
    const struct queen *list;
    size_t count;
};

/* What is on a board that is no solution. */
struct shown_marks {
    struct shown_squares queens, crosses;
    const struct conflict *attacks; /* of two queens each */
    size_t attack_count;
    struct shown_squares lit, targets; /* that a hint rests on, and is about: */
    bool placed;                       /* a queen is to be there; false: crosses */
    struct shown_squares taken;        /* that are not free, where the hint looks: */
    const struct queen *takers;        /* which queen attacks each of them */
};

/* A board, as it is shown: 1 to PICTURE_MAX_N rows. */
struct painted_board {
    uint32_t n;                      /* columns; and rows, without a shape */
    const struct shape *shape;       /* its rows and walls; NULL: n rows without walls. Not with regions */
    const struct nq_square *squares; /* of the queens of a placement on it, count of them; NULL: it shows none */
    uint32_t count;
    const struct regions *regions;   /* NULL: its squares are light and dark */
    const char *rules;               /* NULL: that of queens */
    const uint32_t *columns;         /* of the queens of a solution, by row; or else */
    const struct shown_marks *marks; /* what is on it; NULL: nothing */
    uint32_t base;                   /* from which words count rows and columns */
    const char *caption, *address;   /* on a page, below it: what it is, and its path in XML */
};
enum { SHEET_MAX = 12 };

struct format {
    const char *name;       /* as in format= */
    const char *media_type; /* as in Accept and Content-Type */
    bool lines;             /* one value a line: can be read before its end, so it is streamed, without a limit */
    bool resumes;           /* steps have ids, after which a reader can go on */
    bool numbered;          /* every solution has its rank */
    uint32_t row_bytes;     /* bytes of each row of a construction, if it has no other bytes; else 0 */

    bool counts; /* of counts only: a line for each */

    /* Lists, constructions and traces. Without list_solution, build_rows or trace_step the format has none of these;
     * without a begin or an end it writes nothing there. */
    void (*list_begin)(struct bytes *out, const struct list_head *head);
    /* index: the number of solutions written before it. rank: in the list. */
    void (*list_solution)(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t index,
                          uint64_t rank);
    /* The same for a placement on a board of any shape: head->shape. NULL: the format does not show them. */
    void (*list_placement)(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                           uint32_t count, uint64_t index);
    /* Returns where in `out` the path of the next link begins, after the prefix; 0: there is no next link. */
    size_t (*list_end)(struct bytes *out, const struct list_head *head, const struct list_tail *tail);

    void (*build_begin)(struct bytes *out, const struct build_head *head);
    void (*build_rows)(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                       const uint32_t *columns);
    void (*build_end)(struct bytes *out, const struct build_head *head, uint64_t returned);

    /* number: of the step. board: after the step. trace_end returns what list_end does. */
    void (*trace_begin)(struct bytes *out, const struct trace_head *head);
    void (*trace_step)(struct bytes *out, const struct trace_head *head, uint64_t number, const struct step *step,
                       const uint32_t *board);
    size_t (*trace_end)(struct bytes *out, const struct trace_head *head, const struct trace_tail *tail);

    bool picture; /* it shows boards, and has none of the functions above */
    /* Shows a board; as text one with regions only. Returns NQ_OK, also if `out` has failed, or NQ_CANCELLED soon after
     * *stop is set (stop may be NULL). NULL: the format has no such form. */
    enum nq_status (*paint)(struct bytes *out, const struct painted_board *board, const atomic_bool *stop);
    /* Shows 1 to SHEET_MAX of them on one page to be printed. */
    enum nq_status (*sheet)(struct bytes *out, const struct painted_board *boards, size_t count,
                            const atomic_bool *stop);
};

/* The id of the event of a step, and as text that of every last one. One of an algorithm that depends on a seed has it,
 * because a reader who goes on may not know which seed was drawn. */
#define EVENT_ID_END "end"
struct event_id {
    uint64_t step; /* below 10^18, as the seed */
    bool seeded;
    uint64_t seed;
};

/* False: it is no id of a step. */
bool event_id_read(const char *text, struct event_id *id);

/* Ends with NULL. The first is the default. */
extern const struct format *const formats[];

const struct format *format_find(const char *name);

/* How many solutions have each value of a statistic. */
struct distribution {
    const char *by;
    uint32_t first;        /* the first value, */
    uint32_t values;       /* and how many there are */
    const nq_wide *counts; /* by value */
    bool sizes;            /* values are sizes of classes, all of whose solutions are counted */
};

/* The answer to a count: how it was found, and the members that belong to that. */
struct count_fact {
    uint32_t n, base;
    const char *distinct, *symmetry; /* NULL: all solutions */
    const char *rules;               /* NULL: that of queens */
    const char *regions;             /* of the board, as text; NULL: it has none */
    const struct shape *shape;       /* the board; NULL: n x n, with n queens */
    uint64_t limit;                  /* with regions: so many solutions are counted at most */
    bool beyond;                     /* there are more */
    const char *provenance;          /* "computed", "table", "estimate" or "asymptotic" */
    const char *note;                /* a sentence, or NULL */
    /* computed, table */
    nq_wide count;
    const char *oeis;                        /* of the table, or of the distribution; NULL: none */
    const nq_wide *squares;                  /* n * n counts, by square; NULL: not asked for */
    const struct distribution *distribution; /* NULL: not asked for */
    /* estimate; asymptotic has the last only */
    const char *source;  /* who published or found it; NULL: none */
    const char *formula; /* of asymptotic */
    double estimate, standard_error, log10, log10_error;
    const char *estimate_text; /* its significant digits */
    uint64_t walks, completed, seed;
};

/* Appends the members of a board of any shape, as they would be asked for. */
void format_shape(struct bytes *out, uint32_t base, const struct shape *shape);

/* Two of them: how many queens; the walls, if there are any. */
void format_shape_queens(struct bytes *out, const struct shape *shape);
void format_shape_walls(struct bytes *out, uint32_t base, const struct shape *shape);

/* The rows of such a board. */
uint32_t format_shape_rows(const struct list_head *head);

/* Appends a placement as an object: its squares, and the columns of its queens if each row has one. */
void format_placement_json(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                           uint32_t count);

/* Appends "1:3 2:5", the squares of a placement. */
void format_placement(struct bytes *out, uint32_t base, const struct nq_square *squares, uint32_t count);

/* Appends one JSON object and a line feed. A count above 2^63 - 1 is null; its text is exact. */
void format_count(struct bytes *out, const struct count_fact *fact);

/* All that follow append whole members or values, with commas where they belong: see json.h. */

/* The queens of a board that is drawn: the column of that in each row, or where head->shape is the board, squares in
 * reading order. */
struct board_queens {
    const uint32_t *columns; /* NULL: */
    const struct nq_square *squares;
    uint32_t count;
};

/* Appends an array of strings, or for BOARD_GRID of arrays of numbers: walls have a character, or a number, of their
 * own. Not for BOARD_NONE. */
void format_board(struct bytes *out, const char *name, const struct list_head *head, struct board_queens queens);

/* Appends the squares without JSON, one row after the other. */
void format_squares(struct bytes *out, const struct list_head *head, struct board_queens queens,
                    const char *between_rows);

/* Appends the members NAME, null above 2^63 - 1, and NAME_text: a client that reads JSON numbers as doubles loses
 * digits above 2^53. Both are null for RANK_UNKNOWN. */
void format_exact(struct bytes *out, const char *name, nq_wide number);
void format_rank(struct bytes *out, const char *name, uint64_t rank);

/* Appends {"permutation":[...]} with board and rank as `head` wants them: the same object in every representation. */
void format_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t rank);

/* Appends the members `seed` and `uniform` of a construction that depends on chance; else nothing. */
void format_chance(struct bytes *out, const struct build_head *head);

/* Appends the members `rules` and `regions`; NULL: nothing. Of regions in several parts also `connected`,
 * false, and `apart`: the squares that are not connected with the first one of their region. */
void format_rules(struct bytes *out, uint32_t base, const char *rules, const char *regions);

/* The same behind `n` and `base`, as most documents begin. */
void format_question(struct bytes *out, uint32_t n, uint32_t base, const char *rules, const char *regions);

/* Appends columns as numbers in the given base, separated by commas; or as an array of them. */
void format_numbers(struct bytes *out, uint32_t base, uint32_t count, const uint32_t *columns);
void format_columns(struct bytes *out, const char *name, uint32_t base, uint32_t count, const uint32_t *columns);

/* Appends the members of a square, "row" and "column"; or the square, an object with these. */
void format_place(struct bytes *out, uint32_t base, uint32_t row, uint32_t column);
void format_square(struct bytes *out, const char *name, uint32_t base, uint32_t row, uint32_t column);

/* Append an object. */
void format_stats(struct bytes *out, const char *name, const struct stats *stats);
void format_step(struct bytes *out, const struct trace_head *head, uint64_t number, const struct step *step,
                 const uint32_t *board);

/* The word for a kind of step in a trace. */
const char *format_step_name(enum step_kind kind);

/* Appends the question of a trace. */
void format_trace_question(struct bytes *out, const struct trace_head *head);

/* Appends columns as an array, null for NOWHERE. */
void format_partial(struct bytes *out, const char *name, uint32_t base, uint32_t count, const uint32_t *columns);

/* Appends the member `next`, or `next` and `next_cursor`; returns where the link's path begins, 0 when nothing follows.
 */
size_t format_link(struct bytes *out, const char *prefix, const char *next);
size_t format_next(struct bytes *out, const char *prefix, const char *next, const char *next_cursor);

/* Appends the members that end a trace; the link as with list_end. */
size_t format_trace_end(struct bytes *out, const struct trace_tail *tail);

/* ---- Shared by pictures ---- */

/* The most rows of a picture, and the most pixels along its edge. */
enum { PICTURE_MAX_N = 4096 };

/* Pixels along the edge of a square. */
uint32_t picture_scale(uint32_t n);

/* Rows; pixels along the edge of a square; whether a square is a wall. */
uint32_t picture_rows(const struct painted_board *board);
uint32_t picture_scale_of(const struct painted_board *board);
bool picture_wall(const struct painted_board *board, uint32_t row, uint32_t column);

/* How many queens it shows, and the i-th of them. */
size_t picture_queens(const struct painted_board *board);
struct nq_square picture_queen(const struct painted_board *board, size_t i);

/* How many of them stand on walls, which is wrong. */
size_t picture_on_walls(const struct painted_board *board);

/* Colours as 0xRRGGBB. The upper left square is light. A wall is darker than both, and hatched: it is no dark square
 * without colours either. */
struct picture_colours {
    uint32_t light, dark, queen, wall, hatch;
};
extern const struct picture_colours picture_day, picture_night;

/* The outline of a queen, in hundredths of the edge of a square: two polygons and discs. */
struct picture_point {
    int x, y;
};
enum { QUEEN_CROWN = 11, QUEEN_FOOT = 4, QUEEN_PEARLS = 5, QUEEN_PEARL_RADIUS = 6 };
/* On a board with regions she is so many eighths as large, on the middle of her square's lower edge: the upper left
 * corner has the letter of a region. */
enum { QUEEN_BESIDE = 7 };
extern const struct picture_point queen_crown[QUEEN_CROWN], queen_foot[QUEEN_FOOT], queen_pearls[QUEEN_PEARLS];

#endif
