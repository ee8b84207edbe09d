/* test_path.c - tests of src/engine/boards/path.c: the same bytes however the work is sliced, and an end whenever it is
 * stopped. What it says is compared with all solutions in tests/http/steps.test.js. */
/* CI builds: address */
#include "puzzles/generator.h"
#include "support/painted_boards.h"
#include "support/run_work.h"

extern const struct rule rule_touching;

/* A board of regions with queens and crosses, some of them wrong. */
static struct question ask_path(uint64_t *dice, bool all)
{
    struct generator generator;
    struct question question = ask_named("a path");
    const uint32_t n = 6 + facts_below(dice, 5);
    assert_int_equal(
        generator_open(&generator, &(struct puzzle_name){GENERATOR_REVISION, n, LEVEL_EXPERT, facts_below(dice, 1000)}),
        NQ_OK);
    assert_int_equal(generator_next(&generator, UINT32_MAX, NULL), NQ_OK);
    question.kind = ASK_HINT;
    question.n = n;
    question.base = 1;
    filter_begin(&question.query.filter, n);
    question.query.filter.rule = &rule_touching;
    question.query.regions = generator.regions;
    question.hint.deduced = true;
    question.hint.all = all;
    generator_close(&generator);
    for (uint32_t i = facts_below(dice, 4); i > 0; i--)
        question.hint.excluded[facts_below(dice, n)] |= UINT64_C(1) << facts_below(dice, n);
    if (facts_below(dice, 2))
        question.hint.placed[facts_below(dice, n)] |= UINT64_C(1) << facts_below(dice, n);
    return question;
}

static struct answer *answer_of(const struct question *question, uint64_t deadline)
{
    OWNED(work_close) struct work *work = NULL;
    struct answer *answer = NULL;
    assert_int_equal(work_path(question, &work), NQ_OK);
    assert_int_equal(work_through(work, deadline, NULL), NQ_OK);
    assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    return answer;
}

/* Stops after each number of slices that there is; each does as little as it can. */
static void check_stops(const struct question *question)
{
    const struct slice slice = {.deadline = 0};
    bool ended = false;
    for (uint32_t slices = 0; !ended; slices++) {
        atomic_bool stop = false;
        OWNED(work_close) struct work *work = NULL;
        enum nq_status status = NQ_AGAIN;
        assert_int_equal(work_path(question, &work), NQ_OK);
        for (uint32_t i = 0; i < slices && status == NQ_AGAIN; i++)
            status = work->class->slice(work, &slice, &stop);
        ended = status == NQ_OK;
        stop = true;
        if (!ended)
            assert_int_equal(work->class->slice(work, &slice, &stop), NQ_CANCELLED);
    }
}

TEST(test_slices)
{
    uint64_t dice = 5;
    unsigned wrong = 0, solved = 0;
    for (uint32_t round = 0; round < (SANITIZED ? 8 : 30); round++) {
        const struct question question = ask_path(&dice, round % 2);
        struct answer *whole = answer_of(&question, UINT64_MAX), *sliced = answer_of(&question, 0);
        assert_int_equal(whole->size, sliced->size);
        assert_memory_equal(whole->bytes, sliced->bytes, whole->size);
        answer_unref(sliced);
        json_t *json = answer_json(whole);
        wrong += json_array_size(json_object_get(json, "wrong")) > 0;
        solved += json_is_true(json_object_get(json_object_get(json, "grade"), "solved"));
        json_decref(json);
        if (round < 6)
            check_stops(&question);
    }
    assert_true(wrong && solved);
}
