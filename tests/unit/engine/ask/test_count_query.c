/* test_count_query.c - tests of src/engine/ask/count_query.c: which questions make sense, what is made
 * of them, and that a canonical path leads to the same question again, in this process or the next.
 * tests/fuzz/fuzz_count_query.c has paths at random. */
/* CI builds: address */
#include "engine/ask/count_query.h"

#include "support/facts.h"

/* Reads a path as one of an earlier process; fails the test when it cannot be. */
static struct shared_question *open_path(const char *path)
{
    struct shared_question *shared;
    char *copy = strdup(path); /* of exactly its size */
    assert_non_null(copy);
    if (count_query_parse(copy, &shared) != NQ_OK)
        fail_msg("%s was refused", path);
    free(copy);
    assert_int_equal(shared->question.kind, ASK_COUNT);
    assert_ptr_equal(shared->question.format, format_find("json"));
    assert_string_equal(shared->question.prefix, "");
    return shared;
}

static void refuse_path(const char *path)
{
    struct shared_question *shared;
    char *copy = strdup(path);
    assert_non_null(copy);
    if (count_query_parse(copy, &shared) == NQ_OK)
        fail_msg("%s was taken", path);
    assert_null(shared);
    free(copy);
}

/* A path in any words: its canonical form, which leads to itself. */
static void check_path(const char *path, const char *canonical)
{
    struct shared_question *question = open_path(path), *again;
    assert_string_equal(question->question.path, canonical);
    again = open_path(question->question.path);
    assert_string_equal(again->question.path, question->question.path);
    assert_string_equal(again->question.key, question->question.key);
    assert_int_equal(again->question.count.way, question->question.count.way);
    assert_int_equal(again->question.n, question->question.n);
    assert_int_equal(again->question.base, question->question.base);
    assert_int_equal(again->question.seed, question->question.seed);
    assert_int_equal(again->question.count.walks, question->question.count.walks);
    assert_int_equal(again->question.uncacheable, question->question.uncacheable);
    if (question->question.n <= FILTER_MAX_N)
        assert_true(filter_equal(&again->question.query.filter, &question->question.query.filter));
    assert_memory_equal(&again->question.shape, &question->question.shape, sizeof question->question.shape);
    assert_int_equal(again->question.count.by_queens, question->question.count.by_queens);
    assert_int_equal(again->question.query.broken, question->question.query.broken);
    assert_int_equal(again->question.query.distinct, question->question.query.distinct);
    assert_int_equal(again->question.query.symmetry, question->question.query.symmetry);
    assert_int_equal(again->question.query.by_square, question->question.query.by_square);
    question_unref(question);
    question_unref(again);
}

TEST(test_canonical_paths)
{
    static const struct {
        const char *path, *canonical;
    } cases[] = {
        {"/count?n=8", "/count?n=8&method=compute"},
        {"/count?n=8&method=compute", "/count?n=8&method=compute"},
        {"/count?n=8&m=8", "/count?n=8&method=compute"},
        {"/count?n=8&queens=8&maximal=false", "/count?n=8&method=compute"},
        {"/count?queens=2&n=8", "/count?n=8&queens=2&method=compute"},
        {"/count?n=8&m=5&queens=5", "/count?n=8&m=5&method=compute"},
        {"/count?n=8&queens=any&maximal=true", "/count?n=8&maximal=true&method=compute"},
        {"/count?n=8&walls=2:2,1:1&queens=0-3", "/count?n=8&queens=0-3&walls=1:1,2:2&method=compute"},
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

/* A size of a range is asked for like any other. */
TEST(test_a_size_of_a_range)
{
    struct params params;
    struct shared_question *shared;
    params_begin(&params, count_params);
    params_read(&params, "n", 1, "7-9", 3);
    params_read(&params, "format", 6, "bfile", 5);
    params_end(&params);
    assert_true(count_range_size(params.values, 8, &params.errors, &shared));
    assert_string_equal(shared->question.path, "/count?n=8&method=compute");
    question_unref(shared);
}

/* Different questions have different keys; the same in other words has the same. */
TEST(test_keys)
{
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
    struct shared_question *first = open_path(same[0]), *questions[OTHERS];
    for (size_t i = 1; i < sizeof same / sizeof same[0]; i++) {
        struct shared_question *question = open_path(same[i]);
        assert_string_equal(question->question.key, first->question.key);
        question_unref(question);
    }
    for (size_t i = 0; i < OTHERS; i++) {
        questions[i] = open_path(others[i]);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(questions[i]->question.key, questions[k]->question.key);
            assert_string_not_equal(questions[i]->question.path, questions[k]->question.path);
        }
    }
    for (size_t i = 0; i < OTHERS; i++)
        question_unref(questions[i]);
    question_unref(first);
}

TEST(test_statistics)
{
    for (size_t i = 0; i < statistics_count; i++) {
        char path[80];
        (void)snprintf(path, sizeof path, "/count?n=8&by=%s", statistics[i]->name);
        struct shared_question *question = open_path(path);
        assert_ptr_equal(question->question.count.statistic, statistics[i]);
        assert_false(question->question.query.by_square || question->question.count.indexed);
        assert_string_equal(count_instead(&question->question), "");
        question_unref(question);
    }
}

TEST(test_questions)
{
    struct shared_question *question =
        open_path("/count?n=8&place=2:3&exclude=8:8&distinct=fundamental&symmetry=point");
    struct filter filter;
    filter_begin(&filter, 8);
    filter_place(&filter, 1, 2);
    filter_exclude(&filter, 7, 7);
    assert_int_equal(question->question.n, 8);
    assert_int_equal(question->question.base, 1);
    assert_int_equal(question->question.count.way, COUNT_COMPUTE);
    assert_true(filter_equal(&question->question.query.filter, &filter));
    assert_int_equal(question->question.query.distinct, DISTINCT_FUNDAMENTAL);
    assert_int_equal(question->question.query.symmetry, SYMMETRY_POINT);
    assert_string_equal(question_distinct(&question->question), "fundamental");
    assert_string_equal(question_symmetry(&question->question), "point");
    assert_false(question->question.query.by_square || question->question.uncacheable);
    question_unref(question);

    static const struct { /* the queen attacks what is excluded: it leaves the same squares all the same */
        const char *path;
        unsigned group;
    } cases[] = {
        {"/count?n=7&place=2:4&distinct=fundamental", 0x11},
        {"/count?n=7&place=2:4&exclude=5:7&distinct=fundamental", 0x01},
        {"/count?n=7&place=2:4&exclude=5:1,5:7&distinct=mirror", 0x11},
        {"/count?n=7&place=4:4&exclude=1:1&distinct=fundamental", 0x81},
        {"/count?n=7&place=3:3&exclude=0:0&distinct=mirror&base=0", 0x01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        question = open_path(cases[i].path);
        assert_int_equal(query_group(&question->question.query), cases[i].group);
        question_unref(question);
    }

    question = open_path("/count?n=8&place=1:2&exclude=7:7&base=0");
    assert_int_equal(question->question.base, 0);
    assert_true(filter_equal(&question->question.query.filter, &filter));
    assert_null(question_distinct(&question->question));
    assert_null(question_symmetry(&question->question));
    question_unref(question);

    question = open_path("/count?n=8&by=square");
    assert_true(question->question.query.by_square);
    question_unref(question);

    question = open_path("/count?n=40&method=estimate&walks=500&seed=3");
    assert_int_equal(question->question.count.way, COUNT_ESTIMATE);
    assert_int_equal(question->question.count.walks, 500);
    assert_int_equal(question->question.seed, 3);
    assert_false(question->question.uncacheable);
    question_unref(question);

    question = open_path("/count?n=41&method=estimate");
    assert_int_equal(question->question.count.way, COUNT_ASYMPTOTIC);
    assert_false(question->question.uncacheable);
    question_unref(question);

    question = open_path("/count?n=1000000000&method=estimate");
    assert_int_equal(question->question.count.way, COUNT_ASYMPTOTIC);
    assert_int_equal(question->question.n, 1000000000);
    question_unref(question);
}

/* Without a seed one is drawn: another each time, told in the path, and fit for clients that have doubles only. */
TEST(test_drawn_seeds)
{
    struct shared_question *one = open_path("/count?n=20&method=estimate"),
                           *other = open_path("/count?n=20&method=estimate");
    assert_true(one->question.uncacheable && other->question.uncacheable);
    assert_true(one->question.seed < UINT64_C(1) << 53);
    assert_true(one->question.seed != other->question.seed);
    char expected[100];
    (void)snprintf(expected, sizeof expected, "/count?n=20&method=estimate&seed=%llu",
                   (unsigned long long)one->question.seed);
    assert_string_equal(one->question.path, expected);
    struct shared_question *again = open_path(one->question.path);
    assert_int_equal(again->question.seed, one->question.seed);
    assert_false(again->question.uncacheable);
    question_unref(one);
    question_unref(other);
    question_unref(again);
}

/* Texts that are no canonical path, and values that tests/data/golden/refusals.txt does not refuse for the same
 * parameters. */
TEST(test_what_makes_no_sense)
{
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
        "/count?n=8&walls=9:1",
        "/count?n=8&walls=1:1&place=1:1",
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
        "/count?n=0&place=1:1",
        "/count?n=0&exclude=0:0&base=0",
        "/count?n=8&method=estimate&walks=99",
        "/count?n=8&method=estimate&walks=10000001",
        "/count?n=8&method=estimate&seed=9007199254740992",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuse_path(bad[i]);
}

/* Squares that leave no solution are a question like any other, as long as it is computed. */
TEST(test_contradictions)
{
    check_path("/count?n=8&place=1:1,2:2", "/count?n=8&method=compute&place=1:1,2:2");
    check_path("/count?n=30&place=1:1,2:2", "/count?n=30&method=compute&place=1:1,2:2"); /* quick: there is nothing */
    check_path("/count?n=8&place=1:1&exclude=1:1", "/count?n=8&method=compute&place=1:1&exclude=1:1");
    refuse_path("/count?n=33&place=1:1,2:2");
}
