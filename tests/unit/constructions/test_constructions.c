/* test_constructions.c - tests of src/constructions: every method builds a solution of every size it claims to, claims
 * what it should, tells it in pieces as it tells it whole, and works in slices as in one go. */
/* CI builds: address */

#include "base/status.h"
#include "solvers/solver.h"
#include "support/built_columns.h"
#include "support/checked_steps.h"
#include "support/sanitizer.h"

/* ---- What is claimed ---- */

/* Whether n is a board that has a solution times a toroidal one. */
static bool product(uint32_t n)
{
    for (uint32_t inner = 5; inner <= n / 4; inner++)
        if (n % inner == 0 && inner % 2 && inner % 3)
            return true;
    return false;
}

TEST(test_claims)
{
    const struct construction *linear = construction_find("linear"), *tensor = construction_find("tensor");
    for (uint32_t n = 4; n <= 1500; n++) {
        assert_true(claims_size(construction_find("explicit"), n));
        assert_true(claims_size(construction_find("local-search"), n));
        assert_int_equal(claims_size(linear, n), n % 2 && n % 3);
        assert_int_equal(claims_size(tensor, n), product(n));
    }
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 0; n <= 3; n++)
            assert_int_equal(claims_size(*at, n), n <= 1 && opens(*at));
}

/* Under a sanitizer some of the larger ones, of all residues. */
TEST(test_every_size)
{
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 0; n <= 300; n += SANITIZED && n > 60 ? 7 : 1) {
            struct construction_settings settings = construction_presets(n);
            settings.seed = n / 7;
            if (claims_size(*at, n))
                check_solution(*at, &settings);
        }
}

/* All residues modulo 12: the families of closed forms go by 6 and 12. */
TEST(test_around_twenty_thousand)
{
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 19994; n <= 20005; n++) {
            const struct construction_settings settings = construction_presets(n);
            if (claims_size(*at, n))
                check_solution(*at, &settings);
        }
}

TEST(test_smallest)
{
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

TEST(test_pieces)
{
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

TEST(test_billions)
{
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

/* ---- Local search ---- */

TEST(test_local_search)
{
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
        for (uint64_t seed = 0; seed < 20; seed++) {
            settings = construction_presets(n);
            settings.seed = seed << 40 | n;
            check_solution(search, &settings);
        }
}

/* What a seed gave once it gives for ever, on every machine. */
TEST(test_local_search_is_frozen)
{
    static const uint32_t expected[] = {16, 4, 19, 1, 9, 14, 17, 15, 3, 5, 7, 13, 18, 12, 6, 0, 2, 11, 8, 10};
    struct construction_settings settings = construction_presets(20);
    settings.seed = 2026;
    uint32_t *columns = build_with(construction_find("local-search"), &settings, UINT64_MAX);
    assert_memory_equal(columns, expected, sizeof expected);
    free(columns);
}

/* Every solution of a small board can come. */
TEST(test_local_search_finds_all)
{
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

TEST(test_allowance)
{
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

TEST(test_machine)
{
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
TEST(test_watched)
{
    unsigned watched = 0;
    bool again = false, swapped = false;
    for (const struct construction *const *at = constructions; *at; at++) {
        const struct construction *method = *at;
        for (uint32_t n = 4; method->machine && !method->fails && n <= method->machine_max_n;
             n = n < 40 ? n + 1 : n * 12) {
            struct construction_settings settings = construction_presets(n);
            settings.seed = n * UINT64_C(1000003);
            const struct machine_settings same = {.n = n, .rule = rules[0], .seed = settings.seed};
            const struct checked_steps run = checked_steps_run(method->machine, &same, 1000000);
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
TEST(test_watched_in_vain)
{
    unsigned watched = 0;
    for (const struct construction *const *at = constructions; *at; at++)
        for (uint32_t n = 2; (*at)->machine && n <= 3; n++) {
            const struct checked_steps run =
                checked_steps_run((*at)->machine, &(struct machine_settings){.n = n, .rule = rules[0]}, 10000);
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

TEST(test_machine_without_solution)
{
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

TEST(test_open)
{
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
