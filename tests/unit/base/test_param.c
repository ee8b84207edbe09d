/* test_param.c - tests of src/base/param.c: values of every type, and every spelling of them the contract
 * refuses.
 */
/* CI builds: address */
#include "support/parameter_table.h"

/* A value of some bytes is refused, with this reason. */
static void refuses_bytes(const char *name, const char *value, size_t size, const char *reason)
{
    struct params query;
    query_begin(&query);
    query_bytes(&query, name, strlen(name), value, size);
    if (query.errors.count != 1)
        fail_msg("%s=%.*s: %zu complaints", name, (int)size, value, query.errors.count);
    assert_rejects(&query, 0, name, false, reason);
    assert_true(query.errors.invalid);
}

static const char not_number[] = "must be a whole number in plain digits, without sign or leading zeros, below 2^63";

TEST(test_numbers_refused)
{
    static const char *const bad[] = {
        "+8",  "-8",    "-1",  "-0",       " 8",       "8 ",           "\t8", "8\n", "08",  "00", "8.0",   "8.",
        ".8",  "8,0",   "1e3", "1E3",      "0x8",      "0X8",          "0b1", "010", "8q",  "q",  "eight", "8 8",
        "8_0", "1'000", "%38", "\xc2\xb2", "\xd9\xa8", "\xef\xbc\x98", "NaN", "inf", "--8", "8-"};
    static const char *const large[] = {"9223372036854775808", "9223372036854775817", "18446744073709551616",
                                        "18446744073709551624", "99999999999999999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refuses_bytes("limit", bad[i], strlen(bad[i]), not_number);
        refuses_bytes("n", bad[i], strlen(bad[i]), not_number);
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        refuses_bytes("limit", large[i], strlen(large[i]), not_number);
    refuses_bytes("n", "8\0", 2, not_number);
    refuses_bytes("n", "8\0009", 3, not_number);
    refuses_bytes("n", "\0", 1, not_number);
    refuses_bytes("n", "\xff", 1, not_number);
}

TEST(test_numbers_taken)
{
    static const struct {
        const char *text;
        uint64_t number;
    } good[] = {
        {"1", 1}, {"9", 9}, {"10", 10}, {"4294967296", UINT64_C(1) << 32}, {"9223372036854775799", INT64_MAX - 8}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct params query;
        query_begin(&query);
        query_text(&query, "limit", good[i].text);
        assert_int_equal(query.errors.count, 0);
        assert_true(query.values[LIMIT].given && query.values[LIMIT].sound);
        assert_int_equal(query.values[LIMIT].number, good[i].number);
        assert_false(query.values[N].given);
    }
}

/* The largest number below 2^63, and what is just beyond. */
TEST(test_the_largest_number)
{
    struct params query;
    query_begin(&query);
    query_text(&query, "limit", "9223372036854775807");
    assert_int_equal(query.errors.count, 0);
    assert_int_equal(query.values[LIMIT].number, INT64_MAX);
    refuses_bytes("limit", "9223372036854775808", 19, not_number);
}

/* Below the least it means nothing; above the most it is our limit. */
TEST(test_bounds)
{
    static const struct {
        const char *name, *value;
        size_t errors;
        bool policy;
        const char *reason;
    } cases[] = {
        {"n", "2", 0, false, NULL},
        {"n", "64", 0, false, NULL},
        {"n", "1", 1, false, "must be at least 2"},
        {"n", "0", 1, false, "must be at least 2"},
        {"n", "65", 1, true, "must be at most 64"},
        {"n", "9223372036854775000", 1, true, "must be at most 64"},
        {"limit", "0", 1, false, "must be at least 1"},
        {"count", "0", 0, false, NULL},
        {"count", "1001", 1, true, "must be at most 1000"},
        {"rows", "0-1000", 0, false, NULL},
        {"rows", "7-7", 0, false, NULL},
        {"rows", "0-1001", 1, true, "must be at most 1000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct params query;
        query_begin(&query);
        query_text(&query, cases[i].name, cases[i].value);
        assert_int_equal(query.errors.count, cases[i].errors);
        if (cases[i].errors)
            assert_rejects(&query, 0, cases[i].name, cases[i].policy, cases[i].reason);
        assert_int_equal(query.errors.invalid, cases[i].errors && !cases[i].policy);
    }
}

TEST(test_choices)
{
    static const char *const bad[] = {"Red",  "RED",  "re", "redd", " red",      "red ",   "yellow", "blue",
                                      "-ish", "red,", "0",  "1",    "red,green", "blue\n", "?",      "blueish"};
    for (size_t i = 0; query_rows[COLOUR].choices(i); i++) {
        struct params query;
        query_begin(&query);
        query_text(&query, "colour", query_rows[COLOUR].choices(i));
        assert_int_equal(query.errors.count, 0);
        assert_int_equal(query.values[COLOUR].number, i);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses_bytes("colour", bad[i], strlen(bad[i]), "must be one of red, green, blue-ish");
    refuses_bytes("colour", "red\0", 4, "must be one of red, green, blue-ish");
}

TEST(test_tokens)
{
    static const char reason[] = "is not a cursor of this service; take next_cursor of a page, or leave the cursor out";
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    struct params query;
    char longest[PARAM_TOKEN_MAX + 1];
    query_begin(&query);
    query_text(&query, "cursor", all);
    assert_int_equal(query.errors.count, 0);
    assert_string_equal(query.values[CURSOR].token, all);
    memset(longest, 'x', sizeof longest);
    query_begin(&query);
    query_bytes(&query, "cursor", 6, longest, PARAM_TOKEN_MAX);
    assert_int_equal(query.errors.count, 0);
    assert_int_equal(strlen(query.values[CURSOR].token), PARAM_TOKEN_MAX);
    refuses_bytes("cursor", longest, PARAM_TOKEN_MAX + 1, reason);
    for (int c = 0; c < 256; c++) {
        const char text[] = {'a', (char)c, 'b'};
        if (c == 0 || !strchr(all, c))
            refuses_bytes("cursor", text, 3, reason);
    }
}

/* Whatever a query may hold without escapes. n is not required with it. */
TEST(test_texts)
{
    static const char good[] = "https://puzz.link/p?a/8_Z-9.";
    static const char *const bad[] = {"a b", "a&b", "a=b", "a%2f", "a+b", "a,b", "\xc3\xa9", "a\nb", "\x7f"};
    struct params query;
    char longest[PARAM_TEXT_MAX + 1];
    query_begin(&query);
    query_text(&query, "text", good);
    query_text(&query, "shade", "red");
    params_end(&query);
    assert_int_equal(query.errors.count, 0);
    assert_string_equal(query.values[TEXT].text, good);
    assert_true(query.values[N].sound && !query.values[N].given);
    memset(longest, 'a', sizeof longest);
    query_begin(&query);
    query_bytes(&query, "text", 4, longest, PARAM_TEXT_MAX);
    assert_int_equal(query.errors.count, 0);
    assert_int_equal(strlen(query.values[TEXT].text), PARAM_TEXT_MAX);
    query_begin(&query);
    query_bytes(&query, "text", 4, longest, PARAM_TEXT_MAX + 1);
    assert_rejects(&query, 0, "text", true, "must have at most 511 characters");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses_bytes("text", bad[i], strlen(bad[i]), "must have only letters, digits and - . / : ? _");
    refuses_bytes("text", "a\0b", 3, "must have only letters, digits and - . / : ? _");
}

TEST(test_ranges)
{
    static const char reason[] =
        "must be two whole numbers below 2^63, first-last, without signs or leading zeros, as in 1-5";
    static const char *const bad[] = {
        "-",    "1",    "1-",   "-1",   "1--2", "1-2-3", "a-b",   "1-b",
        "01-2", "1-02", "1 -2", "1- 2", "+1-2", "1:2",   "1-1e1", "1-9223372036854775808"};
    struct params query;
    query_begin(&query);
    query_text(&query, "rows", "10-200");
    assert_int_equal(query.errors.count, 0);
    assert_int_equal(query.values[ROWS].number, 10);
    assert_int_equal(query.values[ROWS].last, 200);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses_bytes("rows", bad[i], strlen(bad[i]), reason);
    refuses_bytes("rows", "1-2\0", 4, reason);
    refuses_bytes("rows", "3-2", 3, "must have a first number that is not above the last");
}

/* Reads a list, which must be taken, and compares what it is written as; returns its value. */
static struct value takes(struct params *query, size_t row, const char *text, size_t count, const char *canonical)
{
    BYTES(form);
    query_begin(query);
    query_text(query, query_rows[row].name, text);
    if (query->errors.count)
        fail_msg("%s: %s", text, query->errors.list[0].reason);
    const struct value value = query->values[row];
    assert_true(value.given && value.sound);
    assert_int_equal(value.number, count);
    params_canonical(&query_rows[row], &query->values[row], true, &form);
    bytes_char(&form, '\0');
    assert_string_equal(strchr(form.data, '=') + 1, canonical);
    return value;
}

static void takes_squares(const char *text, size_t count, const char *canonical)
{
    struct params query;
    const struct value value = takes(&query, PLACES, text, count, canonical);
    for (size_t i = 1; i < count; i++) {
        const struct param_square *a = &value.squares[i - 1], *b = a + 1;
        assert_true(a->row < b->row || (a->row == b->row && a->column < b->column));
    }
}

/* Columns stay in their order, and so do factors. */
static void takes_columns(const char *text, size_t count)
{
    struct params query;
    (void)takes(&query, AFTER, text, count, text);
}

static void takes_factors(const char *text, size_t count, uint32_t last)
{
    struct params query;
    assert_int_equal(takes(&query, FACTORS, text, count, text).factors[count - 1], last);
}

static void takes_boards(const char *text, const char *canonical, size_t count, uint64_t words)
{
    struct params query;
    assert_int_equal(takes(&query, FACTORS, text, count, canonical).last, words);
}

/* So many columns together, in one board or two. */
TEST(test_columns_of_boards)
{
    BYTES(half);
    BYTES(whole);
    for (int i = 1; i <= PARAM_FACTOR_COLUMNS_MAX / 2; i++)
        bytes_format(&half, "%s%d", i > 1 ? "," : "", i);
    bytes_text(&whole, "7x");
    bytes_add(&whole, half.data, half.size);
    bytes_char(&whole, 'x');
    bytes_add(&whole, half.data, half.size);
    bytes_char(&whole, '\0');
    takes_boards(whole.data, whole.data, 3, 3 + PARAM_FACTOR_COLUMNS_MAX);
    whole.size--;
    bytes_text(&whole, "x1,2");
    struct params query;
    query_begin(&query);
    query_bytes(&query, "factors", 7, whole.data, whole.size);
    assert_rejects(&query, 0, "factors", true, "must have boards of at most 128 columns together");
}

TEST(test_columns)
{
    static const char refused[] =
        "must be whole numbers and commas, in plain digits without signs or leading zeros, as in 2,4,1,3";
    static const char *const bad[] = {",", "1,", ",1", "1,,2", "1;2", "1, 2", "+1", "01", "1,65536", "a", "1,-2"};
    BYTES(many);
    takes_columns("0", 1);
    takes_columns("65535", 1);
    takes_columns("5,3,3,65535,0", 5);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses_bytes("after", bad[i], strlen(bad[i]), refused);
    for (int i = 1; i < PARAM_COLUMNS_MAX; i++)
        bytes_format(&many, "%d,", i);
    bytes_format(&many, "%d", PARAM_COLUMNS_MAX);
    bytes_char(&many, '\0');
    takes_columns(many.data, PARAM_COLUMNS_MAX);
    many.size--;
    bytes_text(&many, ",1");
    struct params query;
    query_begin(&query);
    query_bytes(&query, "after", 5, many.data, many.size);
    assert_int_equal(query.errors.count, 1);
    assert_true(refusals[query.errors.list[0].why].policy);
    assert_string_equal(query.errors.list[0].reason, "must have at most 1000 numbers");
}

/* A placement is what was said of it: columns in their order, or squares in theirs; of none there is nothing. */
TEST(test_queens)
{
    static const char *const bad_columns[] = {",", "1,", "1,,2", "01", "1,65536", "a", "2,1:2"};
    static const char *const bad_squares[] = {"1:",      ":1",          "1:2,",    "1:2,3",
                                              "65535:1", "1:1,65535:1", "1:65536", "1:2:3"};
    struct params query;
    assert_int_equal(takes(&query, BEFORE, "5,3,3,65535,0", 5, "5,3,3,65535,0").squares[1].row, PARAM_NO_ROW);
    assert_int_equal(takes(&query, BEFORE, "65534:7,2:65535,2:4", 3, "2:4,2:65535,65534:7").squares[1].column, 65535);
    for (size_t i = 0; i < sizeof bad_columns / sizeof bad_columns[0]; i++)
        refuses_bytes(
            "before", bad_columns[i], strlen(bad_columns[i]),
            "must be whole numbers and commas, in plain digits without signs or leading zeros, as in 2,4,1,3");
    for (size_t i = 0; i < sizeof bad_squares / sizeof bad_squares[0]; i++)
        refuses_bytes("before", bad_squares[i], strlen(bad_squares[i]),
                      "must be squares in plain digits without signs or leading zeros, as in 1:5,2:7 (row:column)");
    refuses_bytes("before", "1:2,1:2", 7, "names square 1:2 twice");
    query_begin(&query);
    query_bytes(&query, "before", 6, "", 0);
    assert_int_equal(query.errors.count, 0);
    assert_true(query.values[BEFORE].given && query.values[BEFORE].sound && query.values[BEFORE].number == 0);
}

TEST(test_factors)
{
    static const char refused[] =
        "must be whole numbers of 2 or more, or boards with each column once, in plain digits without signs or leading "
        "zeros, joined by x, as in 5x25 or 4x2,5,3,1,4";
    static const char *const bad[] = {"x",     "5x",    "x5",   "5xx5",       "5X5",
                                      "5*5",   "5 x5",  "5x 5", "5x5 ",       "+5x5",
                                      "-5",    "05x5",  "5x05", "1x5",        "5x0",
                                      "5.0x5", "5x5x1", "a",    "5xa",        "5,5",
                                      "0",     "1",     "0x5",  "5x\xc3\x97", "9223372036854775808",
                                      "1,1",   "1,3",   "0,2",  "0,1,3",      "2,1,",
                                      ",2,1",  "2,,1",  "1,02", "3,1,2,",     "5x1,2,3,5"};
    takes_factors("2", 1, 2);
    takes_factors("5x5x25", 3, 25);
    takes_factors("25x5x5", 3, 5);
    takes_boards("2,5,3,1,4x2,5,3,1,4", "2,5,3,1,4x2,5,3,1,4", 2, 12);
    takes_boards("4x1,4,2,0,3x25", "4x2,5,3,1,4x25", 3, 8); /* counted from 1 */
    takes_boards("0,1", "1,2", 1, 3);
    takes_factors("1000000000x3", 2, 3);
    takes_factors("2x3x4x5x6x7x8x9x10x11x12x13x14x15", PARAM_FACTORS_MAX, 15);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses_bytes("factors", bad[i], strlen(bad[i]), refused);
    refuses_bytes("factors", "5x5\0", 4, refused);
    static const char *const beyond[][2] = {{"2x3x4x5x6x7x8x9x10x11x12x13x14x15x16", "must have at most 14 factors"},
                                            {"5x1000000001", "must have factors of at most 1000000000"},
                                            {"9223372036854775807", "must have factors of at most 1000000000"}};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        struct params query;
        query_begin(&query);
        query_text(&query, "factors", beyond[i][0]);
        assert_int_equal(query.errors.count, 1);
        assert_rejects(&query, 0, "factors", true, beyond[i][1]);
    }
}

static const char not_squares[] =
    "must be squares in plain digits without signs or leading zeros, as in 1:5,2:7 (row:column)";

TEST(test_squares)
{
    takes_squares("0:0", 1, "0:0");
    takes_squares("65535:65535", 1, "65535:65535");
    takes_squares("1:2,3:4", 2, "1:2,3:4");
    takes_squares("3:4,1:2", 2, "1:2,3:4");                                             /* one way to write it */
    takes_squares("1:10,1:9,10:1,9:1,1:1,0:65535", 6, "0:65535,1:1,1:9,1:10,9:1,10:1"); /* as numbers, not as text */
    takes_squares("256:1,1:256,255:2", 3, "1:256,255:2,256:1");
    static const char *const bad[] = {",",    "1",    "1:",      ":1",      "1:2,",    ",1:2",  "1:2,,3:4", "1:2:3",
                                      "1-2",  "01:2", "1:02",    "+1:2",    "1:-2",    " 1:2",  "1:2 ",     "1:2, 3:4",
                                      "1 :2", "a:b",  "1:2;3:4", "65536:1", "1:65536", "1:2,3", "1e1:2",    "0x1:2"};
    static const char *const large[] = {"99999999999999999999:1", "9223372036854775808:1", "4294967296:1",
                                        "1:4294967297"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses_bytes("places", bad[i], strlen(bad[i]), not_squares);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        refuses_bytes("places", large[i], strlen(large[i]), not_squares);
    refuses_bytes("places", "1:2\0", 4, not_squares);
    refuses_bytes("places", "1:2\0,3:4", 8, not_squares);
    refuses_bytes("places", "1:2,1:2", 7, "names square 1:2 twice");
    refuses_bytes("places", "7:0,1:2,3:4,0:9,1:2", 19, "names square 1:2 twice");
    refuses_bytes("places", "0:0,0:0", 7, "names square 0:0 twice");
}

/* As many as there is room for, in any order, and one more. */
TEST(test_most_squares)
{
    uint64_t dice = 1;
    for (int round = 0; round < 20; round++) {
        uint32_t order[PARAM_SQUARES_MAX];
        ENDED_BY(bytes_free) struct bytes text = {0}, sorted = {0};
        for (uint32_t i = 0; i < PARAM_SQUARES_MAX; i++) {
            const uint32_t other = facts_below(&dice, i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        for (uint32_t i = 0; i < PARAM_SQUARES_MAX; i++) {
            bytes_format(&text, "%s%u:%u", i ? "," : "", order[i] / 20, order[i] % 20);
            bytes_format(&sorted, "%s%u:%u", i ? "," : "", i / 20, i % 20);
        }
        bytes_char(&sorted, '\0');
        BYTES(more);
        bytes_add(&more, text.data, text.size);
        bytes_text(&more, ",99:99");
        bytes_char(&text, '\0');
        takes_squares(text.data, PARAM_SQUARES_MAX, sorted.data);
        struct params query;
        query_begin(&query);
        query_bytes(&query, "places", 6, more.data, more.size);
        assert_int_equal(query.errors.count, 1);
        assert_rejects(&query, 0, "places", true, "must have at most 1000 squares"); /* meaningful, but too many */
        assert_false(query.errors.invalid);
        assert_false(query.values[PLACES].sound);
    }
}

TEST(test_empty_and_valueless)
{
    for (size_t i = 0; i < PARAMS; i++) {
        if (query_rows[i].type != PARAM_SQUARES && query_rows[i].type != PARAM_QUEENS)
            refuses_bytes(query_rows[i].name, "", 0, "needs a value");
        struct params query;
        query_begin(&query);
        query_text(&query, query_rows[i].name, NULL);
        assert_int_equal(query.errors.count, 1);
        assert_rejects(&query, 0, query_rows[i].name, false, "needs a value");
    }
}

/* No squares are as if they were not given, but given once. */
TEST(test_empty_squares)
{
    struct params query;
    struct bytes canonical = {0};
    query_begin(&query);
    query_bytes(&query, "places", 6, "", 0);
    params_end(&query);
    params_canonical(query.rows, query.values, true, &canonical);
    bytes_char(&canonical, '\0');
    assert_null(strstr(canonical.data, "places"));
    bytes_free(&canonical);
    query_begin(&query);
    query_bytes(&query, "places", 6, "", 0);
    query_bytes(&query, "places", 6, "1:2", 3);
    assert_rejects(&query, 0, "places", false, "must be given only once");
}
