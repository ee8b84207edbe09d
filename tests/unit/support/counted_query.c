/* counted_query.c - see counted_query.h. */
#include "support/counted_query.h"

#include "support/facts.h"

void counted_end(struct counted *figures)
{
    counting_close(figures->counting);
    free(figures->thirds);
}

struct counted count_query(const struct query *query, bool all)
{
    struct counted figures = {0};
    assert_int_equal(counting_open(query, NULL, &figures.counting), NQ_OK);
    const size_t terms = counting_terms(figures.counting);
    figures.thirds = calloc(terms + 1, sizeof *figures.thirds);
    assert_non_null(figures.thirds);
    assert_int_equal(counting_prepare(figures.counting, NULL, NULL, NULL), NQ_OK);
    assert_int_equal(counting_first(figures.counting, 0), 0);
    assert_int_equal(counting_first(figures.counting, terms), counting_units(figures.counting));
    for (size_t unit = 0, term = 0; unit < counting_units(figures.counting); unit++) {
        struct unit_result result = {0};
        while (unit >= counting_first(figures.counting, term + 1))
            term++;
        assert_int_equal(counting_term(figures.counting, unit), term);
        assert_true(counting_weight(figures.counting, unit) > 0);
        figures.weight += counting_weight(figures.counting, unit);
        const struct kernel *kernel = kernel_find(all ? "scalar" : "auto");
        assert_int_equal(counting_count(figures.counting, unit, METHOD_WHOLE, kernel, NULL, &result), NQ_OK);
        figures.thirds[term] += result.parts;
        figures.nodes += result.nodes;
        for (const struct kernel *const *at = kernels; all && *at; at++) {
            struct unit_result other = {0};
            if (!(*at)->supported())
                continue;
            assert_int_equal(counting_count(figures.counting, unit, METHOD_WHOLE, *at, NULL, &other), NQ_OK);
            assert_true(other.parts == result.parts);
            assert_in_range(other.nodes, result.nodes, 2 * result.nodes); /* n = 18..20: see levels.h */
        }
    }
    for (size_t term = 0; term < terms; term++)
        assert_true(counting_value(figures.counting, term, figures.thirds[term], &figures.thirds[term]));
    figures.total = (uint64_t)counting_total(figures.counting, figures.thirds);
    return figures;
}

uint64_t count_total(const struct query *query)
{
    ENDED_BY(counted_end) struct counted figures = count_query(query, false);
    return figures.total;
}
