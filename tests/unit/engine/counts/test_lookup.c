/* test_lookup.c - tests of src/engine/counts/lookup.c and estimation.c: counts that take no search, those that
 * are estimated, and what a search would cost. */
/* CI builds: address */
#include <math.h>

#include "count/estimate.h"
#include "count/known.h"
#include "support/run_work.h"
#include "support/sanitizer.h"

static const char *text_of(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    assert_non_null(text);
    return text;
}

/* ---- Published numbers ---- */

static json_t *look_up(const struct question *question)
{
    struct work *work = NULL;
    assert_int_equal(work_lookup(question, &work), NQ_OK);
    assert_int_equal(work->tasks, 1);
    struct answer *answer = work_off(work);
    assert_true(answer->complete);
    return answer_json(answer);
}

TEST(test_tables)
{
    static const struct {
        enum query_distinct distinct;
        enum query_symmetry symmetry;
        const char *table, *oeis;
        uint32_t first;
    } cases[] = {
        {DISTINCT_ALL, SYMMETRY_ANY, "all", "A000170", 0},
        {DISTINCT_FUNDAMENTAL, SYMMETRY_ANY, "fundamental", "A002562", 1},
        {DISTINCT_ALL, SYMMETRY_POINT, "point_symmetric", "A032522", 1},
        {DISTINCT_ALL, SYMMETRY_QUARTER, "rot90_symmetric", "A033148", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const json_t *terms = json_object_get(facts_table(cases[i].table), "terms");
        const uint32_t end = cases[i].first + (uint32_t)json_array_size(terms);
        for (uint32_t n = cases[i].first; n < end; n++) {
            struct question question = ask_count(n);
            question.count.way = COUNT_TABLE;
            question.query.distinct = cases[i].distinct;
            question.query.symmetry = cases[i].symmetry;
            OWNED(json_decref) json_t *json = look_up(&question);
            assert_int_equal(facts_get(json, "n"), n);
            assert_int_equal(facts_get(json, "base"), 1);
            assert_int_equal(facts_get(json, "count"), facts_term(cases[i].table, n));
            assert_int_equal(strtoull(text_of(json, "count_text"), NULL, 10), facts_term(cases[i].table, n));
            assert_string_equal(text_of(json, "oeis"), cases[i].oeis);
            assert_string_equal(text_of(json, "provenance"), "table");
        }
        assert_int_equal(known_most(rules[0], cases[i].distinct, cases[i].symmetry), end - 1);
        struct known known;
        assert_false(known_find(rules[0], end, cases[i].distinct, cases[i].symmetry, &known));
        assert_false(known_find(rules[0], UINT32_MAX, cases[i].distinct, cases[i].symmetry, &known));
    }
}

/* Up to reflection: half of each table of all solutions, with a note of how it follows. */
TEST(test_halves)
{
    for (uint32_t n = 0; n <= NQ_KNOWN_MAX_N; n++) {
        struct question question = ask_count(n);
        question.count.way = COUNT_TABLE;
        question.query.distinct = DISTINCT_MIRROR;
        OWNED(json_decref) json_t *json = look_up(&question);
        assert_int_equal(facts_get(json, "count"), n > 1 ? facts_term("all", n) / 2 : 1);
        assert_int_equal(json_object_get(json, "note") != NULL, n > 1);
    }
    struct known known;
    assert_true(known_find(rules[0], 12, DISTINCT_MIRROR, SYMMETRY_QUARTER, &known));
    assert_int_equal(known.count, facts_term("rot90_symmetric", 12) / 2);
    assert_int_equal(known_most(rules[0], DISTINCT_FUNDAMENTAL, SYMMETRY_POINT), -1);
    assert_false(known_find(rules[0], 8, DISTINCT_FUNDAMENTAL, SYMMETRY_POINT, &known));
}

/* Every number that tests/data/variants.json has read in the OEIS, and no other but those of A002464 that its
 * recurrence gives. */
TEST(test_tables_by_rule)
{
    json_error_t error;
    OWNED(json_decref) json_t *file = json_load_file("tests/data/variants.json", 0, &error);
    assert_non_null(file);
    for (size_t i = 1; rules[i]; i++) {
        const json_t *published = json_object_get(file, rules[i]->name), *counts = json_object_get(published, "counts");
        uint64_t last = 0;
        struct known known;
        for (size_t at = 0; at < json_array_size(counts); at++) {
            const json_t *pair = json_array_get(counts, at);
            last = facts_at(pair, 0);
            assert_true(known_find(rules[i], (uint32_t)last, DISTINCT_ALL, SYMMETRY_ANY, &known));
            assert_int_equal(known.count, facts_at(pair, 1));
            assert_string_equal(known.oeis, text_of(published, "oeis"));
            assert_null(known.note);
        }
        const int most = known_most(rules[i], DISTINCT_ALL, SYMMETRY_ANY);
        assert_int_equal(most, !published ? -1 : strcmp(rules[i]->name, "touching") == 0 ? 21 : (int)last);
        assert_false(known_find(rules[i], (uint32_t)most + 1, DISTINCT_ALL, SYMMETRY_ANY, &known));
    }
}

static const struct rule *rule_of(const char *name)
{
    return rules[rule_find(name, strlen(name))];
}

static uint64_t known_by(const char *rule, uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry)
{
    struct known known;
    assert_true(known_find(rule_of(rule), n, distinct, symmetry, &known));
    return known.count;
}

/* The term of a sequence in tests/data/sequences.json. */
static uint64_t published(const json_t *file, const char *id, uint32_t index)
{
    size_t at;
    json_t *sequence;
    json_array_foreach(json_object_get(file, "sequences"), at, sequence)
    {
        const json_t *terms = json_object_get(sequence, "published");
        if (strcmp(text_of(sequence, "id"), id) == 0)
            return strtoull(json_string_value(json_array_get(terms, index - facts_get(sequence, "first"))), NULL, 10);
    }
    fail_msg("no sequence %s", id);
    return 0;
}

/* Classes, and solutions by their symmetry, which follow from classes. */
TEST(test_tables_of_classes)
{
    json_error_t error;
    OWNED(json_decref) json_t *file = json_load_file("tests/data/sequences.json", 0, &error);
    assert_non_null(file);
    for (uint32_t n = 1; n <= 26; n++)
        assert_int_equal(known_by("superqueens", n, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY), published(file, "A051224", n));
    for (uint32_t n = 2; n <= 21; n++) {
        const uint64_t quarter = 2 * published(file, "A352661", n), half = 4 * published(file, "A352662", n);
        assert_int_equal(known_by("superqueens", n, DISTINCT_ALL, SYMMETRY_QUARTER), quarter);
        assert_int_equal(known_by("superqueens", n, DISTINCT_ALL, SYMMETRY_POINT), half + quarter);
        assert_int_equal(8 * known_by("superqueens", n, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY),
                         known_by("superqueens", n, DISTINCT_ALL, SYMMETRY_ANY) + half + 3 * quarter); /* Burnside */
    }
    for (uint32_t k = 0; k <= 14; k++)
        assert_int_equal(known_by("toroidal", 2 * k + 1, DISTINCT_TORUS, SYMMETRY_ANY), published(file, "A053994", k));
    assert_int_equal(known_most(rule_of("toroidal"), DISTINCT_TORUS, SYMMETRY_ANY), 29);
}

TEST(test_tables_by_rule_agree)
{
    for (uint64_t n = 17; n <= 21; n++) /* (n + 1) a(n - 1) - (n - 2) a(n - 2) - (n - 5) a(n - 3) + (n - 3) a(n - 4) */
        assert_int_equal(known_by("touching", (uint32_t)n, DISTINCT_ALL, SYMMETRY_ANY),
                         (n + 1) * known_by("touching", (uint32_t)n - 1, DISTINCT_ALL, SYMMETRY_ANY) -
                             (n - 2) * known_by("touching", (uint32_t)n - 2, DISTINCT_ALL, SYMMETRY_ANY) -
                             (n - 5) * known_by("touching", (uint32_t)n - 3, DISTINCT_ALL, SYMMETRY_ANY) +
                             (n - 3) * known_by("touching", (uint32_t)n - 4, DISTINCT_ALL, SYMMETRY_ANY));
    assert_int_equal(known_by("toroidal", 0, DISTINCT_ALL, SYMMETRY_ANY), 1);
    assert_int_equal(known_by("toroidal", 32, DISTINCT_ALL, SYMMETRY_ANY), 0);
    /* Reflections: two solutions are one; semiqueens have none. */
    assert_int_equal(known_by("reflecting", 12, DISTINCT_MIRROR, SYMMETRY_ANY), 248);
    assert_int_equal(known_by("reflecting", 12, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY), 248);
    assert_int_equal(known_by("semiqueens", 8, DISTINCT_MIRROR, SYMMETRY_ANY), 2113);
    assert_int_equal(known_most(rule_of("semiqueens"), DISTINCT_FUNDAMENTAL, SYMMETRY_ANY), -1);
    assert_int_equal(known_most(rule_of("superqueens"), DISTINCT_MIRROR, SYMMETRY_QUARTER), -1);
    assert_int_equal(known_most(rules[0], DISTINCT_TORUS, SYMMETRY_ANY), -1);
}

TEST(test_asymptotic)
{
    static const uint32_t sizes[] = {41, 64, 65, 1000, 1000000, 1000000000};
    double last = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct question question = ask_count(sizes[i]);
        question.count.way = COUNT_ASYMPTOTIC;
        OWNED(json_decref) json_t *json = look_up(&question);
        const double log10 = json_number_value(json_object_get(json, "log10"));
        assert_true(isfinite(log10) && log10 > last);
        last = log10;
        assert_int_equal(facts_get(json, "n"), sizes[i]);
        assert_string_equal(text_of(json, "provenance"), "asymptotic");
        assert_null(json_object_get(json, "count"));
    }
}

/* ---- Estimates ---- */

static struct question ask_estimate(uint32_t n, uint64_t walks, uint64_t seed)
{
    struct question question = ask_count(n);
    question.count.way = COUNT_ESTIMATE;
    question.count.walks = walks;
    question.seed = seed;
    return question;
}

static struct work *open_estimate(const struct question *question, unsigned threads)
{
    const struct tools tools = tools_of(kernel_find("auto"), threads);
    struct work *work;
    assert_int_equal(work_estimate(question, &tools, NULL, &work), NQ_OK);
    assert_true(work->tasks >= 1 && work->tasks <= threads);
    return work;
}

/* The same bytes on any number of tasks, however the slices fall. */
TEST(test_estimates_are_the_same_everywhere)
{
    enum { WALKS = 2 * ESTIMATE_BLOCK + 8 }; /* three blocks */
    static const uint32_t sizes[] = {0, 1, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct question question = ask_estimate(sizes[i], WALKS, 42);
        struct answer *first = NULL;
        for (unsigned threads = 1; threads <= 7; threads += SANITIZED ? 6 : 3)
            for (int slices = 0; slices < 2; slices++) {
                const atomic_bool stop = false;
                struct work *work = open_estimate(&question, threads);
                assert_int_equal(work_through(work, slices ? UINT64_MAX : 0, &stop), NQ_OK);
                struct answer *answer = work_finish(work);
                if (!first) {
                    first = answer;
                    continue;
                }
                assert_int_equal(answer->size, first->size);
                assert_memory_equal(answer->bytes, first->bytes, first->size);
                answer_unref(answer);
            }
        OWNED(json_decref) json_t *json = answer_json(first);
        assert_int_equal(facts_get(json, "walks"), WALKS);
        assert_int_equal(facts_get(json, "seed"), 42);
        assert_true(facts_get(json, "completed") <= WALKS);
        assert_string_equal(text_of(json, "provenance"), "estimate");
        const double estimate = json_number_value(json_object_get(json, "estimate"));
        const double error = json_number_value(json_object_get(json, "standard_error"));
        const double count = (double)facts_term("all", sizes[i]);
        assert_true(fabs(estimate - count) <= 5 * error + count * 1e-9);
        assert_true(fabs(strtod(text_of(json, "estimate_text"), NULL) - estimate) <= error + count * 1e-9);
    }
}

/* Another seed is another estimate; a question without one of its own is asked anew each time. */
TEST(test_seeds)
{
    char texts[3][64];
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct question question = ask_estimate(16, 8192, seed);
        question.uncacheable = seed == 2;
        struct answer *answer = work_off(open_estimate(&question, 2));
        assert_int_equal(answer->complete, seed != 2);
        OWNED(json_decref) json_t *json = answer_json(answer);
        (void)snprintf(texts[seed], sizeof texts[seed], "%.17g", json_number_value(json_object_get(json, "estimate")));
    }
    assert_string_not_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[1], texts[2]);
    assert_string_not_equal(texts[0], texts[2]);
}

/* A handful of lucky walks is not shown as if it meant something. */
TEST(test_too_few_walks)
{
    const struct question question = ask_estimate(40, 100, 1);
    const atomic_bool stop = false;
    struct work *work = open_estimate(&question, 4);
    struct answer *answer = NULL;
    assert_int_equal(work->tasks, 1); /* one block */
    assert_string_equal(work->fault.text, "");
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    assert_int_equal(work->class->finish(work, &answer), NQ_LIMIT);
    assert_null(answer);
    assert_non_null(strstr(work->fault.text, " 100 "));
    assert_true(strlen(work->fault.text) < FAULT_TEXT_MAX - 1);
    work->class->close(work);
}

TEST(test_estimates_stop)
{
    const struct question question = ask_estimate(40, 10000000, 1);
    const atomic_bool stop = true;
    struct work *work = open_estimate(&question, 2);
    assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_CANCELLED);
    work->class->close(work);
}

/* Of completions: what the squares leave is estimated, and exactly where that is little. */
TEST(test_estimates_of_completions)
{
    struct question question;
    double sum = 0, errors = 0;
    for (uint32_t column = 0; column < 12; column++) {
        question = ask_estimate(12, 1000, 3);
        filter_place(&question.query.filter, 0, column);
        OWNED(json_decref) json_t *json = answer_json(work_off(open_estimate(&question, 2)));
        const double error = json_number_value(json_object_get(json, "standard_error"));
        sum += json_number_value(json_object_get(json, "estimate"));
        errors += error * error;
    }
    assert_true(fabs(sum - (double)facts_term("all", 12)) <= 5 * sqrt(errors));
    question = ask_estimate(12, 1000, 3);
    filter_place(&question.query.filter, 0, 0);
    filter_place(&question.query.filter, 1, 1); /* they attack each other */
    OWNED(json_decref) json_t *json = answer_json(work_off(open_estimate(&question, 2)));
    assert_true(json_number_value(json_object_get(json, "estimate")) == 0);
    assert_string_equal(text_of(json, "estimate_text"), "0");
    assert_non_null(json_object_get(json, "note"));
}

/* ---- What it would cost ---- */

TEST(test_costs)
{
    double last = 0;
    for (uint32_t n = 12; n <= 32; n += 4) {
        struct question question = ask_count(n);
        struct tools tools = tools_of(kernel_find("auto"), 3);
        struct work *work;
        question.kind = ASK_COST;
        question.path = "/count?n=some&method=compute";
        tools.nodes_per_second = 2e8;
        tools.most_core_seconds = 1000;
        assert_int_equal(work_cost(&question, &tools, &work), NQ_OK);
        struct answer *answer = work_off(work);
        assert_false(answer->complete); /* it depends on the machine */
        OWNED(json_decref) json_t *json = answer_json(answer);
        const double seconds = json_number_value(json_object_get(json, "core_seconds"));
        const double placements = json_number_value(json_object_get(json, "placements"));
        assert_true(placements > last);
        last = placements;
        assert_true(fabs(seconds * 2e8 - placements) <= placements / 1000);
        assert_int_equal(json_is_true(json_object_get(json, "accepted")), seconds <= 1000);
        assert_int_equal(json_is_true(json_object_get(json, "accepted")), n <= 20);
        assert_int_equal(facts_get(json, "n"), n);
        assert_int_equal(facts_get(json, "threads"), 3);
        assert_string_equal(text_of(json, "query"), question.path);
        assert_string_equal(text_of(json, "kernel"), tools.kernel->name);
    }
}

TEST(test_cost_beyond_every_method)
{
    struct question question = ask_count(33);
    const struct tools tools = tools_of(kernel_find("auto"), 1);
    const struct slice slice = {.deadline = UINT64_MAX};
    const atomic_bool stop = false;
    struct work *work;
    struct answer *answer = NULL;
    question.kind = ASK_COST;
    assert_int_equal(work_cost(&question, &tools, &work), NQ_OK);
    enum nq_status status = work->class->slice(work, &slice, &stop);
    if (status == NQ_OK)
        status = work->class->finish(work, &answer);
    assert_int_equal(status, NQ_LIMIT);
    assert_null(answer);
    work->class->close(work);
}
