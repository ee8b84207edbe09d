/* test_products.c - tests of src/constructions: the linear and the tensor product method build what their formulas say,
 * and every method gives the right reason why it has no solution. */
/* CI builds: address */
#include <nqueens.h>

#include "support/built_columns.h"
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"

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

TEST(test_linear)
{
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
    const struct construction_settings largest = {
        .n = 999999937, .rule = rules[0], .multiplier = 999999935, .shift = 1000000000};
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

TEST(test_tensor_of_the_article)
{
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

/* A factor that is given as a board is that board. */
static void give(struct construction_settings *settings, uint32_t factor, const uint8_t *columns)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < factor; i++)
        at += settings->given[i] ? settings->factors[i] : 0;
    settings->given[factor] = true;
    memcpy(settings->columns + at, columns, settings->factors[factor]);
}

static void check_given(struct construction_settings *settings, const uint8_t *outer, const uint8_t *inner)
{
    const struct construction *tensor = construction_find("tensor");
    uint32_t columns[2][128], expected[128 * 32];
    uint64_t dice = 5;
    give(settings, 0, outer);
    give(settings, 1, inner);
    for (uint32_t i = 0; i < settings->factors[0]; i++)
        columns[0][i] = outer[i];
    for (uint32_t i = 0; i < settings->factors[1]; i++)
        columns[1][i] = inner[i];
    uint32_t *built = build_with(tensor, settings, UINT64_MAX);
    multiply(settings->factors[0], columns[0], settings->factors[1], columns[1], expected);
    assert_memory_equal(built, expected, settings->n * sizeof *built);
    free(built);
    check_pieces(tensor, settings, &dice);
}

TEST(test_given_boards)
{
    const struct construction *tensor = construction_find("tensor");
    static const uint8_t article[] = {1, 4, 2, 0, 3}, other[] = {0, 2, 4, 1, 3}, four[] = {1, 3, 0, 2},
                         attacking[] = {0, 1, 2, 3, 4};
    struct construction_settings settings = product_of(2, (const uint32_t[]){5, 5});
    check_given(&settings, article, article);
    uint32_t *built = build_with(tensor, &settings, UINT64_MAX);
    const json_t *printed = json_object_get(facts_seed("romani"), "tensor25");
    for (uint32_t row = 0; row < 25; row++)
        assert_int_equal(built[row] + 1, facts_at(printed, row));
    free(built);
    settings = product_of(2, (const uint32_t[]){5, 5});
    check_given(&settings, other, article);
    settings = product_of(2, (const uint32_t[]){4, 5});
    check_given(&settings, four, other);
    check_solution(tensor, &settings);
    settings = product_of(3, (const uint32_t[]){6, 5, 1001}); /* in the middle only */
    give(&settings, 1, other);
    check_solution(tensor, &settings);

    char why[CONSTRUCTION_WHY_MAX];
    settings = product_of(2, (const uint32_t[]){5, 5});
    give(&settings, 0, attacking);
    assert_int_equal(tensor->check(&settings, why), NQ_NONE);
    assert_string_equal(why, "The board that is factor 1 is no solution with rules=queens, as the outermost must be.");
    settings = product_of(2, (const uint32_t[]){5, 4});
    give(&settings, 1, four); /* a solution, but not on the torus */
    assert_int_equal(tensor->check(&settings, why), NQ_NONE);
    assert_string_equal(why, "The board that is factor 2 is no solution with rules=toroidal, as inner ones must be.");
    settings = product_of(2, (const uint32_t[]){4, 5});
    give(&settings, 0, four);
    settings.rule = sift_rule("toroidal");
    assert_int_equal(tensor->check(&settings, why), NQ_NONE);
}

TEST(test_tensor)
{
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

TEST(test_reasons)
{
#define OTHERS " Methods that have a solution: explicit, "
    struct construction_settings settings = construction_presets(800);
    refuses("linear", &settings, NQ_NONE,
            "A linear solution needs an n that neither 2 nor 3 divides; 800 is divisible by 2." OTHERS
            "tensor, local-search, random.");
    settings.n = 999999999;
    refuses("linear", &settings, NQ_NONE,
            "A linear solution needs an n that neither 2 nor 3 divides; 999999999 is divisible by 3." OTHERS "tensor.");
    settings = construction_presets(1001);
    settings.multiplier = 7;
    refuses("linear", &settings, NQ_NONE,
            "multiplier = 7 and n = 1001 have the common divisor 7." OTHERS
            "linear with its defaults, tensor, local-search, random.");
    settings.multiplier = 1;
    refuses("linear", &settings, NQ_NONE,
            "multiplier - 1 = 0 and n = 1001 have the common divisor 1001." OTHERS
            "linear with its defaults, tensor, local-search, random.");
    settings.multiplier = 10;
    refuses("linear", &settings, NQ_NONE,
            "multiplier + 1 = 11 and n = 1001 have the common divisor 11." OTHERS
            "linear with its defaults, tensor, local-search, random.");
    settings = construction_presets(1024);
    refuses("tensor", &settings, NQ_NONE,
            "1024 is not the product of a board that has a solution and a toroidal one, whose size neither 2 nor 3 "
            "divides." OTHERS "local-search, random.");
    settings = product_of(2, (const uint32_t[]){125, 6});
    refuses("tensor", &settings, NQ_NONE,
            "Inner factors must be toroidal: above 1, and neither 2 nor 3 divides them; 6 is not." OTHERS
            "tensor with its defaults, local-search, random.");
    settings = product_of(2, (const uint32_t[]){3, 257});
    refuses("tensor", &settings, NQ_NONE,
            "The outer factor must be at least 4; it is 3." OTHERS "local-search, random.");
    settings = product_of(2, (const uint32_t[]){5, 5});
    settings.n = 26;
    refuses("tensor", &settings, NQ_INVALID, "");
    settings = product_of(1, (const uint32_t[]){25});
    refuses("tensor", &settings, NQ_INVALID, "");
    settings.n = 1;
    refuses("tensor", &settings, NQ_INVALID, "");
    /* A product that is 0 below 2^32 and 25 below 2^64 is neither. */
    settings = product_of(4, (const uint32_t[]){65536, 65536, 65536, 65536});
    settings.n = 25;
    refuses("tensor", &settings, NQ_INVALID, "");
#undef OTHERS
}

/* The longest sentence there is: it is whole. */
TEST(test_reasons_fit)
{
    struct construction_settings settings = construction_presets(9999985);
    char why[CONSTRUCTION_WHY_MAX];
    for (settings.multiplier = 1; settings.multiplier < 1000; settings.multiplier++)
        if (construction_check(construction_find("linear"), &settings, why) == NQ_NONE)
            assert_int_equal(why[strlen(why) - 1], '.');
    settings = construction_presets(9999998);
    assert_int_equal(construction_check(construction_find("tensor"), &settings, why), NQ_NONE);
    assert_int_equal(why[strlen(why) - 1], '.');
}

/* ---- Other rules ---- */

static bool peaceful_by(const struct rule *rule, uint32_t n, const uint32_t *columns)
{
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t above = 0; above < row; above++)
            if (rule_line(rule, n, above, columns[above], row, columns[row]) != CONFLICT_LINES)
                return false;
    return true;
}

/* What is claimed by a rule is a solution by it, and the limits are those of the table. */
TEST(test_by_rule)
{
    for (const struct rule *const *rule = rules; *rule; rule++)
        for (const struct construction *const *at = constructions; *at; at++) {
            uint32_t able = 0;
            if (strcmp((*rule)->name, "queens") == 0 || (*at)->fails)
                continue;
            for (uint32_t n = 0; n <= 60; n += SANITIZED && n > 30 ? 5 : 1) {
                const struct construction_settings settings = {.n = n, .rule = *rule, .seed = n};
                char why[CONSTRUCTION_WHY_MAX];
                if (!opens(*at) || n > construction_max_n(*at, *rule) ||
                    construction_check(*at, &settings, why) != NQ_OK)
                    continue;
                uint32_t *columns = build_with(*at, &settings, UINT64_MAX);
                if (!peaceful_by(*rule, n, columns))
                    fail_msg("%s, n=%u by %s: not a solution", (*at)->name, n, (*rule)->name);
                free(columns);
                able += n > 1;
            }
            assert_int_equal(able > 0, opens(*at) && construction_max_n(*at, *rule) > 0);
            const struct construction_settings large = {.n = 499, .rule = *rule, .seed = 1}; /* a prime */
            if (!opens(*at) || large.n > construction_max_n(*at, *rule) || !construction_able(*at, large.n, *rule))
                continue;
            uint32_t *columns = build_with(*at, &large, 4096);
            assert_true(peaceful_by(*rule, large.n, columns));
            free(columns);
        }
}

/* Solutions of queens are solutions by a weaker rule; by the others some are not. */
TEST(test_weaker)
{
    size_t count;
    uint32_t *solutions = facts_solutions(8, &count);
    for (const struct rule *const *rule = rules; *rule; rule++) {
        size_t right = 0;
        if (strcmp((*rule)->name, "queens") == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            right += peaceful_by(*rule, 8, solutions + 8 * i);
        assert_int_equal(right == count, (*rule)->weaker);
    }
    free(solutions);
}

/* Every multiplier and shift that is claimed, and no other; where lines need not go round a torus, more do. */
TEST(test_linear_by_rule)
{
    static const char *const names[] = {"toroidal", "toroidal-semiqueens", "superqueens", "semiqueens", "touching"};
    const struct construction *linear = construction_find("linear");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (uint32_t n = 2; n <= 31; n++)
            for (uint32_t multiplier = 1; multiplier <= n + 1; multiplier++) {
                const struct construction_settings settings = {
                    .n = n, .rule = sift_rule(names[i]), .multiplier = multiplier, .shift = multiplier * 7};
                char why[CONSTRUCTION_WHY_MAX];
                uint32_t columns[31];
                for (uint32_t row = 0; row < n; row++)
                    columns[row] = (multiplier * (row + 1) + settings.shift) % n;
                const bool claimed = construction_check(linear, &settings, why) == NQ_OK;
                const bool right = peaceful_by(settings.rule, n, columns);
                assert_true(i >= 3 ? right || !claimed : right == claimed);
            }
}

TEST(test_reasons_by_rule)
{
    struct construction_settings settings = {.n = 100, .rule = sift_rule("superqueens")};
    refuses("linear", &settings, NQ_NONE,
            "A linear solution needs an n that neither 2 nor 3 divides; 100 is divisible by 2. Methods that have a "
            "solution: local-search.");
    settings.n = 25;
    settings.multiplier = 2;
    refuses("linear", &settings, NQ_NONE,
            "With multiplier = 2 and n = 25 queens stand a knight's move apart. Methods that have a solution: linear "
            "with its defaults, local-search, random.");
    settings = (struct construction_settings){.n = 8, .rule = sift_rule("toroidal-semiqueens")};
    refuses("linear", &settings, NQ_NONE, "");
    settings = (struct construction_settings){.n = 35, .rule = sift_rule("toroidal-semiqueens")};
    settings.factor_count = 2;
    settings.factors[0] = 35;
    settings.factors[1] = 1;
    refuses("tensor", &settings, NQ_NONE,
            "Inner factors must be toroidal: above 1, and neither 2 nor 3 divides them; 1 is not. Methods that have a "
            "solution: linear, tensor with its defaults, random.");
    settings = (struct construction_settings){.n = 45, .rule = sift_rule("toroidal-semiqueens")};
    refuses("tensor", &settings, NQ_NONE,
            "With rules=toroidal-semiqueens all factors must be toroidal: neither 2 nor 3 divides them; 9 is not. "
            "Methods that have a solution: linear, random.");
    settings = (struct construction_settings){.n = 3, .rule = sift_rule("semiqueens")};
    refuses("explicit", &settings, NQ_NONE,
            "The method explicit has no solution of n = 3. Methods that have a solution: linear, random.");
}
