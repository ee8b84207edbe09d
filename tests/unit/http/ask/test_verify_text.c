/* test_verify_text.c - tests of src/http/ask/verify_text.c and verify_csv.c, and of octets: what they take, what they
 * refuse and where, the same however the text is cut. */
/* CI builds: address */
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
