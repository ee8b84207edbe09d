/* test_constructions.c - tests of src/constructions: every method builds a solution of every size it claims to, and
 * tells it in pieces as it tells it whole. */
#include <nqueens.h>
#include <stdlib.h>
#include <string.h>

#include "constructions/construction.h"
#include "facts.h"

static struct nq_construction *open_construction(const struct construction *method, uint32_t n)
{
    struct nq_construction *construction = NULL;
    if (nq_construction_open(method->name, n, &construction) != NQ_OK)
        fail_msg("%s, n=%u: not opened", method->name, n);
    return construction;
}

/* All n columns; the caller frees. */
static uint32_t *build(const struct construction *method, uint32_t n)
{
    struct nq_construction *construction = open_construction(method, n);
    uint32_t *columns = malloc((n + (size_t)1) * sizeof *columns);
    assert_non_null(columns);
    columns[n] = 0xabcdef;
    nq_construction_rows(construction, 0, n, columns);
    assert_int_equal(columns[n], 0xabcdef);
    nq_construction_close(construction);
    return columns;
}

static void check_solution(const struct construction *method, uint32_t n)
{
    uint32_t *columns = build(method, n);
    bool valid = false;
    assert_int_equal(nq_verify(n, columns, &valid), NQ_OK);
    if (!valid || (n <= 60 && !facts_peaceful(n, columns)))
        fail_msg("%s, n=%u: not a solution", method->name, n);
    free(columns);
}

static void test_every_size(void **state)
{
    (void)state;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 4; n <= 2000 && n <= (*at)->max_n; n++)
            check_solution(*at, n);
}

/* All residues modulo 12: the families of closed forms go by 6 and 12. */
static void test_around_a_million(void **state)
{
    (void)state;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 999994; n <= 1000005 && n <= (*at)->max_n; n++)
            check_solution(*at, n);
}

static void test_smallest(void **state)
{
    (void)state;
    for (const struct construction *const *at = constructions; *at; at++) {
        struct nq_construction *construction = NULL;
        uint32_t *columns = build(*at, 0);
        free(columns);
        columns = build(*at, 1);
        assert_int_equal(columns[0], 0);
        free(columns);
        assert_int_equal(nq_construction_open((*at)->name, 2, &construction), NQ_NONE);
        assert_int_equal(nq_construction_open((*at)->name, 3, &construction), NQ_NONE);
        assert_null(construction);
    }
}

/* The rows in pieces of random lengths, empty ones among them; then each row alone, from the last to the first. */
static void check_pieces(const struct construction *method, uint32_t n, uint64_t *dice)
{
    uint32_t *whole = build(method, n), *pieces = calloc(n, sizeof *pieces);
    struct nq_construction *construction = open_construction(method, n);
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
    nq_construction_close(construction);
    free(pieces);
    free(whole);
}

static void test_pieces(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4,  5,  6,  7,  8,   9,   10,  11,  12,  13,  14,
                                     15, 26, 27, 99, 100, 101, 102, 103, 104, 105, 500};
    uint64_t dice = 1;
    for (const struct construction *const *at = constructions; *at; at++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (sizes[i] <= (*at)->max_n)
                check_pieces(*at, sizes[i], &dice);
}

/* Boards too large to hold: the first and last rows and random stretches between must be peaceful among each other.
 * Only for methods that claim such sizes. */
static void check_samples(const struct construction *method, uint32_t n, uint64_t *dice)
{
    enum { STRETCH = 8, STRETCHES = 120, ROWS = STRETCH * STRETCHES };
    static uint32_t rows[ROWS], columns[ROWS];
    struct nq_construction *construction = open_construction(method, n);
    for (uint32_t i = 0; i < STRETCHES; i++) {
        uint32_t first = facts_below(dice, n - STRETCH + 1);
        if (i < 6) /* the ends, and both sides of the middle */
            first = (const uint32_t[]){0, STRETCH, n - STRETCH, n - 2 * STRETCH, n / 2 - STRETCH, n / 2}[i];
        nq_construction_rows(construction, first, STRETCH, columns + (size_t)i * STRETCH);
        for (uint32_t k = 0; k < STRETCH; k++)
            rows[i * STRETCH + k] = first + k;
    }
    nq_construction_close(construction);
    for (uint32_t a = 0; a < ROWS; a++) {
        assert_true(columns[a] < n);
        for (uint32_t b = 0; b < a; b++) {
            if (rows[a] == rows[b])
                assert_int_equal(columns[a], columns[b]);
            else if (nq_attack(rows[a], columns[a], rows[b], columns[b]))
                fail_msg("%s, n=%u: rows %u and %u", method->name, n, rows[a], rows[b]);
        }
    }
}

static void test_billions(void **state)
{
    (void)state;
    const uint32_t billion = 1000000000;
    uint64_t dice = 2;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t less = 0; less < 12 && (*at)->max_n >= billion; less++)
            check_samples(*at, billion - less, &dice);
    assert_true(constructions[0]->max_n >= billion);
}

static void test_open(void **state)
{
    (void)state;
    struct nq_construction *construction = NULL;
    for (const struct construction *const *at = constructions; *at; at++) {
        assert_int_equal(nq_construction_open((*at)->name, (*at)->max_n + 1, &construction), NQ_LIMIT);
        assert_int_equal(nq_construction_open((*at)->name, UINT32_MAX, &construction), NQ_LIMIT);
    }
    static const char *const unknown[] = {"", "EXPLICIT", "explici", "explicit "};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(nq_construction_open(unknown[i], 8, &construction), NQ_INVALID);
    assert_null(construction);

    uint32_t *expected = build(constructions[0], 100), columns[100];
    assert_string_equal(constructions[0]->name, "explicit");
    assert_int_equal(nq_construction_open(NULL, 100, &construction), NQ_OK);
    nq_construction_rows(construction, 0, 100, columns);
    assert_memory_equal(columns, expected, sizeof columns);
    nq_construction_close(construction);
    nq_construction_close(NULL);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size), cmocka_unit_test(test_around_a_million), cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_pieces),     cmocka_unit_test(test_billions),         cmocka_unit_test(test_open),
    };
    return cmocka_run_group_tests_name("constructions", tests, NULL, NULL);
}
