/* test_formats.c - tests of src/formats: numbers no double can hold, and every want of memory. The exact bytes of every
 * representation are in tests/data/golden/bodies.txt. */
/* CI builds: address */
#include "support/written_formats.h"

#include "support/failing_bytes.h"

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s in %s", error.text, text);
    return json;
}

TEST(test_find)
{
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
    assert_true(format_find("svg")->picture && format_find("png")->picture);
    static const char *const unknown[] = {"", "JSON", "jso", "json ", "application/json"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_null(format_find(unknown[i]));
}

TEST(test_columns)
{
    static const uint32_t columns[] = {0, 8, 9, 98, 99, 998, 999, 999999998, 999999999, 4294967294u};
    struct bytes out = {0};
    format_numbers(&out, 0, 10, columns);
    assert_wrote(&out, "0,8,9,98,99,998,999,999999998,999999999,4294967294");
    format_numbers(&out, 1, 10, columns);
    assert_wrote(&out, "1,9,10,99,100,999,1000,999999999,1000000000,4294967295");
    format_numbers(&out, 1, 1, columns);
    assert_wrote(&out, "1");
    format_numbers(&out, 1, 0, NULL);
    assert_wrote(&out, "");

    uint32_t longest[100];
    for (uint32_t count = 1; count <= 100; count++) { /* ten digits each, whatever room there happens to be */
        longest[count - 1] = 4294967294u;
        format_numbers(&out, 1, count, longest);
        assert_int_equal(out.size, 11 * count - 1);
        assert_in_range(out.size, 0, out.capacity);
        bytes_free(&out);
    }
}

/* Numbers no double can hold, a link below a prefix, base 0, boards; an incomplete page. */
TEST(test_json_page_in_the_middle)
{
    const uint64_t huge = UINT64_C(9007199254740993);
    const struct list_head head = {
        .n = 4, .base = 0, .order = "any", .board = BOARD_GRID, .offset = huge, .limit = 7, .total = 99};
    const struct list_tail tail = {
        .returned = 1, .prefix = "/queens", .next = "/solve?n=4&cursor=AQ", .next_cursor = "AQ"};
    struct bytes out = {0};
    size_t link;
    write_list(&out, format_find("json"), &head, &tail, &link);
    OWNED(free) char *text = bytes_take(&out);
    assert_memory_equal(text + link, "/solve?n=4&cursor=AQ\"", 21);
    assert_memory_equal(text + link - 8, "\"/queens", 8);

    OWNED(json_decref) json_t *page = parse(text);
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
    OWNED(json_decref)
    json_t *expected = parse("[{\"permutation\":[1,3,0,2],\"board\":[[0,1,0,0],[0,0,0,1],[1,0,0,0],[0,0,1,0]]}]");
    assert_true(json_equal(solutions, expected));
}

/* Four bytes a row, the least significant first, and nothing else. */
TEST(test_octets)
{
    const struct format *octets = format_find("octet-stream");
    const uint32_t columns[] = {0, 255, 65536, 999999999, 0x01020304};
    struct build_head head = {.n = 1000000000, .base = 1, .part = true, .first = 7, .last = 11};
    BYTES(out);
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
    bytes_failing_after = 0;
    struct bytes none = {0};
    write_build(&none, octets, &head, 5, columns);
    bytes_failing_after = SIZE_MAX;
    assert_true(none.failed);
    assert_int_equal(none.size, 0);
}

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
    if (format->trace_begin)
        format->trace_begin(out, &head);
    format->trace_step(out, &head, 5, &place, board);
    format->trace_step(out, &head, 6, &reject, board);
    *link = format->trace_end(out, &head, &tail);
}

/* Whatever allocation is the first to fail, the failure shows at the end, and nothing was written after it. */
TEST(test_failure_sticks)
{
    const struct list_head head = {.n = 4, .base = 1, .order = "lexicographic", .board = BOARD_UNICODE, .limit = 2};
    const struct list_tail tail = {.returned = 2, .prefix = "", .next = "/solve", .next_cursor = "AQ"};
    const struct build_head build = {.n = 300, .base = 1, .method = "explicit"};
    uint32_t columns[300];
    memset(columns, 0x3f, sizeof columns);
    for (const struct format *const *at = formats; *at; at++) {
        if (!(*at)->list_solution)
            continue;
        size_t succeed = 0;
        for (bool failed = true; failed; succeed++) {
            BYTES(out);
            size_t link, size;
            bytes_failing_after = succeed;
            write_list(&out, *at, &head, &tail, &link);
            failed = out.failed;
            size = out.size;
            if ((*at)->build_rows)
                write_build(&out, *at, &build, 300, columns);
            if ((*at)->trace_step)
                write_trace(&out, *at, &link);
            bytes_failing_after = SIZE_MAX;
            assert_true(out.failed || !failed);
            if (failed)
                assert_int_equal(out.size, size);
            failed = out.failed;
        }
        assert_true(succeed > 1); /* so some place failed before all went well */
    }
}

TEST(test_count_without_memory)
{
    const struct count_fact fact = {.n = 27, .base = 1, .count = 27, .provenance = "table", .oeis = "A000170"};
    BYTES(out);
    bytes_failing_after = 0;
    format_count(&out, &fact);
    bytes_failing_after = SIZE_MAX;
    assert_true(out.failed);
    assert_int_equal(out.size, 0);
}
