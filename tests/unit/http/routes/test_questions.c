/* test_questions.c - tests that a question is what its text says, for every route and random values: the text of normal
 * values is read back as the same values, and normal values are left as they are. Whether equal texts have equal bodies
 * is for tests/http/model.test.js to see. */
/* CI builds: address */
#include "engine/ask/query_values.h"
#include "http/routes/routes.h"
#include "support/facts.h"
#include "support/painted_boards.h"

/* Questions tried for each route, and how many of them must be accepted. */
enum { TRIES = 3000, LEAST = 100 };

static void write_regions(uint64_t *dice, struct bytes *out)
{
    uint8_t of[PAINTED_MAX_N * PAINTED_MAX_N];
    const uint32_t n = 4 + facts_below(dice, 3);
    const char first = facts_below(dice, 2) ? 'a' : 'G';
    painted_random(dice, n, of);
    for (uint32_t i = 0; i < n * n; i++) {
        if (i && i % n == 0)
            bytes_char(out, '/');
        bytes_char(out, (char)(first + of[i]));
    }
}

static void write_text(uint64_t *dice, const struct param *row, struct bytes *out)
{
    static const char *const codes[] = {"131w", "131W", "1nonsense"};
    if (row->board)
        write_regions(dice, out);
    else if (strcmp(row->name, "daily") == 0)
        bytes_format(out, "20%02u-0%u-11", facts_below(dice, 100), 1 + facts_below(dice, 9));
    else
        bytes_text(out, codes[facts_below(dice, 3)]);
}

/* A value as somebody might write it. */
static void write_value(uint64_t *dice, const struct param *row, struct bytes *out)
{
    const uint32_t many = 1 + facts_below(dice, 3);
    size_t choices = 0;
    switch (row->type) {
    case PARAM_NUMBER:
        bytes_format(out, "%u", (unsigned)row->least + facts_below(dice, 12));
        if (row->sizes && facts_below(dice, 4) == 0)
            bytes_format(out, "-%u", (unsigned)row->least + 12 + facts_below(dice, 20));
        break;
    case PARAM_CHOICE:
        while (row->choices(choices))
            choices++;
        bytes_text(out, row->choices(facts_below(dice, (uint32_t)choices)));
        break;
    case PARAM_TOKEN: bytes_text(out, "AbC-_9"); break;
    case PARAM_TEXT: write_text(dice, row, out); break;
    case PARAM_RANGE: bytes_format(out, "%u-%u", many, many + facts_below(dice, 3)); break;
    case PARAM_SQUARES:
        for (uint32_t i = many; i > 0; i--) /* not in order */
            bytes_format(out, "%s%u:%u", i < many ? "," : "", i, 1 + facts_below(dice, 4));
        break;
    case PARAM_QUEENS: bytes_text(out, many == 1 ? "" : many == 2 ? "2,4,1,3" : "3:1,1:2"); break;
    case PARAM_COLUMNS:
        for (uint32_t i = 0; i < many; i++)
            bytes_format(out, "%s%u", i ? "," : "", 1 + i);
        break;
    case PARAM_FACTORS: bytes_format(out, "%ux%u", 2 + facts_below(dice, 4), 5); break;
    }
}

/* Reads random values of a route, some of them given. */
static void read_values(uint64_t *dice, const struct route *route, struct params *params)
{
    params_begin(params, route->asks.params);
    for (const struct param *row = route->asks.params; row->name; row++) {
        BYTES(value);
        if (facts_below(dice, 100) >= (row->required ? 95 : 12))
            continue;
        write_value(dice, row, &value);
        params_read(params, row->name, strlen(row->name), value.data, value.size);
    }
    params_end(params);
}

static char *text_of(const struct route *route, const struct value *values)
{
    struct bytes text = {0};
    bytes_text(&text, route->asks.path);
    params_canonical(route->asks.params, values, true, &text);
    char *taken = bytes_take(&text);
    assert_non_null(taken);
    return taken;
}

static size_t size_of_items(const struct param *row, const struct value *value)
{
    switch (row->type) {
    case PARAM_QUEENS:
    case PARAM_SQUARES: return value->number * sizeof *value->squares;
    case PARAM_COLUMNS: return value->number * sizeof *value->columns;
    case PARAM_FACTORS: return value->number * sizeof *value->factors;
    default: return 0;
    }
}

/* Whether they say the same: one of them may give what the other leaves to the preset. */
static void assert_same(const struct param *row, const struct value *one, const struct value *other)
{
    if (one->number != other->number || one->ranged != other->ranged || (one->ranged && one->last != other->last))
        fail_msg("%s differs", row->name);
    if (!one->given || !other->given)
        return;
    if (row->type == PARAM_TOKEN || row->type == PARAM_TEXT)
        assert_string_equal(one->text, other->text);
    const size_t size = size_of_items(row, one);
    if (size)
        assert_memory_equal(one->items, other->items, size);
}

/* False: the values are refused. */
static bool check_question(uint64_t *dice, const struct route *route)
{
    struct params asked, read;
    struct regions regions; /* what they say may contradict n or rules */
    read_values(dice, route, &asked);
    if (!question_normalise(&route->asks, &asked) ||
        !query_regions_read(route->asks.params, asked.values, &asked.errors, &regions) || asked.errors.made)
        return false;
    (void)question_draw(&route->asks, asked.values);
    OWNED(free) char *text = text_of(route, asked.values);
    if (!question_parse(&route->asks, text, &read))
        fail_msg("%s is not read back: %s %s", text, read.errors.list[0].parameter, read.errors.list[0].reason);
    OWNED(free) char *again = text_of(route, read.values);
    assert_string_equal(again, text);
    free(again);
    for (size_t i = 0; route->asks.params[i].name; i++)
        if (!route->asks.params[i].keep || asked.values[i].given)
            assert_same(&route->asks.params[i], &asked.values[i], &read.values[i]);
    assert_false(question_draw(&route->asks, read.values)); /* it has its seed */
    assert_true(question_normalise(&route->asks, &asked));
    again = text_of(route, asked.values);
    assert_string_equal(again, text);
    return true;
}

TEST(test_texts)
{
    uint64_t dice = 42;
    size_t asking = 0;
    for (const struct route *const *at = routes; *at; at++) {
        unsigned accepted = 0;
        if (!(*at)->read)
            continue;
        for (unsigned i = 0; i < TRIES; i++)
            accepted += check_question(&dice, *at);
        if (accepted < LEAST)
            fail_msg("of %s only %u questions were accepted", (*at)->asks.path, accepted);
        asking++;
    }
    assert_true(asking >= 8);
}

/* What is no text of a form. */
TEST(test_other_texts)
{
    static const char *const texts[] = {"",
                                        "/",
                                        "/count",
                                        "/counts?n=8",
                                        "/count?",
                                        "/count?n",
                                        "count?n=8",
                                        "/count?n=8&",
                                        "/count&n=8",
                                        "/count?n=8?by=square",
                                        "/count?m=8",
                                        "/count?n=8&n=8",
                                        "/count?n=08",
                                        "/count?n=8&method=estimate&place=1:1&walks=0"};
    const struct route *count = NULL;
    struct params params;
    for (const struct route *const *at = routes; *at; at++)
        if (strcmp((*at)->asks.path, "/count") == 0 && (*at)->verb == VERB_READ)
            count = *at;
    assert_non_null(count);
    assert_true(question_parse(&count->asks, "/count?n=8", &params));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (question_parse(&count->asks, texts[i], &params))
            fail_msg("%s", texts[i]);
}

GROUP(NULL, NULL)
