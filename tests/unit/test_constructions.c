/* test_constructions.c - tests of src/constructions: every method builds a solution of every size it claims to, claims
 * what it should, tells it in pieces as it tells it whole, and works in slices as in one go. */
#include <nqueens.h>
#include <stdlib.h>
#include <string.h>

#include "constructions/construction.h"
#include "facts.h"
#include "pace.h"
#include "solvers/solver.h"
#include "stepping.h"

/* Those that this floor can open. */
static bool opens(const struct construction *method)
{
    return method->open || method->machine;
}

static bool claims(const struct construction *method, const struct construction_settings *settings)
{
    char why[CONSTRUCTION_WHY_MAX];
    return settings->n <= method->max_n && construction_check(method, settings, why) == NQ_OK;
}

static bool claims_size(const struct construction *method, uint32_t n)
{
    const struct construction_settings settings = construction_presets(n);
    return opens(method) && claims(method, &settings);
}

/* Worked at in slices of so many placements. */
static struct nq_construction *open_with(const struct construction *method,
                                         const struct construction_settings *settings, uint64_t slice)
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

/* All n columns; the caller frees. */
static uint32_t *build_with(const struct construction *method, const struct construction_settings *settings,
                            uint64_t slice)
{
    const uint32_t n = settings->n;
    struct nq_construction *construction = open_with(method, settings, slice);
    uint32_t *columns = malloc((n + (size_t)1) * sizeof *columns);
    assert_non_null(columns);
    columns[n] = 0xabcdef;
    nq_construction_rows(construction, 0, n, columns);
    assert_int_equal(columns[n], 0xabcdef);
    nq_construction_close(construction);
    return columns;
}

static void check_solution(const struct construction *method, const struct construction_settings *settings)
{
    const uint32_t n = settings->n;
    uint32_t *columns = build_with(method, settings, UINT64_MAX);
    bool valid = false;
    assert_int_equal(nq_verify(n, columns, &valid), NQ_OK);
    if (!valid || (n <= 60 && !facts_peaceful(n, columns)))
        fail_msg("%s, n=%u: not a solution", method->name, n);
    free(columns);
}

/* ---- What is claimed ---- */

/* Whether n is a board that has a solution times a toroidal one. */
static bool product(uint32_t n)
{
    for (uint32_t inner = 5; inner <= n / 4; inner++)
        if (n % inner == 0 && inner % 2 && inner % 3)
            return true;
    return false;
}

static void test_claims(void **state)
{
    (void)state;
    const struct construction *linear = construction_find("linear"), *tensor = construction_find("tensor");
    for (uint32_t n = 4; n <= 3000; n++) {
        assert_true(claims_size(construction_find("explicit"), n));
        assert_true(claims_size(construction_find("local-search"), n));
        assert_int_equal(claims_size(linear, n), n % 2 && n % 3);
        assert_int_equal(claims_size(tensor, n), product(n));
    }
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 0; n <= 3; n++)
            assert_int_equal(claims_size(*at, n), n <= 1 && opens(*at));
}

static void test_every_size(void **state)
{
    (void)state;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 0; n <= (SANITIZED ? 1000 : 3000); n++) {
            struct construction_settings settings = construction_presets(n);
            settings.seed = n / 7;
            if (claims_size(*at, n))
                check_solution(*at, &settings);
        }
}

/* All residues modulo 12: the families of closed forms go by 6 and 12. */
static void test_around_a_million(void **state)
{
    (void)state;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 999994; n <= 1000005; n++) {
            const struct construction_settings settings = construction_presets(n);
            if (claims_size(*at, n))
                check_solution(*at, &settings);
        }
}

static void test_smallest(void **state)
{
    (void)state;
    for (const struct construction *const *at = constructions; *at; at++) {
        struct nq_construction *construction = NULL;
        struct construction_settings settings = construction_presets(1);
        if (!opens(*at))
            continue;
        uint32_t *columns = build_with(*at, &settings, 1);
        assert_int_equal(columns[0], 0);
        free(columns);
        settings.n = 0;
        free(build_with(*at, &settings, 1));
        for (uint32_t n = 2; n <= 3; n++) {
            char why[CONSTRUCTION_WHY_MAX] = "x";
            settings.n = n;
            assert_int_equal(construction_check(*at, &settings, why), NQ_NONE);
            assert_string_equal(why, "");
            assert_int_equal(nq_construction_open((*at)->name, n, &construction), NQ_NONE);
        }
        assert_null(construction);
    }
}

/* ---- In pieces ---- */

/* The rows in pieces of random lengths, empty ones among them; then each row alone, from the last to the first. */
static void check_pieces(const struct construction *method, const struct construction_settings *settings,
                         uint64_t *dice)
{
    const uint32_t n = settings->n;
    uint32_t *whole = build_with(method, settings, UINT64_MAX), *pieces = calloc(n, sizeof *pieces);
    struct nq_construction *construction = open_with(method, settings, 97);
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
    static const uint32_t sizes[] = {4,  5,  6,  7,  8,  9,   10,  11,  12,  13,  14,  15,  20,  25,
                                     26, 27, 50, 70, 99, 100, 101, 102, 103, 104, 105, 125, 490, 500};
    uint64_t dice = 1;
    for (const struct construction *const *at = constructions; *at; at++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const struct construction_settings settings = construction_presets(sizes[i]);
            if (claims_size(*at, sizes[i]))
                check_pieces(*at, &settings, &dice);
        }
}

/* Boards too large to hold: the first and last rows and random stretches between must be peaceful among each other.
 * Only for methods that claim such sizes. */
static void check_samples(const struct construction *method, uint32_t n, uint64_t *dice)
{
    enum { STRETCH = 8, STRETCHES = 120, ROWS = STRETCH * STRETCHES };
    static uint32_t rows[ROWS], columns[ROWS];
    const struct construction_settings settings = construction_presets(n);
    struct nq_construction *construction = open_with(method, &settings, UINT64_MAX);
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
    unsigned checked = 0;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t less = 0; less < 12 && (*at)->max_n >= billion; less++)
            if (claims_size(*at, billion - less)) {
                check_samples(*at, billion - less, &dice);
                checked++;
            }
    assert_true(checked > 20);
}

/* ---- Linear ---- */

/* The columns that settings give, against the formula. */
static void check_linear(uint32_t n, uint32_t multiplier, uint32_t shift)
{
    struct construction_settings settings = construction_presets(n);
    settings.multiplier = multiplier;
    settings.shift = shift;
    check_solution(construction_find("linear"), &settings);
    uint32_t *columns = build_with(construction_find("linear"), &settings, UINT64_MAX);
    for (uint64_t i = 1; i <= n; i++)
        assert_int_equal(columns[i - 1], (multiplier * i + shift) % n);
    free(columns);
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
    return b ? gcd(b, a % b) : a;
}

static void test_linear(void **state)
{
    (void)state;
    const struct construction *linear = construction_find("linear");
    for (uint32_t n = 5; n <= 60; n++)
        for (uint32_t multiplier = 1; multiplier <= 2 * n + 2; multiplier++) {
            struct construction_settings settings = construction_presets(n);
            settings.multiplier = multiplier;
            const bool valid =
                n % 2 && n % 3 && gcd(multiplier, n) == 1 && gcd(multiplier - 1, n) == 1 && gcd(multiplier + 1, n) == 1;
            assert_int_equal(claims(linear, &settings), valid);
            if (valid)
                check_linear(n, multiplier, multiplier * 5);
        }
    check_linear(1069, 2, 0);
    check_linear(1069, 1000000000, 1000000000);
    check_linear(1000003, 999999999, 999999999);

    /* Nothing overflows where everything is as large as can be: neighbouring rows are a multiplier apart. */
    const struct construction_settings largest = {.n = 999999937, .multiplier = 999999935, .shift = 1000000000};
    struct nq_construction *construction = open_with(linear, &largest, 1);
    uint32_t columns[2];
    for (uint32_t row = 0; row < largest.n - 2; row += 99999989) {
        nq_construction_rows(construction, row, 2, columns);
        for (uint64_t i = 0; i < 2; i++)
            assert_int_equal(columns[i], (largest.multiplier * (row + i + 1) + largest.shift) % largest.n);
    }
    nq_construction_close(construction);
}

/* ---- Tensor ---- */

static struct construction_settings product_of(uint32_t count, const uint32_t *factors)
{
    struct construction_settings settings = construction_presets(1);
    for (uint32_t i = 0; i < count; i++) {
        settings.factors[i] = factors[i];
        settings.n *= factors[i];
    }
    settings.factor_count = count;
    return settings;
}

/* The product of two boards, as the article has it: Outer, then y + k (x - 1). */
static void multiply(uint32_t a, const uint32_t *outer, uint32_t b, const uint32_t *inner, uint32_t *columns)
{
    for (uint32_t row = 0; row < a; row++)
        for (uint32_t below = 0; below < b; below++)
            columns[row * b + below] = inner[below] + b * outer[row];
}

static void test_tensor_of_the_article(void **state)
{
    (void)state;
    const struct construction *tensor = construction_find("tensor");
    const json_t *printed = json_object_get(facts_seed("romani"), "tensor25");
    const struct construction_settings two = product_of(2, (const uint32_t[]){5, 5});
    const struct construction_settings four = product_of(2, (const uint32_t[]){25, 25});
    uint32_t *small = build_with(tensor, &two, UINT64_MAX), *large = build_with(tensor, &four, UINT64_MAX);
    uint32_t expected[625];
    assert_int_equal(json_array_size(printed), 25);
    for (uint32_t row = 0; row < 25; row++)
        assert_int_equal(small[row] + 1, facts_at(printed, row));
    multiply(25, small, 25, small, expected);
    assert_memory_equal(large, expected, sizeof expected);
    free(small);
    free(large);

    const struct construction_settings preset = construction_presets(625);
    large = build_with(tensor, &preset, UINT64_MAX);
    assert_memory_equal(large, expected, sizeof expected);
    free(large);
}

static void test_tensor(void **state)
{
    (void)state;
    const struct construction *tensor = construction_find("tensor");
    static const struct {
        uint32_t count, factors[4];
    } good[] = {{2, {4, 5}},     {3, {5, 5, 25}},   {2, {6, 35}}, {3, {10, 7, 11}}, {2, {49, 5}},
                {2, {14, 1001}}, {4, {8, 5, 7, 5}}, {2, {9, 25}}, {2, {25, 7}},     {2, {12, 121}}};
    uint64_t dice = 3;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const struct construction_settings settings = product_of(good[i].count, good[i].factors);
        check_solution(tensor, &settings);
        check_pieces(tensor, &settings, &dice);
    }
    const struct construction_settings settings = product_of(2, (const uint32_t[]){6, 35});
    const struct construction_settings inside = product_of(2, (const uint32_t[]){5, 7});
    const struct construction_settings outside = construction_presets(6);
    uint32_t *whole = build_with(tensor, &settings, UINT64_MAX), *inner = build_with(tensor, &inside, UINT64_MAX),
             *outer = build_with(construction_find("explicit"), &outside, UINT64_MAX), expected[6 * 35];
    multiply(6, outer, 35, inner, expected);
    assert_memory_equal(whole, expected, sizeof expected);
    free(whole);
    free(inner);
    free(outer);
}

/* ---- Why not ---- */

static void refuses(const char *name, const struct construction_settings *settings, enum nq_status status,
                    const char *reason)
{
    char why[CONSTRUCTION_WHY_MAX];
    const struct construction *method = construction_find(name);
    struct nq_construction *construction = NULL;
    assert_int_equal(construction_check(method, settings, why), status);
    assert_string_equal(why, reason);
    assert_int_equal(construction_open(method, settings, &construction), status);
    assert_null(construction);
}

static void test_reasons(void **state)
{
    (void)state;
#define OTHERS " Methods that have a solution: explicit, "
    struct construction_settings settings = construction_presets(800);
    refuses("linear", &settings, NQ_NONE,
            "A linear solution needs an n that neither 2 nor 3 divides; 800 is divided by 2." OTHERS
            "tensor, local-search, random.");
    settings.n = 999999999;
    refuses("linear", &settings, NQ_NONE,
            "A linear solution needs an n that neither 2 nor 3 divides; 999999999 is divided by 3." OTHERS "tensor.");
    settings = construction_presets(1001);
    settings.multiplier = 7;
    refuses("linear", &settings, NQ_NONE,
            "multiplier = 7 and n = 1001 have the common divisor 7." OTHERS
            "linear as preset, tensor, local-search, random.");
    settings.multiplier = 1;
    refuses("linear", &settings, NQ_NONE,
            "multiplier - 1 = 0 and n = 1001 have the common divisor 1001." OTHERS
            "linear as preset, tensor, local-search, random.");
    settings.multiplier = 10;
    refuses("linear", &settings, NQ_NONE,
            "multiplier + 1 = 11 and n = 1001 have the common divisor 11." OTHERS
            "linear as preset, tensor, local-search, random.");
    settings = construction_presets(1024);
    refuses("tensor", &settings, NQ_NONE,
            "1024 is not the product of a board that has a solution and a toroidal one, whose size neither 2 nor 3 "
            "divides." OTHERS "local-search, random.");
    settings = product_of(2, (const uint32_t[]){125, 6});
    refuses("tensor", &settings, NQ_NONE,
            "Inner factors must be toroidal: above 1, and neither 2 nor 3 divides them; 6 is not." OTHERS
            "tensor as preset, local-search, random.");
    settings = product_of(2, (const uint32_t[]){3, 257});
    refuses("tensor", &settings, NQ_NONE,
            "The outer factor is 3, and should be 4 at least." OTHERS "local-search, random.");
    settings = product_of(2, (const uint32_t[]){5, 5});
    settings.n = 26;
    refuses("tensor", &settings, NQ_INVALID, "must be two numbers at least, with n = 26 for their product");
    settings = product_of(1, (const uint32_t[]){25});
    refuses("tensor", &settings, NQ_INVALID, "must be two numbers at least, with n = 25 for their product");
    settings.n = 1;
    refuses("tensor", &settings, NQ_INVALID, "must be two numbers at least, with n = 1 for their product");
    /* A product that is 0 below 2^32 and 25 below 2^64 is neither. */
    settings = product_of(4, (const uint32_t[]){65536, 65536, 65536, 65536});
    settings.n = 25;
    refuses("tensor", &settings, NQ_INVALID, "must be two numbers at least, with n = 25 for their product");
#undef OTHERS
}

/* The longest sentence there is: it is whole. */
static void test_reasons_fit(void **state)
{
    (void)state;
    struct construction_settings settings = construction_presets(9999985);
    char why[CONSTRUCTION_WHY_MAX];
    for (settings.multiplier = 1; settings.multiplier < 1000; settings.multiplier++)
        if (construction_check(construction_find("linear"), &settings, why) == NQ_NONE)
            assert_int_equal(why[strlen(why) - 1], '.');
    settings = construction_presets(9999998);
    assert_int_equal(construction_check(construction_find("tensor"), &settings, why), NQ_NONE);
    assert_int_equal(why[strlen(why) - 1], '.');
}

/* ---- Local search ---- */

static void test_local_search(void **state)
{
    (void)state;
    const struct construction *search = construction_find("local-search");
    struct construction_settings settings = construction_presets(100);
    uint32_t *first = build_with(search, &settings, UINT64_MAX);
    for (uint64_t slice = 1; slice < 200; slice = slice * 3 + 1) {
        uint32_t *again = build_with(search, &settings, slice);
        assert_memory_equal(again, first, 100 * sizeof *first);
        free(again);
    }
    settings.seed = 1;
    uint32_t *other = build_with(search, &settings, UINT64_MAX);
    assert_true(memcmp(other, first, 100 * sizeof *first) != 0);
    free(other);
    free(first);
    for (uint32_t n = 4; n <= 30; n++) /* where starting again is the rule */
        for (uint64_t seed = 0; seed < 100; seed++) {
            settings = construction_presets(n);
            settings.seed = seed << 40 | n;
            check_solution(search, &settings);
        }
}

/* What a seed gave once it gives for ever, on every machine. */
static void test_local_search_is_frozen(void **state)
{
    (void)state;
    static const uint32_t expected[] = {16, 4, 19, 1, 9, 14, 17, 15, 3, 5, 7, 13, 18, 12, 6, 0, 2, 11, 8, 10};
    struct construction_settings settings = construction_presets(20);
    settings.seed = 2026;
    uint32_t *columns = build_with(construction_find("local-search"), &settings, UINT64_MAX);
    assert_memory_equal(columns, expected, sizeof expected);
    free(columns);
}

/* Every solution of a small board can come. */
static void test_local_search_finds_all(void **state)
{
    (void)state;
    size_t count, missing = 0;
    uint32_t *list = facts_solutions(6, &count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (uint64_t seed = 0; seed < 200 && !found; seed++) {
            struct construction_settings settings = construction_presets(6);
            settings.seed = seed;
            uint32_t *columns = build_with(construction_find("local-search"), &settings, UINT64_MAX);
            found = memcmp(columns, list + i * 6, 6 * sizeof *columns) == 0;
            free(columns);
        }
        missing += !found;
    }
    assert_int_equal(missing, 0);
    free(list);
}

static size_t left(struct allowance *allowance)
{
    return atomic_load(&allowance->left);
}

static void test_allowance(void **state)
{
    (void)state;
    enum { N = 10000, ALL = 100000 };
    struct allowance allowance;
    struct construction_settings settings = construction_presets(N);
    struct nq_construction *construction = NULL;
    settings.allowance = &allowance;
    for (const struct construction *const *at = constructions; *at; at++) {
        if (!claims_size(*at, N))
            continue;
        atomic_init(&allowance.left, ALL);
        assert_int_equal(construction_open(*at, &settings, &construction), NQ_OK);
        const size_t opened = left(&allowance);
        assert_int_equal(construction_work(construction, &(uint64_t){100}),
                         (*at)->work || (*at)->machine ? NQ_AGAIN : NQ_OK);
        nq_construction_close(construction); /* half done */
        assert_int_equal(left(&allowance), ALL);
        assert_int_equal(opened == ALL, !(*at)->work && !(*at)->machine); /* what needs no work needs no memory */
    }

    const struct construction *search = construction_find("local-search");
    construction = open_with(search, &settings, UINT64_MAX);
    assert_int_equal(left(&allowance), ALL - N * sizeof(uint32_t)); /* nothing but the columns */
    nq_construction_close(construction);
    assert_int_equal(left(&allowance), ALL);
    atomic_init(&allowance.left, N * sizeof(uint32_t));
    construction = NULL;
    assert_int_equal(construction_open(search, &settings, &construction), NQ_BUSY);
    assert_null(construction);
    assert_int_equal(left(&allowance), N * sizeof(uint32_t));
}

/* ---- By a machine ---- */

static void test_machine(void **state)
{
    (void)state;
    const struct construction method = {.name = "first", .max_n = 64, .machine = solver_find("rapella")->machine};
    struct allowance allowance;
    atomic_init(&allowance.left, 1000);
    for (uint32_t n = 4; n <= 12; n++) {
        const json_t *expected = json_object_get(facts_entry("lex_first", n), "solution");
        struct construction_settings settings = construction_presets(n);
        settings.allowance = &allowance;
        for (uint64_t slice = 1; slice <= 1000000; slice *= 1000) {
            uint32_t *columns = build_with(&method, &settings, slice);
            for (uint32_t row = 0; row < n; row++)
                assert_int_equal(columns[row] + 1, facts_at(expected, row));
            free(columns);
            assert_int_equal(left(&allowance), 1000);
        }
    }
    struct construction_settings settings = construction_presets(8);
    struct nq_construction *construction = NULL;
    settings.allowance = &allowance;
    atomic_init(&allowance.left, 31);
    assert_int_equal(construction_open(&method, &settings, &construction), NQ_BUSY);
    assert_int_equal(left(&allowance), 31);
    settings.n = 65;
    assert_int_equal(construction_open(&method, &settings, &construction), NQ_LIMIT);
    assert_null(construction);
}

/* Whoever watches sees the same solution come about, by steps that are what they say. */
static void test_watched(void **state)
{
    (void)state;
    unsigned watched = 0;
    bool again = false, swapped = false;
    for (const struct construction *const *at = constructions; *at; at++) {
        const struct construction *method = *at;
        for (uint32_t n = 4; method->machine && n <= method->machine_max_n; n = n < 40 ? n + 1 : n * 12) {
            struct construction_settings settings = construction_presets(n);
            settings.seed = n * UINT64_C(1000003);
            const struct machine_settings same = {.n = n, .seed = settings.seed};
            const struct stepped run = stepped_run(method->machine, &same, 1000000);
            uint32_t *columns = build_with(method, &settings, UINT64_MAX);
            assert_int_equal(run.status, NQ_END);
            assert_int_equal(run.count, 1);
            assert_memory_equal(run.solutions, columns, n * sizeof *columns);
            again |= run.stats.placements > n + 100;
            swapped |= n > 100 && run.stats.placements > n && run.stats.placements < 2 * n;
            watched++;
            free(run.solutions);
            free(columns);
        }
    }
    assert_true(watched > 30 && again && swapped);
}

/* Where there is no solution nobody has to wait for one. */
static void test_watched_in_vain(void **state)
{
    (void)state;
    unsigned watched = 0;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 2; (*at)->machine && n <= 3; n++) {
            const struct stepped run = stepped_run((*at)->machine, &(struct machine_settings){.n = n}, 10000);
            assert_int_equal(run.status, NQ_END);
            assert_int_equal(run.count, 0);
            watched++;
            free(run.solutions);
        }
    assert_true(watched >= 4);
}

/* A machine that only says how it ends. */
static enum nq_status open_end(const struct machine_settings *settings, void **machine)
{
    static enum nq_status end;
    end = (enum nq_status)settings->seed;
    *machine = &end;
    return NQ_OK;
}

static enum nq_status step_end(void *machine, struct step *step)
{
    (void)step;
    return *(enum nq_status *)machine;
}

static void close_end(void *machine)
{
    (void)machine;
}

static void test_machine_without_solution(void **state)
{
    (void)state;
    static const struct machine_class class = {.open = open_end, .step = step_end, .close = close_end};
    const struct construction method = {.name = "none", .max_n = 64, .machine = &class};
    static const enum nq_status ends[][2] = {{NQ_END, NQ_LIMIT}, {NQ_BUSY, NQ_BUSY}, {NQ_NOMEM, NQ_NOMEM}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct construction_settings settings = construction_presets(8);
        struct nq_construction *construction;
        uint64_t budget = 10;
        settings.seed = ends[i][0];
        assert_int_equal(construction_open(&method, &settings, &construction), NQ_OK);
        assert_int_equal(construction_work(construction, &budget), ends[i][1]);
        nq_construction_close(construction);
    }
}

/* ---- The public calls ---- */

static void test_open(void **state)
{
    (void)state;
    struct nq_construction *construction = NULL;
    for (const struct construction *const *at = constructions; *at; at++) {
        const enum nq_status status = opens(*at) ? NQ_LIMIT : NQ_INVALID;
        assert_int_equal(nq_construction_open((*at)->name, (*at)->max_n + 1, &construction), status);
        assert_int_equal(nq_construction_open((*at)->name, UINT32_MAX, &construction), status);
        assert_ptr_equal(construction_find((*at)->name), *at);
    }
    static const char *const unknown[] = {"", "EXPLICIT", "explici", "explicit ", "random"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(nq_construction_open(unknown[i], 8, &construction), NQ_INVALID);
    assert_null(construction);

    const struct construction_settings settings = construction_presets(100);
    uint32_t *expected = build_with(constructions[0], &settings, UINT64_MAX), columns[100];
    assert_string_equal(constructions[0]->name, "explicit");
    assert_int_equal(nq_construction_open(NULL, 100, &construction), NQ_OK);
    nq_construction_rows(construction, 0, 100, columns);
    assert_memory_equal(columns, expected, sizeof columns);
    nq_construction_close(construction);
    nq_construction_close(NULL);
    free(expected);

    assert_int_equal(nq_construction_open("local-search", 100, &construction), NQ_OK);
    nq_construction_rows(construction, 0, 100, columns);
    assert_true(facts_peaceful(100, columns));
    nq_construction_close(construction);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_around_a_million),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_billions),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_tensor_of_the_article),
        cmocka_unit_test(test_tensor),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_reasons_fit),
        cmocka_unit_test(test_local_search),
        cmocka_unit_test(test_local_search_is_frozen),
        cmocka_unit_test(test_local_search_finds_all),
        cmocka_unit_test(test_allowance),
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_watched),
        cmocka_unit_test(test_watched_in_vain),
        cmocka_unit_test(test_machine_without_solution),
        cmocka_unit_test(test_open),
    };
    return cmocka_run_group_tests_name("constructions", tests, NULL, NULL);
}
