/* test_surveying.c - tests of a survey in src/engine/units/division.c: the answers of counts by a statistic, and
 * which units are none. */
/* CI builds: address */
#include <math.h>

#include "engine/units/division.h"
#include "statistics/survey.h"
#include "support/run_work.h"
#include "support/sifted_solutions.h"

static struct question ask_survey(const struct query *query, const char *statistic)
{
    struct question question = ask_count(query->filter.n);
    question.query = *query;
    question.count.statistic = statistic_find(statistic);
    return question;
}

static void check_answer(const struct question *question, const struct tools *tools, const char *expected)
{
    OWNED(json_decref) json_t *answer = answer_json(work_off(open_count(question, tools, NULL)));
    OWNED(json_decref) json_t *json = json_loads(expected, 0, NULL);
    assert_non_null(json);
    assert_true(json_equal(answer, json));
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
