/* test_needs.c - tests of src/engine/lists/needs.c: what a question needs is asked in a canonical text, counts just
 * what the question lists, and is asked for once. */
/* CI builds: address */
#include "engine/lists/needs.h"

#include "engine/ask/answer.h"
#include "engine/ask/count_query.h"
#include "support/questions.h"

static void keep(void *extra)
{
    (void)extra;
}

static struct answer *an_answer(nq_wide count, void *extra)
{
    struct bytes body = {0};
    bytes_text(&body, "a count");
    struct answer *answer = answer_new(&body, "text/plain");
    assert_non_null(answer);
    bytes_free(&body);
    answer->count = count;
    answer->extra = extra;
    answer->free_extra = keep;
    return answer;
}

static void assert_first(const struct question *question, const char *path)
{
    OWNED(question_unref) struct shared_question *first = NULL;
    const enum nq_status status = question_first(question, &first);
    assert_int_equal(status, path ? NQ_OK : NQ_NONE);
    if (!path)
        return;
    assert_string_equal(first->question.path, path);
    assert_int_equal(first->question.principal.client, question->principal.client);
    assert_true(question_computed(&first->question));
}

static struct question ask_verify(uint32_t n)
{
    struct question question = ask_named("a placement");
    question.kind = ASK_VERIFY;
    question.n = n;
    question.path = "";
    question.verify = (struct verify_question){.ranked = true};
    return question;
}

TEST(test_totals)
{
    struct question question = ask_solve(9, 10, "json");
    filter_exclude(&question.query.filter, 3, 3);
    question.path = "/solve?n=9&limit=10&exclude=4:4&algorithm=bitboard";
    question.principal.client = 7;
    assert_first(&question, "/count?n=9&method=compute&exclude=4:4");
    question.format = format_find("svg");
    assert_first(&question, NULL);
    question.format = format_find("ndjson");
    assert_first(&question, NULL);
    question.format = format_find("json");
    question.query.filter.n = question.n = 15; /* takes longer: only for those who want it */
    question.path = "/solve?n=15&exclude=4:4";
    assert_first(&question, NULL);
    question.list.totalled = true;
    assert_first(&question, "/count?n=15&method=compute&exclude=4:4");
    filter_begin(&question.query.filter, 15); /* published */
    assert_first(&question, NULL);
    struct question counted = ask_count(8);
    assert_first(&counted, NULL);
}

TEST(test_indexes)
{
    struct question question = ask_solve(12, 10, "ndjson");
    question.path = "/solve?n=12";
    assert_first(&question, NULL);
    question.list.offset = 3;
    assert_first(&question, "/count?n=12&method=compute&by=index");
    question.list.offset = 0;
    question.list.samples = 3;
    assert_first(&question, "/count?n=12&method=compute&by=index");
    question.list.samples = 0;
    question.list.after = true;
    assert_first(&question, NULL);
    question.list.ranked = true;
    assert_first(&question, "/count?n=12&method=compute&by=index");
    question.list.after = false; /* its cursor has the rank, or nobody knows it */
    assert_first(&question, NULL);
}

/* In a small board the rank is found at once, and a larger one has none. */
TEST(test_ranks)
{
    for (uint32_t n = 0; n <= 22; n++) {
        struct question question = ask_verify(n);
        char path[64];
        (void)snprintf(path, sizeof path, "/count?n=%u&method=compute&by=index", n);
        assert_first(&question, n >= 15 && n <= 20 ? path : NULL);
        question.verify.ranked = false;
        assert_first(&question, NULL);
    }
    struct question question = ask_verify(15);
    question.query.filter.rule = rules[1];
    OWNED(question_unref) struct shared_question *first = NULL;
    assert_int_equal(question_first(&question, &first), NQ_OK);
    assert_ptr_equal(first->question.query.filter.rule, rules[1]);
}

/* Whatever the question lists, unasked or not, and wherever its parameters stand. */
TEST(test_what_is_counted_is_what_is_listed)
{
    static const char *const texts[] = {
        "n=10",
        "n=10&place=2:4",
        "n=10&exclude=1:1,3:4&base=0",
        "n=10&place=2:4,7:7&exclude=9:9&base=0",
        "n=10&distinct=mirror",
        "n=10&distinct=fundamental&symmetry=point&exclude=1:1",
        "n=10&rules=superqueens",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct bytes text = {0};
        struct shared_question *counted, *first;
        bytes_format(&text, "/count?method=compute&%s", texts[i]);
        OWNED(free) char *asked = bytes_take(&text);
        assert_int_equal(count_query_parse(asked, &counted), NQ_OK);
        struct question question = ask_solve(10, 10, "json");
        bytes_format(&text, "/solve?limit=10&%s&board=none&algorithm=bitboard", texts[i]);
        OWNED(free) char *path = bytes_take(&text);
        question.path = path;
        question.base = counted->question.base;
        question.query = counted->question.query;
        question.list.totalled = true;
        question.list.offset = 1;
        if (!question_needs(&question, NEED_TOTAL)) /* it is published */
            question.needed[NEED_TOTAL] = an_answer(1, NULL);
        for (int need = question.needed[NEED_TOTAL] ? NEED_INDEX : NEED_TOTAL; need <= NEED_INDEX; need++) {
            assert_int_equal(question_first(&question, &first), NQ_OK);
            const struct query *query = &first->question.query, *wanted = &question.query;
            assert_true(filter_equal(&query->filter, &wanted->filter));
            assert_int_equal(query->distinct, wanted->distinct);
            assert_int_equal(query->symmetry, wanted->symmetry);
            assert_int_equal(first->question.count.indexed, need == NEED_INDEX);
            if (need == NEED_TOTAL)
                assert_string_equal(first->question.key, counted->question.key);
            struct answer *answer = an_answer(1, path);
            assert_true(question_supply(&question, answer));
            answer_unref(answer);
            question_unref(first);
        }
        question_drop(&question);
        question_unref(counted);
    }
}

TEST(test_a_column)
{
    struct question question = ask_solve(8, 10, "json");
    while (solver_find(question.list.cursor.algorithm)->lists != LISTS_COLUMN) {
        static size_t i;
        assert_non_null(solvers[i]);
        question.list.cursor.algorithm = solvers[i++]->name;
    }
    question.list.cursor.machine = (struct machine_settings){.column = 2, .rule = rules[0]};
    question.path = "/solve?n=8&base=0";
    question.base = 0;
    assert_true(
        solver_query(solver_find(question.list.cursor.algorithm), &question.list.cursor.machine, 8, &question.query));
    assert_first(&question, "/count?n=8&method=compute&place=0:2&base=0");
}

TEST(test_supply)
{
    struct question question = ask_solve(9, 10, "json");
    struct answer *total = an_answer(17, NULL), *index = an_answer(17, &question);
    filter_exclude(&question.query.filter, 3, 3);
    question.path = "/solve?n=9&exclude=4:4";
    question.list.offset = 4;
    assert_first(&question, "/count?n=9&method=compute&exclude=4:4");
    assert_true(question_supply(&question, total)); /* a total needs no more than a count */
    assert_first(&question, "/count?n=9&method=compute&exclude=4:4&by=index");
    assert_false(question_supply(&question, total)); /* a job's */
    assert_first(&question, "/count?n=9&method=compute&exclude=4:4&by=index");
    assert_true(question_supply(&question, index));
    assert_first(&question, NULL);
    assert_int_equal(question.needed[NEED_TOTAL]->count, 17);
    assert_ptr_equal(question.needed[NEED_INDEX]->extra, &question);
    answer_unref(total);
    answer_unref(index);
    question_drop(&question);
    assert_null(question.needed[NEED_TOTAL]);
    assert_null(question.needed[NEED_INDEX]);
}
