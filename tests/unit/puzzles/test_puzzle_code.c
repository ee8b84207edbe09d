/* test_puzzle_code.c - tests of src/puzzles/puzzle_code.c: names that come back from their codes, and days. */
/* CI builds: address */
#include "puzzles/puzzle_code.h"

#include <time.h>

#include "puzzles/generator.h"
#include "support/facts.h"

static void assert_same(const struct puzzle_name *a, const struct puzzle_name *b)
{
    assert_int_equal(a->revision, b->revision);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->level, b->level);
    assert_int_equal(a->seed, b->seed);
}

TEST(test_round_trip)
{
    uint64_t dice = 1;
    for (uint32_t round = 0; round < 5000; round++) {
        const struct puzzle_name name = {.revision = 1 + round % GENERATOR_REVISION,
                                         .n = GENERATOR_MIN_N + round % 16,
                                         .level = (enum level)(round / 16 % LEVELS),
                                         .seed = (facts_random(&dice) & PUZZLE_SEED_MAX) >> facts_below(&dice, 54)};
        struct puzzle_name back;
        char text[PUZZLE_CODE_MAX], capitals[PUZZLE_CODE_MAX];
        const size_t size = strlen(puzzle_code_write(&name, text));
        assert_true(size >= 3 && size < PUZZLE_CODE_MAX);
        assert_int_equal(puzzle_code_read(text, size, &back), PUZZLE_CODE_RIGHT);
        assert_same(&name, &back);
        for (size_t i = 0; i < size; i++)
            capitals[i] = (char)(text[i] >= 'a' ? text[i] - 'a' + 'A' : text[i]);
        assert_int_equal(puzzle_code_read(capitals, size, &back), PUZZLE_CODE_RIGHT);
        assert_same(&name, &back);
    }
}

/* Frozen: people have shared them. */
TEST(test_codes_that_were_shared)
{
    static const struct {
        struct puzzle_name name;
        const char *text;
    } codes[] = {
        {{1, 5, LEVEL_EASY, 0}, "103"},
        {{1, 8, LEVEL_HARD, 1}, "133j"},
        {{1, 20, LEVEL_EXPERT, PUZZLE_SEED_MAX}, "1fzzzzzzzzzzzs"},
        {{2, 8, LEVEL_HARD, 1}, "233b"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        char text[PUZZLE_CODE_MAX];
        assert_string_equal(puzzle_code_write(&codes[i].name, text), codes[i].text);
    }
}

TEST(test_mistyped_codes)
{
    static const char *const wrong[] = {"", "1", "10", "1l0", "1 00", "zzzzzzzzzzzzzzzz", "1zzzzzzzzzzzzz"};
    const struct puzzle_name name = {1, 8, LEVEL_HARD, 20261123};
    struct puzzle_name back;
    char text[PUZZLE_CODE_MAX];
    size_t accepted = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(puzzle_code_read(wrong[i], strlen(wrong[i]), &back), PUZZLE_CODE_WRONG);
    const size_t size = strlen(puzzle_code_write(&name, text));
    for (size_t i = 0; i < size; i++)
        for (const char *other = "0123456789abcdefghjkmnpqrstvwxyz"; *other; other++) {
            const char before = text[i];
            text[i] = *other;
            accepted += *other != before && puzzle_code_read(text, size, &back) == PUZZLE_CODE_RIGHT;
            text[i] = before;
        }
    assert_true(accepted <= size * 31 / 16); /* one in 32 has the right check digit */
    const struct puzzle_name later = {GENERATOR_REVISION + 1, 8, LEVEL_HARD, 1};
    assert_int_equal(puzzle_code_read(text, strlen(puzzle_code_write(&later, text)), &back), PUZZLE_CODE_REVISION);
}

/* Every day of four hundred years, after which they come again. */
TEST(test_days)
{
    static const enum level levels[] = {LEVEL_EXPERT, LEVEL_EASY, LEVEL_EASY, LEVEL_MEDIUM,
                                        LEVEL_MEDIUM, LEVEL_HARD, LEVEL_HARD};
    for (time_t day = 0; day < 146097; day++) {
        const time_t seconds = day * 86400;
        struct puzzle_name name = {.n = 9};
        struct tm date;
        char text[16];
        assert_non_null(gmtime_r(&seconds, &date));
        assert_int_equal(strftime(text, sizeof text, "%Y-%m-%d", &date), 10);
        assert_true(puzzle_daily(text, 10, &name));
        assert_int_equal(name.level, levels[date.tm_wday]);
        assert_int_equal(name.seed, (date.tm_year + 1900) * 10000 + (date.tm_mon + 1) * 100 + date.tm_mday);
        assert_int_equal(name.n, 9);
    }
}

TEST(test_no_days)
{
    static const char *const none[] = {"",           "2026-11-3",  "2026-11-031", "2026/11/23",
                                       "2026-13-01", "2026-00-10", "2026-02-29",  "2100-02-29",
                                       "2026-04-31", "2026-04-00", "1969-12-31",  "+026-11-23"};
    struct puzzle_name name;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(puzzle_daily(none[i], strlen(none[i]), &name));
    assert_true(puzzle_daily("2000-02-29", 10, &name));
}
