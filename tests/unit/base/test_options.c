/* test_options.c - tests of src/base/options.c: a value is stored when it is sound; else it is named, with what would
 * be. */
/* CI builds: address */
#include "base/options.h"

#include "support/captured_log.h"

struct words {
    unsigned long number, other;
    const char *text;
    char letter;
};

static bool read_letter(const char *value, void *to)
{
    char *letter = to;
    *letter = value[0];
    return value[0] && !value[1];
}

/* Reads up to four words; returns what was written on standard error, "" if they are sound. The caller frees. */
static char *read_words(struct words *words, const char *const *line)
{
    const struct command_option table[] = {
        {.name = "--number", .number = &words->number, .least = 3, .most = 70},
        {.name = "--other", .number = &words->other, .most = UINT64_MAX},
        {.name = "--text", .text = &words->text},
        {.name = "--letter", .read = read_letter, .to = &words->letter, .form = "a letter"},
        {0},
    };
    char *arguments[4];
    int count = 0;
    for (; count < 4 && line[count]; count++)
        arguments[count] = (char *)line[count];
    capture_begin();
    const bool sound = options_read("try", table, count, arguments);
    char *text = capture_end(NULL);
    assert_int_equal(sound, !*text);
    return text;
}

#define WORDS(...) ((const char *const[5]){__VA_ARGS__})

static void check(const char *const *line, const char *expected)
{
    struct words words = {0};
    OWNED(free) char *text = read_words(&words, line);
    assert_string_equal(text, expected);
}

TEST(test_values_are_stored)
{
    struct words words = {.number = 5, .other = 6, .text = "preset", .letter = 'p'};
    free(read_words(&words, WORDS(NULL)));
    assert_int_equal(words.number, 5);
    assert_string_equal(words.text, "preset");
    free(read_words(&words, WORDS("--text", "--number", "--letter", "x")));
    assert_string_equal(words.text, "--number");
    assert_int_equal(words.letter, 'x');
    assert_int_equal(words.number, 5);
    free(read_words(&words, WORDS("--number", "3", "--number", "070"))); /* the last one counts */
    assert_int_equal(words.number, 70);
    free(read_words(&words, WORDS("--other", "18446744073709551615")));
    assert_true(words.other == UINT64_MAX);
}

TEST(test_wrong_words_are_named)
{
    static const char *const numbers[] = {"", "2", "71", "+5", "-5", " 5", "5 ", "5x", "0x5", "18446744073709551621"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char expected[128];
        (void)snprintf(expected, sizeof expected, "nqueensd try: --number: '%s' is not a whole number from 3 to 70\n",
                       numbers[i]);
        check(WORDS("--number", numbers[i]), expected);
    }
    check(WORDS("--other", "18446744073709551616"), "nqueensd try: --other: '18446744073709551616' is not a whole "
                                                    "number from 0 to 18446744073709551615\n");
    check(WORDS("--letter", "xy"), "nqueensd try: --letter: 'xy' is not a letter\n");
    check(WORDS("--number"), "nqueensd try: --number needs a value; --help lists them\n");
    check(WORDS("--text", "x", "--letter"), "nqueensd try: --letter needs a value; --help lists them\n");
    check(WORDS("--numbers", "5"), "nqueensd try: --numbers is not an option; --help lists them\n");
    check(WORDS("5"), "nqueensd try: 5 is not an option; --help lists them\n");
}

TEST(test_words_that_ask_for_help)
{
    assert_true(options_help("--help") && options_help("-h") && options_help("help"));
    assert_false(options_help("") || options_help("--hel") || options_help("--helper") || options_help("-help"));
}
