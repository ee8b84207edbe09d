/* test_question.c - tests of src/engine/ask/question.c: which cursors a question takes, its copies, and
 * which are brief. */
/* CI builds: address */
#include "engine/ask/question.h"

#include "engine/ask/answer.h"

#include "support/questions.h"

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

TEST(test_cursors_are_taken)
{
    uint32_t columns[8], many[40];
    static const uint32_t solution[] = {0, 4, 7, 5, 2, 6, 1, 3};
    struct question question = ask_solve(8, 10, "json");
    char text[TOKEN_TEXT_MAX];
    for (uint32_t length = 0; length <= 8; length++) {
        const uint64_t ordinal = length ? 91 : 0; /* nothing stands before the first place of all */
        cursor_at(&question, place_of(length, solution), ordinal, text);
        assert_int_equal(question_set_cursor(&question, text, columns), NQ_OK);
        assert_int_equal(question.list.from.ordinal, ordinal);
        assert_int_equal(question.list.from.length, length);
        if (length)
            assert_memory_equal(question.list.from.prefix, solution, length * sizeof *solution);
    }
    struct question other = ask_solve(8, 3, "ndjson"); /* the same list, though shown otherwise */
    other.base = 0;
    other.list.board = BOARD_ASCII;
    assert_int_equal(question_set_cursor(&other, text, columns), NQ_OK);

    cursor_at(&question, place_of(8, solution), RANK_UNKNOWN, text); /* after a solution whose rank nobody asked for */
    assert_int_equal(question_set_cursor(&question, text, columns), NQ_OK);

    struct question large = ask_solve(40, 10, "json"); /* nobody knows how long that list is */
    cursor_at(&large, place_of(1, solution), (UINT64_C(1) << 62) - 1, text);
    assert_int_equal(question_set_cursor(&large, text, many), NQ_OK);
}

/* Cursors that strangers made, or brought from elsewhere; each leaves the question as it was. */
static void assert_refused(uint32_t n, const char *text)
{
    uint32_t columns[NQ_SEARCH_MAX_N];
    struct question question = ask_solve(n, 10, "json");
    question.list.from = (struct list_start){.ordinal = 7};
    if (question_set_cursor(&question, text, columns) != NQ_INVALID)
        fail_msg("n = %u took \"%s\"", (unsigned)n, text);
    assert_int_equal(question.list.from.ordinal, 7);
    assert_int_equal(question.list.from.length, 0);
}

TEST(test_cursors_are_refused)
{
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
    question.list.cursor.algorithm = "bitboar"; /* another list */
    cursor_at(&question, place_of(8, solution), 1, text);
    assert_refused(8, text);
    question.list.cursor.algorithm = "bitboard";
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

/* Everything before such a place is done again: it is a number, and whatever else is said of it could be untrue. */
TEST(test_places_that_are_numbers)
{
    uint32_t columns[8];
    static const uint32_t solution[] = {0, 4, 7, 5, 2, 6, 1, 3};
    struct question question = ask_solve(8, 10, "json");
    char text[TOKEN_TEXT_MAX];
    question.list.cursor.algorithm = "mrv";
    for (uint64_t ordinal = 0; ordinal < 92; ordinal++) {
        cursor_at(&question, place_of(0, NULL), ordinal, text);
        assert_int_equal(question_set_cursor(&question, text, columns), NQ_OK);
        assert_int_equal(question.list.from.ordinal, ordinal);
        cursor_at(&question, place_of(8, solution), ordinal, text);
        assert_int_equal(question_set_cursor(&question, text, columns), NQ_INVALID);
    }
    static const uint64_t beyond[] = {92, UINT64_MAX - 1, RANK_UNKNOWN};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        cursor_at(&question, place_of(0, NULL), beyond[i], text);
        assert_int_equal(question_set_cursor(&question, text, columns), NQ_INVALID);
    }
}

TEST(test_question_share)
{
    char key[] = "key", path[] = "/path", prefix[] = "/prefix";
    struct question question = ask_solve(9, 10, "json");
    struct bytes body = {0};
    bytes_text(&body, "an index");
    struct answer *index = answer_new(&body, "text/plain");
    assert_non_null(index);
    bytes_free(&body);
    question.key = key;
    question.path = path;
    question.prefix = prefix;
    uint32_t columns[] = {0, 2, 4};
    question.list.from = (struct list_start){.length = 3, .prefix = columns};
    question.needed[NEED_INDEX] = index;
    struct shared_question *shared = question_share(&question);
    assert_non_null(shared);
    answer_unref(index); /* the copy has a reference of its own */
    key[0] = path[0] = prefix[0] = 'x';
    columns[2] = 8;
    const struct question *copy = &question_ref(shared)->question;
    question_unref(shared);
    assert_string_equal(copy->key, "key");
    assert_string_equal(copy->path, "/path");
    assert_string_equal(copy->prefix, "/prefix");
    assert_int_equal(copy->n, 9);
    assert_int_equal(copy->list.from.length, 3);
    assert_int_equal(copy->list.from.prefix[2], 4);
    assert_ptr_equal(copy->format, question.format);
    assert_memory_equal(copy->needed[NEED_INDEX]->bytes, "an index", 8);
    question_unref(shared);
    question_unref(NULL);
}

/* A change of the question, and whether it is brief then. */
TEST(test_brief_questions)
{
    struct question list = ask_solve(8, 100, "json"), count = ask_count(10), built = ask_construct(12, "json");
    assert_true(question_brief(&list) && question_brief(&count) && question_brief(&built));
    list.list.limit = 101;
    assert_false(question_brief(&list));
    list.list.limit = 100;
    list.list.ranked = true;
    assert_false(question_brief(&list));
    list.list.ranked = false;
    list.list.cursor.algorithm = "mrv";
    assert_false(question_brief(&list));
    const struct question large = ask_solve(11, 1, "json"), picture = ask_solve(8, 1, "png");
    assert_false(question_brief(&large) || question_brief(&picture));
    count.query.by_square = true;
    assert_false(question_brief(&count));
    count.count.way = COUNT_TABLE;
    assert_true(question_brief(&count));
    count.count.way = COUNT_ESTIMATE;
    assert_false(question_brief(&count));
    built.query.filter.rule = rules[1];
    assert_false(question_brief(&built));
    built.kind = ASK_COMPARE;
    assert_false(question_brief(&built));
}
