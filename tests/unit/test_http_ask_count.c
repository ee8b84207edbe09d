/* test_http_ask_count.c - tests of src/http/ask_count.c: which questions make sense, what is made of them, and that a
 * canonical path leads to the same question again, in this process or the next. */
#include "http/ask_count.h"

#include <stdlib.h>
#include <string.h>

#include "facts.h"

/* Reads a path as one of an earlier process; fails the test when it cannot be. */
static struct question open_path(const char *path)
{
    struct question question;
    char *copy = strdup(path); /* of exactly its size */
    assert_non_null(copy);
    memset(&question, 0xa5, sizeof question); /* nothing may be left to chance */
    if (ask_count_reopen(NULL, copy, &question) != NQ_OK)
        fail_msg("%s was refused", path);
    free(copy);
    assert_int_equal(question.kind, ASK_COUNT);
    assert_ptr_equal(question.format, format_find("json"));
    assert_string_equal(question.prefix, "");
    return question;
}

static void refuse_path(const char *path)
{
    struct question question;
    char *copy = strdup(path);
    assert_non_null(copy);
    memset(&question, 0xa5, sizeof question);
    if (ask_count_reopen(NULL, copy, &question) == NQ_OK)
        fail_msg("%s was taken", path);
    ask_count_release(&question); /* whatever it came to */
    free(copy);
}

/* A path in any words: its canonical form, which leads to itself. */
static void check_path(const char *path, const char *canonical)
{
    struct question question = open_path(path), again;
    assert_string_equal(question.path, canonical);
    again = open_path(question.path);
    assert_string_equal(again.path, question.path);
    assert_string_equal(again.key, question.key);
    assert_int_equal(again.way, question.way);
    assert_int_equal(again.n, question.n);
    assert_int_equal(again.base, question.base);
    assert_int_equal(again.seed, question.seed);
    assert_int_equal(again.walks, question.walks);
    assert_int_equal(again.fleeting, question.fleeting);
    if (question.n <= FILTER_MAX_N)
        assert_true(filter_equal(&again.query.filter, &question.query.filter));
    assert_int_equal(again.query.distinct, question.query.distinct);
    assert_int_equal(again.query.symmetry, question.query.symmetry);
    assert_int_equal(again.query.by_square, question.query.by_square);
    ask_count_release(&question);
    ask_count_release(&again);
}

static void test_canonical_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path, *canonical;
    } cases[] = {
        {"/count?n=8", "/count?n=8&method=compute"},
        {"/count?n=8&method=compute", "/count?n=8&method=compute"},
        {"/count?method=compute&n=8", "/count?n=8&method=compute"},
        {"/count?n=8&method=auto&distinct=all&symmetry=any&by=none&base=1", "/count?n=8&method=compute"},
        {"/count?n=0", "/count?n=0&method=compute"},
        {"/count?n=16", "/count?n=16&method=compute"},
        {"/count?n=17", "/count?n=17&method=table"},
        {"/count?n=27", "/count?n=27&method=table"},
        {"/count?n=17&method=compute", "/count?n=17&method=compute"},
        {"/count?n=32&method=compute", "/count?n=32&method=compute"},
        {"/count?n=8&method=table", "/count?n=8&method=table"},
        {"/count?n=24&symmetry=point", "/count?n=24&method=compute&symmetry=point"},
        {"/count?n=25&symmetry=point", "/count?n=25&method=table&symmetry=point"},
        {"/count?n=32&symmetry=quarter", "/count?n=32&method=compute&symmetry=quarter"},
        {"/count?n=33&symmetry=quarter", "/count?n=33&method=table&symmetry=quarter"},
        {"/count?n=20&distinct=mirror", "/count?n=20&method=table&distinct=mirror"},
        {"/count?n=8&place=4:4,1:1", "/count?n=8&method=compute&place=1:1,4:4"},
        {"/count?n=8&base=0&exclude=7:0,0:7", "/count?n=8&method=compute&exclude=0:7,7:0&base=0"},
        {"/count?n=18&place=1:1,2:3", "/count?n=18&method=compute&place=1:1,2:3"},
        {"/count?by=square&n=8", "/count?n=8&method=compute&by=square"},
        {"/count?n=20&method=estimate&seed=7", "/count?n=20&method=estimate&seed=7"},
        {"/count?n=20&method=estimate&seed=0&walks=100000", "/count?n=20&method=estimate&seed=0"},
        {"/count?n=20&method=estimate&seed=9007199254740991&walks=100",
         "/count?n=20&method=estimate&walks=100&seed=9007199254740991"},
        {"/count?n=8&format=json", "/count?n=8&method=compute&format=json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_path(cases[i].path, cases[i].canonical);
}

/* Different questions have different keys; the same in other words has the same. */
static void test_keys(void **state)
{
    (void)state;
    static const char *const same[] = {"/count?n=8", "/count?n=8&method=compute", "/count?base=1&n=8&distinct=all"};
    static const char *const others[] = {
        "/count?n=8",
        "/count?n=9",
        "/count?n=8&method=table",
        "/count?n=8&distinct=fundamental",
        "/count?n=8&distinct=mirror",
        "/count?n=8&symmetry=point",
        "/count?n=8&symmetry=quarter",
        "/count?n=8&by=square",
        "/count?n=8&base=0",
        "/count?n=8&place=1:1",
        "/count?n=8&exclude=1:1",
        "/count?n=8&place=1:1,3:4",
        "/count?n=8&place=1:1&exclude=3:4",
        "/count?n=8&method=estimate&seed=1",
        "/count?n=8&method=estimate&seed=2",
        "/count?n=8&method=estimate&seed=1&walks=200",
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    struct question first = open_path(same[0]), questions[OTHERS];
    for (size_t i = 1; i < sizeof same / sizeof same[0]; i++) {
        struct question question = open_path(same[i]);
        assert_string_equal(question.key, first.key);
        ask_count_release(&question);
    }
    for (size_t i = 0; i < OTHERS; i++) {
        questions[i] = open_path(others[i]);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(questions[i].key, questions[k].key);
            assert_string_not_equal(questions[i].path, questions[k].path);
        }
    }
    for (size_t i = 0; i < OTHERS; i++)
        ask_count_release(&questions[i]);
    ask_count_release(&first);
}

static void test_questions(void **state)
{
    (void)state;
    struct question question = open_path("/count?n=8&place=2:3&exclude=8:8&distinct=fundamental&symmetry=point");
    struct filter filter;
    filter_begin(&filter, 8);
    filter_place(&filter, 1, 2);
    filter_exclude(&filter, 7, 7);
    assert_int_equal(question.n, 8);
    assert_int_equal(question.base, 1);
    assert_int_equal(question.way, COUNT_COMPUTE);
    assert_true(filter_equal(&question.query.filter, &filter));
    assert_int_equal(question.query.distinct, DISTINCT_FUNDAMENTAL);
    assert_int_equal(question.query.symmetry, SYMMETRY_POINT);
    assert_string_equal(question.distinct, "fundamental");
    assert_string_equal(question.symmetry, "point");
    assert_false(question.query.by_square || question.fleeting);
    ask_count_release(&question);

    question = open_path("/count?n=8&place=1:2&exclude=7:7&base=0");
    assert_int_equal(question.base, 0);
    assert_true(filter_equal(&question.query.filter, &filter));
    assert_null(question.distinct);
    assert_null(question.symmetry);
    ask_count_release(&question);

    question = open_path("/count?n=40&method=estimate&walks=500&seed=3");
    assert_int_equal(question.way, COUNT_ESTIMATE);
    assert_int_equal(question.walks, 500);
    assert_int_equal(question.seed, 3);
    assert_false(question.fleeting);
    ask_count_release(&question);

    question = open_path("/count?n=41&method=estimate");
    assert_int_equal(question.way, COUNT_ASYMPTOTIC);
    assert_false(question.fleeting);
    ask_count_release(&question);

    question = open_path("/count?n=1000000000&method=estimate");
    assert_int_equal(question.way, COUNT_ASYMPTOTIC);
    assert_int_equal(question.n, 1000000000);
    ask_count_release(&question);
}

/* Without a seed one is drawn: another each time, told in the path, and fit for clients that have doubles only. */
static void test_drawn_seeds(void **state)
{
    (void)state;
    struct question one = open_path("/count?n=20&method=estimate"), other = open_path("/count?n=20&method=estimate");
    assert_true(one.fleeting && other.fleeting);
    assert_true(one.seed < UINT64_C(1) << 53);
    assert_true(one.seed != other.seed);
    char expected[100];
    (void)snprintf(expected, sizeof expected, "/count?n=20&method=estimate&seed=%llu", (unsigned long long)one.seed);
    assert_string_equal(one.path, expected);
    struct question again = open_path(one.path);
    assert_int_equal(again.seed, one.seed);
    assert_false(again.fleeting);
    ask_count_release(&one);
    ask_count_release(&other);
    ask_count_release(&again);
}

static void test_what_makes_no_sense(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "/",
        "?",
        "/count",
        "/count?",
        "/count?n",
        "/count?n=",
        "/count?=8",
        "/count?=",
        "/count?n=8&",
        "/count?&n=8",
        "/count?n=8&&method=compute",
        "/count?n=8&n=8",
        "/count?n=8&m=8",
        "/count?n=08",
        "/count?n=-1",
        "/count?n=8&cursor=x",
        "/count/?n=8",
        "/counts?n=8",
        "/Count?n=8",
        "/solve?n=8",
        "count?n=8",
        " /count?n=8",
        "/count?n=8 ",
        "/count?n=8#x",
        "/count?n=8?n=8",
        "/count?n%3D8",
        "/count?n=%38",
        "/count?method=compute",
        "/count?n=8&method=magic",
        "/count?n=33&method=compute",
        "/count?n=28",
        "/count?n=64",
        "/count?n=1000000000",
        "/count?n=1000000001&method=estimate",
        "/count?n=28&method=table",
        "/count?n=8&place=0:1",
        "/count?n=8&place=9:1",
        "/count?n=8&place=1:9",
        "/count?n=8&place=8:8&base=0",
        "/count?n=0&place=1:1",
        "/count?n=0&exclude=0:0&base=0",
        "/count?n=8&exclude=1:9",
        "/count?n=8&place=1:1,1:1",
        "/count?n=8&place=",
        "/count?n=65&place=1:1&method=estimate",
        "/count?n=41&place=1:1&method=estimate",
        "/count?n=8&place=1:1&method=table",
        "/count?n=8&by=square&distinct=fundamental",
        "/count?n=8&by=square&method=estimate",
        "/count?n=19&by=square&method=compute",
        "/count?n=17&by=square",
        "/count?n=8&method=estimate&distinct=fundamental",
        "/count?n=8&method=estimate&symmetry=point",
        "/count?n=8&method=estimate&walks=99",
        "/count?n=8&method=estimate&walks=10000001",
        "/count?n=8&method=estimate&seed=9007199254740992",
        "/count?n=8&method=compute&seed=1",
        "/count?n=8&walks=1000",
        "/count?n=20&distinct=fundamental&symmetry=point&method=table",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuse_path(bad[i]);
}

/* Squares that leave no solution are a question like any other, as long as it is computed. */
static void test_contradictions(void **state)
{
    (void)state;
    check_path("/count?n=8&place=1:1,2:2", "/count?n=8&method=compute&place=1:1,2:2");
    check_path("/count?n=30&place=1:1,2:2", "/count?n=30&method=compute&place=1:1,2:2"); /* quick: there is nothing */
    check_path("/count?n=8&place=1:1&exclude=1:1", "/count?n=8&method=compute&place=1:1&exclude=1:1");
    refuse_path("/count?n=33&place=1:1,2:2");
}

/* Any walk through the words: what is taken has one canonical form. */
static void test_at_random(void **state)
{
    (void)state;
    static const char *const words[] = {"n=8",
                                        "n=17",
                                        "n=32",
                                        "n=41",
                                        "method=auto",
                                        "method=compute",
                                        "method=table",
                                        "method=estimate",
                                        "distinct=fundamental",
                                        "distinct=mirror",
                                        "symmetry=point",
                                        "symmetry=quarter",
                                        "by=square",
                                        "place=1:1",
                                        "place=2:3,1:1",
                                        "exclude=1:1",
                                        "exclude=5:5,0:0",
                                        "base=0",
                                        "base=1",
                                        "seed=5",
                                        "walks=1000",
                                        "format=json"};
    enum { WORDS = sizeof words / sizeof words[0] };
    uint64_t dice = 1;
    unsigned taken = 0;
    for (int round = 0; round < 20000; round++) {
        struct bytes text = {0};
        bytes_format(&text, "/count?%s", words[facts_below(&dice, 4)]);
        for (uint32_t i = facts_below(&dice, 5); i > 0; i--)
            bytes_format(&text, "&%s", words[4 + facts_below(&dice, WORDS - 4)]);
        char *path = bytes_take(&text);
        struct question question;
        if (ask_count_reopen(NULL, path, &question) == NQ_OK) {
            char *canonical = strdup(question.path);
            check_path(canonical, canonical);
            free(canonical);
            taken++;
        }
        ask_count_release(&question);
        free(path);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical_paths),     cmocka_unit_test(test_keys),
        cmocka_unit_test(test_questions),           cmocka_unit_test(test_drawn_seeds),
        cmocka_unit_test(test_what_makes_no_sense), cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_at_random),
    };
    return cmocka_run_group_tests_name("ask_count", tests, NULL, NULL);
}
