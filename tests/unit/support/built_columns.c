/* built_columns.c - builds, and compares with what a solution is. */
#include "support/built_columns.h"

bool opens(const struct construction *method)
{
    return method->open || method->machine;
}

bool claims(const struct construction *method, const struct construction_settings *settings)
{
    char why[CONSTRUCTION_WHY_MAX];
    return settings->n <= method->max_n && construction_check(method, settings, why) == NQ_OK;
}

bool claims_size(const struct construction *method, uint32_t n)
{
    const struct construction_settings settings = construction_presets(n);
    return opens(method) && (n <= 1 || !method->fails) && claims(method, &settings);
}

struct nq_construction *open_with(const struct construction *method, const struct construction_settings *settings,
                                  uint64_t slice)
{
    struct nq_construction *construction = NULL;
    enum nq_status status = construction_open(method, settings, &construction);
    if (status != NQ_OK)
        fail_msg("%s, n=%u: not opened: %s", method->name, settings->n, nq_status_text(status));
    do {
        uint64_t budget = slice;
        status = construction_work(construction, &budget);
        assert_true(budget <= slice && (status == NQ_OK || budget == 0));
    } while (status == NQ_AGAIN);
    assert_int_equal(status, NQ_OK);
    return construction;
}

uint32_t *build_with(const struct construction *method, const struct construction_settings *settings, uint64_t slice)
{
    const uint32_t n = settings->n;
    OWNED(nq_construction_close) struct nq_construction *construction = open_with(method, settings, slice);
    uint32_t *columns = malloc((n + (size_t)1) * sizeof *columns);
    assert_non_null(columns);
    columns[n] = 0xabcdef;
    nq_construction_rows(construction, 0, n, columns);
    assert_int_equal(columns[n], 0xabcdef);
    return columns;
}

void check_solution(const struct construction *method, const struct construction_settings *settings)
{
    const uint32_t n = settings->n;
    OWNED(free) uint32_t *columns = build_with(method, settings, UINT64_MAX);
    bool valid = false;
    assert_int_equal(nq_verify(n, columns, &valid), NQ_OK);
    if (!valid || (n <= 60 && !facts_peaceful(n, columns)))
        fail_msg("%s, n=%u: not a solution", method->name, n);
}

void check_pieces(const struct construction *method, const struct construction_settings *settings, uint64_t *dice)
{
    const uint32_t n = settings->n;
    OWNED(free) uint32_t *whole = build_with(method, settings, UINT64_MAX), *pieces = calloc(n, sizeof *pieces);
    OWNED(nq_construction_close) struct nq_construction *construction = open_with(method, settings, 97);
    assert_non_null(pieces);
    for (uint32_t row = 0, count; row < n; row += count) {
        count = facts_below(dice, n < 40 ? n : 40);
        count = count < n - row ? count : n - row;
        nq_construction_rows(construction, row, count, pieces + row);
    }
    assert_memory_equal(pieces, whole, n * sizeof *whole);
    memset(pieces, 0xff, n * sizeof *pieces);
    for (uint32_t row = n; row-- > 0;)
        nq_construction_rows(construction, row, 1, pieces + row);
    assert_memory_equal(pieces, whole, n * sizeof *whole);
}
