/* prefixes.c - a walk by placing and removing queens. */
#include "rules/prefixes.h"

#include <assert.h>

void rule_prefixes_begin(struct rule_prefixes *prefixes, const struct rule *rule, uint32_t n, const uint64_t *allow,
                         uint32_t length)
{
    assert(length <= n);
    prefixes->length = length;
    prefixes->begun = false;
    prefixes->next[0] = 0;
    rule_search_begin(&prefixes->search, rule, n, allow);
}

/* Places the next queen in the first row without one. False: there is no square left. */
static bool place(struct rule_prefixes *prefixes)
{
    struct rule_search *search = &prefixes->search;
    const uint32_t row = search->row;
    while (prefixes->next[row] < search->n)
        if (rule_search_place(search, prefixes->next[row]++)) {
            prefixes->next[row + 1] = 0;
            return true;
        }
    return false;
}

bool rule_prefixes_next(struct rule_prefixes *prefixes, uint8_t *columns)
{
    struct rule_search *search = &prefixes->search;
    if (prefixes->begun && search->row == 0)
        return false;
    if (prefixes->begun)
        rule_search_remove(search);
    prefixes->begun = true;
    while (search->row < prefixes->length)
        if (!place(prefixes)) {
            if (search->row == 0)
                return false;
            rule_search_remove(search);
        }
    for (uint32_t row = 0; row < prefixes->length; row++)
        columns[row] = search->columns[row];
    return true;
}

bool rule_prefixes_seek(struct rule_prefixes *prefixes, const uint8_t *columns, uint32_t length)
{
    struct rule_search *search = &prefixes->search;
    if (!rule_search_follow(search, search->rule, search->n, search->allow, columns, length))
        return false;
    while (search->row > prefixes->length)
        rule_search_remove(search);
    for (uint32_t row = 0; row < search->row; row++)
        prefixes->next[row] = columns[row] + 1U;
    prefixes->begun = true;
    return true;
}

bool rule_search_follow(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow,
                        const uint8_t *columns, uint32_t length)
{
    rule_search_begin(search, rule, n, allow);
    for (uint32_t row = 0; row < length; row++)
        if (!rule_search_place(search, columns[row]))
            return false;
    return true;
}
