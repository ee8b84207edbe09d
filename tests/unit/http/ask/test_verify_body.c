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

/* A body, with what comes beside it as words, "n=4 base=0 m=3 shaped connected index=1 regions=..."; size=9 is that of
 * a text with a NUL. made: the board, without what is usual, and its queens, "n=4 base=0 m=3 ... rules=touching: 0:1
 * 1:3", or "parameter reason" of what is wrong. */
struct row {
    enum form form;
    const char *asked, *text, *made;
};

/* What stands behind a name among the words beside a body; NULL: it is not there. */
static const char *asked_text(const struct row *row, const char *name)
{
    const char *at = strstr(row->asked, name);
    return at ? at + strlen(name) : NULL;
}

static uint32_t asked_number(const struct row *row, const char *name, uint32_t without)
{
    const char *text = asked_text(row, name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : without;
}

static void read_row(const struct row *row, struct verify_body *body)
{
    const struct verify_asked asked = {.wanted = asked_number(row, "index=", VERIFY_ONLY),
                                       .has_n = asked_text(row, "n="),
                                       .n = asked_number(row, "n=", 0),
                                       .base = asked_number(row, "base=", 1),
                                       .m = asked_number(row, "m=", 0),
                                       .shaped = asked_text(row, "shaped"),
                                       .regions = asked_text(row, "regions="),
                                       .connected = asked_text(row, "connected")};
    (void)read_bytes(body, row->form, &asked, row->text, asked_number(row, "size=", (uint32_t)strlen(row->text)));
}

static void write_board(const struct verify_body *body, struct bytes *out)
{
    char regions[REGIONS_TEXT_MAX];
    bytes_format(out, "n=%" PRIu32 "%s", body->n, body->base ? "" : " base=0");
    if (body->has_m)
        bytes_format(out, " m=%" PRIu32, body->m);
    else if (body->height != body->n)
        bytes_format(out, " height=%" PRIu32, body->height);
    if (body->queens[0])
        bytes_format(out, " queens=%s", body->queens);
    for (uint32_t i = 0; i < body->walls.count; i++)
        bytes_format(out, "%s%" PRIu32 ":%" PRIu32, i ? "," : " walls=", body->walls.squares[i].row,
                     body->walls.squares[i].column);
    if (body->ruled)
        bytes_format(out, " rules=%s", rule_name(body->rule));
    if (body->regions.regions.n)
        bytes_format(out, " regions=%s", regions_text(&body->regions.regions, '/', regions));
    bytes_text(out, body->maximal ? " maximal:" : ":");
    for (uint32_t i = 0; i < body->placement->count; i++)
        bytes_format(out, " %" PRIu32 ":%" PRIu32, body->placement->queens[i].row, body->placement->queens[i].column);
}

enum { WHOLE_MAX = 400 };

/* "body at byte 7: ..." stands for that byte's line and column, too. */
static void expect(char whole[static WHOLE_MAX], const char *text, const char *made)
{
    unsigned long byte, line = 1, column = 1;
    int size = 0;
    if (sscanf(made, "body at byte %lu: %n", &byte, &size) != 1 || !size) {
        (void)snprintf(whole, WHOLE_MAX, "%s", made);
        return;
    }
    for (unsigned long i = 0; i < byte; i++) {
        column = text[i] == '\n' ? 1 : column + ((text[i] & 0xc0) != 0x80);
        line += text[i] == '\n';
    }
    (void)snprintf(whole, WHOLE_MAX, "body at byte %lu, line %lu, column %lu: %s", byte, line, column, made + size);
}

static void check(const struct row *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        struct bytes out = {0};
        char made[WHOLE_MAX];
        read_row(&list[i], &body);
        if (body.status == NQ_OK)
            write_board(&body, &out);
        else
            bytes_format(&out, "%s %s", body.error.parameter, body.error.reason);
        bytes_char(&out, '\0');
        expect(made, list[i].text, list[i].made);
        if (strcmp(out.data, made) != 0 || (body.status != NQ_OK && body.status != NQ_INVALID))
            fail_msg("%s: %s, not %s", list[i].text, out.data, made);
        bytes_free(&out);
        verify_body_free(&body);
    }
}

/* ---- JSON, and lines of it ---- */

TEST(test_json)
{
    static const struct row list[] = {
        {JSON, "", "{\"permutation\":[2,4,1,3]}", "n=4: 0:1 1:3 2:0 3:2"},
        {JSON, "", "{\"n\":4,\"base\":0,\"permutation\":[1,3,0,2]}", "n=4 base=0: 0:1 1:3 2:0 3:2"},
        {JSON, "", "{\"permutation\":[1,1],\"base\":0,\"n\":2}", "n=2 base=0: 0:1 1:1"},
        {JSON, "", " \t\r\n{ \"n\" : 2 , \"permutation\" : [ 2 , 1 ] } \n", "n=2: 0:1 1:0"},
        {JSON, "", "{\"permutation\":[]}", "n=0:"},
        {JSON, "", "{\"permutation\":[ ],\"n\":0}", "n=0:"},
        {JSON, "", "{\"n\":3,\"queens\":[]}", "n=3:"},
        {JSON, "", "{\"queens\":[{\"row\":3,\"column\":1},{\"column\":3,\"row\":3}],\"n\":3}", "n=3: 2:0 2:2"},
        {JSON, "", "{\"n\":1000000,\"base\":0,\"queens\":[ { \"row\":999999 , \"column\":0 } ]}",
         "n=1000000 base=0: 999999:0"},
        {JSON, "", "[2,4,1,3]", "n=4: 0:1 1:3 2:0 3:2"},
        {JSON, "", "[\".Q\",\"Q.\"]", "n=2: 0:1 1:0"},
        {JSON, "", "[[0,1,0],[0,0,0],[0,0,0]]", "n=3: 0:1"},
        {JSON, "", "{\"base\":0,\"board\":[\"\xc2\xb7\xe2\x99\x9b\",\"\xe2\x99\x9b\xc2\xb7\"]}", "n=2 base=0: 0:1 1:0"},
        {JSON, "", "{\"board\":[\"..\",\"..\"],\"permutation\":[2,1]}", "n=2: 0:1 1:0"},
        {JSON, "", "{\"permutation\":[2,1],\"board\":[\"x\",{\"y\":[]}]}", "n=2: 0:1 1:0"},
        {JSON, "", "{\"solutions\":[{\"rank\":1e9,\"permutation\":[1,0]}],\"base\":0,\"next\":\"\\\"]}\"}",
         "n=2 base=0: 0:1 1:0"},
        {JSON, "", "[{\"permutation\":[1,0],\"base\":0,\"n\":2}]", "n=2 base=0: 0:1 1:0"},
        {JSON, "", "{\"n\":4,\"rows\":{\"first\":2,\"last\":3},\"permutation\":[4,1]}", "n=4: 1:3 2:0"},
        {JSON, "", "{\"n\":2,\"clues\":[{\"row\":1,\"why\":null,\"column\":2}],\"solution_url\":-1.5e3,\"id\":true}",
         "n=2: 0:1"},
        {JSON, "", "{\"board\":[]}", "n=0:"},
        {JSON, "", "[null,1,null,2]", "n=4: 1:0 3:1"},
        {JSON, "", "[null]", "n=1:"},
        {JSON, "", "{\"n\":4,\"rows\":{\"first\":2,\"last\":4},\"permutation\":[null,4,null]}", "n=4: 2:3"},
        {JSON, "", "{\"n\":3,\"squares\":[[1,2],[3,3]]}", "n=3: 0:1 2:2"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_lines)
{
    static const struct row list[] = {
        {LINES, "", "{\"row\":1,\"column\":2}\n{\"end\":true,\"n\":2,\"base\":1,\"returned\":1,\"next\":null}\n",
         "n=2: 0:1"},
        {LINES, "", "{\"column\":1,\"row\":0} \r\n{\"n\":2,\"base\":0,\"end\":true}", "n=2 base=0: 0:1"},
        {LINES, "", "{\"end\":true,\"n\":5}\n\n \n", "n=5:"},
        {LINES, "", "{\"end\":true,\"n\":5,\"seed\":9007199254740991,\"uniform\":false,\"returned\":0}", "n=5:"},
        {LINES, "", "{\"uniform\":true,\"end\":true,\"n\":5}", "n=5:"},
        {LINES, "", " { \"row\" : 1, \"column\" : 1 }\n{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":2}",
         "n=2: 0:0 0:0"},
        {LINES, "", "{\"permutation\":[2,1]}", "n=2: 0:1 1:0"},
        {LINES, "",
         "{\"permutation\":[1,0],\"rank\":0}\n{\"end\":true,\"n\":2,\"base\":0,\"returned\":1,\"next\":\"/"
         "solve?n=2\"}\n",
         "n=2 base=0: 0:1 1:0"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_bad_json)
{
    static const struct row list[] = {
        {JSON, "", "", "body at byte 0: the text ends too early"},
        {JSON, "size=7", "{\"n\":8\0", "body at byte 6: a NUL is not part of JSON"},
        {JSON, "", "{\"permutation\":[1", "body at byte 17: the text ends too early"},
        {JSON, "", "[1,{}]", "[1] must be a number"},
        {JSON, "", "[{}]", "[0] must have permutation, queens, board or states"},
        {JSON, "", "[{\"permutation\":[1]},1]", "[1] must be an object"},
        {JSON, "", "[]", "body must have permutation, queens, board or states"},
        {JSON, "", "[\"Q\",[1]]", "body has a board of 2 rows of 1 squares"},
        {JSON, "", "[\"Q.\",\"..\",\"Q\"]", "[2] must have as many squares as the first row"},
        {JSON, "", "[\"\xe2\x99\"]", "body at byte 2: unable to decode byte 0xe2 near '\"'"},
        {JSON, "", "{\"board\":[[1,2],[0,1]]}", "board[0][1] must be 0 or 1"},
        {JSON, "", "[true]", "[0] must be a row of the board, a string or a list"},
        {JSON, "", "{\"n\":2,\"board\":[\"Q\"]}", "body has a board of 1 rows, but n is 2"},
        {JSON, "", "{\"solutions\":[]}", "body must have permutation, queens, board or states"},
        {JSON, "", "{\"solutions\":{}}", "solutions must be a list"},
        {JSON, "", "{\"solutions\":[{\"permutation\":[1]},{\"permutation\":[1]}]}",
         "body has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {JSON, "", "{\"rows\":{\"first\":2},\"n\":2,\"permutation\":[1]}", "rows.last is required"},
        {JSON, "", "{\"rows\":{\"first\":2,\"last\":3},\"n\":2,\"permutation\":[1,2]}",
         "rows must be rows of the board, first and last"},
        {JSON, "", "{\"rows\":{\"first\":1,\"last\":1},\"n\":2,\"permutation\":[1,2]}",
         "permutation has 2 columns, but rows has 1"},
        {JSON, "", "{\"rows\":{\"first\":1,\"last\":2},\"n\":3,\"permutation\":[2]}",
         "permutation has 1 columns, but rows has 2"},
        {JSON, "", "{\"x\":\"\t\"}", "body at byte 6: control character 0x9 near '\"'"},
        {JSON, "", "{\"x\":\"\n\"}", "body at byte 6: unexpected newline near '\"'"},
        {JSON, "", "\xef\xbb\xbf{}", "body must have permutation, queens, board or states"},
        {JSON, "", "{\"n\":8,\"id\":\"\\u0000\\ud834\\udd1e\"}", "body must have permutation, queens, board or states"},
        {JSON, "", "null", "body at byte 3: '[' or '{' expected near 'null'"},
        {JSON, "", "{}", "body must have permutation, queens, board or states"},
        {JSON, "", "{\"n\":8}", "body must have permutation, queens, board or states"},
        {JSON, "", "{\"n\":\"8\"}", "n must be a number"},
        {JSON, "", "{\"n\":null}", "n must be a number"},
        {JSON, "", "{\"n\":-8}", "n must not be negative"},
        {JSON, "", "{\"n\":8.0}", "n must be a whole number, without fraction or exponent"},
        {JSON, "", "{\"n\":8e0}", "n must be a whole number, without fraction or exponent"},
        {JSON, "", "{\"n\":8 8}", "body at byte 7: '}' expected near '8'"},
        {JSON, "", "{\"n\":8,\"n\":8}", "body at byte 9: duplicate object key near '\"n\"'"},
        {JSON, "", "{\"id\":8}", "body must have permutation, queens, board or states"},
        {JSON, "", "{\"date\":8}", "body must have permutation, queens, board or states"},
        {JSON, "", "{\"row\":8}", "body must have permutation, queens, board or states"},
        {JSON, "", "{\"permutations\":[]}", "permutations is no member of a board; the nearest is permutation"},
        {JSON, "", "{\"\\u006e\":8}", "body must have permutation, queens, board or states"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_bad_solutions)
{
    static const struct row list[] = {
        {JSON, "", "{\"permutation\":8}", "permutation must be a list"},
        {JSON, "", "{\"permutation\":{}}", "permutation must be a list"},
        {JSON, "", "{\"permutation\":[[1]]}", "permutation[0] must be a number"},
        {JSON, "", "{\"permutation\":[1]}{", "body at byte 19: expected the end of the text"},
        {JSON, "", "{\"permutation\":[1],\"queens\":[]}", "queens must not be given beside permutation"},
        {JSON, "", "{\"n\":3,\"permutation\":[1,2]}", "permutation has 2 columns, but n is 3"},
        {JSON, "", "{\"permutation\":[1,2,4]}", "permutation[2] must be 1 to 3"},
        {JSON, "", "{\"permutation\":[1,0]}", "permutation[1] must be 1 to 2; if numbers begin with 0, give base 0"},
        {JSON, "", "{\"permutation\":[1,2],\"base\":0}", "permutation[1] must be 0 to 1"},
        {JSON, "", "{\"permutation\":[1,99999999999999999999]}",
         "body at byte 37: too big integer near '99999999999999999999'"},
        {JSON, "", "{\"permutation\":[1,4294967297]}", "permutation[1] must be 1 to 2"},
        {JSON, "", "{\"permutation\":[1],\"base\":2}", "base must be 1 or 0"},
        {JSON, "", "{\"queens\":[]}", "n is required with queens"},
        {JSON, "", "{\"n\":1,\"queens\":[1]}", "queens[0] must be an object with row and column"},
        {JSON, "", "{\"n\":1,\"queens\":[{}]}", "queens[0].row is required"},
        {JSON, "", "{\"n\":1,\"queens\":[{\"row\":1}]}", "queens[0].column is required"},
        {JSON, "", "{\"n\":1,\"queens\":[{\"n\":1}]}", "queens[0].row is required"},
        {JSON, "", "{\"n\":1,\"queens\":[{\"row\":1,\"row\":1}]}",
         "body at byte 30: duplicate object key near '\"row\"'"},
        {JSON, "", "{\"n\":2,\"queens\":[{\"row\":3,\"column\":1}]}", "queens[0].row must be 1 to 2"},
        {JSON, "", "{\"n\":2,\"queens\":[{\"row\":1,\"column\":0}]}",
         "queens[0].column must be 1 to 2; if numbers begin with 0, give base 0"},
        {JSON, "", "{\"n\":0,\"queens\":[{\"row\":1,\"column\":1}]}", "body has 1 queens, and the limit is n = 0"},
        {JSON, "", "{\"n\":1,\"queens\":[{\"row\":1,\"column\":1},{\"row\":1,\"column\":1}]}",
         "body has 2 queens, and the limit is n = 1"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_bad_lines)
{
    static const struct row list[] = {
        {LINES, "", "",
         "body at byte 0: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {LINES, "", "{\"row\":1,\"column\":1}\n",
         "body at byte 21: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {LINES, "", "{\"row\":1,\"colu", "body at byte 14: the text ends too early"},
        {LINES, "", "{\"row\":1\n", "body at byte 8: a line must contain a complete object"},
        {LINES, "", "{\"row\":1,\"column\":1}{", "body at byte 20: expected the end of the line"},
        {LINES, "", "\n{\"end\":true,\"n\":1}", "body at byte 0: a line must not be empty"},
        {LINES, "", "{\"end\":true,\"n\":1}\n{\"row\":1,\"column\":1}",
         "body at byte 19: there must be nothing after the end line"},
        {LINES, "", "{\"end\":true}",
         "body at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {LINES, "", "{\"n\":1}",
         "body at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {LINES, "", "{}", "body at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {LINES, "", "{\"row\":1,\"column\":1,\"n\":1}",
         "body at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {LINES, "", "{\"row\":1,\"column\":1,\"end\":true,\"n\":1}",
         "body at byte 0: a line must have row and column, or end and n, or all lines a solution"},
        {LINES, "", "{\"end\":false,\"n\":1}", "end of line 1 must be true"},
        {LINES, "", "{\"end\":trueish,\"n\":1}", "body at byte 13: invalid token near 'trueish'"},
        {LINES, "", "{\"permutation\":[1]}\n{\"row\":1,\"column\":1}\n",
         "body at byte 20: a line must have row and column, or end and n, or all lines a solution"},
        {LINES, "", "{\"row\":1,\"column\":1}\n{\"permutation\":[1]}\n",
         "body at byte 21: a line must have row and column, or end and n, or all lines a solution"},
        {LINES, "", "{\"x\":[1,\n2]}", "body at byte 8: a line must contain a complete object"},
        {LINES, "", "{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"returned\":2}",
         "returned is 2, but 1 lines came before it"},
        {LINES, "", "{\"end\":true,\"n\":1,\"returned\":1}", "returned is 1, but 0 lines came before it"},
        {LINES, "", "{\"row\":1,\"column\":1}\n{\"row\":2,\"column\":3}\n{\"end\":true,\"n\":2}",
         "column of line 2 must be 1 to 2"},
        {LINES, "", "{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":0}", "row of line 1 must be 0 to 0"},
        {LINES, "", "{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":7}", "base must be 1 or 0"},
    };
    check(list, sizeof list / sizeof list[0]);
}

/* Of several solutions, in any form, one is read, whatever the others are. */
TEST(test_index)
{
    static const char json[] =
        "{\"solutions\":[{\"permutation\":[9,9,9]},{\"n\":1,\"permutation\":[1]},{\"permutation\":[2,1]}]}";
    static const char lines[] = "{\"permutation\":[9,9,9]}\n{\"permutation\":[1]}\n{\"board\":[\".Q\",\"Q.\"]}\n";
    static const char text[] = "9 9 9\n 3 > 1\n.Q\nQ.\n.Q\nQ.\n";
    static const char none[] = "index must be 0 to 2: the body has 3 solutions";
    static const struct row list[] = {
        {JSON, "index=1", json, "n=1: 0:0"},
        {JSON, "index=2", json, "n=2: 0:1 1:0"},
        {JSON, "index=3", json, none},
        {LINES, "index=1", lines, "n=1: 0:0"},
        {LINES, "index=2", lines, "n=2: 0:1 1:0"},
        {LINES, "index=3", lines, none},
        {TEXT, "index=1", text, "n=1: 0:0"},
        {TEXT, "index=2", text, "n=2: 0:1 1:0"},
        {TEXT, "index=3", text, none},
    };
    check(list, sizeof list / sizeof list[0]);
}

/* ---- Text and tables ---- */

TEST(test_text)
{
    static const struct row list[] = {
        {TEXT, "", "n = 2, base = 1\n\n 2  1\n\nREADY.\n", "n=2: 0:1 1:0"},
        {TEXT, "", "n = 2, base = 0\r\n\r\n 1 >  1  0\r\n.Q\r\nQ.\r\n-----\r\n\r\nnext: /x\r\n\r\nREADY.",
         "n=2 base=0: 0:1 1:0"},
        {TEXT, "", "n = 2, base = 0\n\n >  1  0\nREADY.\n", "n=2 base=0: 0:1 1:0"},
        {TEXT, "", "n = 4, base = 1, rows 2 to 3\n\n 4  1\n\nREADY.\n", "n=4: 1:3 2:0"},
        {TEXT, "", "n = 0, base = 1\n\nREADY.\n", "n=0:"},
        {TEXT, "", "n = 0, base = 1\n\n 1 >\n\nREADY.\n", "n=0:"},
        {TEXT, "", "2 1", "n=2: 0:1 1:0"},
        {TEXT, "", "1 2\n", "n=2: 0:0 1:1"},
        {TEXT, "", "01\n10", "n=2: 0:1 1:0"},
        {TEXT, "", ".Q\n..", "n=2: 0:1"},
        {TEXT, "", "\xc2\xb7\xe2\x99\x9b\n\xe2\x99\x9b\xc2\xb7", "n=2: 0:1 1:0"},
        {TEXT, "",
         "0000000001\n0000000000\n0000000000\n0000000000\n0000000000\n0000000000\n0000000000\n0000000000\n"
         "0000000000\n1000000000\n",
         "n=10: 0:9 9:0"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_bad_text)
{
    static const struct row list[] = {
        {TEXT, "", "", "body has no queens"},
        {TEXT, "", "n = 2, base = 1\n\n 2  1\n",
         "body at byte 23: the text ends without READY., as if it had been cut"},
        {TEXT, "", "n = 3, base = 1\n\n 2  1\nREADY.", "permutation has 2 columns, but n is 3"},
        {TEXT, "", "n = 2, base = 5\n\n 2  1\nREADY.", "base must be 1 or 0"},
        {TEXT, "", "next\n", "body must have two signs, one for a queen and one for an empty square, as Q and ."},
        {TEXT, "", "2 1\nnext\n",
         "body at byte 8: a line must be n = N, base = B; columns; a row of a board; next: or READY."},
        {TEXT, "", "2 1\n1 2", "body has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {TEXT, "", ".Q\nQ.\n..\n..", "body has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {TEXT, "", ".Q\nQ..", "body at byte 6: a row of the board has another number of squares than the first"},
        {TEXT, "", ".Q\n", "body has a board of 1 rows of 2 squares"},
        {TEXT, "", ".Q\n1 2", "body at byte 5: the board before has too few rows"},
        {TEXT, "", "1 x", "body has a board of 1 rows of 2 squares"},
        {TEXT, "", "2 x", "body at byte 2: expected a number, found x"},
        {TEXT, "", "12x", "body at byte 2: expected a blank or the end of the line, found x"},
        {TEXT, "", ".x", "body has a board of 1 rows of 2 squares"},
        {TEXT, "", "-x", "body has a board of 1 rows of 2 squares"},
        {TEXT, "", "\xc2\n", "body at byte 0: expected a number or a square, found 0xc2"},
        {TEXT, "", ".\xc0\xae",
         "body at byte 1: expected a square, found 0xc0"}, /* a dot in two bytes, which is no UTF-8 */
        {TEXT, "", "n = 2, base = 1\n\n.\xe2\x99\x95", "body at byte 18: expected a square, found 0xe2"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_drawn)
{
    static const struct row list[] = {
        {TEXT, "", "|Q|\n", "n=1: 0:0"},
        {TEXT, "", "_ _\n_ _\n", "n=2:"},
        {TEXT, "", "# # #\n# Q #\n# # #\n", "n=3: 1:1"},
        {TEXT, "", "Q x .\nx x x\n. x .\n", "n=3: 0:0"},
        {TEXT, "", "+---+---+\r\n| Q |   |\r\n+---+---+\r\n|   |   |\r\n+---+---+\r\n", "n=2: 0:0"},
        {TEXT, "", "|.Q|\n|..|\n", "n=2: 0:1"},
        {TEXT, "", "* _ * *\n* * * _\n_ * * *\n* * _ *\n", "n=4: 0:1 1:3 2:0 3:2"},
        {TEXT, "", "0 1 0\n0 0 0\n0 0 1\n", "n=3: 0:1 2:2"},
        {TEXT, "", "132", "n=3: 0:0 1:2 2:1"},
        {TEXT, "", "a1 b2 a3", "n=3: 0:0 1:1 2:0"},
        {JSON, "", "[[1,1],[2,3],[3,2]]", "n=3: 0:0 1:2 2:1"},
        {JSON, "", "{\"n\":3,\"queens\":[[1,2],[3,3]]}", "n=3: 0:1 2:2"},
        {JSON, "", "{\"n\":3,\"queens\":[\"b1\",\"c3\"]}", "n=3: 0:1 2:2"},
        {JSON, "", "{\"n\":3,\"base\":0,\"queens\":[\"b1\",\"c3\"]}", "n=3 base=0: 0:1 2:2"},
        {JSON, "", "{\"n\":3,\"queens\":[{\"row\":1,\"col\":2},{\"x\":3,\"y\":2}]}", "n=3: 0:1 1:2"},
        {JSON, "", "[{\"x\":2,\"y\":1},{\"x\":1,\"y\":2}]", "n=2: 0:1 1:0"},
        {JSON, "", "[\"a1\",\"b2\"]", "n=2: 0:0 1:1"},
        {JSON, "", "{\"permutation\":\"2 1\"}", "n=2: 0:1 1:0"},
        {JSON, "", "{\"base\":0,\"permutation\":\"1,0\"}", "n=2 base=0: 0:1 1:0"},
        {JSON, "", "{\"base\":0,\"permutation\":\"1302\"}", "n=4 base=0: 0:1 1:3 2:0 3:2"},
        {JSON, "", "[[\"Q\",\".\"],[\".\",\".\"]]", "n=2: 0:0"},
        {JSON, "", "[[\".Q\",\"Q.\"]]", "n=2: 0:1 1:0"},
        {JSON, "", "[[2,4,1,3]]", "n=4: 0:1 1:3 2:0 3:2"},
        {JSON, "", "[\"2413\"]", "n=4: 0:1 1:3 2:0 3:2"},
        {JSON, "", "[[[0,1],[0,0]]]", "n=2: 0:1"},
        {JSON, "", "{\"board\":[\"_ V\",\"_ _\"]}", "n=2: 0:1"},
        {TEXT, "", "0 1\n1 0\n",
         "body can be read in two ways, as rows of a board or as permutations from 0: write Q and ."},
        {TEXT, "", "12",
         "body can be read in two ways, as one number or as two digits: put blanks between the columns"},
        {TEXT, "", "x V\nV x\n", "body can be read in two ways, with x or with V as the queens: write Q and ."},
        {TEXT, "", "* . *\n. * *\n* * .\n",
         "body can be read in two ways, with * or with . as the queens: write Q and ."},
        {TEXT, "", "Q q\nQ q\n", "body can be read in two ways, with Q or with q as the queens: write Q and ."},
        {TEXT, "", "\xe2\x99\x95 Q\n. .\n",
         "body can be read in two ways, with U+2655 or with Q as the queens: write Q and ."},
        {TEXT, "", "**\n**\n", "body can be read in two ways, as queens on all squares or on none: write Q or ."},
        {TEXT, "", "b1 d2 a3 c4\nc1 a2 d3 b4\n",
         "body can be read in two ways, as one board or as a board a line: write one line"},
        {JSON, "", "[[1,2],[2,1]]",
         "body can be read in two ways, as rows of a board or as squares: use board or queens"},
        {JSON, "", "{\"permutation\":\"12\"}",
         "permutation can be read in two ways, as one number or as two digits: put blanks between the columns"},
        {JSON, "", "{\"board\":\"hello\"}",
         "board must have two signs, one for a queen and one for an empty square, as Q and ."},
        {JSON, "", "{\"board\":\"\"}", "board must be a drawn board, columns or names of squares"},
        {JSON, "", "{\"board\":\"|QQ|.|\"}", "board must have one sign between two bars"},
        {JSON, "", "{\"permutation\":\"1234567891\"}", "permutation must have blanks between the columns"},
        {JSON, "", "{\"n\":2,\"queens\":[[1,2,3]]}", "queens[0] must have two numbers, row and column"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_blanks)
{
    static const struct row list[] = {
        {TEXT, "", "Q \n  \n", "n=2: 0:0"},
        {TEXT, "", "  Q\r\n   \r\nQ  \r\n", "n=3: 0:2 2:0"},
        {TEXT, "", " Q Q\nQ\n    \n  Q", "n=4: 0:1 0:3 1:0 3:2"},
        {TEXT, "", "Q Q\n   \n", "n=2: 0:0 0:1"},
        {TEXT, "", "  \xe2\x99\x9b \n    \n", "n=2: 0:1"}, /* with blanks between the squares */
        {TEXT, "", "    X\n  X  \nX    \n", "n=3: 0:2 1:1 2:0"},
        {TEXT, "", "  Q  \nQ    \n     \n     \n    Q\n", "n=5: 0:2 1:0 4:4"},
        {TEXT, "", " Q/Q ", "n=2: 0:1 1:0"},
        {JSON, "", "{\"board\":[\" Q  \",\"   Q\",\"Q   \",\"  Q \"]}", "n=4: 0:1 1:3 2:0 3:2"},
        {JSON, "", "[[\" \",\"Q\"],[\"Q\",\" \"]]", "n=2: 0:1 1:0"},
        {JSON, "", "[[\"\",\"Q\",\"\",\"\"],[\"\",\"\",\"\",\"Q\"],[\"Q\",\"\",\"\",\"\"],[\"\",\"\",\"Q\",\"\"]]",
         "n=4: 0:1 1:3 2:0 3:2"},
        {TEXT, "", " Q\nQ\n\n Q\nQ\n",
         "body can be read in two ways, with empty lines as rows or between boards: write Q and ."},
        {TEXT, "", " Q  \n   Q\nQ   \n  Q \n\n",
         "body can be read in two ways, with empty lines as rows or between boards: write Q and ."},
        {TEXT, "", "Q\n  Q\nQ   \n  Q\n",
         "body can be read in two ways, with one or with two characters for a square: write Q and ."},
        {TEXT, "", " Q  \n   Q\nQ   \n  Q \n Q  \n   Q\nQ   \n  Q \n",
         "body can be read in two ways, as one board or as several: write Q and ."},
        {TEXT, "", " Q\nQ\n Q\nQ\n", "body can be read in two ways, as one board or as several: write Q and ."},
        {TEXT, "", "   Q\n   Q\n", "body has 2 solutions, and one is checked: choose it with index=0 to index=1"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_python)
{
    static const struct row list[] = {
        {TEXT, "", "(2,1,)", "n=2: 0:1 1:0"},
        {TEXT, "", "\n [ 'Q.' , '..' , ]", "n=2: 0:0"},
        {TEXT, "", "{'n': 2, 'base': 0, 'queens': [(0, 1)], 'next': None, 'complete': True, 'unique': False}",
         "n=2 base=0: 0:1"},
        {TEXT, "", "{'solutions': [{'permutation': (2, 1)}]}", "n=2: 0:1 1:0"},
        {TEXT, "", "((1, 1), (2, 3), (3, 2))", "n=3: 0:0 1:2 2:1"},
        {TEXT, "", "(1, 3, 0, 2)", "permutation[2] must be 1 to 4; if numbers begin with 0, give base 0"},
        {TEXT, "", "[(1, 2), (2, 1)]",
         "body can be read in two ways, as rows of a board or as squares: use board or queens"},
        {TEXT, "", "['Q.', '..'", "body at byte 11: the text ends too early"},
        {TEXT, "", "['Q.', Nope]", "body at byte 10: invalid token near 'Nope'"},
        {TEXT, "", "['it\\'s', '..']", "body at byte 5: invalid escape near '\"it\\''"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_csv_and_octets)
{
    static const struct row list[] = {
        {CSV, "", "row 1..2,column 1..2\r\n1,2\r\n2,1\r\n", "n=2: 0:1 1:0"},
        {CSV, "", "row 0..1,column 0..1\n1,0", "n=2 base=0: 1:0"},
        {CSV, "", "row 1..2;column 1..2\r\n1;2\r\n2;1\r\n", "n=2: 0:1 1:0"},
        {CSV, "", "\xef\xbb\xbf\"row 1..2\";\"column 1..2\"\r\n\"1\";\"2\"\r\n\"2\";1\r\n", "n=2: 0:1 1:0"},
        {CSV, "", "row 1..2\tcolumn 1..2\r\n1\t2\r\n", "n=2: 0:1"},
        {CSV, "", "\"offset\",\"row 1\",\"row 2\",\"board\"\r\n\"17\",\"2\",\"1\",\".Q/Q.\"\r\n", "n=2: 0:1 1:0"},
        {CSV, "", "offset;row 0;row 1;board\r\n;1;0;.Q/Q.\r\n", "n=2 base=0: 0:1 1:0"},
        {CSV, "", "row 1..0,column 1..0\r\n", "n=0:"},
        {CSV, "", "row 0..-1,column 0..-1\r\n", "n=0 base=0:"},
        {CSV, "", "offset,row 1,row 2\r\n17,2,1\r\n", "n=2: 0:1 1:0"},
        {CSV, "", "offset,row 0,row 1,board\r\n,1,0,.Q/Q.\r\n", "n=2 base=0: 0:1 1:0"},
        {CSV, "", "offset\r\n\r\n", "n=0:"},
        {CSV, "", "offset\r\n0\r\n", "n=0:"},
        {CSV, "", "offset,board\r\n0,\r\n", "n=0:"},
        {CSV, "", "", "body at byte 0: the first line must be row B..N,column B..N or offset,row B,..."},
        {CSV, "", "1,2\n", "body at byte 3: the first line must be row B..N,column B..N or offset,row B,..."},
        {CSV, "", "offset,row 1,row 2\r\n", "body has no queens"},
        {CSV, "", "offset,row 1,row 2\n0,2,1,1\n", "body at byte 26: a line must have as many fields as the first"},
        {CSV, "", "offset,row 1,row 2\n0,2\n", "body at byte 22: a line must have as many fields as the first"},
        {CSV, "", "offset,row 1,row 2\n0,2,\n", "body at byte 23: a field must not be empty"},
        {CSV, "", "offset,row 1,row 2\n0,2,1\n1,1,2\n",
         "body has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {CSV, "", "row 1..2,column 1..2\n1,x\n", "body at byte 23: expected a digit or a comma, found x"},
        {CSV, "", "row 1..2,column 1..2\n1,3\n", "column of line 2 must be 1 to 2"},
        {OCTETS, "n=2 size=7", "\1\0\0\0\0\0\0", "body at byte 7: the octets end within a column, which has four"},
        {OCTETS, "n=2 base=0 size=8", "\1\0\0\0\0\0\0\0", "n=2 base=0: 0:1 1:0"},
    };
    check(list, sizeof list / sizeof list[0]);
}

/* What is wrong with a name that no rule has. */
static char unknown[300];

static void name_rules(void)
{
    int size = snprintf(unknown, sizeof unknown, "rules must be one of %s", rule_name(0));
    for (size_t i = 1; rule_name(i); i++)
        size += snprintf(unknown + size, sizeof unknown - (size_t)size, ", %s", rule_name(i));
    assert_true(size < (int)sizeof unknown);
}

/* The rule that a body names, in every form, wherever it may stand. */
TEST(test_rules)
{
    static const struct row list[] = {
        {JSON, "", "{\"permutation\":[1]}", "n=1: 0:0"},
        {JSON, "", "{\"rules\":\"superqueens\",\"permutation\":[1]}", "n=1 rules=superqueens: 0:0"},
        {JSON, "", "{\"permutation\":[1],\"rules\" : \"toroidal-semiqueens\" }", "n=1 rules=toroidal-semiqueens: 0:0"},
        {JSON, "", "{\"n\":2,\"clues\":[],\"rules\":\"queens\"}", "n=2 rules=queens:"},
        {JSON, "", "{\"rules\":\"toroidal\",\"solutions\":[{\"permutation\":[1]}]}", "n=1 rules=toroidal: 0:0"},
        {JSON, "", "{\"rules\":\"toroidal\",\"solutions\":[{\"rules\":\"toroidal\",\"permutation\":[1]}]}",
         "n=1 rules=toroidal: 0:0"},
        {JSON, "", "[{\"permutation\":[1],\"rules\":\"touching\"}]", "n=1 rules=touching: 0:0"},
        {JSON, "", "{\"permutation\":[1],\"id\":{\"rules\":\"kings\"}}", "n=1: 0:0"},
        {LINES, "", "{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"rules\":\"semiqueens\"}\n",
         "n=1 rules=semiqueens: 0:0"},
        {LINES, "", "{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"rules\":\"semiqueens\"}\n",
         "n=1 rules=semiqueens: 0:0"},
        {LINES, "", "{\"rules\":\"reflecting\",\"permutation\":[1]}\n", "n=1 rules=reflecting: 0:0"},
        {LINES, "", "{\"permutation\":[1]}\n", "n=1: 0:0"},
        {TEXT, "", "n = 1, base = 1, rules = toroidal\n\n 1 >  1\n\nREADY.\n", "n=1 rules=toroidal: 0:0"},
        {TEXT, "", "n = 9, base = 0, rules = superqueens, rows 2 to 2\n\n 1\n\nREADY.\n",
         "n=9 base=0 rules=superqueens: 2:1"},
        {TEXT, "", "n = 1, base = 1\n\n 1 >  1\n\nREADY.\n", "n=1: 0:0"},
        {CSV, "", "offset rules=semiqueens,row 0\r\n0,0\r\n", "n=1 base=0 rules=semiqueens: 0:0"},
        {CSV, "", "offset rules=toroidal-semiqueens,row 1,board\r\n0,1,Q\r\n", "n=1 rules=toroidal-semiqueens: 0:0"},
        {CSV, "", "offset rules=touching\r\n0\r\n", "n=0 rules=touching:"},
        {CSV, "", "row 1..1 rules=touching,column 1..1\r\n1,1\r\n", "n=1 rules=touching: 0:0"},
        {CSV, "", "row 0..-1 rules=toroidal,column 0..-1\r\n", "n=0 base=0 rules=toroidal:"},
        {CSV, "", "row 1..1,column 1..1\r\n1,1\r\n", "n=1: 0:0"},
        {JSON, "", "{\"permutation\":[1],\"rules\":\"kings\"}", unknown},
        {JSON, "", "{\"permutation\":[1],\"rules\":\"\"}", unknown},
        {JSON, "", "{\"permutation\":[1],\"rules\":\"queen\"}", unknown},
        {JSON, "", "{\"permutation\":[1],\"rules\":\"queensqueensqueensqueensqueens\"}", unknown},
        {JSON, "", "{\"permutation\":[1],\"rules\":null}", "rules must be a string"},
        {JSON, "", "{\"permutation\":[1],\"rules\":\"queens", "body at byte 34: the text ends too early"},
        {JSON, "", "{\"rules\":\"queens\",\"rules\":\"queens\"}",
         "body at byte 24: duplicate object key near '\"rules\"'"},
        {JSON, "", "{\"rules\":\"toroidal\",\"solutions\":[{\"rules\":\"queens\",\"permutation\":[1]}]}",
         "rules must be the same everywhere in the body"},
        {LINES, "", "{\"rules\":\"toroidal\",\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"rules\":\"queens\"}",
         "rules must be the same everywhere in the body"},
        {LINES, "", "{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"rules\":\"kings\"}", unknown},
        {TEXT, "", "n = 1, base = 1, rules = kings\n\n 1\n\nREADY.\n", unknown},
        {CSV, "", "offset rules=kings,row 0\r\n0,0\r\n", unknown},
        {CSV, "", "row 1..1 rules=,column 1..1\r\n1,1\r\n", unknown},
    };
    name_rules();
    check(list, sizeof list / sizeof list[0]);
}

/* ---- Regions ---- */

#define NO_BOARD "names no board: "
#define NOT_CONNECTED \
    " is not connected with the squares of its region that come before it; the squares of a region must be " \
    "connected by their sides, or leave out apart=false"

#define BOARD "aabb/acbb/cccd/ccdd"

TEST(test_forms_of_regions)
{
    static const struct row list[] = {
        {JSON, "", "{\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[]}", "n=4 regions=" BOARD ":"},
        {JSON, "", "{\"queens\":[],\"regions\":\"xxYY\\/xyYY\\nyyyz\\r\\nyyzz\\n\"}", "n=4 regions=" BOARD ":"},
        {JSON, "", "{\"regions\":[\"aabb\",\"acbb\" , \"cccd\",\"ccdd\"],\"permutation\":[2,4,1,3]}",
         "n=4 regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {JSON, "",
         "{\"regions\":[[7,7,0,0],[7,999999999,0,0],[999999999,999999999,999999999,3],[999999999,999999999,3,3]],"
         "\"states\":[[0,1,2,2],[2,2,2,1],[1,0,0,0],[0,0,1,0]]}",
         "n=4 regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {JSON, "", "{\"n\":4,\"regions\":\"https:\\/\\/puzz.link\\/p?starbattle\\/4\\/4\\/1\\/b2g9cg\",\"queens\":[]}",
         "n=4 regions=" BOARD ":"},
        {JSON, "", "{\"regions\":\"aabb/acbb/cccd/ccdd\",\"solutions\":[{\"permutation\":[2,4,1,3]}]}",
         "n=4 regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {JSON, "",
         "{\"solutions\":[{\"permutation\":[2,4,1,3],\"regions\":[\"aabb\",\"acbb\",\"cccd\",\"ccdd\"]}],"
         "\"regions\":\"aabb/acbb/cccd/ccdd\"}",
         "n=4 regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {JSON, "", "{\"apart\":true,\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[]}",
         "n=4 regions=abcc/aacc/bbdd/bbdd:"},
        {JSON, "", "{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[],\"apart\":true}",
         "n=4 regions=abcc/aacc/bbdd/bbdd:"},
        {JSON, "", "{\"apart\":false,\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[]}", "n=4 regions=" BOARD ":"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_lines_with_regions)
{
    static const struct row list[] = {
        {LINES, "", "{\"row\":1,\"column\":2}\n{\"end\":true,\"n\":4,\"regions\":\"aabb/acbb/cccd/ccdd\"}\n",
         "n=4 regions=" BOARD ": 0:1"},
        {LINES, "", "{\"row\":1,\"column\":2,\"regions\":\"aabb/acbb/cccd/ccdd\"}\n{\"end\":true,\"n\":4}\n",
         "n=4 regions=" BOARD ": 0:1"},
        {LINES, "",
         "{\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,4]],\"states\":[[0,1,0,0],[0,0,0,1],[0,0,0,0],[0,0,0,0]]}",
         "n=4 regions=" BOARD ": 0:1 1:3"},
    };
    check(list, sizeof list / sizeof list[0]);
}

/* As /solve writes them. */
TEST(test_tables_with_regions)
{
    static const struct row list[] = {
        {TEXT, "", "n = 4, base = 1, rules = touching, regions = aabb/acbb/cccd/ccdd\n\n2 4 1 3\n\nREADY.\n",
         "n=4 rules=touching regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {TEXT, "",
         "n = 4, base = 0, rules = touching, regions = aabb/acbb/cccd/ccdd\n\n.Q..\n...Q\nQ...\n..Q.\n\nREADY.\n",
         "n=4 base=0 rules=touching regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {CSV, "", "offset rules=touching regions=aabb/acbb/cccd/ccdd,row 1,row 2,row 3,row 4\r\n0,2,4,1,3\r\n",
         "n=4 rules=touching regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {CSV, "",
         "offset rules=touching regions=aabb/acbb/cccd/ccdd,row 0,row 1,row 2,row "
         "3,board\r\n0,1,3,0,2,.Q../...Q/Q.../..Q.\r\n",
         "n=4 base=0 rules=touching regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {TEXT, "", "n = 4, base = 0, rules = touching, regions = aabb/acbb/cccd/ccd\n\n1 3 0 2\n\nREADY.\n",
         "regions " NO_BOARD "row 3 has 3 squares; a board of 4 rows needs 4"},
    };
    check(list, sizeof list / sizeof list[0]);
}

/* A file of boards, one a line: each has its own regions. */
TEST(test_several_with_regions)
{
    static const char text[] = "{\"regions\":\"" BOARD "\",\"permutation\":[2,4,1,3]}\n"
                               "{\"permutation\":[2,4,1,3],\"regions\":\"aabb/aabb/ccdd/ccdd\"}\n"
                               "{\"regions\":\"bad\",\"permutation\":[3,1,4,2]}\n";
    static const struct row list[] = {
        {LINES, "index=0", text, "n=4 regions=" BOARD ": 0:1 1:3 2:0 3:2"},
        {LINES, "index=1", text, "n=4 regions=aabb/aabb/ccdd/ccdd: 0:1 1:3 2:0 3:2"},
        {LINES, "index=2", text,
         "regions " NO_BOARD
         "it has 3 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
    };
    check(list, sizeof list / sizeof list[0]);
}

/* The queens of states, unless they are listed; and of a grid, unless there are states. */
TEST(test_states)
{
    static const struct row list[] = {
        {JSON, "", "{\"states\":[[0,1],[2,2]]}", "n=2: 0:1"},
        {JSON, "", "{\"grid\":[[1,0],[0,0]],\"states\":[[0,1],[2,2]]}", "n=2: 0:1"},
        {JSON, "", "{\"states\":[[0,1],[2,2]],\"grid\":[[1,0],[0,0]]}", "n=2: 0:1"},
        {JSON, "", "{\"id\":\"x\",\"date\":null,\"grid\":[[1,0],[0,0]]}", "n=2: 0:0"},
        {JSON, "", "{\"states\":[[0,1],[2,2]],\"permutation\":[1,2]}", "n=2: 0:0 1:1"},
        {JSON, "", "{\"permutation\":[1,2],\"states\":[[0,1],[2,2]]}", "n=2: 0:0 1:1"},
        {JSON, "", "{\"board\":[\"Q.\",\"..\"],\"states\":[[0,1],[2,2]]}", "n=2: 0:0"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_bad_regions)
{
    static const struct row list[] = {
        {JSON, "", "{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"apart\":false,\"queens\":[]}",
         "regions " NO_BOARD "row 3, column 1" NOT_CONNECTED},
        {JSON, "", "{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[],\"base\":0,\"apart\":false}",
         "regions " NO_BOARD "row 2, column 0" NOT_CONNECTED},
        {JSON, "", "{\"regions\":[[1,1,1,1],[1,1,1],[2,2,2,3],[3,3,3,4]],\"queens\":[]}",
         "regions " NO_BOARD "row 2 has 3 squares; a board of 4 rows needs 4"},
        {JSON, "", "{\"regions\":[\"aabb\",\"\",\"cccd\",\"ccdd\"],\"queens\":[]}",
         "regions " NO_BOARD "row 2 has 0 squares; a board of 4 rows needs 4"},
        {JSON, "", "{\"regions\":[[],[],[],[]],\"queens\":[]}",
         "regions " NO_BOARD
         "it has 0 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {JSON, "", "{\"regions\":[],\"queens\":[]}",
         "regions " NO_BOARD
         "it has 0 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {JSON, "",
         "{\"regions\":[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]],"
         "\"queens\":[]}",
         "regions " NO_BOARD
         "it has 21 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {JSON, "", "{\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,5]],\"queens\":[]}",
         "regions " NO_BOARD "the board has 5 regions; 4 rows need 4. The first of one too many is row 4, column 4"},
        {JSON, "", "{\"regions\":\"aabb/acbb/cccd/ccd5\",\"queens\":[],\"base\":0}",
         "regions " NO_BOARD "the board has 5 regions; 4 rows need 4. The first of one too many is row 3, column 3"},
        {JSON, "", "{\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[],\"n\":5}",
         "n is 5, but regions has 4 rows; leave n out"},
        {JSON, "", "{\"regions\":\"aabb/acbb/cccd/ccdd\",\"permutation\":[1]}",
         "permutation has 1 columns, but n is 4"},
        {JSON, "", "{\"regions\":\"aabb/acbb/cccd/ccdd\"}", "body must have permutation, queens, board or states"},
        {JSON, "",
         "{\"regions\":\"aabb/aabb/ccdd/ccdd\",\"solutions\":[{\"permutation\":[2,4,1,3],"
         "\"regions\":\"aabb/acbb/cccd/ccdd\"}]}",
         "regions must be the same everywhere"},
        {JSON, "", "{\"regions\":7,\"queens\":[]}", "regions must be a string or a list"},
        {JSON, "", "{\"regions\":[7],\"queens\":[]}",
         "regions " NO_BOARD
         "it has 1 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {JSON, "", "{\"regions\":[\"a\",[1]],\"queens\":[]}",
         "regions " NO_BOARD
         "it has 2 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {JSON, "", "{\"regions\":\"a\\u0062\",\"queens\":[]}",
         "regions " NO_BOARD
         "it has 2 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20"},
        {JSON, "", "{\"apart\":1}", "apart must be true or false"},
        {JSON, "", "{\"states\":[[0,3]]}", "states[0][1] must be 0, 1 or 2"},
        {JSON, "", "{\"board\":[[0,2]]}", "board[0][1] must be 0 or 1"},
        {JSON, "", "{\"regions\":\"a\",\"regions\":\"a\"}", "body at byte 23: duplicate object key near '\"regions\"'"},
    };
    check(list, sizeof list / sizeof list[0]);
}

/* What comes with a request beside its body. */
TEST(test_regions_of_a_parameter)
{
    static const struct row list[] = {
        {JSON, "regions=" BOARD, "{\"queens\":[]}", "n=4 regions=" BOARD ":"},
        {JSON, "regions=" BOARD, "{\"queens\":[],\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,4]]}",
         "n=4 regions=" BOARD ":"},
        {JSON, "regions=" BOARD, "{\"queens\":[],\"regions\":\"aabb/aabb/ccdd/ccdd\"}",
         "regions must be the same everywhere"},
        {JSON, "connected regions=abcc/aacc/bbdd/bbdd", "{\"queens\":[]}",
         "regions " NO_BOARD "row 3, column 1" NOT_CONNECTED},
        {JSON, "connected regions=abcc/aacc/bbdd/bbdd", "{\"queens\":[],\"base\":0}",
         "regions " NO_BOARD "row 2, column 0" NOT_CONNECTED},
        {JSON, "regions=abcc/aacc/bbdd/bbdd", "{\"queens\":[],\"base\":0}", "n=4 base=0 regions=abcc/aacc/bbdd/bbdd:"},
        {JSON, "", "{\"queens\":[],\"regions\":\"abcc/aacc/bbdd/bbdd\"}", "n=4 regions=abcc/aacc/bbdd/bbdd:"},
    };
    check(list, sizeof list / sizeof list[0]);
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

/* ---- Boards of any shape, whole or with what is said beside the body ---- */

TEST(test_shapes)
{
    static const struct row list[] = {
        {JSON, "", "{\"n\":4,\"m\":3,\"queens\":2,\"walls\":[[1,2],{\"row\":3,\"column\":1}],\"squares\":[[1,1]]}",
         "n=4 m=3 queens=2 walls=0:1,2:0: 0:0"},
        {JSON, "", "{\"squares\":[[2,3]],\"maximal\":true,\"queens\":\"0-4\",\"base\":0,\"n\":4,\"m\":3}",
         "n=4 base=0 m=3 queens=0-4 maximal: 2:3"},
        {JSON, "", "{\"n\":4,\"m\":3,\"queens\":\"any\",\"solutions\":[{\"squares\":[],\"permutation\":[4,null,1]}]}",
         "n=4 m=3 queens=any: 0:3 2:0"},
        {JSON, "", "{\"m\":2,\"board\":[\"Q..\",\"..Q\"]}", "n=3 m=2: 0:0 1:2"},
        {JSON, "", "{\"board\":[\"Q..\",\"..Q\"],\"m\":2}", "n=3 m=2: 0:0 1:2"},
        {JSON, "", "{\"board\":\"Q../..Q\",\"m\":2,\"n\":3}", "n=3 m=2: 0:0 1:2"},
        {JSON, "m=2 shaped", "{\"board\":[[0,0,1],[1,0,0]]}", "n=3 height=2: 0:2 1:0"},
        {JSON, "n=4 m=3 shaped", "{\"permutation\":[4,null,1]}", "n=4 height=3: 0:3 2:0"},
        {JSON, "shaped", "{\"permutation\":[4,null,1,null]}", "n=4: 0:3 2:0"},
        {JSON, "n=5 shaped", "[[1,1],[2,3],[3,5]]", "n=5: 0:0 1:2 2:4"},
        {LINES, "",
         "{\"squares\":[[1,3]]}\n{\"end\":true,\"n\":3,\"m\":2,\"queens\":1,\"walls\":[[2,2]],\"returned\":1}\n",
         "n=3 m=2 queens=1 walls=1:1: 0:2"},
        {TEXT, "", "n = 4, base = 0, m = 3, rules = superqueens\n\n 1 > 0:1 2:3\n\nREADY.\n",
         "n=4 base=0 m=3 rules=superqueens: 0:1 2:3"},
        {TEXT, "", "n = 4, base = 1, m = 3\n > \nREADY.\n", "n=4 m=3:"},
        {TEXT, "m=2 shaped", "Q..\n..Q\n", "n=3 height=2: 0:0 1:2"},
        {TEXT, "m=2 shaped", "Q . .\n. . x\n", "n=3 height=2: 0:0"},
        {TEXT, "m=2 shaped", "0 1 0\n0 0 0\n", "n=3 height=2: 0:1"},
        {TEXT, "m=2 shaped", "010\n000\n", "n=3 height=2: 0:1"},
        {TEXT, "n=3 m=2 shaped", "b1 c2", "n=3 height=2: 0:1 1:2"},
        {CSV, "", "offset rules=superqueens m=3 n=4,squares\r\n0,1:1 2:4\r\n", "n=4 m=3 rules=superqueens: 0:0 1:3"},
        {CSV, "", "offset m=3 n=4 base=0,squares\n7,0:1\n", "n=4 base=0 m=3: 0:1"},
        {CSV, "", "offset m=3 n=4,squares\n,\n", "n=4 m=3:"},
        {CSV, "", "offset m=3 n=4,squares\n0\n", "body at byte 24: a line must have as many fields as the first"},
        {OCTETS, "n=3 m=2 shaped size=8", "\1\0\0\0\3\0\0\0", "n=3 height=2: 0:0 1:2"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_bad_shapes)
{
    static const struct row list[] = {
        {JSON, "", "{\"board\":[\"Q..\",\"..Q\"]}", "body has a board of 2 rows of 3 squares"},
        {JSON, "", "{\"board\":[\"Q..\",\"..Q\"],\"m\":3}", "body has a board of 2 rows, but m is 3"},
        {JSON, "", "{\"n\":4,\"board\":[\"Q..\",\"..Q\"],\"m\":2}", "body has a board of 3 columns, but n is 4"},
        {JSON, "", "{\"n\":4,\"m\":3,\"permutation\":[1,2,3,4]}", "permutation has 4 columns, but m is 3"},
        {JSON, "", "{\"m\":3,\"permutation\":[1,2,3]}", "n is required with queens"},
        {JSON, "", "{\"n\":4,\"m\":3,\"squares\":[[4,1]]}", "queens[0].row must be 1 to 3"},
        {JSON, "", "{\"n\":4,\"m\":3,\"permutation\":[null,5,null]}", "permutation[1] must be 1 to 4"},
        {JSON, "", "{\"n\":4,\"m\":3,\"walls\":[[3,4],[4,1]],\"squares\":[]}", "walls[1].row must be 1 to 3"},
        {JSON, "", "{\"n\":4,\"walls\":8,\"squares\":[]}", "walls must be a list"},
        {JSON, "", "{\"n\":4,\"maximal\":1,\"squares\":[]}", "maximal must be true or false"},
        {JSON, "", "{\"n\":1,\"queens\":\"any\",\"squares\":[[1,1],[1,1]]}",
         "body has 2 queens, and the limit is the number of squares, 1"},
        {TEXT, "m=3 shaped", "Q..\n..Q\n", "body has a board of 2 rows of 3 squares"},
        {TEXT, "m=3 shaped", " Q \nQ  \n  Q\n", "body does not show how many columns the board has: write Q and ."},
        {TEXT, "m=2 shaped", "b1 c2", "n is required with queens"},
        {TEXT, "", "n = 4, base = 1, m = 3\n 1 > 1:1 2\nREADY.\n", "body at byte 33: expected :, found 0x0a"},
        {TEXT, "", "n = 4, base = 1, m = 3\n 1  2\nREADY.\n", "body at byte 27: expected >, found 2"},
    };
    check(list, sizeof list / sizeof list[0]);
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

/* Brackets without end do not fill the stack. */
TEST(test_depth)
{
    char text[4096] = "";
    memset(text, '[', sizeof text - 1);
    check(&(struct row){JSON, "", text, "body at byte 2048: maximum parsing depth reached near '['"}, 1);
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
