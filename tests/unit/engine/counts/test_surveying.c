/* test_surveying.c - tests of a survey in src/engine/units/division.c: a count by a statistic, its answer, and the
 * units that are kept when it ends early. */
/* CI builds: address */
#include <math.h>

#include "engine/counts/count_answer.h"
#include "statistics/survey.h"
#include "support/memory_journal.h"
#include "support/run_work.h"
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"

static const atomic_bool go_on;

static struct question ask_survey(const struct query *query, const char *statistic)
{
    struct question question = ask_count(query->filter.n);
    question.query = *query;
    question.count.statistic = statistic_find(statistic);
    return question;
}

static struct work *open_survey_work(const struct question *question, const struct tools *tools)
{
    struct work *work = NULL;
    struct fault fault = {0};
    assert_int_equal(work_count(question, tools, count_answer_computed, NULL, &fault, &work), NQ_OK);
    assert_int_equal(work->class->prepare(work, &go_on), NQ_OK);
    return work;
}

static json_t *answer_of(const struct question *question, const struct tools *tools)
{
    return answer_json(work_off(open_survey_work(question, tools)));
}

static void check_answer(const struct question *question, const struct tools *tools, const char *expected)
{
    json_t *answer = answer_of(question, tools), *json = json_loads(expected, 0, NULL);
    assert_non_null(json);
    assert_true(json_equal(answer, json));
    json_decref(answer);
    json_decref(json);
}

TEST(test_answers)
{
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    struct question question = ask_survey(&query, "torus-class");
    check_answer(
        &question, &tools,
        "{\"n\":8,\"base\":1,\"count\":92,\"count_text\":\"92\",\"provenance\":\"computed\",\"oeis\":\"A062164\","
        "\"by\":\"torus-class\",\"distribution\":[{\"value\":4,\"count\":4,\"count_text\":\"4\"},"
        "{\"value\":8,\"count\":32,\"count_text\":\"32\"},{\"value\":56,\"count\":56,\"count_text\":\"56\"}],"
        "\"classes\":6,\"classes_text\":\"6\"}");
    query.distinct = DISTINCT_MIRROR; /* half of every class: nothing is said of classes */
    question = ask_survey(&query, "torus-class");
    check_answer(
        &question, &tools,
        "{\"n\":8,\"base\":1,\"distinct\":\"mirror\",\"count\":46,\"count_text\":\"46\",\"provenance\":"
        "\"computed\",\"by\":\"torus-class\",\"distribution\":[{\"value\":4,\"count\":2,\"count_text\":\"2\"},"
        "{\"value\":8,\"count\":16,\"count_text\":\"16\"},{\"value\":56,\"count\":28,\"count_text\":\"28\"}]}");
    query = sift_whole(4, DISTINCT_ALL, SYMMETRY_ANY);
    question = ask_survey(&query, "first-column");
    for (uint32_t base = 0; base < 2; base++) {
        char text[300];
        question.base = base;
        (void)snprintf(text, sizeof text,
                       "{\"n\":4,\"base\":%u,\"count\":2,\"count_text\":\"2\",\"provenance\":\"computed\",\"by\":"
                       "\"first-column\",\"distribution\":[{\"value\":%u,\"count\":1,\"count_text\":\"1\"},"
                       "{\"value\":%u,\"count\":1,\"count_text\":\"1\"}]}",
                       base, base + 1, base + 2);
        check_answer(&question, &tools, text);
    }
}

static struct progress progress_of(const struct question *question, const struct tools *tools)
{
    struct work *work = open_survey_work(question, tools);
    struct progress progress = {0};
    work->class->progress(work, &progress);
    work->class->close(work);
    return progress;
}

static void put_nonsense(struct memory_journal *kept, const struct query *query, const char *statistic, size_t unit)
{
    struct survey *survey;
    struct bytes name = {0};
    assert_int_equal(survey_open(query, statistic_find(statistic), 1e9, NULL, &survey), NQ_OK);
    survey_name(survey, &name);
    survey_close(survey);
    bytes_format(&name, " #%zu", unit);
    bytes_char(&name, '\0');
    assert_true(journal_put(kept->journal, STORE_UNIT, name.data, "1 0:2"));
    bytes_free(&name);
}

/* A row has a number for each value, 8 here, whose sums are numbers, too. */
TEST(test_what_is_no_row)
{
    static const char *const wrong[] = {"",
                                        "x",
                                        "3",
                                        "0 1 2 3 4 5 6",
                                        "0 1 2 3 4 5 6 7 8",
                                        "0 1 2 3 4 5 6 7 ",
                                        " 0 1 2 3 4 5 6 7",
                                        "0 1 2  4 5 6 7",
                                        "0 1 2 3 4 5 6 7x",
                                        "0 1 2 -3 4 5 6 7",
                                        "0 1 2 3 4 5 6,7",
                                        "0 1 2 3 4 5 6 340282366920938463463374607431768211456",
                                        "3 1:2 7:1",
                                        "0 0 0 0 0 0 0 340282366920938463463374607431768211455"};
    const struct query query = sift_whole(8, DISTINCT_ALL, SYMMETRY_ANY);
    const struct question question = ask_survey(&query, "first-column");
    struct division *division;
    struct unit_made made;
    assert_int_equal(division_open(&question, 1e9, INFINITY, NULL, &division), NQ_OK);
    for (int twice = 0; twice < 2; twice++) {
        assert_true(division_read(division, 0, "0 2 0 0 0 0 0 1", 15, &made));
        assert_int_equal(division_put(division, 0, &made), NQ_OK);
        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
            assert_true(division_read(division, 0, wrong[i], strlen(wrong[i]), &made));
            assert_int_equal(division_put(division, 0, &made), NQ_INVALID);
        }
    }
    assert_int_equal((uint64_t)division->profile[1], 4);
    assert_int_equal((uint64_t)division->profile[7], 2);
    division_close(division);
}

/* A few slices, then the process ends; another one goes on with the units that are stored. */
TEST(test_interrupted_and_continued)
{
    enum { N = SANITIZED ? 12 : 14 };
    const struct query query = sift_whole(N, DISTINCT_ALL, SYMMETRY_ANY);
    const struct question question = ask_survey(&query, "torus-engaged");
    SCOPED(memory_journal, kept);
    struct tools tools = tools_of(kernel_find("auto"), 1), alone = tools;
    json_t *expected = answer_of(&question, &alone);
    tools.journal = kept.journal;
    tools.nodes_per_second = 1e13; /* of a machine so quick that it is worth keeping */
    tools.most_core_seconds = 1e18;
    struct work *work = open_survey_work(&question, &tools);
    struct meter meter = {0};
    const struct slice slice = {.meter = &meter}; /* ends after one unit */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(work->class->slice(work, &slice, &go_on), NQ_AGAIN);
    work->class->close(work);
    struct progress progress = progress_of(&question, &tools);
    assert_int_equal(progress.units_restored, 5);
    assert_int_equal(progress.units_done, 5);
    assert_true(progress.weight_restored > 0 && progress.weight_restored < progress.weight);
    put_nonsense(&kept, &query, "torus-engaged", 3);
    assert_int_equal(progress_of(&question, &tools).units_restored, 4);
    json_t *answer = answer_of(&question, &tools);
    assert_true(json_equal(answer, expected));
    json_decref(answer);
    progress = progress_of(&question, &tools);
    assert_int_equal(progress.units_restored, progress.units);
    assert_int_equal(memory_journal_facts(&kept, STORE_UNIT), progress.units);
    assert_int_equal(progress.weight_restored, progress.weight);
    answer = answer_of(&question, &tools); /* of stored units alone */
    assert_true(json_equal(answer, expected));
    json_decref(answer);
    json_decref(expected);
}

TEST(test_cost_and_limit)
{
    const struct query query = sift_whole(16, DISTINCT_ALL, SYMMETRY_ANY);
    struct question question = ask_survey(&query, "torus-class");
    struct tools tools = tools_of(kernel_find("auto"), 1);
    struct work *work;
    struct fault fault = {0};
    const struct progress progress = progress_of(&question, &tools);
    question.kind = ASK_COST;
    question.path = question.prefix = "";
    assert_int_equal(work_cost(&question, &tools, &work), NQ_OK);
    json_t *cost = answer_json(work_off(work));
    const double placements = json_number_value(json_object_get(cost, "placements"));
    assert_true(placements > (double)progress.weight * 0.9999 && placements < (double)progress.weight * 1.0001);
    assert_true(json_integer_value(json_object_get(cost, "memory_bytes")) > 0);
    json_decref(cost);
    question.kind = ASK_COUNT;
    tools.most_core_seconds = 1e-6;
    assert_int_equal(work_count(&question, &tools, count_answer_computed, NULL, &fault, &work), NQ_LIMIT);
    assert_non_null(strstr(fault.text, " core-hours; the limit is 2.78e-10."));
    question.admitted = true; /* it was begun before */
    assert_int_equal(work_count(&question, &tools, count_answer_computed, NULL, &fault, &work), NQ_OK);
    work->class->close(work);
}

TEST(test_stopped)
{
    const atomic_bool stop = true;
    const struct query query = sift_whole(18, DISTINCT_ALL, SYMMETRY_ANY);
    const struct question question = ask_survey(&query, "torus-class");
    const struct tools tools = tools_of(kernel_find("auto"), 2);
    struct work *work = open_survey_work(&question, &tools);
    assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_CANCELLED);
    work->class->close(work);
}
