/* question.h - what can be asked of the engine, checked and in its canonical form. */
#ifndef ENGINE_ASK_QUESTION_H
#define ENGINE_ASK_QUESTION_H

#include <stdatomic.h>

#include "base/param.h"
#include "base/status.h"
#include "base/trace_id.h"
#include "base/wide.h"
#include "board/query.h"
#include "board/token.h"
#include "constructions/construction.h"
#include "engine/ask/placement.h"
#include "engine/ask/principal.h"
#include "formats/format.h"
#include "puzzles/technique.h"
#include "shapes/shape.h"
#include "solvers/solver.h"
#include "statistics/statistic.h"

/* ---- Canonical names ---- */

/* The two names of a question in canonical form: its key in the cache and the store, and the path where
 * it can be asked again. Equal questions have equal names. */

struct canonical {
    const char *format;
    const char *space; /* what the key is unique in: mostly the path */
    const char *path;  /* without parameters */
    const struct param *params;
    const struct value *values;
};

/* Makes both names, for the caller to free; the path has no parameters of a place. False: out of memory, both are NULL.
 */
bool canonical_names(const struct canonical *of, char **key, char **path);

/* ---- Normal values ---- */

/* What can be asked at a path: its parameters, and how their values come to a canonical form. That is the only place
 * where values are rewritten: what a question is, and the text that names it, are both read from normal values, so that
 * neither can say what the other does not. The text is the name of the answer in the cache and the store, what links to
 * the next page are made of, and the record of a job; read back, it has the same values. */
struct form {
    const char *path;           /* may hold one {name}, which stands for a segment of letters, digits, -, _ and . */
    const struct param *params; /* ends with a row without a name; NULL: none */
    /* Chooses what was not given, such as an algorithm, by what was, before bonds are checked. NULL: nothing. */
    void (*choose)(const struct param *rows, struct value *values);
    /* Gives values whose bonds hold their canonical form. What is wrong is left as it is, for others to refuse. NULL:
     * all are normal. */
    void (*normalise)(const struct param *rows, struct value *values);
    /* Whether a seed is drawn if none is given, for normal, sound values. NULL: never. */
    bool (*draws)(const struct value *values);
};

/* Gives the values that were read their canonical form. Adds validation errors for bonds that are broken. True: none
 * is, and all values are sound: only then may a question be read from them. */
bool question_normalise(const struct form *form, struct params *params);

/* Draws the seed of what is random, if none is given: the answer is another one every time. The values are normal and
 * sound. */
bool question_draw(const struct form *form, struct value *values);

/* Reads the text of a question, "/count?n=8", into normal values, without a seed that would have to be drawn. False,
 * perhaps with validation errors: it is none of this form. */
bool question_parse(const struct form *form, const char *text, struct params *params);

/* ---- Question ---- */

enum question_kind {
    ASK_SOLVE, /* a page or a stream of solutions */
    ASK_COUNT,
    ASK_COST,  /* what the same ASK_COUNT would cost */
    ASK_UNITS, /* what the units of the same ASK_COUNT came to, which is done */
    ASK_CONSTRUCT,
    ASK_TRACE,   /* what an algorithm does */
    ASK_COMPARE, /* what all of them do */
    ASK_PUZZLE,  /* clues, or regions, with one completion */
    ASK_HINT,    /* the next queen, by a count by square; or the next steps, by deduction */
    ASK_VERIFY,  /* who attacks whom in a placement, and what solution it is */
};

/* Core-seconds, more than any machine takes to count a board with as few free rows as `auto` computes. */
enum { COUNT_QUICK_SECONDS = 10 };

/* Answers that others are made of: the total and the index of a list, which are counts and asked for first: see
 * engine/lists/needs.h. */
enum need { NEED_TOTAL, NEED_INDEX, NEED_NONE };

enum count_way { COUNT_COMPUTE, COUNT_TABLE, COUNT_ESTIMATE, COUNT_ASYMPTOTIC, COUNT_REGIONS };

/* A page ends at whichever comes first; NODES counts placements, so that a page is the same on every machine. */
enum { PAGE_MAX_BYTES = 4 << 20, PAGE_MAX_NODES = 1 << 27 };

/* Room a page keeps for one more solution, drawn as wastefully as can be, or one more step, and its end. */
enum { PAGE_RESERVE = 16 << 10 };

struct answer;

/* Where a list begins: see struct token, whose columns it borrows. */
struct list_start {
    uint64_t ordinal;
    uint32_t length;
    const uint32_t *prefix;
};

/* Which list of solutions or steps, and where it begins. */
struct list_question {
    struct cursor_settings cursor; /* of ASK_TRACE: perhaps an algorithm that only has a machine */
    enum board_style board;
    unsigned transform; /* each board is shown so: a symmetry by its number, see question_transforms() */
    bool ranked;        /* every solution has its rank */
    uint64_t limit;
    struct list_start from;
    bool after;       /* `from` is a solution that the client named */
    uint64_t offset;  /* where it begins by rank, if `from` does not say */
    uint64_t samples; /* not 0: so many, drawn at random by the seed */
    bool first;       /* it may begin with the published first solution of its board */
    bool completes;   /* squares are placed or excluded: a page has a struct completion */
    uint64_t most;    /* of ASK_TRACE: it ends with so many solutions; 0: no limit */
    bool resumed;     /* of ASK_TRACE: the client has received what is before `from`, and perhaps all of `limit` */
    bool totalled;    /* a page is to have the total, however long that takes */
    bool any;         /* of a shape: in the order of shape_find_open(), not in lexicographic order */
};

struct count_question {
    enum count_way way;
    bool quick;                        /* COUNT_COMPUTE takes less than COUNT_QUICK_SECONDS, and is never refused */
    bool indexed;                      /* the answer is to have the index of the list */
    bool by_queens;                    /* placements are counted by the number of their queens */
    const struct statistic *statistic; /* the solutions are counted by it; NULL: by nothing. Static */
    uint64_t walks;                    /* of an estimate */
    uint64_t limit;                    /* of a board with regions: more solutions are not counted */
};

struct compare_question {
    struct machine_settings machine;
    uint64_t steps; /* at most, of each run of an algorithm */
    uint32_t last;  /* of the sizes from n on; 0: there is only n */
    uint32_t seeds; /* runs of an algorithm that draws, at most COMPARE_SEEDS_MAX */
};

enum { COMPARE_SEEDS_MAX = 100 };

struct construct_question {
    const char *method;                    /* static */
    struct construction_settings settings; /* but for n, the rule and the allowance */
    bool part;                             /* only rows first..last, 0-based */
    uint32_t first, last;
};

struct puzzle_question {
    uint32_t clues; /* so many; 0: as few as can be taken away to */
    bool minimal;   /* every clue is needed */
    bool regions;   /* instead: a board of regions, by its level and the seed, */
    enum level level;
    uint32_t generator; /* by this revision of the generator */
    bool daily;         /* the seed is a day, see puzzle_code.h */
    bool solved;        /* pictures show the solution */
    uint32_t sheet;     /* so many boards, of this seed and those that follow, on a page; 0: one */
};

struct hint_question {
    /* By row: bit c for a queen, or a cross, in column c; the query has what follows from them. */
    uint64_t placed[FILTER_MAX_N], excluded[FILTER_MAX_N];
    bool deduced;    /* only what techniques find; so always with regions */
    bool all;        /* of it all steps */
    size_t language; /* of its sentences, see hint_words.h */
};

struct verify_question {
    struct placement *placement;
    bool ranked; /* the rank is to be found even if it takes long */
};

/* Owns nothing: what it points to is static, or outlives it. */
struct question {
    enum question_kind kind;
    uint32_t n, base;
    const struct format *format;
    const char *key;    /* names the answer: equal keys, equal bodies */
    const char *path;   /* canonical path and query without a cursor, below the public prefix: what `next` is made of */
    const char *prefix; /* the public one, which links begin with: the key of an answer that has links has it, too */
    bool uncacheable;   /* its answer is not the same another time: neither cached nor tagged */
    bool unlinked;      /* its path is too long for an address: there is no `next` */
    bool compressed;    /* of a stream: as gzip */
    bool admitted;      /* a job of an earlier process: its cost was accepted then */

    struct principal principal;  /* who asks */
    char trace[TRACE_ID_SIZE];   /* the trace it is part of, for the log; "": none */
    struct allowance *allowance; /* for what can grow; the engine sets it */
    /* NULL: not needed, or not there yet. What has the index is `extra` of the answer. */
    struct answer *needed[NEED_NONE];

    uint64_t seed;      /* of whatever is drawn */
    struct query query; /* which solutions: of ASK_SOLVE, ASK_COUNT, ASK_COST, ASK_UNITS and ASK_HINT;
                           of ASK_VERIFY its regions and rule; of all other kinds its rule only */
    struct shape
        shape; /* of a count or a list: the board, which then is not that of the query; rows is 0: there is none */
    union {
        struct list_question list;   /* ASK_SOLVE, ASK_TRACE */
        struct count_question count; /* ASK_COUNT, ASK_COST, ASK_UNITS */
        struct compare_question compare;
        struct construct_question construct;
        struct puzzle_question puzzle;
        struct hint_question hint;
        struct verify_question verify;
    };
};

/* A copy of a question with all that it points to, held by several. It does not change once it is shared. */
struct shared_question {
    struct question question;
    atomic_uint references;
    struct placement *placement;
    uint32_t columns[]; /* of where a list begins, then the squares of large boards, then key, path and prefix */
};

/* With one reference; NULL: out of memory. */
struct shared_question *question_share(const struct question *question);
struct shared_question *question_ref(struct shared_question *shared);
void question_unref(struct shared_question *shared); /* NULL is allowed */

/* Whether a kernel has to search for the answer, for as long as it takes: such a count can become a job. */
static inline bool question_computed(const struct question *question)
{
    return question->kind == ASK_COUNT && question->count.way == COUNT_COMPUTE;
}

/* Whether it is a count that is there at once, and is the same another time, for whoever may take so long. */
static inline bool question_quick(const struct question *question)
{
    const struct count_question *count = &question->count;
    return question->kind == ASK_COUNT && (count->way == COUNT_TABLE || count->way == COUNT_ASYMPTOTIC ||
                                           (count->way == COUNT_COMPUTE && count->quick &&
                                            principal_affords(&question->principal, COUNT_QUICK_SECONDS)));
}

/* What it asks by distinct= and symmetry=; NULL: all solutions. Static. */
const char *question_distinct(const struct question *question);
const char *question_symmetry(const struct question *question);

/* The i-th way to show a board, by the number of its symmetry in nq_transform(); NULL after the last. Turns are
 * clockwise, a flip is upside down, antitranspose mirrors by the other diagonal. And the way back. */
const char *question_transforms(size_t i);
unsigned question_transform_back(unsigned transform);

/* The rule that it asks by; NULL: the preset. Static. */
const char *question_rules(const struct question *question);

/* The names of algorithms that are in no table of solvers, constructions or methods. */
extern const char algorithm_estimate[], algorithm_index[], algorithm_statistic[], algorithm_regions[],
    algorithm_shape[];

/* The name of the algorithm that finds the answer; NULL: the work names its algorithms itself, or has none. */
const char *question_algorithm(const struct question *question);

/* Whether the list is what the query says: some algorithms find but some of it. */
bool question_listed(const struct question *question);

/* Whether its answer is a stream. */
bool question_flows(const struct question *question);

/* Whether the total of the list is known from a table. */
bool question_table_total(const struct question *question);

/* Puts the place of a cursor text into question->list.from; n and cursor must be set. The question borrows
 * columns[0..n), where the queens of that place are put; of ASK_TRACE it may be NULL. NQ_INVALID when it is not a
 * cursor of this list, NQ_NOMEM. */
enum nq_status question_set_cursor(struct question *question, const char *text, uint32_t *columns);

/* Lets the list begin after a solution: columns[0..n), 0-based, borrowed, n being set. NQ_INVALID when it is none of
 * this board, or not on allowed squares; NQ_NOMEM. */
enum nq_status question_set_after(struct question *question, const uint32_t *columns);

/* Writes the cursor text for a place in the list the question is about. */
void question_cursor(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX]);

/* The same, and *next: the path and query of the page that begins there, for the caller to free; NULL: it is
 * unlinked. False: out of memory. */
bool question_next(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX],
                   char **next, size_t *length);

/* ---- Shapes ---- */

struct shape_list;

/* The symmetries, as bits, under which it regards placements as equal. */
unsigned question_shape_group(const struct question *question);

/* Sets length and prefix of a place after a placement. False: it has too many squares. */
bool question_shape_place(const struct question *question, const struct nq_square *squares, uint32_t count,
                          struct token *place);

/* Lets the list begin after a placement, squares by row; places has room for question_place_most() numbers, borrowed.
 * NQ_INVALID when it is none of the board, whether the list has the first of each class only or not. */
enum nq_status question_shape_after(struct question *question, const uint64_t *queens, uint32_t *places);

/* Moves a list of its placements to a place. NQ_OK, or NQ_INVALID: it is none of this list. */
enum nq_status question_shape_seek(const struct question *question, const struct list_start *from,
                                   struct shape_list *list);

/* The most numbers that a place has. */
static inline uint32_t question_place_most(const struct question *question)
{
    return question->shape.rows ? NQ_LIST_MAX_N : question->n;
}

/* ---- Brief questions ---- */

/* Which questions take less time to answer than it takes to wake a thread for them, and be woken by it. */

/* Whether its work is opened, and most times carried out, in less than a tenth of a millisecond, and waits for nothing.
 */
bool question_brief(const struct question *question);

#endif
