/* search.h - depth-first search for the solutions of a board by any rule, row by row, in lexicographic order. All its
 * state is here, so that it can be stopped and resumed. It knows allowed squares, neither filters nor threads. */
#ifndef RULES_SEARCH_H
#define RULES_SEARCH_H

#include <nqueens.h>

#include "rules/rule.h"

struct rule_search {
    const struct rule *rule;
    const uint64_t *allow; /* by row: bit c for column c; borrowed */
    uint32_t n;
    uint32_t row; /* tried next: all above it have queens */
    struct {
        struct reach reach;
        uint64_t untried;
    } level[RULE_MAX_N + 1];
    uint8_t columns[RULE_MAX_N];
};

/* Begins before the first solution of a board, n <= RULE_MAX_N. */
void rule_search_begin(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow);

/* Places a queen in the next row and stays below it. False, and nothing is changed: the square is not allowed, or
 * attacked. */
bool rule_search_place(struct rule_search *search, uint32_t column);

/* Takes back the last of these. */
void rule_search_remove(struct rule_search *search);

/* What a count by a rule has found. */
struct rule_tally {
    uint64_t solutions, nodes; /* nodes: placements tried */
    uint64_t *rows;            /* by row: those tried there; NULL: not asked for */
};

/* Begins a search and places the queens of some upper rows. False: they are no placement on allowed squares. */
bool rule_search_follow(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow,
                        const uint8_t *columns, uint32_t length);

/* ---- Walks ---- */

/* A walk over the placements of the first rows of a board that begin with those of some rows, the root, in
 * lexicographic order. All its state is here. It knows allowed squares, neither filters nor formats nor time. */
struct rule_walk {
    struct rule_search search;    /* below the root, `untried` has what the walk has not come to */
    uint32_t root, length;        /* rows of the root, and of a placement */
    bool inside, ended;           /* the search stands below the present placement */
    uint8_t position[RULE_MAX_N]; /* all up to here are listed */
    uint32_t position_length;     /* 0: none is */
};

/* Begins before the first placement of `length` <= n rows; as rule_search_begin(). The root is of no rows. */
void rule_walk_begin(struct rule_walk *walk, const struct rule *rule, uint32_t n, const uint64_t *allow,
                     uint32_t length);

/* Right after that, makes columns[0..rows) the root. False: it is not shorter than the placements, or none on allowed
 * squares. */
bool rule_walk_root(struct rule_walk *walk, const uint8_t *columns, uint32_t rows);

/* Right after these, moves to just after all placements that begin with columns[0..length), which begin with the root,
 * or, if that is longer than a placement, just after the one that it begins with. False: it is no placement on allowed
 * squares; then the walk must begin again. */
bool rule_walk_seek(struct rule_walk *walk, const uint8_t *columns, uint32_t length);

/* Writes the columns of the next placement, below which the search stands then; some have no solutions. False: there is
 * none. */
bool rule_walk_next(struct rule_walk *walk, uint8_t *columns);

/* Of a walk over placements of all n rows, n at least 1: writes the next solutions, at most `room` of them, to
 * columns[0..n * *count): n bytes each, byte r is the column of row r. *budget is the number of placements that may be
 * tried; those tried are subtracted. Every call makes progress. NQ_OK: there was no room for more; NQ_END: these were
 * the last; NQ_AGAIN: the budget ran out. */
enum nq_status rule_walk_list(struct rule_walk *walk, uint64_t *budget, uint8_t *columns, size_t room, size_t *count);

#endif
