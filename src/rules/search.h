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
};

/* ---- Prefixes ---- */

/* The placements of the first rows of a board by any rule, in lexicographic order. It does not know how many solutions
 * each has: some may have none. */

/* A walk over all placements of so many rows. All its state is here. */
struct rule_prefixes {
    uint32_t length;
    bool begun;
    uint32_t next[RULE_MAX_N + 1]; /* by row: the column to be tried next */
    struct rule_search search;     /* stands below the present prefix */
};

/* Begins before the first prefix of `length` <= n rows; as rule_search_begin(). */
void rule_prefixes_begin(struct rule_prefixes *prefixes, const struct rule *rule, uint32_t n, const uint64_t *allow,
                         uint32_t length);

/* Moves to just after all prefixes that begin with columns[0..length), or, if that is longer than a prefix, just after
 * the prefix that it begins with. False: it is no placement on allowed squares; then the walk must begin again. */
bool rule_prefixes_seek(struct rule_prefixes *prefixes, const uint8_t *columns, uint32_t length);

/* Writes the columns of the next prefix. False: there is none. */
bool rule_prefixes_next(struct rule_prefixes *prefixes, uint8_t *columns);

/* Begins a search and places the queens of some upper rows. False: they are no placement on allowed squares. */
bool rule_search_follow(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow,
                        const uint8_t *columns, uint32_t length);

/* ---- Lists ---- */

/* Lists the solutions of a board by any rule that begin with a prefix, in lexicographic order, many in one call. All
 * its state is here. It knows allowed squares, neither filters nor formats nor time. */

struct rule_lister {
    const struct rule *rule;
    const uint64_t *allow; /* by row: bit c for column c; borrowed */
    uint32_t n;
    uint32_t root, row; /* the rows of the prefix; `row` is tried next, and all above it have queens */
    bool ended;
    struct {
        struct reach reach;
        uint64_t untried;
    } level[RULE_MAX_N + 1];
    uint8_t columns[RULE_MAX_N];
    uint8_t position[RULE_MAX_N]; /* all up to here are listed */
    uint32_t position_length;     /* 0: none is */
};

/* Begins before the first solution with a prefix, of a board of 1 to RULE_MAX_N rows; the prefix is shorter. NQ_OK, or
 * NQ_INVALID (it is no placement on allowed squares). */
enum nq_status rule_lister_begin(struct rule_lister *lister, const struct rule *rule, uint32_t n, const uint64_t *allow,
                                 const uint8_t *prefix, uint32_t length);

/* Right after that, moves to just after a position of one row or more that begins with the prefix: all solutions up to
 * the last one with the position as its prefix are listed. NQ_OK, or NQ_INVALID as above; then the lister must begin
 * again. */
enum nq_status rule_lister_seek(struct rule_lister *lister, const uint8_t *position, uint32_t length);

/* Writes the next solutions, at most `room` of them, to columns[0..n * *count): n bytes each, byte r is the column of
 * row r. *budget is the number of placements that may be tried; those tried are subtracted. Every call makes progress.
 * NQ_OK: there was no room for more; NQ_END: these were the last; NQ_AGAIN: the budget ran out. */
enum nq_status rule_lister_next(struct rule_lister *lister, uint64_t *budget, uint8_t *columns, size_t room,
                                size_t *count);

#endif
