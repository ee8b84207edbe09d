/* test_verify_body.c - tests of src/http/ask/verify_body.c: what it takes, what it refuses and where, the same
 * however the text is cut, and in how much memory. */
/* CI builds: address */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/facts.h"

/* verify_parts.c itself, with allocations that can be made to fail: the parsers call it. */
#include "support/failing_memory.h"

#include "http/ask/verify_parts.c"
#include "support/bodies.h"

TEST(test_json)
{
    static const struct good list[] = {
        {"{\"permutation\":[2,4,1,3]}", 4, 1, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"{\"n\":4,\"base\":0,\"permutation\":[1,3,0,2]}", 4, 0, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"{\"permutation\":[1,1],\"base\":0,\"n\":2}", 2, 0, 2, {{0, 1}, {1, 1}}},
        {" \t\r\n{ \"n\" : 2 , \"permutation\" : [ 2 , 1 ] } \n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"{\"permutation\":[]}", 0, 1, 0, {{0, 0}}},
        {"{\"permutation\":[ ],\"n\":0}", 0, 1, 0, {{0, 0}}},
        {"{\"n\":3,\"queens\":[]}", 3, 1, 0, {{0, 0}}},
        {"{\"queens\":[{\"row\":3,\"column\":1},{\"column\":3,\"row\":3}],\"n\":3}", 3, 1, 2, {{2, 0}, {2, 2}}},
        {"{\"n\":1000000,\"base\":0,\"queens\":[ { \"row\":999999 , \"column\":0 } ]}", 1000000, 0, 1, {{999999, 0}}},
        {"[2,4,1,3]", 4, 1, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"[\".Q\",\"Q.\"]", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"[[0,1],[0,0]]", 2, 1, 1, {{0, 1}}},
        {"{\"base\":0,\"board\":[\"\xc2\xb7\xe2\x99\x9b\",\"\xe2\x99\x9b\xc2\xb7\"]}", 2, 0, 2, {{0, 1}, {1, 0}}},
        {"{\"board\":[\"..\",\"..\"],\"permutation\":[2,1]}", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"{\"permutation\":[2,1],\"board\":[\"x\",{\"y\":[]}]}", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"{\"solutions\":[{\"rank\":1e9,\"permutation\":[1,0]}],\"base\":0,\"next\":\"\\\"]}\"}",
         2,
         0,
         2,
         {{0, 1}, {1, 0}}},
        {"[{\"permutation\":[1,0],\"base\":0,\"n\":2}]", 2, 0, 2, {{0, 1}, {1, 0}}},
        {"{\"n\":4,\"rows\":{\"first\":2,\"last\":3},\"permutation\":[4,1]}", 4, 1, 2, {{1, 3}, {2, 0}}},
        {"{\"n\":2,\"clues\":[{\"row\":1,\"why\":null,\"column\":2}],\"a_member_with_a_long_name\":-1.5e3,\"m\":true}",
         2,
         1,
         1,
         {{0, 1}}},
        {"{\"board\":[]}", 0, 1, 0, {{0, 0}}},
    };
    check_good(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_lines)
{
    static const struct good list[] = {
        {"{\"row\":1,\"column\":2}\n{\"end\":true,\"n\":2,\"base\":1,\"returned\":1,\"next\":null}\n",
         2,
         1,
         1,
         {{0, 1}}},
        {"{\"column\":1,\"row\":0} \r\n{\"n\":2,\"base\":0,\"end\":true}", 2, 0, 1, {{0, 1}}},
        {"{\"end\":true,\"n\":5}\n\n \n", 5, 1, 0, {{0, 0}}},
        {"{\"end\":true,\"n\":5,\"seed\":9007199254740991,\"uniform\":false,\"returned\":0}", 5, 1, 0, {{0, 0}}},
        {"{\"uniform\":true,\"end\":true,\"n\":5}", 5, 1, 0, {{0, 0}}},
        {" { \"row\" : 1, \"column\" : 1 }\n{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":2}",
         2,
         1,
         2,
         {{0, 0}, {0, 0}}},
        {"{\"permutation\":[2,1]}", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"{\"permutation\":[1,0],\"rank\":0}\n{\"end\":true,\"n\":2,\"base\":0,\"returned\":1,\"next\":\"/"
         "solve?n=2\"}\n",
         2,
         0,
         2,
         {{0, 1}, {1, 0}}},
    };
    check_good(VERIFY_LINES, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_json)
{
    static const struct bad list[] = {
        {"", "body", "at byte 0: the text ends too early"},
        {"  ", "body", "at byte 2: the text ends too early"},
        {"{", "body", "at byte 1: the text ends too early"},
        {"{\"permutation\":[1", "body", "at byte 17: the text ends too early"},
        {"{\"permutation\":[1]", "body", "at byte 18: the text ends too early"},
        {"[1", "body", "at byte 2: the text ends too early"},
        {"[1,{}]", "body", "at byte 3: expected a number, found {"},
        {"[{}]", "body", "at byte 2: a solution must have permutation, queens, board or states"},
        {"[{\"permutation\":[1]},1]", "body", "at byte 21: expected {, found 1"},
        {"[]", "body", "must have permutation, queens, board or states"},
        {"[\"Q\",[1]]", "body", "has a board of 2 rows of 1 squares"},
        {"[\"Q.\",\"..\",\"Q\"]", "body",
         "at byte 13: a row of the board has another number of squares than the first"},
        {"[\"x\"]", "body", "at byte 2: expected a square, Q or ., found x"},
        {"[\"\xe2\x99\"]", "body", "at byte 4: a square ends within its sign"},
        {"[[1,2],[0,1]]", "body", "at byte 4: expected 0 or 1, found 2"},
        {"[null]", "body", "at byte 1: expected a row of the board, found n"},
        {"{\"n\":2,\"board\":[\"Q\"]}", "body", "has a board of 1 rows, but n is 2"},
        {"{\"solutions\":[]}", "body", "must have permutation, queens, board or states"},
        {"{\"solutions\":{}}", "body", "at byte 13: expected [, found {"},
        {"{\"solutions\":[{\"permutation\":[1]},{\"permutation\":[1]}]}", "body",
         "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {"{\"rows\":{\"first\":2},\"n\":2,\"permutation\":[1]}", "body", "at byte 18: rows must have first and last"},
        {"{\"rows\":{\"first\":2,\"last\":3},\"n\":2,\"permutation\":[1,2]}", "rows",
         "must be rows of the board, first and last"},
        {"{\"rows\":{\"first\":1,\"last\":1},\"n\":2,\"permutation\":[1,2]}", "permutation",
         "has 2 columns, but rows has 1"},
        {"{\"x\":[}}", "body", "at byte 6: expected a comma or ], found }"},
        {"{\"x\":\"\n\"}", "body", "at byte 6: expected a letter, found 0x0a"},
        {"{\"x\":}", "body", "at byte 5: expected a value, found }"},
        {"{\"x\":1:2}", "body", "at byte 6: expected a value, found :"},
        {"{\"x\":\"", "body", "at byte 6: the text ends too early"},
        {"\xef\xbb\xbf{}", "body", "at byte 0: expected {, found 0xef"},
        {"null", "body", "at byte 0: expected {, found n"},
        {"{}", "body", "must have permutation, queens, board or states"},
        {"{\"n\":8}", "body", "must have permutation, queens, board or states"},
        {"{,}", "body", "at byte 1: expected a name or }, found ,"},
        {"{\"n\":8,}", "body", "at byte 7: expected a name, found }"},
        {"{\"n\" 8}", "body", "at byte 5: expected a colon, found 8"},
        {"{\"n\":}", "body", "at byte 5: expected a number, found }"},
        {"{\"n\":\"8\"}", "body", "at byte 5: expected a number, found \""},
        {"{\"n\":null}", "body", "at byte 5: expected a number, found n"},
        {"{\"n\":-8}", "body", "at byte 5: numbers must not be negative"},
        {"{\"n\":+8}", "body", "at byte 5: expected a number, found +"},
        {"{\"n\":8.0}", "body", "at byte 6: numbers must be whole, without fraction or exponent"},
        {"{\"n\":8e0}", "body", "at byte 6: numbers must be whole, without fraction or exponent"},
        {"{\"n\":08}", "body", "at byte 6: numbers must not begin with 0"},
        {"{\"n\":0x8}", "body", "at byte 6: expected a comma or }, found x"},
        {"{\"n\":8 8}", "body", "at byte 7: expected a comma or }, found 8"},
        {"{\"n\":8,\"n\":8}", "body", "at byte 9: the member \"n\" is given twice"},
        {"{\"m\":8}", "body", "must have permutation, queens, board or states"},
        {"{\"\":8}", "body", "must have permutation, queens, board or states"},
        {"{\"row\":8}", "body", "must have permutation, queens, board or states"},
        {"{\"permutations\":[]}", "body", "must have permutation, queens, board or states"},
        {"{\"\\u006e\":8}", "body", "at byte 2: names must be written without escapes"},
        {"{\"\xff\":8}", "body", "at byte 2: expected a letter of a name, found 0xff"},
        {"{\"n\n\":8}", "body", "at byte 3: expected a letter of a name, found 0x0a"},
        {"{n:8}", "body", "at byte 1: expected a name or }, found n"},
    };
    check_bad(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_solutions)
{
    static const struct bad list[] = {
        {"{\"permutation\":8}", "body", "at byte 15: expected [, found 8"},
        {"{\"permutation\":{}}", "body", "at byte 15: expected [, found {"},
        {"{\"permutation\":[[1]]}", "body", "at byte 16: expected a number, found ["},
        {"{\"permutation\":[1,]}", "body", "at byte 18: expected a number, found ]"},
        {"{\"permutation\":[,1]}", "body", "at byte 16: expected a number, found ,"},
        {"{\"permutation\":[1 2]}", "body", "at byte 18: expected a comma or ], found 2"},
        {"{\"permutation\":[1}", "body", "at byte 17: expected a comma or ], found }"},
        {"{\"permutation\":[1]]", "body", "at byte 18: expected a comma or }, found ]"},
        {"{\"permutation\":[1]}{", "body", "at byte 19: expected the end of the text, found {"},
        {"{\"permutation\":[1]}\n1", "body", "at byte 20: expected the end of the text, found 1"},
        {"{\"permutation\":[1],\"queens\":[]}", "body",
         "at byte 26: there must be either permutation or queens, not both"},
        {"{\"n\":3,\"permutation\":[1,2]}", "permutation", "has 2 columns, but n is 3"},
        {"{\"permutation\":[1,2,4]}", "permutation[2]", "must be 1 to 3"},
        {"{\"permutation\":[1,0]}", "permutation[1]", "must be 1 to 2"},
        {"{\"permutation\":[1,2],\"base\":0}", "permutation[1]", "must be 0 to 1"},
        {"{\"permutation\":[1,99999999999999999999]}", "permutation[1]", "must be 1 to 2"},
        {"{\"permutation\":[1,4294967297]}", "permutation[1]", "must be 1 to 2"},
        {"{\"permutation\":[1],\"base\":2}", "base", "must be 1 or 0"},
        {"{\"queens\":[]}", "n", "is required with queens"},
        {"{\"n\":1,\"queens\":[1]}", "body", "at byte 17: expected {, found 1"},
        {"{\"n\":1,\"queens\":[{}]}", "body", "at byte 18: a queen must have row and column"},
        {"{\"n\":1,\"queens\":[{\"row\":1}]}", "body", "at byte 25: a queen must have row and column"},
        {"{\"n\":1,\"queens\":[{\"n\":1}]}", "body", "at byte 23: a queen must have row and column"},
        {"{\"n\":1,\"queens\":[{\"row\":1,\"row\":1}]}", "body", "at byte 30: the member \"row\" is given twice"},
        {"{\"n\":2,\"queens\":[{\"row\":3,\"column\":1}]}", "queens[0].row", "must be 1 to 2"},
        {"{\"n\":2,\"queens\":[{\"row\":1,\"column\":0}]}", "queens[0].column", "must be 1 to 2"},
        {"{\"n\":0,\"queens\":[{\"row\":1,\"column\":1}]}", "body", "has 1 queens, and the limit is n = 0"},
        {"{\"n\":1,\"queens\":[{\"row\":1,\"column\":1},{\"row\":1,\"column\":1}]}", "body",
         "has 2 queens, and the limit is n = 1"},
    };
    check_bad(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_lines)
{
    static const struct bad list[] = {
        {"", "body", "at byte 0: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {"{\"row\":1,\"column\":1}\n", "body",
         "at byte 21: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {"{\"row\":1,\"colu", "body", "at byte 14: the text ends too early"},
        {"{\"row\":1\n", "body", "at byte 8: a line must contain a complete object"},
        {"{\"row\":1,\"column\":1}{", "body", "at byte 20: expected the end of the line, found {"},
        {"\n{\"end\":true,\"n\":1}", "body", "at byte 0: a line must not be empty"},
        {"{\"end\":true,\"n\":1}\n{\"row\":1,\"column\":1}", "body",
         "at byte 19: there must be nothing after the end line"},
        {"{\"end\":true}", "body",
         "at byte 11: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"n\":1}", "body", "at byte 6: a line must have row and column, or end and n, or all lines a solution"},
        {"{}", "body", "at byte 1: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"row\":1,\"column\":1,\"n\":1}", "body",
         "at byte 25: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"row\":1,\"column\":1,\"end\":true,\"n\":1}", "body",
         "at byte 36: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"end\":false,\"n\":1}", "body", "at byte 7: expected true, found f"},
        {"{\"end\":trueish,\"n\":1}", "body", "at byte 11: expected a comma or }, found i"},
        {"{\"permutation\":[1]}\n{\"row\":1,\"column\":1}\n", "body",
         "at byte 39: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"row\":1,\"column\":1}\n{\"permutation\":[1]}\n", "body",
         "at byte 39: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"x\":[1,\n2]}", "body", "at byte 8: a line must contain a complete object"},
        {"{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"returned\":2}", "returned",
         "is 2, but 1 lines came before it"},
        {"{\"end\":true,\"n\":1,\"returned\":1}", "returned", "is 1, but 0 lines came before it"},
        {"{\"row\":1,\"column\":1}\n{\"row\":2,\"column\":3}\n{\"end\":true,\"n\":2}", "column of line 2",
         "must be 1 to 2"},
        {"{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":0}", "row of line 1", "must be 0 to 0"},
        {"{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":7}", "base", "must be 1 or 0"},
    };
    check_bad(VERIFY_LINES, list, sizeof list / sizeof list[0]);
}

/* Of several solutions, in any shape, one is read, whatever the others are. */
TEST(test_index)
{
    static const struct {
        enum verify_shape shape;
        const char *text;
    } list[] = {
        {VERIFY_JSON,
         "{\"solutions\":[{\"permutation\":[9,9,9]},{\"n\":1,\"permutation\":[1]},{\"permutation\":[2,1]}]}"},
        {VERIFY_LINES, "{\"permutation\":[9,9,9]}\n{\"permutation\":[1]}\n{\"board\":[\".Q\",\"Q.\"]}\n"},
        {VERIFY_TEXT, "9 9 9\n 3 > 1\n.Q\nQ.\n.Q\nQ.\n"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        for (uint32_t index = 1; index < 4; index++) {
            struct verify_body body;
            verify_body_begin(&body, list[i].shape, index, NULL, NULL);
            verify_body_add(&body, list[i].text, strlen(list[i].text));
            if (verify_body_end(&body) != (index < 3 ? NQ_OK : NQ_INVALID))
                fail_msg("%s %u: %s %s", list[i].text, index, body.error.parameter, body.error.reason);
            if (index < 3)
                assert_int_equal(body.placement->count, index);
            else
                assert_string_equal(body.error.reason, "must be 0 to 2: the body has 3 solutions");
            verify_body_free(&body);
        }
}

/* No byte but white space may stand between two others; a NUL is a byte like any. */
TEST(test_every_byte)
{
    static const char whole[] = "{\"n\":2,\"permutation\":[1,2]}";
    for (size_t at = 0; at <= strlen(whole); at++) {
        for (unsigned c = 0; c < 256; c++) {
            char text[sizeof whole + 1];
            struct verify_body body;
            memcpy(text, whole, at);
            text[at] = (char)c;
            memcpy(text + at + 1, whole + at, sizeof whole - at);
            const enum nq_status status = read_cut(&body, VERIFY_JSON, text, sizeof whole, at);
            if (c == 0 || c >= 127 || (c < ' ' && !strchr("\t\r\n", (int)c)))
                assert_int_equal(status, NQ_INVALID);
            else if (strchr("\t\r\n ", (int)c)) { /* between words only; " n" is another member */
                const bool inside = (at > 1 && at < 4 && c != ' ') || (at > 7 && at < 20);
                assert_int_equal(status, inside ? NQ_INVALID : NQ_OK);
            }
            verify_body_free(&body);
        }
    }
}

/* ---- Sizes ---- */

static void add_columns(struct verify_body *body, uint32_t count)
{
    char text[32];
    for (uint32_t i = 0; i < count; i++) {
        const int size = snprintf(text, sizeof text, "%s%u", i ? "," : "", i % VERIFY_MAX_N);
        verify_body_add(body, text, (size_t)size);
    }
}

TEST(test_limits)
{
    struct verify_body body;
    verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, NULL, NULL);
    verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
    add_columns(&body, VERIFY_MAX_N);
    verify_body_add(&body, "]}", 2);
    assert_int_equal(verify_body_end(&body), NQ_OK);
    assert_int_equal(body.n, VERIFY_MAX_N);
    assert_int_equal(body.placement->count, VERIFY_MAX_N);
    verify_body_free(&body);

    verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, NULL, NULL);
    verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
    add_columns(&body, VERIFY_MAX_N + 1);
    verify_body_add(&body, "]", 1);
    assert_int_equal(body.status, NQ_LIMIT);
    assert_null(body.placement);
    verify_body_add(&body, "garbage", 7); /* dropped */
    assert_int_equal(verify_body_end(&body), NQ_LIMIT);
    assert_string_equal(body.error.reason, "must have at most 1000000 queens");

    static const char *const large[] = {"{\"n\":1000001,\"queens\":[]}", "{\"n\":99999999999,\"queens\":[]}"};
    for (size_t i = 0; i < 2; i++) {
        read_text(&body, VERIFY_JSON, large[i], strlen(large[i]));
        assert_int_equal(body.status, NQ_LIMIT);
        assert_string_equal(body.error.parameter, "n");
        assert_string_equal(body.error.reason, "must be at most 1000000");
    }
}

struct held {
    size_t bytes, most;
};

static bool hold(void *who, size_t bytes)
{
    struct held *held = who;
    if (held->bytes + bytes > held->most)
        return false;
    held->bytes += bytes;
    return true;
}

TEST(test_memory_is_told)
{
    for (uint32_t count = 0; count < 3000; count += 61) {
        struct held held = {.most = SIZE_MAX};
        struct verify_body body;
        verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, hold, &held);
        verify_body_add(&body, "{\"n\":3000,\"base\":0,\"queens\":[", 29);
        for (uint32_t i = 0; i < count; i++)
            verify_body_add(&body, i ? ",{\"row\":1,\"column\":2}" : "{\"row\":1,\"column\":2}", i ? 21 : 20);
        verify_body_add(&body, "]}", 2);
        assert_int_equal(verify_body_end(&body), NQ_OK);
        assert_int_equal(body.placement->count, count);
        assert_true(held.bytes >= count * sizeof(struct queen));
        assert_true(held.bytes <= 2 * count * sizeof(struct queen) + 64 * sizeof(struct queen));
        verify_body_free(&body);

        held = (struct held){.most = count * sizeof(struct queen)}; /* never enough for the first ones */
        verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, hold, &held);
        verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
        add_columns(&body, count + 64);
        assert_int_equal(body.status, NQ_BUSY);
        assert_null(body.placement);
    }
}

TEST(test_out_of_memory)
{
    struct verify_body body;
    for (size_t made = 0; made <= 3; made++) { /* for 64 queens, 128 and 256 */
        verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, NULL, NULL);
        verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
        failing_after = made;
        add_columns(&body, 200);
        verify_body_add(&body, "]}", 2);
        assert_int_equal(verify_body_end(&body), made < 3 ? NQ_NOMEM : NQ_OK);
        failing_after = SIZE_MAX;
        verify_body_free(&body);
    }
    verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, NULL, NULL);
    verify_body_add(&body, "{\"permutation\":[]}", 18);
    failing_after = 0;
    assert_int_equal(verify_body_end(&body), NQ_NOMEM);
    failing_after = SIZE_MAX;
}
