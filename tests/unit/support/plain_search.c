/* plain_search.c - placing and removing queens, row by row. */
#include "support/plain_search.h"

#include "support/tests.h"

static void add_below(struct rule_search *search, struct rule_tally *tally)
{
    if (search->row == search->n)
        tally->solutions++;
    for (uint64_t rest = search->level[search->row].untried; rest; rest &= rest - 1) {
        assert_true(rule_search_place(search, (uint32_t)__builtin_ctzll(rest)));
        tally->nodes++;
        if (tally->rows)
            tally->rows[search->row - 1]++;
        add_below(search, tally);
        rule_search_remove(search);
    }
}

struct rule_tally plain_search(struct rule_search *search, uint64_t *rows)
{
    struct rule_tally tally = {.rows = rows};
    add_below(search, &tally);
    return tally;
}
