/* test_formats.c - tests of src/formats: the exact bytes of every representation, and that they parse as what they are
 * meant to say. */
#include <png.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "formats/format.h"

/* The bytes everything is written to, with allocations that can be made to fail. */
#include "failing.h"

#include "base/bytes.c"

static const uint32_t small[][4] = {{1, 3, 0, 2}, {2, 0, 3, 1}};

/* Compares with the text and starts afresh. */
static void assert_wrote(struct bytes *out, const char *expected)
{
    char *text = bytes_take(out);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void write_list(struct bytes *out, const struct format *format, const struct list_head *head,
                       const struct list_tail *tail, size_t *link)
{
    format->list_begin(out, head);
    for (uint64_t i = 0; i < tail->returned; i++)
        format->list_solution(out, head, small[i], i, rank_after(head->offset, i));
    *link = format->list_end(out, head, tail);
}

static void write_build(struct bytes *out, const struct format *format, const struct build_head *head, uint32_t rows,
                        const uint32_t *columns)
{
    format->build_begin(out, head);
    for (uint32_t at = 0; at < rows; at += 3) { /* in pieces: joined they must read as one */
        uint32_t piece = rows - at < 3 ? rows - at : 3;
        format->build_rows(out, head, head->first + at, piece, columns + at);
    }
    format->build_end(out, head, rows);
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s in %s", error.text, text);
    return json;
}

static void test_find(void **state)
{
    (void)state;
    for (const struct format *const *at = formats; *at; at++) {
        assert_ptr_equal(format_find((*at)->name), *at);
        assert_non_null(strchr((*at)->media_type, '/'));
    }
    assert_string_equal(formats[0]->name, "json");
    assert_string_equal(format_find("json")->media_type, "application/json");
    assert_false(format_find("json")->lines);
    assert_string_equal(format_find("ndjson")->media_type, "application/x-ndjson");
    assert_true(format_find("ndjson")->lines);
    assert_true(format_find("csv")->lines && format_find("text")->lines);
    assert_true(format_find("svg")->draw && format_find("png")->draw);
    static const char *const unknown[] = {"", "JSON", "jso", "json ", "application/json"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_null(format_find(unknown[i]));
}

static void test_columns(void **state)
{
    (void)state;
    static const uint32_t columns[] = {0, 8, 9, 98, 99, 998, 999, 999999998, 999999999, 4294967294u};
    struct bytes out = {0};
    format_columns(&out, 0, 10, columns);
    assert_wrote(&out, "0,8,9,98,99,998,999,999999998,999999999,4294967294");
    format_columns(&out, 1, 10, columns);
    assert_wrote(&out, "1,9,10,99,100,999,1000,999999999,1000000000,4294967295");
    format_columns(&out, 1, 1, columns);
    assert_wrote(&out, "1");
    format_columns(&out, 1, 0, NULL);
    assert_wrote(&out, "");

    uint32_t longest[100];
    for (uint32_t count = 1; count <= 100; count++) { /* ten digits each, whatever room there happens to be */
        longest[count - 1] = 4294967294u;
        format_columns(&out, 1, count, longest);
        assert_int_equal(out.size, 11 * count - 1);
        assert_in_range(out.size, 0, out.capacity);
        bytes_free(&out);
    }
}

static void test_boards(void **state)
{
    (void)state;
    static const struct {
        enum board_style style;
        const char *four;
    } cases[] = {
        {BOARD_ASCII, "[\".Q..\",\"...Q\",\"Q...\",\"..Q.\"]"},
        {BOARD_UNICODE, "[\"·♛··\",\"···♛\",\"♛···\",\"··♛·\"]"},
        {BOARD_GRID, "[[0,1,0,0],[0,0,0,1],[1,0,0,0],[0,0,1,0]]"},
    };
    static const char *const one[] = {"[\"Q\"]", "[\"♛\"]", "[[1]]"};
    struct bytes out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        format_board(&out, cases[i].style, 4, small[0]);
        assert_wrote(&out, cases[i].four);
        format_board(&out, cases[i].style, 1, (const uint32_t[]){0});
        assert_wrote(&out, one[i]);
        format_board(&out, cases[i].style, 0, NULL);
        assert_wrote(&out, "[]");
    }
}

static void test_solution(void **state)
{
    (void)state;
    struct list_head head = {.n = 4, .base = 1};
    struct bytes out = {0};
    format_solution(&out, &head, small[0], 7);
    assert_wrote(&out, "{\"permutation\":[2,4,1,3]}");
    head.base = 0;
    head.board = BOARD_ASCII; /* a drawing has no base */
    format_solution(&out, &head, small[0], 7);
    assert_wrote(&out, "{\"permutation\":[1,3,0,2],\"board\":[\".Q..\",\"...Q\",\"Q...\",\"..Q.\"]}");
    head.board = BOARD_GRID;
    head.n = 0;
    format_solution(&out, &head, NULL, 7);
    assert_wrote(&out, "{\"permutation\":[],\"board\":[]}");
}

static void test_json_page(void **state)
{
    (void)state;
    const struct list_head head = {
        .n = 4, .base = 1, .order = "lexicographic", .limit = 2, .total_known = true, .total = 2};
    const struct list_tail tail = {.returned = 2, .complete = true};
    struct bytes out = {0};
    size_t link;
    write_list(&out, format_find("json"), &head, &tail, &link);
    assert_int_equal(link, 0);
    assert_wrote(&out, "{\"n\":4,\"base\":1,\"order\":\"lexicographic\",\"offset\":0,\"offset_text\":\"0\",\"limit\":2,"
                       "\"total\":2,\"total_text\":\"2\",\"solutions\":[\n"
                       "{\"permutation\":[2,4,1,3]},\n{\"permutation\":[3,1,4,2]}\n"
                       "],\"returned\":2,\"complete\":true,\"next\":null,\"next_cursor\":null}\n");
}

/* Numbers no double can hold, a link below a prefix, base 0, boards; an incomplete page. */
static void test_json_page_in_the_middle(void **state)
{
    (void)state;
    const uint64_t huge = UINT64_C(9007199254740993);
    const struct list_head head = {
        .n = 4, .base = 0, .order = "any", .board = BOARD_GRID, .offset = huge, .limit = 7, .total = 99};
    const struct list_tail tail = {
        .returned = 1, .prefix = "/queens", .next = "/solve?n=4&cursor=AQ", .next_cursor = "AQ"};
    struct bytes out = {0};
    size_t link;
    write_list(&out, format_find("json"), &head, &tail, &link);
    char *text = bytes_take(&out);
    assert_memory_equal(text + link, "/solve?n=4&cursor=AQ\"", 21);
    assert_memory_equal(text + link - 8, "\"/queens", 8);

    json_t *page = parse(text);
    const char *offset_text, *order, *next, *next_cursor;
    json_int_t n, base, offset, limit, returned;
    int complete;
    json_t *solutions;
    assert_int_equal(json_unpack(page, "{s:I, s:I, s:s, s:I, s:s, s:I, s:o, s:I, s:b, s:s, s:s !}", "n", &n, "base",
                                 &base, "order", &order, "offset", &offset, "offset_text", &offset_text, "limit",
                                 &limit, "solutions", &solutions, "returned", &returned, "complete", &complete, "next",
                                 &next, "next_cursor", &next_cursor),
                     0); /* the ! says: and nothing else, so no total */
    assert_int_equal(n, 4);
    assert_int_equal(base, 0);
    assert_string_equal(order, "any");
    assert_int_equal(offset, huge);
    assert_string_equal(offset_text, "9007199254740993");
    assert_int_equal(limit, 7);
    assert_int_equal(returned, 1);
    assert_false(complete);
    assert_string_equal(next, "/queens/solve?n=4&cursor=AQ");
    assert_string_equal(next_cursor, "AQ");
    json_t *expected = parse("[{\"permutation\":[1,3,0,2],\"board\":[[0,1,0,0],[0,0,0,1],[1,0,0,0],[0,0,1,0]]}]");
    assert_true(json_equal(solutions, expected));
    json_decref(expected);
    json_decref(page);
    free(text);
}

static void test_ndjson_list(void **state)
{
    (void)state;
    const struct format *ndjson = format_find("ndjson");
    struct list_head head = {.n = 4, .base = 1, .order = "lexicographic", .limit = 2};
    struct list_tail tail = {.returned = 2, .complete = true};
    struct bytes out = {0};
    size_t link;
    write_list(&out, ndjson, &head, &tail, &link);
    assert_int_equal(link, 0);
    assert_wrote(&out, "{\"permutation\":[2,4,1,3]}\n{\"permutation\":[3,1,4,2]}\n"
                       "{\"end\":true,\"n\":4,\"base\":1,\"returned\":2,\"next\":null}\n");

    head.base = 0;
    head.board = BOARD_ASCII;
    tail = (struct list_tail){.returned = 1, .prefix = "/q", .next = "/solve?after=1", .next_cursor = "AQ"};
    write_list(&out, ndjson, &head, &tail, &link);
    assert_memory_equal(out.data + link, "/solve?after=1\"", 15);
    assert_wrote(&out, "{\"permutation\":[1,3,0,2],\"board\":[\".Q..\",\"...Q\",\"Q...\",\"..Q.\"]}\n"
                       "{\"end\":true,\"n\":4,\"base\":0,\"returned\":1,\"next\":\"/q/solve?after=1\"}\n");
}

/* n = 2 has no solution, n = 0 has the empty one. */
static void test_nothing_and_the_empty_board(void **state)
{
    (void)state;
    struct bytes out = {0};
    size_t link;
    const struct list_head none = {.n = 2, .base = 1, .order = "o", .limit = 9, .total_known = true};
    const struct list_head empty = {.n = 0, .base = 1, .order = "o", .limit = 9, .total_known = true, .total = 1};
    const struct list_tail nothing = {.returned = 0, .complete = true}, one = {.returned = 1, .complete = true};
    write_list(&out, format_find("json"), &none, &nothing, &link);
    assert_wrote(&out, "{\"n\":2,\"base\":1,\"order\":\"o\",\"offset\":0,\"offset_text\":\"0\",\"limit\":9,"
                       "\"total\":0,\"total_text\":\"0\",\"solutions\":["
                       "],\"returned\":0,\"complete\":true,\"next\":null,\"next_cursor\":null}\n");
    write_list(&out, format_find("json"), &empty, &one, &link);
    assert_wrote(&out, "{\"n\":0,\"base\":1,\"order\":\"o\",\"offset\":0,\"offset_text\":\"0\",\"limit\":9,"
                       "\"total\":1,\"total_text\":\"1\",\"solutions\":[\n{\"permutation\":[]}\n"
                       "],\"returned\":1,\"complete\":true,\"next\":null,\"next_cursor\":null}\n");
    write_list(&out, format_find("ndjson"), &none, &nothing, &link);
    assert_wrote(&out, "{\"end\":true,\"n\":2,\"base\":1,\"returned\":0,\"next\":null}\n");
    write_list(&out, format_find("ndjson"), &empty, &one, &link);
    assert_wrote(&out, "{\"permutation\":[]}\n{\"end\":true,\"n\":0,\"base\":1,\"returned\":1,\"next\":null}\n");
}

static void test_builds(void **state)
{
    (void)state;
    const struct format *json = format_find("json"), *ndjson = format_find("ndjson");
    const uint32_t columns[] = {3, 4, 999999999, 0, 12};
    struct build_head head = {.n = 5, .base = 1, .method = "explicit"};
    struct bytes out = {0};
    write_build(&out, json, &head, 4, columns);
    assert_wrote(&out, "{\"n\":5,\"base\":1,\"method\":\"explicit\",\"permutation\":[4,5,1000000000,1]}\n");
    write_build(&out, json, &head, 0, NULL);
    assert_wrote(&out, "{\"n\":5,\"base\":1,\"method\":\"explicit\",\"permutation\":[]}\n");

    head = (struct build_head){
        .n = 1000000000, .base = 1, .method = "m", .part = true, .first = 999999995, .last = 999999999};
    write_build(&out, json, &head, 5, columns);
    assert_wrote(&out,
                 "{\"n\":1000000000,\"base\":1,\"method\":\"m\",\"rows\":{\"first\":999999996,\"last\":1000000000}"
                 ",\"permutation\":[4,5,1000000000,1,13]}\n");
    write_build(&out, ndjson, &head, 4, columns);
    assert_wrote(&out, "{\"row\":999999996,\"column\":4}\n{\"row\":999999997,\"column\":5}\n"
                       "{\"row\":999999998,\"column\":1000000000}\n{\"row\":999999999,\"column\":1}\n"
                       "{\"end\":true,\"n\":1000000000,\"base\":1,\"returned\":4,\"next\":null}\n");
    head.base = 0;
    write_build(&out, json, &head, 2, columns);
    assert_wrote(&out, "{\"n\":1000000000,\"base\":0,\"method\":\"m\",\"rows\":{\"first\":999999995,\"last\":999999999}"
                       ",\"permutation\":[3,4]}\n");
    write_build(&out, ndjson, &head, 1, columns);
    assert_wrote(&out, "{\"row\":999999995,\"column\":3}\n"
                       "{\"end\":true,\"n\":1000000000,\"base\":0,\"returned\":1,\"next\":null}\n");
}

/* Chance is told where members have names. */
static void test_chance(void **state)
{
    (void)state;
    const struct format *json = format_find("json"), *ndjson = format_find("ndjson");
    const uint32_t columns[] = {1, 3, 0, 2};
    struct build_head head = {.n = 4, .base = 1, .method = "m", .last = 3, .seeded = true, .seed = 9007199254740991};
    struct bytes out = {0};
    write_build(&out, json, &head, 4, columns);
    assert_wrote(&out, "{\"n\":4,\"base\":1,\"method\":\"m\",\"seed\":9007199254740991,\"permutation\":[2,4,1,3]}\n");
    head.random = head.uniform = true;
    write_build(&out, json, &head, 0, NULL);
    assert_wrote(&out, "{\"n\":4,\"base\":1,\"method\":\"m\",\"seed\":9007199254740991,\"uniform\":true,"
                       "\"permutation\":[]}\n");
    head.uniform = false;
    write_build(&out, ndjson, &head, 1, columns);
    assert_wrote(&out, "{\"row\":1,\"column\":2}\n{\"end\":true,\"n\":4,\"base\":1,\"seed\":9007199254740991,"
                       "\"uniform\":false,\"returned\":1,\"next\":null}\n");
}

/* Four bytes a row, the least significant first, and nothing else. */
static void test_octets(void **state)
{
    (void)state;
    const struct format *octets = format_find("octet-stream");
    const uint32_t columns[] = {0, 255, 65536, 999999999, 0x01020304};
    struct build_head head = {.n = 1000000000, .base = 1, .part = true, .first = 7, .last = 11};
    struct bytes out = {0};
    assert_string_equal(octets->media_type, "application/octet-stream");
    assert_int_equal(octets->row_bytes, 4);
    write_build(&out, octets, &head, 5, columns);
    static const unsigned char one[] = {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0x00, 0xca, 0x9a, 0x3b, 5, 3, 2, 1};
    assert_int_equal(out.size, sizeof one);
    assert_memory_equal(out.data, one, sizeof one);
    out.size = 0;
    head.base = 0;
    write_build(&out, octets, &head, 4, columns);
    static const unsigned char zero[] = {0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 1, 0, 0xff, 0xc9, 0x9a, 0x3b};
    assert_int_equal(out.size, sizeof zero);
    assert_memory_equal(out.data, zero, sizeof zero);
    out.size = 0;
    write_build(&out, octets, &head, 0, NULL);
    assert_int_equal(out.size, 0);
    failing_after = 0;
    struct bytes none = {0};
    write_build(&none, octets, &head, 5, columns);
    failing_after = SIZE_MAX;
    assert_true(none.failed);
    assert_int_equal(none.size, 0);
    bytes_free(&out);
}

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

static void test_csv_list(void **state)
{
    (void)state;
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

static void test_csv_of_little(void **state)
{
    (void)state;
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

static void test_text_list(void **state)
{
    (void)state;
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

static void test_text_of_little(void **state)
{
    (void)state;
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

/* ---- Pictures ---- */

static const uint32_t sizes[] = {1, 4, 5, 8, 16, 17, 64, 102, 113, 114, 128, 129, 512, 513, 1000, 1365, 2049, 4096};

/* Some permutation: queens that attack each other are drawn as well. */
static uint32_t *some_columns(uint32_t n)
{
    uint32_t *columns = malloc(n * sizeof *columns);
    assert_non_null(columns);
    for (uint32_t row = 0; row < n; row++)
        columns[row] = row % 2 ? row / 2 : n - 1 - row / 2;
    return columns;
}

static void test_scale(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= PICTURE_MAX_N; n++) {
        assert_in_range(picture_scale(n), 1, 64);
        assert_in_range(n * picture_scale(n), 1, PICTURE_MAX_N);
        if (n > 1)
            assert_true(picture_scale(n) <= picture_scale(n - 1));
    }
    assert_int_equal(picture_scale(8), 64);
    assert_int_equal(picture_scale(512), 8);
    assert_int_equal(picture_scale(4096), 1);
}

/* Not a parser, but every tag it opens it closes, in order, and attributes are name="value". Returns the end. */
static const char *well_formed(const char *at)
{
    char open[8][16];
    size_t depth = 0;
    while ((at = strchr(at, '<'))) {
        const bool closes = at[1] == '/';
        at += 1 + closes;
        const size_t size = strcspn(at, " />");
        assert_in_range(size, 1, sizeof open[0] - 1);
        if (closes) {
            assert_true(depth-- > 0);
            assert_memory_equal(open[depth], at, size);
            assert_int_equal(open[depth][size], '\0');
            assert_int_equal(at[size], '>');
            if (depth == 0)
                return at + size + 1;
            continue;
        }
        assert_in_range(depth, 0, 7);
        memcpy(open[depth], at, size);
        open[depth++][size] = '\0';
        for (at += size; *at == ' ';) {
            at += 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyzBRU-");
            assert_memory_equal(at, "=\"", 2);
            at += 2 + strcspn(at + 2, "\"<&");
            assert_int_equal(*at++, '"');
        }
        if (*at == '/') {
            depth--;
            at++;
        }
        assert_int_equal(*at, '>');
    }
    fail_msg("an element is not closed");
    return NULL;
}

static void test_svg(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint32_t n = sizes[i];
        uint32_t *columns = some_columns(n);
        struct bytes out = {0};
        char expected[200];
        format_find("svg")->draw(&out, n, 1, columns);
        assert_in_range(out.size, 1, 1200 + (size_t)n * 48);
        char *text = bytes_take(&out);
        assert_string_equal(well_formed(text), "\n");
        (void)snprintf(expected, sizeof expected, "width=\"%1$u\" height=\"%1$u\" viewBox=\"0 0 %2$u %2$u\"",
                       n * picture_scale(n), n);
        assert_non_null(strstr(text, expected));
        assert_non_null(strstr(text, "<title"));
        assert_non_null(strstr(text, "prefers-color-scheme:dark"));
        const char *at = strstr(text, "<use");
        for (uint32_t row = 0; row < n; row++, at = strstr(at + 1, "<use")) {
            assert_non_null(at);
            (void)snprintf(expected, sizeof expected, "<use href=\"#nq-queen\" x=\"%u\" y=\"%u\"/>", columns[row], row);
            assert_memory_equal(at, expected, strlen(expected));
        }
        assert_null(at);
        free(columns);
        free(text);
    }
    struct bytes out = {0};
    format_find("svg")->draw(&out, 4, 0, small[0]);
    char *text = bytes_take(&out);
    assert_non_null(strstr(text, "counted from 0: 1, 3, 0, 2.</desc>"));
    free(text);
}

struct reading {
    const struct bytes *bytes;
    size_t at;
};

static void read_bytes(png_structp png, png_bytep to, size_t size)
{
    struct reading *reading = png_get_io_ptr(png);
    assert_true(size <= reading->bytes->size - reading->at);
    memcpy(to, reading->bytes->data + reading->at, size);
    reading->at += size;
}

static void not_a_png(png_structp png, png_const_charp message)
{
    (void)png;
    fail_msg("%s", message);
    abort();
}

static uint32_t colour(const unsigned char *pixel)
{
    return (uint32_t)(pixel[0] << 16 | pixel[1] << 8 | pixel[2]);
}

/* Squares without a queen have one colour; a queen shows in the middle of hers and leaves its corner. */
static void check_row(const unsigned char *pixels, uint32_t n, uint32_t row, uint32_t y, uint32_t queen)
{
    const uint32_t scale = picture_scale(n);
    for (uint32_t column = 0; column < n; column++) {
        const unsigned char *square = pixels + (size_t)column * scale * 3;
        const uint32_t empty = (row + column) % 2 ? picture_day.dark : picture_day.light;
        if (column != queen) {
            for (uint32_t x = 0; x < scale; x++)
                assert_int_equal(colour(square + (size_t)x * 3), empty);
            continue;
        }
        if (y == scale * 5 / 8)
            assert_int_equal(colour(square + (size_t)(scale / 2) * 3), picture_day.queen);
        if (y == 0 && scale > 4)
            assert_int_equal(colour(square), empty);
    }
}

static void test_png(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint32_t n = sizes[i], scale = picture_scale(n);
        uint32_t *columns = some_columns(n);
        struct bytes out = {0}, again = {0};
        format_find("png")->draw(&out, n, 1, columns);
        format_find("png")->draw(&again, n, 0, columns);
        assert_false(out.failed);
        assert_int_equal(out.size, again.size);
        assert_memory_equal(out.data, again.data, out.size);
        assert_in_range(out.size, 1, 100000);
        bytes_free(&again);

        struct reading reading = {.bytes = &out};
        png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, not_a_png, NULL);
        png_infop info = png_create_info_struct(png);
        assert_non_null(info);
        png_set_read_fn(png, &reading, read_bytes);
        png_read_info(png, info);
        assert_int_equal(png_get_image_width(png, info), n * scale);
        assert_int_equal(png_get_image_height(png, info), n * scale);
        assert_int_equal(png_get_valid(png, info, PNG_INFO_tIME), 0);
        png_set_palette_to_rgb(png);
        unsigned char *pixels = malloc((size_t)n * scale * 3);
        for (uint32_t row = 0; row < n; row++)
            for (uint32_t y = 0; y < scale; y++) {
                png_read_row(png, pixels, NULL);
                if (n <= 128 || row % 37 == 0 || row + 1 == n)
                    check_row(pixels, n, row, y, columns[row]);
            }
        png_read_end(png, NULL);
        assert_int_equal(reading.at, out.size);
        png_destroy_read_struct(&png, &info, NULL);
        free(pixels);
        free(columns);
        bytes_free(&out);
    }
}

/* Whatever allocation fails, it is told in the end. */
static void test_pictures_without_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"svg", "png"};
    for (size_t i = 0; i < 2; i++) {
        size_t succeed = 0;
        for (bool failed = true; failed; succeed++) {
            struct bytes out = {0};
            failing_after = succeed;
            format_find(names[i])->draw(&out, 4, 1, small[0]);
            failing_after = SIZE_MAX;
            failed = out.failed;
            bytes_free(&out);
        }
        assert_true(succeed > 3);
    }
}

static void test_counts(void **state)
{
    (void)state;
    struct bytes out = {0};
    const struct count_fact table = {
        .n = 27, .base = 1, .count = facts_term("all", 27), .provenance = "table", .oeis = "A000170"};
    format_count(&out, &table);
    assert_wrote(&out, "{\"n\":27,\"base\":1,\"count\":234907967154122528,\"count_text\":\"234907967154122528\","
                       "\"provenance\":\"table\",\"oeis\":\"A000170\"}\n");
    const struct count_fact computed = {.n = 2, .provenance = "computed"};
    format_count(&out, &computed);
    assert_wrote(&out, "{\"n\":2,\"base\":0,\"count\":0,\"count_text\":\"0\",\"provenance\":\"computed\"}\n");
}

/* Whatever allocation is the first to fail, the failure shows at the end, and nothing was written after it. */
/* A trace of two steps, and how it ended; of formats that have such. */
static void write_trace(struct bytes *out, const struct format *format, size_t *link)
{
    static const uint32_t before[] = {NOWHERE, NOWHERE, NOWHERE, NOWHERE}, board[] = {1, NOWHERE, NOWHERE, NOWHERE};
    const struct trace_head head = {
        .n = 4, .base = 1, .algorithm = "some", .seeded = true, .seed = 7, .offset = 5, .limit = 2, .board = before};
    const struct step
        place = {.kind = STEP_PLACE, .row = 0, .column = 1, .by = NOWHERE, .depth = 1, .tests = 3, .states = 1},
        reject = {.kind = STEP_REJECT,
                  .row = 1,
                  .column = 0,
                  .by = 0,
                  .depth = 1,
                  .tests = 1,
                  .states = 9,
                  .has_energy = true,
                  .energy = -2};
    struct stats stats = {0};
    stats_add(&stats, &place);
    stats_add(&stats, &reject);
    const struct trace_tail tail = {
        .returned = 2, .complete = true, .stats = &stats, .prefix = "/q", .next = "/trace?n=4", .next_cursor = "AQ"};
    format->trace_begin(out, &head);
    format->trace_step(out, &head, 5, &place, board);
    format->trace_step(out, &head, 6, &reject, board);
    *link = format->trace_end(out, &head, &tail);
}

static void test_traces(void **state)
{
    (void)state;
#define STEP_5 "{\"step\":5,\"do\":\"place\",\"row\":1,\"column\":2,\"queens\":1,\"tests\":3}"
#define STEP_6 \
    "{\"step\":6,\"do\":\"reject\",\"row\":2,\"column\":1,\"by\":{\"row\":1,\"column\":2},\"line\":\"antidiagonal\"," \
    "\"queens\":1,\"tests\":1,\"states\":9,\"energy\":-2}"
#define TRACE_TAIL \
    "\"returned\":2,\"complete\":true,\"ended\":false,\"stats\":{\"steps\":2,\"placements\":1,\"tests\":4," \
    "\"rejections\":1," \
    "\"backtracks\":0,\"solutions\":0,\"peak_states\":9,\"levels\":[1]},\"next\":\"/q/" \
    "trace?n=4\",\"next_cursor\":\"AQ\"}"
    static const struct {
        const char *format, *body;
    } cases[] = {
        {"json", "{\"n\":4,\"base\":1,\"algorithm\":\"some\",\"seed\":7,\"offset\":5,\"limit\":2,"
                 "\"board\":[null,null,null,null],\"steps\":[\n" STEP_5 ",\n" STEP_6 "\n]," TRACE_TAIL "\n"},
        {"ndjson", STEP_5 "\n" STEP_6 "\n{\"end\":true,\"n\":4,\"base\":1," TRACE_TAIL "\n"},
        {"events", "id: 5\nevent: step\ndata: " STEP_5 "\n\nid: 6\nevent: step\ndata: " STEP_6
                   "\n\nevent: end\ndata: {\"end\":true,\"n\":4,\"base\":1," TRACE_TAIL "\n\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes out = {0};
        size_t link = 0;
        write_trace(&out, format_find(cases[i].format), &link);
        assert_memory_equal(out.data + link, "/trace?n=4", 10);
        assert_wrote(&out, cases[i].body);
    }
}

static void test_failure_sticks(void **state)
{
    (void)state;
    const struct list_head head = {.n = 4, .base = 1, .order = "lexicographic", .board = BOARD_UNICODE, .limit = 2};
    const struct list_tail tail = {.returned = 2, .prefix = "", .next = "/solve", .next_cursor = "AQ"};
    const struct build_head build = {.n = 300, .base = 1, .method = "explicit"};
    uint32_t columns[300];
    memset(columns, 0x3f, sizeof columns);
    for (const struct format *const *at = formats; *at; at++) {
        if ((*at)->draw || !(*at)->list_begin)
            continue;
        size_t succeed = 0;
        for (bool failed = true; failed; succeed++) {
            struct bytes out = {0};
            size_t link, size;
            failing_after = succeed;
            if ((*at)->list_begin)
                write_list(&out, *at, &head, &tail, &link);
            failed = out.failed;
            size = out.size;
            if ((*at)->build_begin)
                write_build(&out, *at, &build, 300, columns);
            if ((*at)->trace_begin)
                write_trace(&out, *at, &link);
            failing_after = SIZE_MAX;
            assert_true(out.failed || !failed);
            if (failed)
                assert_int_equal(out.size, size);
            failed = out.failed;
            bytes_free(&out);
        }
        assert_true(succeed > 3); /* so several places failed before all went well */
    }
}

static size_t json_succeed;

static void *json_failing_malloc(size_t size)
{
    return json_succeed && json_succeed-- ? (malloc)(size) : NULL;
}

/* jansson's own allocations may fail as well. */
static void test_count_without_memory(void **state)
{
    (void)state;
    const struct count_fact fact = {.n = 27, .base = 1, .count = 27, .provenance = "table", .oeis = "A000170"};
    size_t succeed = 0;
    for (bool failed = true; failed; succeed++) {
        struct bytes out = {0};
        json_succeed = succeed;
        json_set_alloc_funcs(json_failing_malloc, free);
        format_count(&out, &fact);
        json_set_alloc_funcs(malloc, free);
        failed = out.failed;
        if (failed)
            assert_int_equal(out.size, 0);
        bytes_free(&out);
    }
    assert_true(succeed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_boards),
        cmocka_unit_test(test_solution),
        cmocka_unit_test(test_json_page),
        cmocka_unit_test(test_json_page_in_the_middle),
        cmocka_unit_test(test_ndjson_list),
        cmocka_unit_test(test_nothing_and_the_empty_board),
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_chance),
        cmocka_unit_test(test_octets),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_csv_list),
        cmocka_unit_test(test_csv_of_little),
        cmocka_unit_test(test_text_list),
        cmocka_unit_test(test_text_of_little),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_svg),
        cmocka_unit_test(test_png),
        cmocka_unit_test(test_pictures_without_memory),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_failure_sticks),
        cmocka_unit_test(test_count_without_memory),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
