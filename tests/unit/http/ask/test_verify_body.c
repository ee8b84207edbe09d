/* test_verify_body.c - tests of src/http/ask/verify_*.c: what the forms of a body take, what they refuse and where, in
 * how much memory, and that they stop when they are told to. */
/* CI builds: address */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "rules/rule.h"
#include "support/facts.h"

/* verify_parts.c itself, with allocations that can be made to fail. */
#include "support/failing_memory.h"

#include "http/ask/verify_body.h"
#include "http/ask/verify_drawn.h"
#include "http/ask/verify_parts.c"

/* ---- Boards in texts, and what they must come to ---- */

/* Rows of verify_forms. */
enum form { JSON, LINES, TEXT, CSV, OCTETS };

static const struct verify_asked only = {.wanted = VERIFY_ONLY, .base = 1};

static enum nq_status read_bytes(struct verify_body *body, enum form form, const struct verify_asked *asked,
                                 const char *text, size_t size)
{
    char *copy = malloc(size + !size); /* a sanitizer sees the first byte too far */
    assert_true(copy);
    memcpy(copy, text, size);
    (void)verify_body_read(body, &verify_forms[form], asked, copy, size);
    free(copy);
    assert_true(body->status == NQ_OK ? body->placement != NULL : !body->placement);
    return body->status;
}

static enum nq_status read_text(struct verify_body *body, enum form form, const char *text)
{
    return read_bytes(body, form, &only, text, strlen(text));
}

struct good {
    const char *text;
    uint32_t n, base, count;
    struct queen queens[4];
};

static void check_good(enum form form, const struct good *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        (void)read_text(&body, form, list[i].text);
        if (body.status != NQ_OK)
            fail_msg("%s: %s %s", list[i].text, body.error.parameter, body.error.reason);
        assert_int_equal(body.n, list[i].n);
        assert_int_equal(body.base, list[i].base);
        assert_int_equal(body.placement->count, list[i].count);
        assert_memory_equal(body.placement->queens, list[i].queens, list[i].count * sizeof(struct queen));
        verify_body_free(&body);
    }
}

struct bad {
    const char *text, *where, *why;
};

/* "at byte 7: ..." stands for that byte's line and column, too. */
static void expect(char reason[static 400], const char *text, const char *why)
{
    unsigned long byte, line = 1, column = 1;
    int size = 0;
    if (sscanf(why, "at byte %lu: %n", &byte, &size) != 1 || !size) {
        (void)snprintf(reason, 400, "%s", why);
        return;
    }
    assert_true(byte <= strlen(text));
    for (unsigned long i = 0; i < byte; i++) {
        column = text[i] == '\n' ? 1 : column + ((text[i] & 0xc0) != 0x80);
        line += text[i] == '\n';
    }
    (void)snprintf(reason, 400, "at byte %lu, line %lu, column %lu: %s", byte, line, column, why + size);
}

static void check_bad(enum form form, const struct bad *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        char reason[400];
        expect(reason, list[i].text, list[i].why);
        if (read_text(&body, form, list[i].text) != NQ_INVALID || strcmp(body.error.parameter, list[i].where) != 0 ||
            strcmp(body.error.reason, reason) != 0)
            fail_msg("%s: %d, %s %s", list[i].text, (int)body.status, body.error.parameter, body.error.reason);
        verify_body_free(&body);
    }
}

/* ---- JSON, and lines of it ---- */

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
        {"[[0,1,0],[0,0,0],[0,0,0]]", 3, 1, 1, {{0, 1}}},
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
        {"{\"n\":2,\"clues\":[{\"row\":1,\"why\":null,\"column\":2}],\"solution_url\":-1.5e3,\"id\":true}",
         2,
         1,
         1,
         {{0, 1}}},
        {"{\"board\":[]}", 0, 1, 0, {{0, 0}}},
        {"[null,1,null,2]", 4, 1, 2, {{1, 0}, {3, 1}}},
        {"[null]", 1, 1, 0, {{0, 0}}},
        {"{\"n\":4,\"rows\":{\"first\":2,\"last\":4},\"permutation\":[null,4,null]}", 4, 1, 1, {{2, 3}}},
        {"{\"n\":3,\"squares\":[[1,2],[3,3]]}", 3, 1, 2, {{0, 1}, {2, 2}}},
    };
    check_good(JSON, list, sizeof list / sizeof list[0]);
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
    check_good(LINES, list, sizeof list / sizeof list[0]);
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
        {"[1,{}]", "[1]", "must be a number"},
        {"[{}]", "[0]", "must have permutation, queens, board or states"},
        {"[{\"permutation\":[1]},1]", "[1]", "must be an object"},
        {"[]", "body", "must have permutation, queens, board or states"},
        {"[\"Q\",[1]]", "body", "has a board of 2 rows of 1 squares"},
        {"[\"Q.\",\"..\",\"Q\"]", "[2]", "must have as many squares as the first row"},
        {"[\"\xe2\x99\"]", "body", "at byte 2: unable to decode byte 0xe2 near '\"'"},
        {"{\"board\":[[1,2],[0,1]]}", "board[0][1]", "must be 0 or 1"},
        {"[true]", "[0]", "must be a row of the board, a string or a list"},
        {"{\"n\":2,\"board\":[\"Q\"]}", "body", "has a board of 1 rows, but n is 2"},
        {"{\"solutions\":[]}", "body", "must have permutation, queens, board or states"},
        {"{\"solutions\":{}}", "solutions", "must be a list"},
        {"{\"solutions\":[{\"permutation\":[1]},{\"permutation\":[1]}]}", "body",
         "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {"{\"rows\":{\"first\":2},\"n\":2,\"permutation\":[1]}", "rows.last", "is required"},
        {"{\"rows\":{\"first\":2,\"last\":3},\"n\":2,\"permutation\":[1,2]}", "rows",
         "must be rows of the board, first and last"},
        {"{\"rows\":{\"first\":1,\"last\":1},\"n\":2,\"permutation\":[1,2]}", "permutation",
         "has 2 columns, but rows has 1"},
        {"{\"rows\":{\"first\":1,\"last\":2},\"n\":3,\"permutation\":[2]}", "permutation",
         "has 1 columns, but rows has 2"},
        {"{\"x\":[}}", "body", "at byte 6: unexpected token near '}'"},
        {"{\"x\":\"\n\"}", "body", "at byte 6: unexpected newline near '\"'"},
        {"{\"x\":}", "body", "at byte 5: unexpected token near '}'"},
        {"{\"x\":1:2}", "body", "at byte 6: '}' expected near ':'"},
        {"{\"x\":\"", "body", "at byte 6: the text ends too early"},
        {"\xef\xbb\xbf{}", "body", "must have permutation, queens, board or states"},
        {"{\"n\":8,\"id\":\"\\u0000\\ud834\\udd1e\"}", "body", "must have permutation, queens, board or states"},
        {"null", "body", "at byte 3: '[' or '{' expected near 'null'"},
        {"{}", "body", "must have permutation, queens, board or states"},
        {"{\"n\":8}", "body", "must have permutation, queens, board or states"},
        {"{,}", "body", "at byte 1: string or '}' expected near ','"},
        {"{\"n\":8,}", "body", "at byte 7: string or '}' expected near '}'"},
        {"{\"n\" 8}", "body", "at byte 5: ':' expected near '8'"},
        {"{\"n\":}", "body", "at byte 5: unexpected token near '}'"},
        {"{\"n\":\"8\"}", "n", "must be a number"},
        {"{\"n\":null}", "n", "must be a number"},
        {"{\"n\":-8}", "n", "must not be negative"},
        {"{\"n\":+8}", "body", "at byte 5: invalid token near '+'"},
        {"{\"n\":8.0}", "n", "must be a whole number, without fraction or exponent"},
        {"{\"n\":8e0}", "n", "must be a whole number, without fraction or exponent"},
        {"{\"n\":08}", "body", "at byte 5: invalid token near '0'"},
        {"{\"n\":0x8}", "body", "at byte 6: '}' expected near 'x'"},
        {"{\"n\":8 8}", "body", "at byte 7: '}' expected near '8'"},
        {"{\"n\":8,\"n\":8}", "body", "at byte 9: duplicate object key near '\"n\"'"},
        {"{\"id\":8}", "body", "must have permutation, queens, board or states"},
        {"{\"date\":8}", "body", "must have permutation, queens, board or states"},
        {"{\"row\":8}", "body", "must have permutation, queens, board or states"},
        {"{\"permutations\":[]}", "permutations", "is no member of a board; the nearest is permutation"},
        {"{\"\\u006e\":8}", "body", "must have permutation, queens, board or states"},
        {"{\"\xff\":8}", "body", "at byte 2: unable to decode byte 0xff near '\"'"},
        {"{\"n\n\":8}", "body", "at byte 3: unexpected newline near '\"n'"},
        {"{n:8}", "body", "at byte 1: string or '}' expected near 'n'"},
    };
    check_bad(JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_solutions)
{
    static const struct bad list[] = {
        {"{\"permutation\":8}", "permutation", "must be a list"},
        {"{\"permutation\":{}}", "permutation", "must be a list"},
        {"{\"permutation\":[[1]]}", "permutation[0]", "must be a number"},
        {"{\"permutation\":[1,]}", "body", "at byte 18: unexpected token near ']'"},
        {"{\"permutation\":[,1]}", "body", "at byte 16: unexpected token near ','"},
        {"{\"permutation\":[1 2]}", "body", "at byte 18: ']' expected near '2'"},
        {"{\"permutation\":[1}", "body", "at byte 17: ']' expected near '}'"},
        {"{\"permutation\":[1]]", "body", "at byte 18: '}' expected near ']'"},
        {"{\"permutation\":[1]}{", "body", "at byte 19: expected the end of the text"},
        {"{\"permutation\":[1]}\n1", "body", "at byte 20: expected the end of the text"},
        {"{\"permutation\":[1],\"queens\":[]}", "queens", "must not be given beside permutation"},
        {"{\"n\":3,\"permutation\":[1,2]}", "permutation", "has 2 columns, but n is 3"},
        {"{\"permutation\":[1,2,4]}", "permutation[2]", "must be 1 to 3"},
        {"{\"permutation\":[1,0]}", "permutation[1]", "must be 1 to 2; if numbers begin with 0, give base 0"},
        {"{\"permutation\":[1,2],\"base\":0}", "permutation[1]", "must be 0 to 1"},
        {"{\"permutation\":[1,99999999999999999999]}", "body",
         "at byte 37: too big integer near '99999999999999999999'"},
        {"{\"permutation\":[1,4294967297]}", "permutation[1]", "must be 1 to 2"},
        {"{\"permutation\":[1],\"base\":2}", "base", "must be 1 or 0"},
        {"{\"queens\":[]}", "n", "is required with queens"},
        {"{\"n\":1,\"queens\":[1]}", "queens[0]", "must be an object with row and column"},
        {"{\"n\":1,\"queens\":[{}]}", "queens[0].row", "is required"},
        {"{\"n\":1,\"queens\":[{\"row\":1}]}", "queens[0].column", "is required"},
        {"{\"n\":1,\"queens\":[{\"n\":1}]}", "queens[0].row", "is required"},
        {"{\"n\":1,\"queens\":[{\"row\":1,\"row\":1}]}", "body", "at byte 30: duplicate object key near '\"row\"'"},
        {"{\"n\":2,\"queens\":[{\"row\":3,\"column\":1}]}", "queens[0].row", "must be 1 to 2"},
        {"{\"n\":2,\"queens\":[{\"row\":1,\"column\":0}]}", "queens[0].column",
         "must be 1 to 2; if numbers begin with 0, give base 0"},
        {"{\"n\":0,\"queens\":[{\"row\":1,\"column\":1}]}", "body", "has 1 queens, and the limit is n = 0"},
        {"{\"n\":1,\"queens\":[{\"row\":1,\"column\":1},{\"row\":1,\"column\":1}]}", "body",
         "has 2 queens, and the limit is n = 1"},
    };
    check_bad(JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_lines)
{
    static const struct bad list[] = {
        {"", "body", "at byte 0: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {"{\"row\":1,\"column\":1}\n", "body",
         "at byte 21: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {"{\"row\":1,\"colu", "body", "at byte 14: the text ends too early"},
        {"{\"row\":1\n", "body", "at byte 8: a line must contain a complete object"},
        {"{\"row\":1,\"column\":1}{", "body", "at byte 20: expected the end of the line"},
        {"\n{\"end\":true,\"n\":1}", "body", "at byte 0: a line must not be empty"},
        {"{\"end\":true,\"n\":1}\n{\"row\":1,\"column\":1}", "body",
         "at byte 19: there must be nothing after the end line"},
        {"{\"end\":true}", "body", "at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"n\":1}", "body", "at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {"{}", "body", "at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"row\":1,\"column\":1,\"n\":1}", "body",
         "at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"row\":1,\"column\":1,\"end\":true,\"n\":1}", "body",
         "at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"end\":false,\"n\":1}", "end of line 1", "must be true"},
        {"{\"end\":trueish,\"n\":1}", "body", "at byte 13: invalid token near 'trueish'"},
        {"{\"permutation\":[1]}\n{\"row\":1,\"column\":1}\n", "body",
         "at byte 20: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"row\":1,\"column\":1}\n{\"permutation\":[1]}\n", "body",
         "at byte 21: a line must have row and column, or end and n, or all lines a solution"},
        {"{\"x\":[1,\n2]}", "body", "at byte 8: a line must contain a complete object"},
        {"{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"returned\":2}", "returned",
         "is 2, but 1 lines came before it"},
        {"{\"end\":true,\"n\":1,\"returned\":1}", "returned", "is 1, but 0 lines came before it"},
        {"{\"row\":1,\"column\":1}\n{\"row\":2,\"column\":3}\n{\"end\":true,\"n\":2}", "column of line 2",
         "must be 1 to 2"},
        {"{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":0}", "row of line 1", "must be 0 to 0"},
        {"{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":7}", "base", "must be 1 or 0"},
    };
    check_bad(LINES, list, sizeof list / sizeof list[0]);
}

/* Of several solutions, in any form, one is read, whatever the others are. */
TEST(test_index)
{
    static const struct {
        enum form form;
        const char *text;
    } list[] = {
        {JSON, "{\"solutions\":[{\"permutation\":[9,9,9]},{\"n\":1,\"permutation\":[1]},{\"permutation\":[2,1]}]}"},
        {LINES, "{\"permutation\":[9,9,9]}\n{\"permutation\":[1]}\n{\"board\":[\".Q\",\"Q.\"]}\n"},
        {TEXT, "9 9 9\n 3 > 1\n.Q\nQ.\n.Q\nQ.\n"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        for (uint32_t index = 1; index < 4; index++) {
            struct verify_body body;
            const struct verify_asked asked = {.wanted = index};
            if (read_bytes(&body, list[i].form, &asked, list[i].text, strlen(list[i].text)) !=
                (index < 3 ? NQ_OK : NQ_INVALID))
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
            const enum nq_status status = read_bytes(&body, JSON, &only, text, sizeof whole);
            if (c == 0 || c >= 128 || (c < ' ' && !strchr("\t\r\n", (int)c)))
                assert_int_equal(status, NQ_INVALID);
            else if (strchr("\t\r\n ", (int)c)) { /* between words only; " n" is no member */
                const bool inside = (at > 1 && at < 4) || (at > 7 && at < 20);
                assert_int_equal(status, inside ? NQ_INVALID : NQ_OK);
            }
            verify_body_free(&body);
        }
    }
}

/* ---- Text and tables ---- */

TEST(test_text)
{
    static const struct good list[] = {
        {"n = 2, base = 1\n\n 2  1\n\nREADY.\n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"n = 2, base = 0\r\n\r\n 1 >  1  0\r\n.Q\r\nQ.\r\n-----\r\n\r\nnext: /x\r\n\r\nREADY.",
         2,
         0,
         2,
         {{0, 1}, {1, 0}}},
        {"n = 2, base = 0\n\n >  1  0\nREADY.\n", 2, 0, 2, {{0, 1}, {1, 0}}},
        {"n = 4, base = 1, rows 2 to 3\n\n 4  1\n\nREADY.\n", 4, 1, 2, {{1, 3}, {2, 0}}},
        {"n = 0, base = 1\n\nREADY.\n", 0, 1, 0, {{0, 0}}},
        {"n = 0, base = 1\n\n 1 >\n\nREADY.\n", 0, 1, 0, {{0, 0}}},
        {"2 1", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"1 2\n", 2, 1, 2, {{0, 0}, {1, 1}}},
        {"01\n10", 2, 1, 2, {{0, 1}, {1, 0}}},
        {".Q\n..", 2, 1, 1, {{0, 1}}},
        {"\xc2\xb7\xe2\x99\x9b\n\xe2\x99\x9b\xc2\xb7", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"0000000001\n0000000000\n0000000000\n0000000000\n0000000000\n0000000000\n0000000000\n0000000000\n"
         "0000000000\n1000000000\n",
         10,
         1,
         2,
         {{0, 9}, {9, 0}}},
    };
    check_good(TEXT, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_text)
{
    static const struct bad list[] = {
        {"", "body", "has no queens"},
        {"n = 2, base = 1\n\n 2  1\n", "body", "at byte 23: the text ends without READY., as if it had been cut"},
        {"n = 3, base = 1\n\n 2  1\nREADY.", "permutation", "has 2 columns, but n is 3"},
        {"n = 2, base = 5\n\n 2  1\nREADY.", "base", "must be 1 or 0"},
        {"next\n", "body", "must have two signs, one for a queen and one for an empty square, as Q and ."},
        {"2 1\nnext\n", "body",
         "at byte 8: a line must be n = N, base = B; columns; a row of a board; next: or READY."},
        {"2 1\n1 2", "body", "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {".Q\nQ.\n..\n..", "body", "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {".Q\nQ..", "body", "at byte 6: a row of the board has another number of squares than the first"},
        {".Q\n", "body", "has a board of 1 rows of 2 squares"},
        {".Q\n1 2", "body", "at byte 5: the board before has too few rows"},
        {"1 x", "body", "has a board of 1 rows of 2 squares"},
        {"2 x", "body", "at byte 2: expected a number, found x"},
        {"12x", "body", "at byte 2: expected a blank or the end of the line, found x"},

        {".x", "body", "has a board of 1 rows of 2 squares"},
        {"-x", "body", "has a board of 1 rows of 2 squares"},
        {"\xc2\n", "body", "at byte 0: expected a number or a square, found 0xc2"},
        {".\xc0\xae", "body", "at byte 1: expected a square, found 0xc0"}, /* a dot in two bytes, which is no UTF-8 */
        {"n = 2, base = 1\n\n.\xe2\x99\x95", "body", "at byte 18: expected a square, found 0xe2"},
    };
    check_bad(TEXT, list, sizeof list / sizeof list[0]);
}

TEST(test_drawn)
{
    static const struct good text[] = {
        {"|Q|\n", 1, 1, 1, {{0, 0}}},
        {"_ _\n_ _\n", 2, 1, 0, {{0, 0}}},
        {"# # #\n# Q #\n# # #\n", 3, 1, 1, {{1, 1}}},
        {"Q x .\nx x x\n. x .\n", 3, 1, 1, {{0, 0}}},
        {"+---+---+\r\n| Q |   |\r\n+---+---+\r\n|   |   |\r\n+---+---+\r\n", 2, 1, 1, {{0, 0}}},
        {"|.Q|\n|..|\n", 2, 1, 1, {{0, 1}}},
        {"* _ * *\n* * * _\n_ * * *\n* * _ *\n", 4, 1, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"0 1 0\n0 0 0\n0 0 1\n", 3, 1, 2, {{0, 1}, {2, 2}}},
        {"132", 3, 1, 3, {{0, 0}, {1, 2}, {2, 1}}},
        {"a1 b2 a3", 3, 1, 3, {{0, 0}, {1, 1}, {2, 0}}},
    };
    static const struct good json[] = {
        {"[[1,1],[2,3],[3,2]]", 3, 1, 3, {{0, 0}, {1, 2}, {2, 1}}},
        {"{\"n\":3,\"queens\":[[1,2],[3,3]]}", 3, 1, 2, {{0, 1}, {2, 2}}},
        {"{\"n\":3,\"queens\":[\"b1\",\"c3\"]}", 3, 1, 2, {{0, 1}, {2, 2}}},
        {"{\"n\":3,\"base\":0,\"queens\":[\"b1\",\"c3\"]}", 3, 0, 2, {{0, 1}, {2, 2}}},
        {"{\"n\":3,\"queens\":[{\"row\":1,\"col\":2},{\"x\":3,\"y\":2}]}", 3, 1, 2, {{0, 1}, {1, 2}}},
        {"[{\"x\":2,\"y\":1},{\"x\":1,\"y\":2}]", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"[\"a1\",\"b2\"]", 2, 1, 2, {{0, 0}, {1, 1}}},
        {"{\"permutation\":\"2 1\"}", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"{\"base\":0,\"permutation\":\"1,0\"}", 2, 0, 2, {{0, 1}, {1, 0}}},
        {"{\"base\":0,\"permutation\":\"1302\"}", 4, 0, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"[[\"Q\",\".\"],[\".\",\".\"]]", 2, 1, 1, {{0, 0}}},
        {"[[\".Q\",\"Q.\"]]", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"[[2,4,1,3]]", 4, 1, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"[\"2413\"]", 4, 1, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"[[[0,1],[0,0]]]", 2, 1, 1, {{0, 1}}},
        {"{\"board\":[\"_ V\",\"_ _\"]}", 2, 1, 1, {{0, 1}}},
    };
    static const struct bad two_ways[] = {
        {"0 1\n1 0\n", "body", "can be read in two ways, as rows of a board or as permutations from 0: write Q and ."},
        {"12", "body", "can be read in two ways, as one number or as two digits: put blanks between the columns"},
        {"x V\nV x\n", "body", "can be read in two ways, with x or with V as the queens: write Q and ."},
        {"* . *\n. * *\n* * .\n", "body", "can be read in two ways, with * or with . as the queens: write Q and ."},
        {"Q q\nQ q\n", "body", "can be read in two ways, with Q or with q as the queens: write Q and ."},
        {"\xe2\x99\x95 Q\n. .\n", "body",
         "can be read in two ways, with U+2655 or with Q as the queens: write Q and ."},
        {"**\n**\n", "body", "can be read in two ways, as queens on all squares or on none: write Q or ."},
        {"b1 d2 a3 c4\nc1 a2 d3 b4\n", "body",
         "can be read in two ways, as one board or as a board a line: write one line"},
    };
    static const struct bad json_two_ways[] = {
        {"[[1,2],[2,1]]", "body", "can be read in two ways, as rows of a board or as squares: use board or queens"},
        {"{\"permutation\":\"12\"}", "permutation",
         "can be read in two ways, as one number or as two digits: put blanks between the columns"},
        {"{\"board\":\"hello\"}", "board",
         "must have two signs, one for a queen and one for an empty square, as Q and ."},
        {"{\"board\":\"\"}", "board", "must be a drawn board, columns or names of squares"},
        {"{\"board\":\"|QQ|.|\"}", "board", "must have one sign between two bars"},
        {"{\"permutation\":\"1234567891\"}", "permutation", "must have blanks between the columns"},
        {"{\"n\":2,\"queens\":[[1,2,3]]}", "queens[0]", "must have two numbers, row and column"},
    };
    check_good(TEXT, text, sizeof text / sizeof text[0]);
    check_good(JSON, json, sizeof json / sizeof json[0]);
    check_bad(TEXT, two_ways, sizeof two_ways / sizeof two_ways[0]);
    check_bad(JSON, json_two_ways, sizeof json_two_ways / sizeof json_two_ways[0]);
}

TEST(test_blanks)
{
    static const struct good text[] = {
        {"Q \n  \n", 2, 1, 1, {{0, 0}}},
        {"  Q\r\n   \r\nQ  \r\n", 3, 1, 2, {{0, 2}, {2, 0}}},
        {" Q Q\nQ\n    \n  Q", 4, 1, 4, {{0, 1}, {0, 3}, {1, 0}, {3, 2}}},
        {"Q Q\n   \n", 2, 1, 2, {{0, 0}, {0, 1}}},
        {"  \xe2\x99\x9b \n    \n", 2, 1, 1, {{0, 1}}}, /* with blanks between the squares */
        {"    X\n  X  \nX    \n", 3, 1, 3, {{0, 2}, {1, 1}, {2, 0}}},
        {"  Q  \nQ    \n     \n     \n    Q\n", 5, 1, 3, {{0, 2}, {1, 0}, {4, 4}}},
        {" Q/Q ", 2, 1, 2, {{0, 1}, {1, 0}}},
    };
    static const struct good json[] = {
        {"{\"board\":[\" Q  \",\"   Q\",\"Q   \",\"  Q \"]}", 4, 1, 4, {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
        {"[[\" \",\"Q\"],[\"Q\",\" \"]]", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"[[\"\",\"Q\",\"\",\"\"],[\"\",\"\",\"\",\"Q\"],[\"Q\",\"\",\"\",\"\"],[\"\",\"\",\"Q\",\"\"]]",
         4,
         1,
         4,
         {{0, 1}, {1, 3}, {2, 0}, {3, 2}}},
    };
    static const struct bad two_ways[] = {
        {" Q\nQ\n\n Q\nQ\n", "body",
         "can be read in two ways, with empty lines as rows or between boards: write Q and ."},
        {" Q  \n   Q\nQ   \n  Q \n\n", "body",
         "can be read in two ways, with empty lines as rows or between boards: write Q and ."},
        {"Q\n  Q\nQ   \n  Q\n", "body",
         "can be read in two ways, with one or with two characters for a square: write Q and ."},
        {" Q  \n   Q\nQ   \n  Q \n Q  \n   Q\nQ   \n  Q \n", "body",
         "can be read in two ways, as one board or as several: write Q and ."},
        {" Q\nQ\n Q\nQ\n", "body", "can be read in two ways, as one board or as several: write Q and ."},
        {"   Q\n   Q\n", "body", "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
    };
    check_good(TEXT, text, sizeof text / sizeof text[0]);
    check_good(JSON, json, sizeof json / sizeof json[0]);
    check_bad(TEXT, two_ways, sizeof two_ways / sizeof two_ways[0]);
}

TEST(test_python)
{
    static const struct good text[] = {
        {"(2,1,)", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"\n [ 'Q.' , '..' , ]", 2, 1, 1, {{0, 0}}},
        {"{'n': 2, 'base': 0, 'queens': [(0, 1)], 'next': None, 'complete': True, 'unique': False}", 2, 0, 1, {{0, 1}}},
        {"{'solutions': [{'permutation': (2, 1)}]}", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"((1, 1), (2, 3), (3, 2))", 3, 1, 3, {{0, 0}, {1, 2}, {2, 1}}},
    };
    static const struct bad bad[] = {
        {"(1, 3, 0, 2)", "permutation[2]", "must be 1 to 4; if numbers begin with 0, give base 0"},
        {"[(1, 2), (2, 1)]", "body", "can be read in two ways, as rows of a board or as squares: use board or queens"},
        {"['Q.', '..'", "body", "at byte 11: the text ends too early"},
        {"['Q.', Nope]", "body", "at byte 10: invalid token near 'Nope'"},
        {"['it\\'s', '..']", "body", "at byte 5: invalid escape near '\"it\\''"},
    };
    check_good(TEXT, text, sizeof text / sizeof text[0]);
    check_bad(TEXT, bad, sizeof bad / sizeof bad[0]);
}

TEST(test_csv_and_octets)
{
    static const struct good csv[] = {
        {"row 1..2,column 1..2\r\n1,2\r\n2,1\r\n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"row 0..1,column 0..1\n1,0", 2, 0, 1, {{1, 0}}},
        {"row 1..2;column 1..2\r\n1;2\r\n2;1\r\n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"\xef\xbb\xbf\"row 1..2\";\"column 1..2\"\r\n\"1\";\"2\"\r\n\"2\";1\r\n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"row 1..2\tcolumn 1..2\r\n1\t2\r\n", 2, 1, 1, {{0, 1}}},
        {"\"offset\",\"row 1\",\"row 2\",\"board\"\r\n\"17\",\"2\",\"1\",\".Q/Q.\"\r\n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"offset;row 0;row 1;board\r\n;1;0;.Q/Q.\r\n", 2, 0, 2, {{0, 1}, {1, 0}}},
        {"row 1..0,column 1..0\r\n", 0, 1, 0, {{0, 0}}},
        {"row 0..-1,column 0..-1\r\n", 0, 0, 0, {{0, 0}}},
        {"offset,row 1,row 2\r\n17,2,1\r\n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"offset,row 0,row 1,board\r\n,1,0,.Q/Q.\r\n", 2, 0, 2, {{0, 1}, {1, 0}}},
        {"offset\r\n\r\n", 0, 1, 0, {{0, 0}}},
        {"offset\r\n0\r\n", 0, 1, 0, {{0, 0}}},
        {"offset,board\r\n0,\r\n", 0, 1, 0, {{0, 0}}},
    };
    static const struct bad bad[] = {
        {"", "body", "at byte 0: the first line must be row B..N,column B..N or offset,row B,..."},
        {"1,2\n", "body", "at byte 3: the first line must be row B..N,column B..N or offset,row B,..."},
        {"offset,row 1,row 2\r\n", "body", "has no queens"},
        {"offset,row 1,row 2\n0,2,1,1\n", "body", "at byte 26: a line must have as many fields as the first"},
        {"offset,row 1,row 2\n0,2\n", "body", "at byte 22: a line must have as many fields as the first"},
        {"offset,row 1,row 2\n0,2,\n", "body", "at byte 23: a field must not be empty"},
        {"offset,row 1,row 2\n0,2,1\n1,1,2\n", "body",
         "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {"row 1..2,column 1..2\n1,x\n", "body", "at byte 23: expected a digit or a comma, found x"},
        {"row 1..2,column 1..2\n1,3\n", "column of line 2", "must be 1 to 2"},
    };
    struct verify_body body;
    check_good(CSV, csv, sizeof csv / sizeof csv[0]);
    check_bad(CSV, bad, sizeof bad / sizeof bad[0]);
    const struct verify_asked asked = {.wanted = VERIFY_ONLY, .has_n = true, .n = 2};
    assert_int_equal(read_bytes(&body, OCTETS, &asked, "\1\0\0\0\0\0\0", 7), NQ_INVALID);
    assert_string_equal(body.error.reason,
                        "at byte 7, line 1, column 8: the octets end within a column, which has four");
    assert_int_equal(read_bytes(&body, OCTETS, &asked, "\1\0\0\0\0\0\0\0", 8), NQ_OK);
    assert_int_equal(body.placement->count, 2);
    assert_int_equal(body.placement->queens[0].column, 1);
    verify_body_free(&body);
}

/* What is wrong with a name that no rule has. */
static char unknown[256];

static void name_rules(void)
{
    int size = snprintf(unknown, sizeof unknown, "must be one of %s", rule_name(0));
    for (size_t i = 1; rule_name(i); i++)
        size += snprintf(unknown + size, sizeof unknown - (size_t)size, ", %s", rule_name(i));
    assert_true(size < (int)sizeof unknown);
}

/* The rule that a body names, in every form, wherever it may stand. */
TEST(test_rules)
{
    static const struct {
        enum form form;
        const char *text, *rule; /* NULL: none is named */
    } good[] = {
        {JSON, "{\"permutation\":[1]}", NULL},
        {JSON, "{\"rules\":\"superqueens\",\"permutation\":[1]}", "superqueens"},
        {JSON, "{\"permutation\":[1],\"rules\" : \"toroidal-semiqueens\" }", "toroidal-semiqueens"},
        {JSON, "{\"n\":2,\"clues\":[],\"rules\":\"queens\"}", "queens"},
        {JSON, "{\"rules\":\"toroidal\",\"solutions\":[{\"permutation\":[1]}]}", "toroidal"},
        {JSON, "{\"rules\":\"toroidal\",\"solutions\":[{\"rules\":\"toroidal\",\"permutation\":[1]}]}", "toroidal"},
        {JSON, "[{\"permutation\":[1],\"rules\":\"touching\"}]", "touching"},
        {JSON, "{\"permutation\":[1],\"id\":{\"rules\":\"kings\"}}", NULL},
        {LINES, "{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"rules\":\"semiqueens\"}\n", "semiqueens"},
        {LINES, "{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"rules\":\"semiqueens\"}\n", "semiqueens"},
        {LINES, "{\"rules\":\"reflecting\",\"permutation\":[1]}\n", "reflecting"},
        {LINES, "{\"permutation\":[1]}\n", NULL},
        {TEXT, "n = 1, base = 1, rules = toroidal\n\n 1 >  1\n\nREADY.\n", "toroidal"},
        {TEXT, "n = 9, base = 0, rules = superqueens, rows 2 to 2\n\n 1\n\nREADY.\n", "superqueens"},
        {TEXT, "n = 1, base = 1\n\n 1 >  1\n\nREADY.\n", NULL},
        {CSV, "offset rules=semiqueens,row 0\r\n0,0\r\n", "semiqueens"},
        {CSV, "offset rules=toroidal-semiqueens,row 1,board\r\n0,1,Q\r\n", "toroidal-semiqueens"},
        {CSV, "offset rules=touching\r\n0\r\n", "touching"},
        {CSV, "row 1..1 rules=touching,column 1..1\r\n1,1\r\n", "touching"},
        {CSV, "row 0..-1 rules=toroidal,column 0..-1\r\n", "toroidal"},
        {CSV, "row 1..1,column 1..1\r\n1,1\r\n", NULL},
    };
    static const char two[] = "must be the same everywhere in the body";
    static const struct bad json[] = {
        {"{\"permutation\":[1],\"rules\":\"kings\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":\"\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":\"queen\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":\"queensqueensqueensqueensqueens\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":null}", "rules", "must be a string"},
        {"{\"permutation\":[1],\"rules\":\"queens", "body", "at byte 34: the text ends too early"},
        {"{\"rules\":\"queens\",\"rules\":\"queens\"}", "body", "at byte 24: duplicate object key near '\"rules\"'"},
        {"{\"rules\":\"toroidal\",\"solutions\":[{\"rules\":\"queens\",\"permutation\":[1]}]}", "rules", two},
    };
    static const struct bad lines[] = {
        {"{\"rules\":\"toroidal\",\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"rules\":\"queens\"}", "rules", two},
        {"{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"rules\":\"kings\"}", "rules", unknown},
    };
    static const struct bad text[] = {{"n = 1, base = 1, rules = kings\n\n 1\n\nREADY.\n", "rules", unknown}};
    static const struct bad csv[] = {
        {"offset rules=kings,row 0\r\n0,0\r\n", "rules", unknown},
        {"row 1..1 rules=,column 1..1\r\n1,1\r\n", "rules", unknown},
    };
    name_rules();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct verify_body body;
        (void)read_text(&body, good[i].form, good[i].text);
        if (body.status != NQ_OK)
            fail_msg("%s: %s %s", good[i].text, body.error.parameter, body.error.reason);
        assert_int_equal(body.ruled, good[i].rule != NULL);
        if (body.ruled)
            assert_string_equal(rule_name(body.rule), good[i].rule);
        verify_body_free(&body);
    }
    check_bad(JSON, json, sizeof json / sizeof json[0]);
    check_bad(LINES, lines, sizeof lines / sizeof lines[0]);
    check_bad(TEXT, text, sizeof text / sizeof text[0]);
    check_bad(CSV, csv, sizeof csv / sizeof csv[0]);
}

/* ---- Regions ---- */

struct painted_body {
    const char *text, *regions;
};

static void check_painted(enum form form, const struct painted_body *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        char text[REGIONS_TEXT_MAX];
        (void)read_text(&body, form, list[i].text);
        if (body.status != NQ_OK)
            fail_msg("%s: %s %s", list[i].text, body.error.parameter, body.error.reason);
        assert_int_equal(body.regions.regions.n, 4);
        assert_int_equal(body.n, 4);
        assert_string_equal(regions_text(&body.regions.regions, '/', text), list[i].regions);
        verify_body_free(&body);
    }
}

#define NO_BOARD "names no board: "
#define NOT_CONNECTED \
    " is not connected with the squares of its region that come before it; the squares of a region must be " \
    "connected by their sides, or leave out apart=false"

static const char board[] = "aabb/acbb/cccd/ccdd";

TEST(test_forms_of_regions)
{
    static const struct painted_body list[] = {
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[]}", board},
        {"{\"queens\":[],\"regions\":\"xxYY\\/xyYY\\nyyyz\\r\\nyyzz\\n\"}", board},
        {"{\"regions\":[\"aabb\",\"acbb\" , \"cccd\",\"ccdd\"],\"permutation\":[2,4,1,3]}", board},
        {"{\"regions\":[[7,7,0,0],[7,999999999,0,0],[999999999,999999999,999999999,3],[999999999,999999999,3,3]],"
         "\"states\":[[0,1,2,2],[2,2,2,1],[1,0,0,0],[0,0,1,0]]}",
         board},
        {"{\"n\":4,\"regions\":\"https:\\/\\/puzz.link\\/p?starbattle\\/4\\/4\\/1\\/b2g9cg\",\"queens\":[]}", board},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"solutions\":[{\"permutation\":[2,4,1,3]}]}", board},
        {"{\"solutions\":[{\"permutation\":[2,4,1,3],\"regions\":[\"aabb\",\"acbb\",\"cccd\",\"ccdd\"]}],"
         "\"regions\":\"aabb/acbb/cccd/ccdd\"}",
         board},
        {"{\"apart\":true,\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[]}", "abcc/aacc/bbdd/bbdd"},
        {"{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[],\"apart\":true}", "abcc/aacc/bbdd/bbdd"},
        {"{\"apart\":false,\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[]}", board},
    };
    check_painted(JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_lines_with_regions)
{
    static const struct painted_body list[] = {
        {"{\"row\":1,\"column\":2}\n{\"end\":true,\"n\":4,\"regions\":\"aabb/acbb/cccd/ccdd\"}\n", board},
        {"{\"row\":1,\"column\":2,\"regions\":\"aabb/acbb/cccd/ccdd\"}\n{\"end\":true,\"n\":4}\n", board},
        {"{\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,4]],\"states\":[[0,1,0,0],[0,0,0,1],[0,0,0,0],[0,0,0,0]]}",
         board},
    };
    check_painted(LINES, list, sizeof list / sizeof list[0]);
}

/* As /solve writes them. */
TEST(test_tables_with_regions)
{
    static const struct painted_body text[] = {
        {"n = 4, base = 1, rules = touching, regions = aabb/acbb/cccd/ccdd\n\n2 4 1 3\n\nREADY.\n", board},
        {"n = 4, base = 0, rules = touching, regions = aabb/acbb/cccd/ccdd\n\n.Q..\n...Q\nQ...\n..Q.\n\nREADY.\n",
         board},
    };
    static const struct painted_body csv[] = {
        {"offset rules=touching regions=aabb/acbb/cccd/ccdd,row 1,row 2,row 3,row 4\r\n0,2,4,1,3\r\n", board},
        {"offset rules=touching regions=aabb/acbb/cccd/ccdd,row 0,row 1,row 2,row "
         "3,board\r\n0,1,3,0,2,.Q../...Q/Q.../..Q.\r\n",
         board},
    };
    static const struct bad wrong[] = {
        {"n = 4, base = 0, rules = touching, regions = aabb/acbb/cccd/ccd\n\n1 3 0 2\n\nREADY.\n", "regions",
         NO_BOARD "row 3 has 3 squares; a board of 4 rows needs 4"},
    };
    check_painted(TEXT, text, sizeof text / sizeof text[0]);
    check_painted(CSV, csv, sizeof csv / sizeof csv[0]);
    check_bad(TEXT, wrong, sizeof wrong / sizeof wrong[0]);
}

/* A file of boards, one a line: each has its own regions. */
TEST(test_several_with_regions)
{
    static const char text[] = "{\"regions\":\"aabb/acbb/cccd/ccdd\",\"permutation\":[2,4,1,3]}\n"
                               "{\"permutation\":[2,4,1,3],\"regions\":\"aabb/aabb/ccdd/ccdd\"}\n"
                               "{\"regions\":\"bad\",\"permutation\":[3,1,4,2]}\n";
    static const char *const regions[] = {board, "aabb/aabb/ccdd/ccdd"};
    struct verify_body body;
    for (uint32_t index = 0; index < 3; index++) {
        char found[REGIONS_TEXT_MAX];
        const struct verify_asked asked = {.wanted = index};
        const enum nq_status status = read_bytes(&body, LINES, &asked, text, sizeof text - 1);
        if (index == 2) {
            assert_int_equal(status, NQ_INVALID);
            assert_string_equal(body.error.parameter, "regions");
            continue;
        }
        assert_int_equal(status, NQ_OK);
        assert_string_equal(regions_text(&body.regions.regions, '/', found), regions[index]);
        verify_body_free(&body);
    }
}

/* The queens of states, unless they are listed; and of a grid, unless there are states. */
TEST(test_states)
{
    static const struct good list[] = {
        {"{\"states\":[[0,1],[2,2]]}", 2, 1, 1, {{0, 1}}},
        {"{\"grid\":[[1,0],[0,0]],\"states\":[[0,1],[2,2]]}", 2, 1, 1, {{0, 1}}},
        {"{\"states\":[[0,1],[2,2]],\"grid\":[[1,0],[0,0]]}", 2, 1, 1, {{0, 1}}},
        {"{\"id\":\"x\",\"date\":null,\"grid\":[[1,0],[0,0]]}", 2, 1, 1, {{0, 0}}},
        {"{\"states\":[[0,1],[2,2]],\"permutation\":[1,2]}", 2, 1, 2, {{0, 0}, {1, 1}}},
        {"{\"permutation\":[1,2],\"states\":[[0,1],[2,2]]}", 2, 1, 2, {{0, 0}, {1, 1}}},
        {"{\"board\":[\"Q.\",\"..\"],\"states\":[[0,1],[2,2]]}", 2, 1, 1, {{0, 0}}},
    };
    check_good(JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_regions)
{
    static const struct bad list[] = {
        {"{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"apart\":false,\"queens\":[]}", "regions",
         NO_BOARD "row 3, column 1" NOT_CONNECTED},
        {"{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[],\"base\":0,\"apart\":false}", "regions",
         NO_BOARD "row 2, column 0" NOT_CONNECTED},
        {"{\"regions\":[[1,1,1,1],[1,1,1],[2,2,2,3],[3,3,3,4]],\"queens\":[]}", "regions",
         NO_BOARD "row 2 has 3 squares; a board of 4 rows needs 4"},
        {"{\"regions\":[\"aabb\",\"\",\"cccd\",\"ccdd\"],\"queens\":[]}", "regions",
         NO_BOARD "row 2 has 0 squares; a board of 4 rows needs 4"},
        {"{\"regions\":[[],[],[],[]],\"queens\":[]}", "regions",
         NO_BOARD "it has 0 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {"{\"regions\":[],\"queens\":[]}", "regions",
         NO_BOARD "it has 0 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {"{\"regions\":[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]],"
         "\"queens\":[]}",
         "regions",
         NO_BOARD "it has 21 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {"{\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,5]],\"queens\":[]}", "regions",
         NO_BOARD "the board has 5 regions; 4 rows need 4. The first of one too many is row 4, column 4"},
        {"{\"regions\":\"aabb/acbb/cccd/ccd5\",\"queens\":[],\"base\":0}", "regions",
         NO_BOARD "the board has 5 regions; 4 rows need 4. The first of one too many is row 3, column 3"},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[],\"n\":5}", "n",
         "is 5, but regions has 4 rows; leave n out"},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"permutation\":[1]}", "permutation", "has 1 columns, but n is 4"},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\"}", "body", "must have permutation, queens, board or states"},
        {"{\"regions\":\"aabb/aabb/ccdd/ccdd\",\"solutions\":[{\"permutation\":[2,4,1,3],"
         "\"regions\":\"aabb/acbb/cccd/ccdd\"}]}",
         "regions", "must be the same everywhere"},
        {"{\"regions\":7,\"queens\":[]}", "regions", "must be a string or a list"},
        {"{\"regions\":[7],\"queens\":[]}", "regions",
         NO_BOARD "it has 1 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {"{\"regions\":[\"a\",[1]],\"queens\":[]}", "regions",
         NO_BOARD "it has 2 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {"{\"regions\":\"a\\u0062\",\"queens\":[]}", "regions",
         NO_BOARD "it has 2 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {"{\"apart\":1}", "apart", "must be true or false"},
        {"{\"states\":[[0,3]]}", "states[0][1]", "must be 0, 1 or 2"},
        {"{\"board\":[[0,2]]}", "board[0][1]", "must be 0 or 1"},
        {"{\"regions\":\"a\",\"regions\":\"a\"}", "body", "at byte 23: duplicate object key near '\"regions\"'"},
    };
    check_bad(JSON, list, sizeof list / sizeof list[0]);
}

/* What comes with a request beside its body. */
TEST(test_regions_of_a_parameter)
{
    static const struct {
        const char *body, *parameter, *why;
        bool connected;
    } cases[] = {
        {"{\"queens\":[]}", board, NULL, false},
        {"{\"queens\":[],\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,4]]}", board, NULL, false},
        {"{\"queens\":[],\"regions\":\"aabb/aabb/ccdd/ccdd\"}", board, "must be the same everywhere", false},
        {"{\"queens\":[]}", "abcc/aacc/bbdd/bbdd", NO_BOARD "row 3, column 1" NOT_CONNECTED, true},
        {"{\"queens\":[],\"base\":0}", "abcc/aacc/bbdd/bbdd", NO_BOARD "row 2, column 0" NOT_CONNECTED, true},
        {"{\"queens\":[],\"base\":0}", "abcc/aacc/bbdd/bbdd", NULL, false},
        {"{\"queens\":[],\"regions\":\"abcc/aacc/bbdd/bbdd\"}", NULL, NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verify_body body;
        const struct verify_asked asked = {
            .wanted = VERIFY_ONLY, .regions = cases[i].parameter, .connected = cases[i].connected};
        assert_int_equal(read_bytes(&body, JSON, &asked, cases[i].body, strlen(cases[i].body)),
                         cases[i].why ? NQ_INVALID : NQ_OK);
        if (cases[i].why)
            assert_string_equal(body.error.reason, cases[i].why);
        else
            assert_int_equal(body.regions.regions.n, 4);
        verify_body_free(&body);
    }
}

/* The largest board fits; longer texts than any are refused. */
TEST(test_large_regions)
{
    struct verify_body body;
    char text[PARAM_BOARD_MAX + 100];
    int size = sprintf(text, "{\"queens\":[],\"regions\":[");
    for (int row = 0; row < REGIONS_MAX_N; row++) {
        size += sprintf(text + size, "%s[", row ? "," : "");
        for (int column = 0; column < REGIONS_MAX_N; column++)
            size += sprintf(text + size, "%s%d", column ? "," : "", row);
        size += sprintf(text + size, "]");
    }
    (void)sprintf(text + size, "]}");
    assert_int_equal(read_text(&body, JSON, text), NQ_OK);
    assert_int_equal(body.n, REGIONS_MAX_N);
    verify_body_free(&body);
    static const char *const before[] = {"{\"queens\":[],\"regions\":\"", "{\"queens\":[],\"regions\":[\"a\",\""};
    static const char *const after[] = {"\"}", "\"]}"};
    for (int i = 0; i < 2; i++) {
        size = sprintf(text, "%s", before[i]);
        memset(text + size, 'a', PARAM_BOARD_MAX + 1);
        (void)sprintf(text + size + PARAM_BOARD_MAX + 1, "%s", after[i]);
        assert_int_equal(read_text(&body, JSON, text), NQ_LIMIT);
        assert_string_equal(body.error.parameter, "regions");
        assert_string_equal(body.error.reason, "must have at most 8191 characters");
    }
}

/* ---- Sizes ---- */

/* {"base":0,"permutation":[0,1,...]}, which the caller frees. */
static char *columns_text(uint32_t count)
{
    struct bytes text = {0};
    bytes_text(&text, "{\"base\":0,\"permutation\":[");
    for (uint32_t i = 0; i < count; i++) {
        bytes_text(&text, i ? "," : "");
        bytes_number(&text, i % VERIFY_MAX_N);
    }
    bytes_text(&text, "]}");
    char *taken = bytes_take(&text);
    assert_non_null(taken);
    return taken;
}

TEST(test_limits)
{
    struct verify_body body;
    char *text = columns_text(VERIFY_MAX_N);
    assert_int_equal(read_text(&body, JSON, text), NQ_OK);
    assert_int_equal(body.n, VERIFY_MAX_N);
    assert_int_equal(body.placement->count, VERIFY_MAX_N);
    verify_body_free(&body);
    free(text);
    text = columns_text(VERIFY_MAX_N + 1);
    assert_int_equal(read_text(&body, JSON, text), NQ_LIMIT);
    assert_string_equal(body.error.reason, "must have at most 1000000 queens");
    free(text);
    static const char *const large[] = {"{\"n\":1000001,\"queens\":[]}", "{\"n\":99999999999,\"queens\":[]}"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(read_text(&body, JSON, large[i]), NQ_LIMIT);
        assert_string_equal(body.error.parameter, "n");
        assert_string_equal(body.error.reason, "must be at most 1000000");
    }
}

/* Brackets without end neither fill the stack nor take long. */
TEST(test_depth)
{
    enum { DEEP = 1 << 20 };
    struct verify_body body;
    char *text = malloc(DEEP + 1);
    for (int i = 0; i < 2; i++) {
        for (int at = 0; at < DEEP; at++)
            text[at] = i ? "{\"x\":"[at % 5] : '[';
        text[DEEP] = '\0';
        for (enum form form = JSON; form <= LINES; form++) {
            assert_int_equal(read_text(&body, form, text), NQ_INVALID);
            assert_non_null(strstr(body.error.reason, "maximum parsing depth reached"));
        }
    }
    free(text);
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

/* What is held is about what the document and the queens take: less than that never. */
TEST(test_memory_is_counted)
{
    json_begin();
    for (uint32_t count = 0; count < 30000; count = 2 * count + 61) {
        struct held held = {.most = SIZE_MAX};
        struct verify_asked asked = {.wanted = VERIFY_ONLY, .hold = hold, .who = &held};
        struct verify_body body;
        char *text = columns_text(count);
        assert_int_equal(read_bytes(&body, JSON, &asked, text, strlen(text)), NQ_OK);
        assert_true(held.bytes >= count * (sizeof(struct queen) + 40));
        assert_true(held.bytes <= count * (2 * sizeof(struct queen) + 80) + (128 << 10));
        verify_body_free(&body);

        held = (struct held){.most = 0}; /* not even for the first ones */
        assert_int_equal(read_bytes(&body, JSON, &asked, text, strlen(text)), NQ_BUSY);
        held = (struct held){.most = 64 << 10}; /* for a small document, and no queen */
        assert_int_equal(read_bytes(&body, JSON, &asked, text, strlen(text)), NQ_BUSY);
        free(text);
    }
}

/* Values that take the most memory for their bytes cannot take more than is held. */
TEST(test_dense_documents)
{
    static const char *const values[] = {"{},", "[],", "0,", "\"\",", "{\"\":{}},"};
    enum { VALUES = 20000 };
    json_begin();
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct held held = {.most = 256 << 10};
        const struct verify_asked asked = {.wanted = VERIFY_ONLY, .hold = hold, .who = &held};
        struct verify_body body;
        struct bytes text = {0};
        bytes_text(&text, "{\"permutation\":[1],\"id\":[");
        for (int k = 0; k < VALUES; k++)
            bytes_text(&text, values[i]);
        bytes_text(&text, "0]}");
        assert_int_equal(read_bytes(&body, JSON, &asked, text.data, text.size), NQ_BUSY);
        held = (struct held){.most = 16 << 20};
        assert_int_equal(read_bytes(&body, JSON, &asked, text.data, text.size), NQ_OK);
        verify_body_free(&body);
        bytes_free(&text);
    }
}

/* The documents of lines are freed one after the other: they take no more than the largest. */
TEST(test_lines_take_little)
{
    struct held held = {.most = (64 << 10) + 4096 * 2 * sizeof(struct queen)};
    const struct verify_asked asked = {.wanted = VERIFY_ONLY, .hold = hold, .who = &held};
    struct verify_body body;
    struct bytes text = {0};
    json_begin();
    for (int i = 0; i < 4000; i++)
        bytes_format(&text, "{\"row\":%d,\"column\":1}\n", i + 1);
    bytes_text(&text, "{\"end\":true,\"n\":4000}\n");
    assert_int_equal(read_bytes(&body, LINES, &asked, text.data, text.size), NQ_OK);
    assert_int_equal(body.placement->count, 4000);
    verify_body_free(&body);
    bytes_free(&text);
}

/* In every form, whatever it is that takes long. */
TEST(test_stops)
{
    static const struct {
        enum form form;
        const char *before, *each;
    } list[] = {
        {JSON, "{\"permutation\":[1", ",1"},
        {JSON, "{\"x\":\"", "a"},
        {LINES, "", "{\"row\":1,\"column\":1}\n"},
        {LINES, "{\"x\":\"", "a"},
        {TEXT, "", "1 "},
        {TEXT, "", "\n"},
        {TEXT, "", "."},
        {TEXT, "READY", "."},
        {TEXT, "", "-"},
        {TEXT, "", " "},
        {CSV, "row 1..2,column 1..2\n", "1,1\n"},
        {CSV, "", "a"},
        {CSV, "offset,row 1,board\n0,1,", "."},
        {OCTETS, "", "1234"},
    };
    const atomic_bool stop = true;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const struct verify_asked asked = {.wanted = VERIFY_ONLY, .base = 1, .has_n = true, .n = 9, .stop = &stop};
        struct verify_body body;
        struct bytes text = {0};
        bytes_text(&text, list[i].before);
        for (int k = 0; k < 5000; k++)
            bytes_text(&text, list[i].each);
        assert_int_equal(read_bytes(&body, list[i].form, &asked, text.data, text.size), NQ_CANCELLED);
        bytes_free(&text);
    }
}

TEST(test_out_of_memory)
{
    struct verify_body body;
    char *text = columns_text(200);
    for (size_t made = 0; made <= 3; made++) { /* for 64 queens, 128 and 256 */
        failing_after = made;
        const enum nq_status status = verify_body_read(&body, &verify_forms[JSON], &only, text, strlen(text));
        failing_after = SIZE_MAX;
        assert_int_equal(status, made < 3 ? NQ_NOMEM : NQ_OK);
        verify_body_free(&body);
    }
    free(text);
    failing_after = 0;
    assert_int_equal(verify_body_read(&body, &verify_forms[JSON], &only, "{\"permutation\":[]}", 18), NQ_NOMEM);
    failing_after = SIZE_MAX;
}

TEST(test_out_of_memory_for_crosses)
{
    static const char text[] = "{\"n\":8,\"exclude\":[[1,1]],\"queens\":[[1,2]]}";
    static const struct verify_asked asked = {.wanted = VERIFY_ONLY, .board = true, .base = 1};
    struct verify_body body;
    json_begin();
    for (size_t made = 0; made <= 3; made++) { /* for crosses, queens, both */
        failing_after = made;
        const enum nq_status status = verify_body_read(&body, &verify_forms[JSON], &asked, text, strlen(text));
        failing_after = SIZE_MAX;
        assert_int_equal(status, made < 3 ? NQ_NOMEM : NQ_OK);
        assert_true(status != NQ_OK || (body.placement->count == 1 && body.placement->crossed == 1));
        verify_body_free(&body);
    }
}
