/* test_http_verify_body.c - tests of src/http/verify_body.c: what it takes, what it refuses and where, the same however
 * the text is cut, and in how much memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"

/* verify_body.c itself, with allocations that can be made to fail, under names that do not collide with the server's.
 */
#include "failing.h"

#define verify_body_begin tested_body_begin
#define verify_body_add tested_body_add
#define verify_body_end tested_body_end
#define verify_body_free tested_body_free
#include "http/verify_body.c"

static enum nq_status read_cut(struct verify_body *body, enum verify_shape shape, const char *text, size_t size,
                               size_t cut)
{
    char *first = malloc(cut + 1), *rest = malloc(size - cut + 1); /* a sanitizer sees the first byte too far */
    assert_true(first && rest);
    memcpy(first, text, cut);
    memcpy(rest, text + cut, size - cut);
    verify_body_begin(body, shape, NULL, NULL);
    verify_body_add(body, first, cut);
    verify_body_add(body, rest, size - cut);
    free(first);
    free(rest);
    return verify_body_end(body);
}

/* The same but for where the queens are kept. */
static void assert_same(const struct verify_body *a, const struct verify_body *b)
{
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->where, b->where);
    assert_string_equal(a->why, b->why);
    assert_int_equal(!a->placement, !b->placement);
    if (a->status != NQ_OK)
        return;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->base, b->base);
    assert_int_equal(a->placement->count, b->placement->count);
    assert_memory_equal(a->placement->queens, b->placement->queens, a->placement->count * sizeof(struct queen));
}

/* Reads a text whole, cut at every place, and byte by byte; the caller frees. */
static void read_text(struct verify_body *body, enum verify_shape shape, const char *text, size_t size)
{
    struct verify_body other;
    (void)read_cut(body, shape, text, size, size);
    assert_true(body->status == NQ_OK || (body->where[0] && body->why[0] && !body->placement));
    for (size_t cut = 0; cut < size; cut++) {
        (void)read_cut(&other, shape, text, size, cut);
        assert_same(body, &other);
        verify_body_free(&other);
    }
    verify_body_begin(&other, shape, NULL, NULL);
    for (size_t i = 0; i < size; i++)
        verify_body_add(&other, text + i, 1);
    (void)verify_body_end(&other);
    assert_same(body, &other);
    verify_body_free(&other);
}

struct good {
    const char *text;
    uint32_t n, base, count;
    struct queen queens[4];
};

static void check_good(enum verify_shape shape, const struct good *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        read_text(&body, shape, list[i].text, strlen(list[i].text));
        if (body.status != NQ_OK)
            fail_msg("%s: %s %s", list[i].text, body.where, body.why);
        assert_int_equal(body.n, list[i].n);
        assert_int_equal(body.base, list[i].base);
        assert_int_equal(body.placement->count, list[i].count);
        assert_memory_equal(body.placement->queens, list[i].queens, list[i].count * sizeof(struct queen));
        verify_body_free(&body);
    }
}

static void test_json(void **state)
{
    (void)state;
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
    };
    check_good(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

static void test_lines(void **state)
{
    (void)state;
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
    };
    check_good(VERIFY_LINES, list, sizeof list / sizeof list[0]);
}

struct bad {
    const char *text, *where, *why;
};

static void check_bad(enum verify_shape shape, const struct bad *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        read_text(&body, shape, list[i].text, strlen(list[i].text));
        if (body.status != NQ_INVALID || strcmp(body.where, list[i].where) != 0 || strcmp(body.why, list[i].why) != 0)
            fail_msg("%s: %d, %s %s", list[i].text, (int)body.status, body.where, body.why);
        verify_body_free(&body);
    }
}

static void test_bad_json(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {"", "body", "at byte 0: the text ends too early"},
        {"  ", "body", "at byte 2: the text ends too early"},
        {"{", "body", "at byte 1: the text ends too early"},
        {"{\"permutation\":[1", "body", "at byte 17: the text ends too early"},
        {"{\"permutation\":[1]", "body", "at byte 18: the text ends too early"},
        {"[1]", "body", "at byte 0: { should come here, not ["},
        {"\xef\xbb\xbf{}", "body", "at byte 0: { should come here, not 0xef"},
        {"null", "body", "at byte 0: { should come here, not n"},
        {"{}", "body", "needs a permutation or queens"},
        {"{\"n\":8}", "body", "needs a permutation or queens"},
        {"{,}", "body", "at byte 1: a name or } should come here, not ,"},
        {"{\"n\":8,}", "body", "at byte 7: a name should come here, not }"},
        {"{\"n\" 8}", "body", "at byte 5: a colon should come here, not 8"},
        {"{\"n\":}", "body", "at byte 5: a number should come here, not }"},
        {"{\"n\":\"8\"}", "body", "at byte 5: a number should come here, not \""},
        {"{\"n\":null}", "body", "at byte 5: a number should come here, not n"},
        {"{\"n\":-8}", "body", "at byte 5: numbers must not be negative"},
        {"{\"n\":+8}", "body", "at byte 5: a number should come here, not +"},
        {"{\"n\":8.0}", "body", "at byte 6: numbers must be whole, without fraction or exponent"},
        {"{\"n\":8e0}", "body", "at byte 6: numbers must be whole, without fraction or exponent"},
        {"{\"n\":08}", "body", "at byte 6: numbers must not begin with 0"},
        {"{\"n\":0x8}", "body", "at byte 6: a comma or } should come here, not x"},
        {"{\"n\":8 8}", "body", "at byte 7: a comma or } should come here, not 8"},
        {"{\"n\":8,\"n\":8}", "body", "at byte 9: the member \"n\" is given twice"},
        {"{\"m\":8}", "body", "at byte 3: the member \"m\" is not one of this object"},
        {"{\"\":8}", "body", "at byte 2: the member \"\" is not one of this object"},
        {"{\"row\":8}", "body", "at byte 5: the member \"row\" is not one of this object"},
        {"{\"permutations\":[]}", "body", "at byte 13: no member has so long a name"},
        {"{\"\\u006e\":8}", "body", "at byte 2: names must be written without escapes"},
        {"{\"\xff\":8}", "body", "at byte 2: a letter of a name should come here, not 0xff"},
        {"{\"n\n\":8}", "body", "at byte 3: a letter of a name should come here, not 0x0a"},
        {"{n:8}", "body", "at byte 1: a name or } should come here, not n"},
        {"{\"permutation\":8}", "body", "at byte 15: [ should come here, not 8"},
        {"{\"permutation\":{}}", "body", "at byte 15: [ should come here, not {"},
        {"{\"permutation\":[[1]]}", "body", "at byte 16: a number should come here, not ["},
        {"{\"permutation\":[1,]}", "body", "at byte 18: a number should come here, not ]"},
        {"{\"permutation\":[,1]}", "body", "at byte 16: a number should come here, not ,"},
        {"{\"permutation\":[1 2]}", "body", "at byte 18: a comma or ] should come here, not 2"},
        {"{\"permutation\":[1}", "body", "at byte 17: a comma or ] should come here, not }"},
        {"{\"permutation\":[1]]", "body", "at byte 18: a comma or } should come here, not ]"},
        {"{\"permutation\":[1]}{", "body", "at byte 19: nothing should come here, not {"},
        {"{\"permutation\":[1]}\n1", "body", "at byte 20: nothing should come here, not 1"},
        {"{\"permutation\":[1],\"queens\":[]}", "body", "at byte 26: permutation and queens exclude each other"},
        {"{\"n\":3,\"permutation\":[1,2]}", "permutation", "has 2 columns, and n is 3"},
        {"{\"permutation\":[1,2,4]}", "permutation[2]", "must be 1 to 3"},
        {"{\"permutation\":[1,0]}", "permutation[1]", "must be 1 to 2"},
        {"{\"permutation\":[1,2],\"base\":0}", "permutation[1]", "must be 0 to 1"},
        {"{\"permutation\":[1,99999999999999999999]}", "permutation[1]", "must be 1 to 2"},
        {"{\"permutation\":[1,4294967297]}", "permutation[1]", "must be 1 to 2"},
        {"{\"permutation\":[1],\"base\":2}", "base", "must be 1 or 0"},
        {"{\"queens\":[]}", "n", "must be given with queens"},
        {"{\"n\":1,\"queens\":[1]}", "body", "at byte 17: { should come here, not 1"},
        {"{\"n\":1,\"queens\":[{}]}", "body", "at byte 18: a queen needs row and column"},
        {"{\"n\":1,\"queens\":[{\"row\":1}]}", "body", "at byte 25: a queen needs row and column"},
        {"{\"n\":1,\"queens\":[{\"n\":1}]}", "body", "at byte 20: the member \"n\" is not one of this object"},
        {"{\"n\":1,\"queens\":[{\"row\":1,\"row\":1}]}", "body", "at byte 30: the member \"row\" is given twice"},
        {"{\"n\":2,\"queens\":[{\"row\":3,\"column\":1}]}", "queens[0].row", "must be 1 to 2"},
        {"{\"n\":2,\"queens\":[{\"row\":1,\"column\":0}]}", "queens[0].column", "must be 1 to 2"},
        {"{\"n\":0,\"queens\":[{\"row\":1,\"column\":1}]}", "body", "has 1 queens, and at most n may be given: 0"},
        {"{\"n\":1,\"queens\":[{\"row\":1,\"column\":1},{\"row\":1,\"column\":1}]}", "body",
         "has 2 queens, and at most n may be given: 1"},
    };
    check_bad(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

static void test_bad_lines(void **state)
{
    (void)state;
    static const struct bad list[] = {
        {"", "body", "at byte 0: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {"{\"row\":1,\"column\":1}\n", "body",
         "at byte 21: the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut"},
        {"{\"row\":1,\"colu", "body", "at byte 14: the text ends too early"},
        {"{\"row\":1\n", "body", "at byte 8: a line must hold a whole object"},
        {"{\"row\":1,\"column\":1}{", "body", "at byte 20: the end of the line should come here, not {"},
        {"\n{\"end\":true,\"n\":1}", "body", "at byte 0: a line must not be empty"},
        {"{\"end\":true,\"n\":1}\n{\"row\":1,\"column\":1}", "body", "at byte 19: nothing may come after the end line"},
        {"{\"end\":true}", "body", "at byte 11: a line needs row and column alone, or else end and n"},
        {"{\"n\":1}", "body", "at byte 6: a line needs row and column alone, or else end and n"},
        {"{}", "body", "at byte 1: a line needs row and column alone, or else end and n"},
        {"{\"row\":1,\"column\":1,\"n\":1}", "body",
         "at byte 25: a line needs row and column alone, or else end and n"},
        {"{\"row\":1,\"column\":1,\"end\":true,\"n\":1}", "body",
         "at byte 36: a line needs row and column alone, or else end and n"},
        {"{\"end\":false,\"n\":1}", "body", "at byte 7: true should come here, not f"},
        {"{\"end\":trueish,\"n\":1}", "body", "at byte 11: a comma or } should come here, not i"},
        {"{\"end\":true,\"n\":1,\"next\":\"/\"}", "body", "at byte 25: null should come here, not \""},
        {"{\"end\":true,\"n\":1,\"returned\":1}", "returned", "is not how many lines came before, 0"},
        {"{\"permutation\":[1]}", "body", "at byte 13: the member \"permutation\" is not one of this object"},
        {"{\"row\":1,\"column\":1}\n{\"row\":2,\"column\":3}\n{\"end\":true,\"n\":2}", "column of line 2",
         "must be 1 to 2"},
        {"{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":0}", "row of line 1", "must be 0 to 0"},
        {"{\"row\":1,\"column\":1}\n{\"end\":true,\"n\":1,\"base\":7}", "base", "must be 1 or 0"},
    };
    check_bad(VERIFY_LINES, list, sizeof list / sizeof list[0]);
}

/* No byte but white space may stand between two others; a NUL is a byte like any. */
static void test_every_byte(void **state)
{
    (void)state;
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
            else if (strchr("\t\r\n ", (int)c)) { /* between words only */
                const bool inside = (at > 1 && at < 4) || (at > 7 && at < 20);
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

static void test_limits(void **state)
{
    (void)state;
    struct verify_body body;
    verify_body_begin(&body, VERIFY_JSON, NULL, NULL);
    verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
    add_columns(&body, VERIFY_MAX_N);
    verify_body_add(&body, "]}", 2);
    assert_int_equal(verify_body_end(&body), NQ_OK);
    assert_int_equal(body.n, VERIFY_MAX_N);
    assert_int_equal(body.placement->count, VERIFY_MAX_N);
    verify_body_free(&body);

    verify_body_begin(&body, VERIFY_JSON, NULL, NULL);
    verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
    add_columns(&body, VERIFY_MAX_N + 1);
    verify_body_add(&body, "]", 1);
    assert_int_equal(body.status, NQ_LIMIT);
    assert_null(body.placement);
    verify_body_add(&body, "garbage", 7); /* dropped */
    assert_int_equal(verify_body_end(&body), NQ_LIMIT);
    assert_string_equal(body.why, "has more than 1000000 queens, which is the most");

    static const char *const large[] = {"{\"n\":1000001,\"queens\":[]}", "{\"n\":99999999999,\"queens\":[]}"};
    for (size_t i = 0; i < 2; i++) {
        read_text(&body, VERIFY_JSON, large[i], strlen(large[i]));
        assert_int_equal(body.status, NQ_LIMIT);
        assert_string_equal(body.where, "n");
        assert_string_equal(body.why, "must be at most 1000000");
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

static void test_memory_is_told(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 3000; count += 61) {
        struct held held = {.most = SIZE_MAX};
        struct verify_body body;
        verify_body_begin(&body, VERIFY_JSON, hold, &held);
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
        verify_body_begin(&body, VERIFY_JSON, hold, &held);
        verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
        add_columns(&body, count + 64);
        assert_int_equal(body.status, NQ_BUSY);
        assert_null(body.placement);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct verify_body body;
    for (size_t made = 0; made <= 3; made++) { /* for 64 queens, 128 and 256 */
        verify_body_begin(&body, VERIFY_JSON, NULL, NULL);
        verify_body_add(&body, "{\"base\":0,\"permutation\":[", 25);
        failing_after = made;
        add_columns(&body, 200);
        verify_body_add(&body, "]}", 2);
        assert_int_equal(verify_body_end(&body), made < 3 ? NQ_NOMEM : NQ_OK);
        failing_after = SIZE_MAX;
        verify_body_free(&body);
    }
    verify_body_begin(&body, VERIFY_JSON, NULL, NULL);
    verify_body_add(&body, "{\"permutation\":[]}", 18);
    failing_after = 0;
    assert_int_equal(verify_body_end(&body), NQ_NOMEM);
    failing_after = SIZE_MAX;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),           cmocka_unit_test(test_lines),         cmocka_unit_test(test_bad_json),
        cmocka_unit_test(test_bad_lines),      cmocka_unit_test(test_every_byte),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory_is_told), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("http_verify_body", tests, NULL, NULL);
}
