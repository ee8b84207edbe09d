/* test_verify.c - tests of src/engine/boards/verify.c: what is said of solutions and of other boards, in
 * slices as short as may be, until nobody wants it any more, and without memory. */
/* CI builds: address */
#include <stdlib.h>
#include <string.h>

/* verifying.c itself, with allocations that can be made to fail, under names that do not collide with the server's. */
#include "support/failing_memory.h"

#define work_verify tested_work_verify
#define verify_memory tested_verify_memory
#include "engine/boards/verify.c"

#include "support/run_work.h"

OWNER(placement_unref, struct placement *)

static struct placement *place(uint32_t n, const uint32_t *columns)
{
    struct placement *placement = malloc(sizeof *placement + n * sizeof placement->queens[0]);
    assert_non_null(placement);
    atomic_init(&placement->references, 1);
    placement->count = n;
    for (uint32_t row = 0; row < n; row++)
        placement->queens[row] = (struct queen){row, columns[row]};
    return placement;
}

static struct question ask(uint32_t n, struct placement *placement)
{
    return (struct question){.kind = ASK_VERIFY,
                             .query.filter.rule = rules[0],
                             .n = n,
                             .base = 1,
                             .format = format_find("json"),
                             .key = "",
                             .path = "",
                             .prefix = "",
                             .uncacheable = true,
                             .verify.placement = placement};
}

/* The whole answer; the caller releases. */
static json_t *verify(uint32_t n, const uint32_t *columns, const struct kernel *kernel)
{
    OWNED(placement_unref) struct placement *placement = place(n, columns);
    const struct question question = ask(n, placement);
    const struct tools tools = tools_of(kernel, 2);
    struct work *work = NULL;
    assert_int_equal(work_verify(&question, &tools, &work), NQ_OK);
    assert_int_equal(work->tasks, 1);
    struct answer *answer = work_off(work);
    assert_false(answer->complete); /* never to be cached */
    return answer_json(answer);
}

TEST(test_solutions)
{
    for (size_t k = 0; kernels[k]; k++) {
        if (!kernels[k]->supported())
            continue;
        for (uint32_t n = 0; n <= 9; n++) {
            size_t count;
            OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
            assert_int_equal(count, facts_term("all", n));
            for (size_t i = 0; i < count; i++) {
                OWNED(json_decref) json_t *json = verify(n, solutions + i * n, kernels[k]);
                uint32_t canonical[9], scratch[9];
                assert_true(json_is_true(json_object_get(json, "valid")));
                assert_int_equal(facts_get(json, "rank"), i);
                assert_int_equal(facts_get(json, "orbit"), nq_canonical(n, solutions + i * n, canonical, scratch));
                for (uint32_t row = 0; row < n; row++)
                    assert_int_equal(facts_at(json_object_get(json, "canonical"), row), canonical[row] + 1);
            }
        }
    }
}

TEST(test_others)
{
    const uint32_t columns[] = {0, 1, 2, 3, 4};
    for (uint32_t n = 2; n <= 5; n++) {
        OWNED(json_decref) json_t *json = verify(n, columns, kernels[0]);
        assert_true(json_is_false(json_object_get(json, "valid")));
        assert_int_equal(facts_get(json, "conflict_count"), n * (n - 1) / 2);
        assert_int_equal(json_array_size(json_object_get(json, "conflicts")), n * (n - 1) / 2);
        static const char *const nulls[] = {"symmetry", "orbit", "canonical", "rank"};
        for (size_t i = 0; i < 4; i++)
            assert_true(json_is_null(json_object_get(json, nulls[i])));
    }
}

TEST(test_slices_and_stopping)
{
    const uint32_t columns[] = {0, 4, 7, 5, 2, 6, 1, 3};
    const struct slice slice = {.deadline = 0};
    const struct tools tools = tools_of(kernel_find("scalar"), 1);
    OWNED(placement_unref) struct placement *placement = place(8, columns);
    const struct question question = ask(8, placement);
    for (unsigned before = 0; before <= 5; before++) { /* the sorting, and lines of five kinds, of which one ends it */
        atomic_bool stop = false;
        OWNED(work_close) struct work *work = NULL;
        assert_int_equal(work_verify(&question, &tools, &work), NQ_OK);
        for (unsigned i = 0; i < before; i++)
            assert_int_equal(work->class->slice(work, &slice, &stop), NQ_AGAIN);
        atomic_store(&stop, true);
        assert_int_equal(work->class->slice(work, &slice, &stop), NQ_CANCELLED);
    }
}

TEST(test_out_of_memory)
{
    const uint32_t columns[] = {1, 3, 0, 2};
    const atomic_bool stop = false;
    const struct tools tools = tools_of(kernel_find("scalar"), 1);
    OWNED(placement_unref) struct placement *placement = place(4, columns);
    const struct question question = ask(4, placement);
    for (size_t made = 0; made <= 4; made++) { /* the work, columns, canonical, scratch */
        struct work *work = NULL;
        failing_after = made;
        enum nq_status status = work_verify(&question, &tools, &work);
        if (status == NQ_OK) {
            status = work_through(work, UINT64_MAX, &stop);
            work->class->close(work);
        }
        failing_after = SIZE_MAX;
        assert_int_equal(status, made < 4 ? NQ_NOMEM : NQ_OK);
    }
}

/* A copy of a question shares its placement. */
TEST(test_question_copies)
{
    const uint32_t columns[] = {0};
    OWNED(placement_unref) struct placement *placement = place(1, columns);
    const struct question question = ask(1, placement);
    struct shared_question *copy = question_share(&question);
    assert_non_null(copy);
    assert_ptr_equal(copy->question.verify.placement, placement);
    assert_int_equal(placement->references, 2);
    question_unref(question_ref(copy));
    assert_int_equal(placement->references, 2);
    question_unref(copy);
    assert_int_equal(placement->references, 1);
}
