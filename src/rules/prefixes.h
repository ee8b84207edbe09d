/* prefixes.h - the placements of the first rows of a board by any rule, in lexicographic order. It does not know how
 * many solutions each has: some may have none. */
#ifndef RULES_PREFIXES_H
#define RULES_PREFIXES_H

#include "rules/search.h"

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

#endif
