/* test_formats_tables.c - tests of src/formats: the exact bytes of CSV, and of text as a typewriter would print it. */
/* CI builds: address */
#include <stdio.h>

#include "support/written_formats.h"

/* ---- CSV ---- */

/* Reads RFC 4180: fields in plain or in quotes, records ended by CRLF, all of the same number of fields. Returns how
 * many records there are; their fields, each ended by a NUL, stand one after the other in `fields`. */
static size_t parse_csv(const char *text, size_t *columns, char *fields)
{
    size_t records = 0, count = 0;
    while (*text) {
        count++;
        if (*text == '"') {
            for (text++; *text != '"' || text[1] == '"'; text++) {
                assert_true(*text);
                *fields++ = *text;
                text += *text == '"';
            }
            text++;
        } else {
            while (*text && *text != ',' && *text != '\r') {
                assert_true(*text != '"' && *text != '\n');
                *fields++ = *text++;
            }
        }
        *fields++ = '\0';
        if (*text == ',') {
            text++;
            continue;
        }
        assert_memory_equal(text, "\r\n", 2);
        text += 2;
        if (records++ == 0)
            *columns = count;
        assert_int_equal(count, *columns);
        count = 0;
    }
    assert_int_equal(count, 0);
    return records;
}

TEST(test_csv_list)
{
    const struct format *csv = format_find("csv");
    struct list_head head = {.n = 4, .base = 1, .order = "o", .limit = 2};
    struct list_tail tail = {.returned = 2, .prefix = "", .next = "/solve", .next_cursor = "AQ"};
    struct bytes out = {0};
    size_t link, columns;
    char fields[200];
    write_list(&out, csv, &head, &tail, &link);
    assert_int_equal(link, 0);
    assert_wrote(&out, "offset,row 1,row 2,row 3,row 4\r\n0,2,4,1,3\r\n1,3,1,4,2\r\n");

    /* With boards, in every style: the rows give the permutation back, and a solution stays one record. */
    static const char *const queens[] = {[BOARD_ASCII] = "Q", [BOARD_UNICODE] = "♛", [BOARD_GRID] = "1"};
    for (enum board_style style = BOARD_ASCII; style <= BOARD_GRID; style++) {
        head = (struct list_head){.n = 4, .base = 0, .order = "o", .board = style, .offset = 9007199254740993};
        write_list(&out, csv, &head, &tail, &link);
        char *text = bytes_take(&out), *at = fields;
        assert_int_equal(parse_csv(text, &columns, fields), 3);
        assert_int_equal(columns, 6);
        static const char *const names[] = {"offset", "row 0", "row 1", "row 2", "row 3", "board"};
        for (size_t i = 0; i < 6; i++, at += strlen(at) + 1)
            assert_string_equal(at, names[i]);
        for (size_t i = 0; i < 2; i++) {
            assert_string_equal(at, i ? "9007199254740994" : "9007199254740993");
            at += strlen(at) + 1;
            for (uint32_t row = 0; row < 4; row++, at += strlen(at) + 1)
                assert_int_equal(atoi(at), small[i][row]);
            for (uint32_t row = 0; row < 4; row++) {
                const size_t square = strlen(style == BOARD_UNICODE ? "·" : ".");
                at += small[i][row] * square;
                assert_memory_equal(at, queens[style], strlen(queens[style]));
                at += strlen(queens[style]) + (3 - small[i][row]) * square;
                assert_int_equal(*at++, row < 3 ? '/' : '\0');
            }
        }
        free(text);
    }
}

TEST(test_csv_of_little)
{
    const struct format *csv = format_find("csv");
    const struct list_head none = {.n = 2, .base = 1}, empty = {.n = 0, .base = 1};
    const struct list_head drawn = {.n = 0, .base = 1, .board = BOARD_ASCII};
    const struct list_tail nothing = {.complete = true}, one = {.returned = 1, .complete = true};
    struct bytes out = {0};
    size_t link;
    write_list(&out, csv, &none, &nothing, &link);
    assert_wrote(&out, "offset,row 1,row 2\r\n");
    write_list(&out, csv, &empty, &one, &link);
    assert_wrote(&out, "offset\r\n0\r\n");
    write_list(&out, csv, &drawn, &one, &link);
    assert_wrote(&out, "offset,board\r\n0,\r\n");

    const uint32_t columns[] = {3, 4, 999999999, 0};
    struct build_head head = {.n = 1000000000, .base = 1, .part = true, .first = 999999996, .last = 999999999};
    write_build(&out, csv, &head, 4, columns);
    assert_wrote(&out, "row 1..1000000000,column 1..1000000000\r\n999999997,4\r\n999999998,5\r\n"
                       "999999999,1000000000\r\n1000000000,1\r\n");
    head = (struct build_head){.n = 4, .base = 0, .last = 3};
    write_build(&out, csv, &head, 4, small[0]);
    assert_wrote(&out, "row 0..3,column 0..3\r\n0,1\r\n1,3\r\n2,0\r\n3,2\r\n");
    head = (struct build_head){.n = 0, .base = 0};
    write_build(&out, csv, &head, 0, NULL);
    assert_wrote(&out, "row 0..-1,column 0..-1\r\n");
}

/* ---- Text ---- */

#define RULE "-------------------------------------\n\n"

TEST(test_text_list)
{
    const struct format *text = format_find("text");
    struct list_head head = {.n = 4, .base = 1, .order = "o", .limit = 2};
    struct list_tail tail = {.returned = 2, .complete = true};
    struct bytes out = {0};
    size_t link;
    write_list(&out, text, &head, &tail, &link);
    assert_int_equal(link, 0);
    assert_wrote(&out, "n = 4, base = 1\n\n 1 >  2  4  1  3\n 2 >  3  1  4  2\n\nREADY.\n");
    static const struct {
        enum board_style style;
        const char *board;
    } cases[] = {{BOARD_ASCII, ".Q..\n...Q\nQ...\n..Q.\n"},
                 {BOARD_UNICODE, "·♛··\n···♛\n♛···\n··♛·\n"},
                 {BOARD_GRID, "0100\n0001\n1000\n0010\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[300];
        head = (struct list_head){.n = 4, .base = 0, .order = "o", .board = cases[i].style, .offset = 7};
        tail = (struct list_tail){.returned = 1, .prefix = "/q", .next = "/solve?x", .next_cursor = "AQ"};
        write_list(&out, text, &head, &tail, &link);
        assert_memory_equal(out.data + link, "/solve?x\n", 9);
        (void)snprintf(expected, sizeof expected,
                       "n = 4, base = 0\n\n 8 >  1  3  0  2\n%s%snext: /q/solve?x\n\nREADY.\n", cases[i].board, RULE);
        assert_wrote(&out, expected);
    }
}

TEST(test_text_of_little)
{
    const struct format *text = format_find("text");
    const struct list_head none = {.n = 2, .base = 1}, empty = {.n = 0, .base = 1};
    const struct list_head drawn = {.n = 0, .base = 1, .board = BOARD_ASCII};
    const struct list_tail nothing = {.complete = true}, one = {.returned = 1, .complete = true};
    struct bytes out = {0};
    size_t link;
    write_list(&out, text, &none, &nothing, &link);
    assert_wrote(&out, "n = 2, base = 1\n\nREADY.\n");
    write_list(&out, text, &empty, &one, &link);
    assert_wrote(&out, "n = 0, base = 1\n\n 1 >\n\nREADY.\n");
    write_list(&out, text, &drawn, &one, &link);
    assert_wrote(&out, "n = 0, base = 1\n\n 1 >\n" RULE "READY.\n");
    struct build_head head = {.n = 4, .base = 0, .last = 3};
    write_build(&out, text, &head, 4, small[0]);
    assert_wrote(&out, "n = 4, base = 0\n\n 1  3  0  2\n\nREADY.\n");
    head = (struct build_head){.n = 9, .base = 1, .part = true, .first = 4, .last = 7};
    write_build(&out, text, &head, 4, small[0]);
    assert_wrote(&out, "n = 9, base = 1, rows 5 to 8\n\n 2  4  1  3\n\nREADY.\n");
    head = (struct build_head){.n = 0, .base = 1};
    write_build(&out, text, &head, 0, NULL);
    assert_wrote(&out, "n = 0, base = 1\n\nREADY.\n");
}
