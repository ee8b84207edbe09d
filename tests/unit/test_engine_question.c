/* test_engine_question.c - tests of src/engine/question.c: which cursors a question takes, and its copies. */
#include "engine/question.h"

#include <string.h>

#include "asking.h"

static struct token place_of(uint32_t length, const uint32_t *columns)
{
    struct token place = {.length = length};
    if (length)
        memcpy(place.prefix, columns, length * sizeof *columns);
    return place;
}

static void cursor_at(const struct question *question, struct token place, uint64_t ordinal,
                      char text[static TOKEN_TEXT_MAX])
{
    place.ordinal = ordinal;
    question_cursor(question, &place, text);
}

static void test_cursors_are_taken(void **state)
{
    (void)state;
    static const uint32_t solution[] = {0, 4, 7, 5, 2, 6, 1, 3};
    struct question question = ask_solve(8, 10, "json");
    char text[TOKEN_TEXT_MAX];
    for (uint32_t length = 0; length <= 8; length++) {
        const uint64_t ordinal = length ? 91 : 0; /* nothing stands before the first place of all */
        cursor_at(&question, place_of(length, solution), ordinal, text);
        assert_int_equal(question_set_cursor(&question, text), NQ_OK);
        assert_int_equal(question.from.ordinal, ordinal);
        assert_int_equal(question.from.length, length);
        if (length)
            assert_memory_equal(question.from.prefix, solution, length * sizeof *solution);
    }
    struct question other = ask_solve(8, 3, "ndjson"); /* the same list, though shown otherwise */
    other.base = 0;
    other.board = BOARD_ASCII;
    assert_int_equal(question_set_cursor(&other, text), NQ_OK);

    cursor_at(&question, place_of(8, solution), RANK_UNKNOWN, text); /* after a solution whose rank nobody asked for */
    assert_int_equal(question_set_cursor(&question, text), NQ_OK);

    struct question large = ask_solve(40, 10, "json"); /* nobody knows how long that list is */
    cursor_at(&large, place_of(1, solution), (UINT64_C(1) << 62) - 1, text);
    assert_int_equal(question_set_cursor(&large, text), NQ_OK);
}

/* Cursors that strangers made, or brought from elsewhere; each leaves the question as it was. */
static void assert_refused(uint32_t n, const char *text)
{
    struct question question = ask_solve(n, 10, "json");
    question.from = (struct token){.ordinal = 7};
    if (question_set_cursor(&question, text) != NQ_INVALID)
        fail_msg("n = %u took \"%s\"", (unsigned)n, text);
    assert_int_equal(question.from.ordinal, 7);
    assert_int_equal(question.from.length, 0);
}

static void test_cursors_are_refused(void **state)
{
    (void)state;
    static const uint32_t solution[] = {0, 4, 7, 5, 2, 6, 1, 3}, attacked[] = {0, 4, 5}, outside[] = {0, 8};
    struct question question = ask_solve(8, 10, "json");
    char text[TOKEN_TEXT_MAX];
    static const char *const noise[] = {"", "A", "0", "null", "AQAAAAAAAAAAAA"};
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
        assert_refused(8, noise[i]);
    cursor_at(&question, place_of(8, solution), 1, text);
    for (uint32_t n = 0; n <= NQ_SEARCH_MAX_N; n++)
        if (n != 8)
            assert_refused(n, text);
    question.cursor.algorithm = "bitboar"; /* another list */
    cursor_at(&question, place_of(8, solution), 1, text);
    assert_refused(8, text);
    question.cursor.algorithm = "bitboard";
    static const uint64_t beyond[] = {92, 93, 1000, UINT64_MAX - 1}; /* the last solution has ordinal 91 */
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        cursor_at(&question, place_of(8, solution), beyond[i], text);
        assert_refused(8, text);
    }
    struct question large = ask_solve(40, 10, "json"); /* and none of the others has one that could overflow */
    cursor_at(&large, place_of(1, solution), UINT64_C(1) << 62, text);
    assert_refused(40, text);
    cursor_at(&large, place_of(1, solution), UINT64_MAX - 1, text);
    assert_refused(40, text);
    cursor_at(&question, place_of(3, attacked), 1, text);
    assert_refused(8, text);
    cursor_at(&question, place_of(2, outside), 1, text);
    assert_refused(8, text);
    struct token longer = place_of(8, solution);
    longer.length = 9;
    cursor_at(&question, longer, 1, text);
    assert_refused(8, text);
}

static void test_question_copy(void **state)
{
    (void)state;
    char key[] = "key", path[] = "/path", prefix[] = "/prefix";
    struct question question = ask_solve(9, 10, "json"), copy;
    question.key = key;
    question.path = path;
    question.prefix = prefix;
    question.from = place_of(3, (const uint32_t[]){0, 2, 4});
    assert_true(question_copy(&copy, &question));
    key[0] = path[0] = prefix[0] = 'x';
    assert_string_equal(copy.key, "key");
    assert_string_equal(copy.path, "/path");
    assert_string_equal(copy.prefix, "/prefix");
    assert_int_equal(copy.n, 9);
    assert_int_equal(copy.from.prefix[2], 4);
    assert_ptr_equal(copy.format, question.format);
    question_free(&copy);
    assert_null(copy.key); /* nothing is left that could be freed twice */
    question_free(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cursors_are_taken),
        cmocka_unit_test(test_cursors_are_refused),
        cmocka_unit_test(test_question_copy),
    };
    return cmocka_run_group_tests_name("question", tests, NULL, NULL);
}
