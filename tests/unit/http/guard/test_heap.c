/* test_heap.c - tests of src/http/guard/heap.c: what is due, and in which order, against a search of all deadlines. */
/* CI builds: address */
#include "http/guard/heap.h"

#include "base/random.h"
#include "support/facts.h"

enum { COUNT = 300, STEPS = 20000, TIMES = 500 };

TEST(test_order)
{
    static struct heap_deadline deadlines[COUNT];
    ENDED_BY(heap_free) struct heap heap = {0};
    for (size_t i = 0; i < COUNT; i++) {
        deadlines[i].owner = &deadlines[i];
        assert_true(heap_reserve(&heap, i));
        heap_set(&heap, &deadlines[i], (i * 7919) % COUNT);
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_null(i ? heap_due(&heap, i - 1) : NULL);
        struct heap_deadline *due = heap_due(&heap, i);
        assert_true(due && due->at == i);
        heap_remove(&heap, due);
        assert_int_equal(due->place, 0);
        CHECKED(heap_check(&heap));
    }
    assert_null(heap_due(&heap, UINT64_MAX));
}

/* The earliest of those that are in the heap. */
static const struct heap_deadline *earliest(const struct heap_deadline *deadlines)
{
    const struct heap_deadline *first = NULL;
    for (const struct heap_deadline *at = deadlines; at < deadlines + COUNT; at++)
        if (at->place && (!first || at->at < first->at))
            first = at;
    return first;
}

TEST(test_moved_and_removed)
{
    static struct heap_deadline deadlines[COUNT];
    ENDED_BY(heap_free) struct heap heap = {0};
    struct random random = random_begin(1, 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(heap_reserve(&heap, i));
    for (int step = 0; step < STEPS; step++) {
        struct heap_deadline *one = &deadlines[random_below(&random, COUNT)];
        one->owner = one;
        if (random_below(&random, 3))
            heap_set(&heap, one, random_below(&random, TIMES));
        else
            heap_remove(&heap, one);
        CHECKED(heap_check(&heap));
        const struct heap_deadline *first = earliest(deadlines), *due = heap_due(&heap, TIMES);
        assert_true(first ? due && due->at == first->at : !due);
        assert_true(!first || first->at == 0 || !heap_due(&heap, first->at - 1));
    }
    for (struct heap_deadline *due; (due = heap_due(&heap, TIMES));)
        heap_remove(&heap, due);
    assert_null(earliest(deadlines));
}
