/* test_verify_text.c - tests of src/http/ask/verify_text.c and verify_csv.c, and of octets: what they take, what they
 * refuse and where, the same however the text is cut. */
/* CI builds: address */
#include "rules/rule.h"
#include "support/bodies.h"

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
    check_good(VERIFY_TEXT, list, sizeof list / sizeof list[0]);
}

TEST(test_bad_text)
{
    static const struct bad list[] = {
        {"", "body", "has no queens"},
        {"n = 2, base = 1\n\n 2  1\n", "body", "at byte 23: the text ends without READY., as if it had been cut"},
        {"n = 3, base = 1\n\n 2  1\nREADY.", "permutation", "has 2 columns, but n is 3"},
        {"n = 2, base = 5\n\n 2  1\nREADY.", "base", "must be 1 or 0"},
        {"next\n", "body", "at byte 4: a line must be n = N, base = B; columns; a row of a board; next: or READY."},
        {"2 1\n1 2", "body", "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {".Q\nQ.\n..\n..", "body", "has 2 solutions, and one is checked: choose it with index=0 to index=1"},
        {".Q\nQ..", "body", "at byte 6: a row of the board has another number of squares than the first"},
        {".Q\n", "body", "has a board of 1 rows of 2 squares"},
        {".Q\n1 2", "body", "at byte 5: the board before has too few rows"},
        {"1 x", "body", "at byte 2: expected a number, found x"},
        {"12x", "body", "at byte 2: expected a blank or the end of the line, found x"},
        {"x", "body", "at byte 0: expected a number or a square, found x"},
        {".x", "body", "at byte 1: expected a square, found x"},
        {"-x", "body", "at byte 1: expected -, found x"},
        {"\xc2\n", "body", "at byte 1: a square ends within its sign"},
    };
    check_bad(VERIFY_TEXT, list, sizeof list / sizeof list[0]);
}

TEST(test_csv_and_octets)
{
    static const struct good csv[] = {
        {"row 1..2,column 1..2\r\n1,2\r\n2,1\r\n", 2, 1, 2, {{0, 1}, {1, 0}}},
        {"row 0..1,column 0..1\n1,0", 2, 0, 1, {{1, 0}}},
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
    check_good(VERIFY_CSV, csv, sizeof csv / sizeof csv[0]);
    check_bad(VERIFY_CSV, bad, sizeof bad / sizeof bad[0]);
    verify_body_begin(&body, VERIFY_OCTETS, VERIFY_ONLY, NULL, NULL);
    verify_board(&body, 2, 0);
    verify_body_add(&body, "\1\0\0\0\0\0\0", 7);
    verify_body_add(&body, "\0", 1);
    assert_int_equal(verify_body_end(&body), NQ_OK);
    assert_int_equal(body.placement->count, 2);
    assert_int_equal(body.placement->queens[0].column, 1);
    verify_body_free(&body);
}

/* The rule that a body names, in every shape, wherever it may stand. */
TEST(test_rules)
{
    static const struct {
        enum verify_shape shape;
        const char *text, *rule; /* NULL: none is named */
    } good[] = {
        {VERIFY_JSON, "{\"permutation\":[1]}", NULL},
        {VERIFY_JSON, "{\"rules\":\"superqueens\",\"permutation\":[1]}", "superqueens"},
        {VERIFY_JSON, "{\"permutation\":[1],\"rules\" : \"toroidal-semiqueens\" }", "toroidal-semiqueens"},
        {VERIFY_JSON, "{\"n\":2,\"clues\":[],\"rules\":\"queens\"}", "queens"},
        {VERIFY_JSON, "{\"rules\":\"toroidal\",\"solutions\":[{\"permutation\":[1]}]}", "toroidal"},
        {VERIFY_JSON, "{\"rules\":\"toroidal\",\"solutions\":[{\"rules\":\"toroidal\",\"permutation\":[1]}]}",
         "toroidal"},
        {VERIFY_JSON, "[{\"permutation\":[1],\"rules\":\"touching\"}]", "touching"},
        {VERIFY_JSON, "{\"permutation\":[1],\"x\":{\"rules\":\"kings\"}}", NULL},
        {VERIFY_LINES, "{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"rules\":\"semiqueens\"}\n", "semiqueens"},
        {VERIFY_LINES, "{\"permutation\":[1]}\n{\"end\":true,\"n\":1,\"rules\":\"semiqueens\"}\n", "semiqueens"},
        {VERIFY_LINES, "{\"rules\":\"reflecting\",\"permutation\":[1]}\n", "reflecting"},
        {VERIFY_LINES, "{\"permutation\":[1]}\n", NULL},
        {VERIFY_TEXT, "n = 1, base = 1, rules = toroidal\n\n 1 >  1\n\nREADY.\n", "toroidal"},
        {VERIFY_TEXT, "n = 9, base = 0, rules = superqueens, rows 2 to 2\n\n 1\n\nREADY.\n", "superqueens"},
        {VERIFY_TEXT, "n = 1, base = 1\n\n 1 >  1\n\nREADY.\n", NULL},
        {VERIFY_CSV, "offset rules=semiqueens,row 0\r\n0,0\r\n", "semiqueens"},
        {VERIFY_CSV, "offset rules=toroidal-semiqueens,row 1,board\r\n0,1,Q\r\n", "toroidal-semiqueens"},
        {VERIFY_CSV, "offset rules=touching\r\n0\r\n", "touching"},
        {VERIFY_CSV, "row 1..1 rules=touching,column 1..1\r\n1,1\r\n", "touching"},
        {VERIFY_CSV, "row 0..-1 rules=toroidal,column 0..-1\r\n", "toroidal"},
        {VERIFY_CSV, "row 1..1,column 1..1\r\n1,1\r\n", NULL},
    };
    static const char unknown[] = "must be one of queens, toroidal, superqueens, semiqueens, toroidal-semiqueens, "
                                  "reflecting, touching";
    static const char two[] = "must be the same everywhere in the body";
    static const struct bad json[] = {
        {"{\"permutation\":[1],\"rules\":\"kings\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":\"\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":\"queen\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":\"queensqueensqueensqueensqueens\"}", "rules", unknown},
        {"{\"permutation\":[1],\"rules\":null}", "body", "at byte 27: expected \", found n"},
        {"{\"permutation\":[1],\"rules\":\"queens", "body", "at byte 34: the text ends too early"},
        {"{\"rules\":\"queens\",\"rules\":\"queens\"}", "body", "at byte 24: the member \"rules\" is given twice"},
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
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct verify_body body;
        read_text(&body, good[i].shape, good[i].text, strlen(good[i].text));
        if (body.status != NQ_OK)
            fail_msg("%s: %s %s", good[i].text, body.error.parameter, body.error.reason);
        assert_int_equal(body.ruled, good[i].rule != NULL);
        if (body.ruled)
            assert_string_equal(rule_name(body.rule), good[i].rule);
        verify_body_free(&body);
    }
    check_bad(VERIFY_JSON, json, sizeof json / sizeof json[0]);
    check_bad(VERIFY_LINES, lines, sizeof lines / sizeof lines[0]);
    check_bad(VERIFY_TEXT, text, sizeof text / sizeof text[0]);
    check_bad(VERIFY_CSV, csv, sizeof csv / sizeof csv[0]);
}
