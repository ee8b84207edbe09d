/* fuzz_index.c - results of units made by strangers. The first byte is n, the second says which query, by which
 * rule and whether squares are excluded, the third is a unit; the rest is its result. One that is taken is, to the
 * letter, what would be written for the counts it holds, and questions about them have answers that agree. */
#include <string.h>

#include "fuzz.h"

#include "count/index_units.c"

static const struct index_depth prefixes_only = {.most = UINT64_MAX};

static struct query query_of(uint32_t n, uint8_t kind)
{
    struct query query = {.distinct = (enum query_distinct)(kind % 3), .symmetry = (enum query_symmetry)(kind / 3 % 3)};
    const unsigned rule = kind % 0x80 / 9 % 7;
    filter_begin(&query.filter, n);
    query.filter.rule = rules[rule];
    for (uint32_t row = 0; row < n && kind & 0x80; row += 2)
        filter_exclude(&query.filter, row, (row + kind) % n);
    return query;
}

/* The counts of every other unit are 0. */
static void fill(struct index *index, size_t unit)
{
    for (size_t other = 0; other < index_units(index); other++) {
        struct index_tally tally;
        struct bytes result = {0};
        index_tally_begin(&tally, index, other, &result);
        REQUIRE(index_tally_end(&tally) == NQ_OK);
        REQUIRE(other == unit || index_put(index, other, result.data, result.size) == NQ_OK);
        bytes_free(&result);
    }
    index_finish(index);
}

static void ask(const struct index *index, uint64_t rank)
{
    struct index_place place, again;
    REQUIRE(index_unrank(index, rank, &prefixes_only, &place) == NQ_OK);
    REQUIRE(place.before <= rank && rank - place.before < place.count);
    REQUIRE(index_rank(index, place.columns, place.length, &prefixes_only, &again) == NQ_OK);
    REQUIRE(again.before == place.before && again.count == place.count);
}

static void check(struct index *index, size_t unit, const uint8_t *data, size_t size)
{
    struct index_walk walk;
    struct bytes result = {0};
    uint8_t columns[KERNEL_MAX_N];
    uint64_t sum = 0;
    fill(index, unit);
    walk_unit(&walk, index, unit);
    while (walk_next(&walk, columns)) {
        struct index_place place;
        REQUIRE(index_rank(index, columns, index->length, &prefixes_only, &place) == NQ_OK);
        REQUIRE(place.before == sum);
        write_number(&result, place.count);
        sum += place.count;
    }
    write_number(&result, sum);
    REQUIRE(result.size == size && memcmp(result.data, data, size) == 0);
    bytes_free(&result);
    const uint64_t total = index_total(index);
    REQUIRE(total == (index->reflected ? 2 * sum : sum));
    REQUIRE(index_unrank(index, total, &prefixes_only, &(struct index_place){0}) == NQ_END);
    for (uint64_t i = 0; total && i < 8; i++)
        ask(index, i % 2 ? total - 1 - i * i % total : i * (total / 8) % total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    const struct query query = query_of(data[0] % (INDEX_CLASSES_MAX_N + 1), data[1]);
    struct index *index;
    if (query.filter.n > index_most(&query))
        return 0;
    REQUIRE(index_open(&query, NULL, &index) == NQ_OK);
    if (index_units(index)) {
        const size_t unit = data[2] % index_units(index);
        const enum nq_status status = index_put(index, unit, data + 3, size - 3);
        REQUIRE(status == NQ_OK || status == NQ_INVALID);
        if (status == NQ_OK)
            check(index, unit, data + 3, size - 3);
    }
    index_close(index);
    return 0;
}
