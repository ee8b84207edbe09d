/* test_split.c - tests of src/engine/units/split.c: beside plain arrays that do the same. */
/* CI builds: address */
#include "engine/units/split.h"

#include "support/facts.h"

enum { ROUNDS = 3000, UNITS = 5, PIECES = 40 };

TEST(test_items)
{
    static const size_t units[] = {0, 1, 7, 20000, 200000, SIZE_MAX / UNIT_PIECES};
    static const size_t pieces[] = {0, 1, 1000, UNIT_WHOLE - 1, UNIT_WHOLE};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (size_t j = 0; j < sizeof pieces / sizeof pieces[0]; j++) {
            const size_t item = item_of(units[i], pieces[j]);
            assert_int_equal(item_unit(item), units[i]);
            assert_int_equal(item_piece(item), pieces[j]);
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

static void settle(struct splits *splits, struct model *model, size_t unit, size_t piece)
{
    struct split_unit *split = splits_find(splits, unit);
    const nq_wide parts = split->parts;
    const uint64_t nodes = split->nodes;
    const bool fresh = !model->known[piece];
    assert_int_equal(splits_settle(split, piece, (nq_wide)1 << 100, 3), fresh);
    assert_true(split->parts == parts + (fresh ? (nq_wide)1 << 100 : 0));
    assert_int_equal(split->nodes, nodes + (fresh ? 3 : 0));
    model->known[piece] = true;
    assert_int_equal(split->left, unknown(model));
    if (split->left)
        return;
    splits_remove(splits, split);
    assert_null(splits_find(splits, unit));
    model->there = false;
}

/* Every piece is taken at most once, only of units that have begun, and never one that is known; none is left out. */
static void take(struct splits *splits, struct model model[UNITS])
{
    bool any = false;
    size_t item;
    for (size_t unit = 0; unit < UNITS; unit++)
        for (size_t piece = 0; model[unit].there && model[unit].begun && piece < model[unit].pieces; piece++)
            any |= !model[unit].known[piece] && !model[unit].taken[piece];
    assert_int_equal(splits_take(splits, &item), any);
    if (!any)
        return;
    struct model *of = &model[item_unit(item)];
    assert_true(of->there && of->begun && item_piece(item) < of->pieces);
    assert_false(of->known[item_piece(item)] || of->taken[item_piece(item)]);
    of->taken[item_piece(item)] = true;
}

TEST(test_as_arrays)
{
    struct splits splits = {.list = NULL};
    struct model model[UNITS] = {0};
    uint64_t dice = 1;
    for (int round = 0; round < ROUNDS; round++) {
        const size_t unit = facts_below(&dice, UNITS);
        struct split_unit *split = splits_find(&splits, unit);
        assert_int_equal(split != NULL, model[unit].there);
        if (!split) {
            model[unit] = (struct model){.there = true, .pieces = 1 + facts_below(&dice, PIECES)};
            split = splits_add(&splits, unit, model[unit].pieces);
            assert_non_null(split);
            assert_ptr_equal(splits_find(&splits, unit), split);
            assert_int_equal(split->pieces, model[unit].pieces);
        } else if (facts_below(&dice, 10) == 0) {
            split->begun = true;
            model[unit].begun = true;
        } else if (facts_below(&dice, 2)) {
            settle(&splits, &model[unit], unit, facts_below(&dice, model[unit].pieces));
        }
        take(&splits, model);
    }
    splits_close(&splits);
    assert_null(splits.list);
}
