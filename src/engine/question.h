/* question.h - what can be asked of the engine, checked and in its canonical form. */
#ifndef ENGINE_QUESTION_H
#define ENGINE_QUESTION_H

#include <nqueens.h>

#include "base/wide.h"
#include "board/query.h"
#include "board/token.h"
#include "constructions/construction.h"
#include "engine/asker.h"
#include "engine/placement.h"
#include "formats/format.h"
#include "solvers/solver.h"

enum question_kind {
    ASK_SOLVE, /* a page or a stream of solutions */
    ASK_PLACE, /* where it begins, by the index */
    ASK_COUNT,
    ASK_COST, /* what the same ASK_COUNT would cost */
    ASK_CONSTRUCT,
    ASK_TRACE,   /* what an algorithm does */
    ASK_COMPARE, /* what all of them do */
    ASK_PUZZLE,  /* clues with one completion */
    ASK_HINT,    /* the next queen, by a count by square */
    ASK_VERIFY,  /* who attacks whom in a placement, and what solution it is */
};

enum count_way { COUNT_COMPUTE, COUNT_TABLE, COUNT_ESTIMATE, COUNT_ASYMPTOTIC };

/* A page ends at whichever comes first; NODES counts placements, so that a page is the same on every machine. */
enum { PAGE_MAX_BYTES = 4 << 20, PAGE_MAX_NODES = 1 << 27 };

/* Room a page keeps for one more solution, drawn as wastefully as can be, or one more step, and its end. */
enum { PAGE_RESERVE = 16 << 10 };

/* The id of a trace (W3C Trace Context) in hexadecimal digits, with a NUL. */
enum { TRACE_ID_SIZE = 33 };

struct answer;

/* The strings belong to whoever asks, until question_copy. */
struct question {
    enum question_kind kind;
    uint32_t n, base;
    const struct format *format;
    const char *key;    /* names the answer: equal keys, equal bodies */
    const char *path;   /* canonical path and query without a cursor, below the public prefix: what `next` is made of */
    bool fleeting;      /* its answer is not the same another time: neither cached nor tagged */
    const char *prefix; /* the public prefix, for links in streams; the links of cached answers get theirs when sent */

    struct asker asker;          /* who asks */
    char trace[TRACE_ID_SIZE];   /* the trace it is part of, for the log; "": none */
    struct allowance *allowance; /* for what can grow; the engine's own */

    bool admitted; /* a job of an earlier process: its cost was accepted then */

    /* Which solutions. ASK_SOLVE, ASK_COUNT, ASK_COST */
    struct query query;
    const char *distinct, *symmetry; /* static, as asked for; NULL: all */

    struct cursor_settings cursor; /* ASK_SOLVE; ASK_TRACE and ASK_COMPARE, where the algorithm may be a machine's */

    /* ASK_SOLVE */
    enum board_style board;
    bool ranked; /* every solution tells its rank */
    uint64_t limit;
    struct token from;
    uint64_t offset;  /* where it begins by rank, if `from` does not say */
    uint64_t samples; /* not 0: so many, drawn at random by the seed */
    bool total_known;
    nq_wide total;        /* solutions of the whole list */
    struct answer *index; /* the answer to a count that is `indexed`, a reference; NULL: not needed */

    /* ASK_TRACE: it ends with so many solutions. ASK_COMPARE: steps each algorithm may do. */
    uint64_t most;

    /* ASK_COUNT, ASK_COST */
    enum count_way way;
    bool indexed;   /* the answer is to have the index of the list */
    uint64_t walks; /* of an estimate */
    uint64_t seed;  /* of an estimate, of samples, of a puzzle, or of an algorithm that draws */

    /* ASK_CONSTRUCT */
    const char *method;                        /* static */
    struct construction_settings construction; /* but for n and the allowance */
    bool part;                                 /* only rows first..last, 0-based */
    uint32_t first, last;

    /* ASK_PUZZLE */
    uint32_t clues; /* so many; 0: as few as can be taken away to */
    bool minimal;   /* none may be one that could go */

    /* ASK_HINT; the query has what follows from them */
    uint64_t placed[FILTER_MAX_N]; /* by row: bit c for a queen in column c */

    /* ASK_VERIFY */
    struct placement *placement; /* a reference */
};

/* Whether a kernel has to search for the answer, for as long as it takes: such a count can become a job. */
static inline bool question_computed(const struct question *question)
{
    return question->kind == ASK_COUNT && question->way == COUNT_COMPUTE;
}

/* Who finds the answer, by the name under which that is counted (effort.h); NULL: several do, which say so themselves,
 * or nobody who has a name. */
const char *question_algorithm(const struct question *question);

/* Whether the list is what the query says: some algorithms find but some of it. */
bool question_listed(const struct question *question);

/* Whether the total of the list is known from a table. */
bool question_table_total(const struct question *question);

/* Puts the place of a cursor text into question->from; n and cursor must be set. NQ_INVALID when it is not a cursor
 * of this list, NQ_NOMEM. */
enum nq_status question_set_cursor(struct question *question, const char *text);

/* Lets the list begin after a solution: columns[0..n), 0-based, n being set. NQ_INVALID when it is none of this board,
 * or not on allowed squares; NQ_NOMEM. */
enum nq_status question_set_after(struct question *question, const uint32_t *columns);

/* Writes the cursor text for a place in the list the question is about. */
void question_cursor(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX]);

/* The same, and the path and query of the page that begins there, for the caller to free; NULL when out of memory. */
char *question_next(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX],
                    size_t *length);

/* Copies with strings of its own; false when out of memory. */
bool question_copy(struct question *copy, const struct question *question);
void question_free(struct question *copy);

#endif
