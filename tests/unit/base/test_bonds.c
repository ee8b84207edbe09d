/* test_bonds.c - tests of src/base/param.c: which parameters go together, and what is said of those that do not. */
/* CI builds: address */
#include "base/param.h"
#include "support/facts.h"

PARAM_CHOICES(ways, "plain", "fast", "slow");
PARAM_CHOICES(forms, "json", "lines", "picture");
PARAM_CHOICES(flags, "false", "true");

static bool is_slow(const char *way)
{
    return strcmp(way, "slow") == 0;
}

enum { N, WAY, FORM, FLAG, SEED, MOST, DEPTH };
static const struct param rows[] = {
    [N] = {.name = "n",
           .type = PARAM_NUMBER,
           .required = true,
           .most = 99,
           .sizes = 9,
           .bonds = BONDS(BOND(AT_LEAST, IS("form=picture"), .limit = 1), BOND(AT_MOST, IS("flag"), .limit = 8),
                          BOND(AT_MOST, IS("form=lines", .called = "a long list"), .limit = 9,
                               .unless_any = "seed flag", .because = ": it takes hours"))},
    [WAY] = {.name = "way",
             .type = PARAM_CHOICE,
             .choices = ways,
             .bonds = BONDS({.kind = NEVER, .own = "slow", .because = ": it is slow"},
                            BOND(EXCLUDES, IS("n="), .own = "fast", .because = "; ask for one n"),
                            BOND(MUST_BE, IS("depth"), .value = "plain"))},
    [FORM] = {.name = "form", .type = PARAM_CHOICE, .choices = forms, .keep = true},
    [FLAG] = {.name = "flag", .type = PARAM_CHOICE, .choices = flags, .neutral = true},
    [SEED] = {.name = "seed",
              .type = PARAM_NUMBER,
              .most = 99,
              .bonds = BONDS(BOND(EXCLUDES, IS("way", .has = is_slow), .unless = IS("flag")),
                             BOND(EXCLUDES, IS("most"), .also = IS("depth")), BOND(EXCLUDES, IS("nowhere")))},
    [MOST] = {.name = "most", .type = PARAM_NUMBER, .most = 99, .bonds = BONDS(BOND(NEEDS, IS("form=lines|picture")))},
    [DEPTH] = {.name = "depth",
               .type = PARAM_NUMBER,
               .most = 99,
               .bonds = BONDS(BOND(NEEDS, IS("seed"), .unless = IS("most")))},
    {0},
};

/* What is said of a query, each as "name reason", joined by "; ". */
static void assert_said(const char *query, const char *expected)
{
    struct params params;
    struct bytes said = {0};
    char copy[200], *rest = copy, *pair;
    (void)snprintf(copy, sizeof copy, "%s", query);
    params_begin(&params, rows);
    while ((pair = strsep(&rest, "&"))) {
        char *value = strchr(pair, '=');
        params_read(&params, pair, (size_t)(value - pair), value + 1, strlen(value + 1));
    }
    params_end(&params);
    const size_t before = params.errors.count;
    const bool kept = params_bonds(rows, params.values, &params.errors);
    assert_int_equal(kept, params.errors.count == before);
    for (size_t i = before; i < params.errors.count; i++)
        bytes_format(&said, "%s%s %s", i > before ? "; " : "", params.errors.list[i].parameter,
                     params.errors.list[i].reason);
    OWNED(free) char *text = bytes_take(&said);
    assert_string_equal(text, expected);
}

TEST(test_each_kind)
{
    assert_said("n=8", "");
    assert_said("n=0&form=picture", "n must be at least 1 with form=picture");
    assert_said("n=1&form=picture", "");
    assert_said("n=9&flag=true", "n must be at most 8 with flag=true");
    assert_said("n=8&flag=true", "");
    assert_said("n=10&form=lines", "n must be at most 9 with a long list: it takes hours");
    assert_said("n=9&form=lines", "");
    assert_said("n=10&form=lines&flag=false", "n must be at most 9 with a long list: it takes hours");
    assert_said("n=10&form=lines&seed=7", "");
    assert_said("n=8&way=slow", "way must not be slow: it is slow");
    assert_said("n=4-8&way=fast", "way cannot be fast together with n=4-8; ask for one n");
    assert_said("n=4&way=fast", "");
    assert_said("n=8&most=5", "most can be used only with form=lines or form=picture");
    assert_said("n=8&most=5&form=json", "most can be used only with form=lines or form=picture");
    assert_said("n=8&most=5&form=lines", "");
    assert_said("n=8&depth=5", "depth can be used only with seed or most");
    assert_said("n=8&depth=5&seed=1", "");
    assert_said("n=8&depth=5&seed=1&way=fast", "way must be plain with depth");
    assert_said("n=8&depth=5&most=1&form=lines&seed=0", "seed cannot be used together with most");
}

TEST(test_conditions)
{
    assert_said("n=9&flag=false", "");               /* a neutral preset asks for nothing */
    assert_said("n=8&seed=1&most=3&form=lines", ""); /* the other condition does not hold */
    assert_said("n=8&seed=1&way=slow&flag=true", "way must not be slow: it is slow");
    assert_said("n=8&seed=1&way=slow", "way must not be slow: it is slow; seed cannot be used together with way=slow");
    assert_said("n=x&form=picture", ""); /* what is not sound binds nothing */
    assert_said("n=8&most=5&form=nothing", "");
}

static const struct validation_error *only_error(struct params *params)
{
    assert_int_equal(params->errors.count, 1);
    return &params->errors.list[0];
}

TEST(test_members)
{
    struct params params;
    params_begin(&params, rows);
    params_read(&params, "n", 1, "8", 1);
    params_read(&params, "most", 4, "8", 1);
    params_end(&params);
    assert_false(params_bonds(rows, params.values, &params.errors));
    assert_int_equal(only_error(&params)->why, REFUSED_WITHOUT);
    assert_string_equal(only_error(&params)->values[0].text, "form=lines"); /* the first that will do */
    params_begin(&params, rows);
    params_read(&params, "n", 1, "9", 1);
    params_read(&params, "flag", 4, "true", 4);
    assert_false(params_bonds(rows, params.values, &params.errors));
    assert_int_equal(only_error(&params)->why, REFUSED_UPPER_LIMIT);
    assert_int_equal(only_error(&params)->values[0].number, 8);
    assert_false(params.errors.invalid); /* a matter of policy */
}
