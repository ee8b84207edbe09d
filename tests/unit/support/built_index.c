/* built_index.c - see built_index.h. */
#include "support/built_index.h"

struct index *index_opened(const struct query *query)
{
    struct index *index = NULL;
    assert_int_equal(index_open(query, NULL, &index), NQ_OK);
    assert_non_null(index);
    return index;
}

struct bytes index_result(const struct index *index, size_t unit, const struct kernel *kernel, const struct list *list)
{
    struct bytes result = {0};
    uint64_t nodes = 0;
    if (!index_listed(index)) {
        assert_int_equal(index_count(index, unit, kernel, NULL, &result, &nodes), NQ_OK);
        return result;
    }
    struct index_tally tally;
    uint8_t stem[INDEX_STEM_MAX];
    const uint32_t length = index_stem(index, unit, stem);
    index_tally_begin(&tally, index, unit, &result);
    for (size_t i = 0; i < list->count; i++)
        if (index_compare(solution(list, i), stem, length) == 0)
            index_tally_add(&tally, solution(list, i));
    assert_int_equal(index_tally_end(&tally), NQ_OK);
    return result;
}

struct index *index_built(const struct query *query, const struct list *list)
{
    struct index *index = index_opened(query);
    const struct kernel *best = kernel_find("auto");
    for (size_t unit = index_units(index); unit-- > 0;) {
        ENDED_BY(bytes_free) struct bytes result = index_result(index, unit, best, list);
        for (const struct kernel *const *at = kernels; *at && !index_listed(index); at++) {
            if (!(*at)->supported() || *at == best || (query->filter.n > 13 && unit % 16))
                continue;
            ENDED_BY(bytes_free) struct bytes other = index_result(index, unit, *at, list);
            assert_int_equal(other.size, result.size);
            assert_memory_equal(other.data, result.data, result.size);
        }
        assert_true(index_weight(index, unit, NULL) > 0);
        assert_int_equal(index_put(index, unit, result.data, result.size), NQ_OK);
    }
    index_finish(index);
    double memory = sizeof *index + sizeof *index->units;
    for (size_t unit = 0; unit < index->count; unit++)
        memory += (double)(sizeof *index->units + (index->units[unit].count + 1) * sizeof *index->units->entries);
    assert_true(index_memory(index, NULL) >= memory);
    return index;
}

void index_thin_out(uint64_t *dice, uint32_t n, bool symmetric, struct filter *filter)
{
    *filter = (struct filter){.n = n, .rule = rules[0]};
    for (uint32_t row = 0; row < n; row++) {
        while (__builtin_popcountll(filter->allow[row]) < (n < 18 ? 7 : 8)) {
            const uint32_t column = facts_below(dice, n);
            filter->allow[row] |= UINT64_C(1) << column;
            if (symmetric)
                filter->allow[row] |= UINT64_C(1) << (n - 1 - column);
        }
    }
}
