/* test_engine_cuts.c - tests of src/engine/cuts.c: beside plain arrays that do the same. */
#include "engine/cuts.h"

#include "facts.h"

enum { ROUNDS = 3000, UNITS = 5, PIECES = 40 };

static void test_tasks(void **state)
{
    (void)state;
    static const size_t units[] = {0, 1, 7, 20000, 200000, SIZE_MAX / UNIT_PIECES};
    static const size_t pieces[] = {0, 1, 1000, UNIT_WHOLE - 1, UNIT_WHOLE};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (size_t j = 0; j < sizeof pieces / sizeof pieces[0]; j++) {
            const size_t task = task_of(units[i], pieces[j]);
            assert_int_equal(task_unit(task), units[i]);
            assert_int_equal(task_piece(task), pieces[j]);
        }
}

/* A unit as it should be. */
struct model {
    bool there, begun, known[PIECES], taken[PIECES];
    size_t pieces;
};

static size_t unknown(const struct model *model)
{
    size_t count = 0;
    for (size_t piece = 0; piece < model->pieces; piece++)
        count += !model->known[piece];
    return count;
}

static void settle(struct cuts *cuts, struct model *model, size_t unit, size_t piece)
{
    struct cut *cut = cuts_find(cuts, unit);
    const nq_wide parts = cut->parts;
    const uint64_t nodes = cut->nodes;
    const bool fresh = !model->known[piece];
    assert_int_equal(cuts_settle(cut, piece, (nq_wide)1 << 100, 3), fresh);
    assert_true(cut->parts == parts + (fresh ? (nq_wide)1 << 100 : 0));
    assert_int_equal(cut->nodes, nodes + (fresh ? 3 : 0));
    model->known[piece] = true;
    assert_int_equal(cut->left, unknown(model));
    if (cut->left)
        return;
    cuts_remove(cuts, cut);
    assert_null(cuts_find(cuts, unit));
    model->there = false;
}

/* Every piece is taken at most once, only of units that have begun, and never one that is known; none is left out. */
static void take(struct cuts *cuts, struct model model[UNITS])
{
    bool any = false;
    size_t task;
    for (size_t unit = 0; unit < UNITS; unit++)
        for (size_t piece = 0; model[unit].there && model[unit].begun && piece < model[unit].pieces; piece++)
            any |= !model[unit].known[piece] && !model[unit].taken[piece];
    assert_int_equal(cuts_take(cuts, &task), any);
    if (!any)
        return;
    struct model *of = &model[task_unit(task)];
    assert_true(of->there && of->begun && task_piece(task) < of->pieces);
    assert_false(of->known[task_piece(task)] || of->taken[task_piece(task)]);
    of->taken[task_piece(task)] = true;
}

static void test_as_arrays(void **state)
{
    (void)state;
    struct cuts cuts = {.list = NULL};
    struct model model[UNITS] = {0};
    uint64_t dice = 1;
    for (int round = 0; round < ROUNDS; round++) {
        const size_t unit = facts_below(&dice, UNITS);
        struct cut *cut = cuts_find(&cuts, unit);
        assert_int_equal(cut != NULL, model[unit].there);
        if (!cut) {
            model[unit] = (struct model){.there = true, .pieces = 1 + facts_below(&dice, PIECES)};
            cut = cuts_add(&cuts, unit, model[unit].pieces);
            assert_non_null(cut);
            assert_ptr_equal(cuts_find(&cuts, unit), cut);
            assert_int_equal(cut->pieces, model[unit].pieces);
        } else if (facts_below(&dice, 10) == 0) {
            cuts_begin(cut);
            model[unit].begun = true;
        } else if (facts_below(&dice, 2)) {
            settle(&cuts, &model[unit], unit, facts_below(&dice, model[unit].pieces));
        }
        take(&cuts, model);
    }
    cuts_close(&cuts);
    assert_null(cuts.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_as_arrays),
    };
    return cmocka_run_group_tests_name("cuts", tests, NULL, NULL);
}
