/* lister.h - lists the solutions of a board by any rule that begin with a prefix, in lexicographic order, many in one
 * call. All its state is here. It knows allowed squares, neither filters nor formats nor time. */
#ifndef RULES_LISTER_H
#define RULES_LISTER_H

#include <nqueens.h>

#include "rules/rule.h"

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
