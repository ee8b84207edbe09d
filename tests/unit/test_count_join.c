/* test_count_join.c - tests of src/kernels/join*.c and of src/count/{quadrants,choice,meeting,method_join}.c: each
 * instruction set against naive loops, units against every solution looked at, totals against published numbers.
 * NQ_LONG: larger boards, some seconds. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "crowding.h"
#include "facts.h"
#include "pace.h"
#include "stopping.h"

/* The methods with allocations that can be made to fail. */
#include "failing.h"

#define aligned_alloc(alignment, size) (failing_now() ? NULL : aligned_alloc(alignment, size))

#include "count/choice.c"
#include "count/meeting.c"
#include "count/method_join.c"
#include "count/quadrants.c"

/* ---- Joining routines ---- */

static uint64_t word_of(uint64_t *dice, uint32_t bits, uint32_t density)
{
    uint64_t word = 0;
    for (uint32_t bit = 0; bit < bits; bit++)
        word |= (uint64_t)(facts_below(dice, 100) < density) << bit;
    return word;
}

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void compare_pairs(const struct join *join, uint64_t *dice, size_t a_count, size_t b_count)
{
    uint64_t *a = malloc(a_count * sizeof *a + 1), *b = malloc(b_count * sizeof *b + 1);
    uint64_t *expected = malloc(a_count * b_count * sizeof *expected + 1);
    uint64_t *to = malloc((a_count * b_count + JOIN_PAIRS_SLACK) * sizeof *to);
    size_t count = 0;
    assert_true(a && b && expected && to);
    for (size_t i = 0; i < a_count; i++)
        a[i] = word_of(dice, 64, 9);
    for (size_t i = 0; i < b_count; i++)
        b[i] = word_of(dice, 64, 9);
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            if ((a[i] & b[j]) == 0)
                expected[count++] = a[i] | b[j];
    assert_int_equal(join->pairs(a, a_count, b, b_count, to), count);
    qsort(to, count, sizeof *to, ascending);
    qsort(expected, count, sizeof *expected, ascending);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(to[i], expected[i]);
    free(a);
    free(b);
    free(expected);
    free(to);
}

/* Every class is where it should be and has the words it should have. */
static void compare_sort(const struct join *join, uint64_t *dice, size_t count, uint32_t lowest, uint32_t class_bits,
                         bool mirrored, uint32_t density)
{
    const uint32_t classes = UINT32_C(1) << class_bits, next = facts_below(dice, 50);
    const size_t room = count + JOIN_SORT_SLACK, spare_bits = class_bits <= JOIN_SPARE_BITS ? class_bits : 0;
    uint64_t *word = malloc(room * sizeof *word), *expected = malloc(count * sizeof *expected + 1);
    uint64_t *spare = malloc(spare_bits * room * sizeof *spare + 1);
    uint32_t *to = malloc((next + count + JOIN_SORT_SLACK) * sizeof *to),
             *first = malloc((classes + 1) * sizeof *first);
    assert_true(word && expected && spare && to && first);
    for (size_t i = 0; i < count; i++) {
        word[i] = word_of(dice, 64, density);
        expected[i] = mirrored ? join_mirror(word[i]) : word[i];
        expected[i] = (expected[i] >> lowest & (classes - 1)) << 32 | (uint32_t)expected[i];
    }
    qsort(expected, count, sizeof *expected, ascending);
    const struct join_order order = {.lowest = lowest,
                                     .class_bits = class_bits,
                                     .mirrored = mirrored,
                                     .next = next,
                                     .to = to,
                                     .first = first,
                                     .spare = spare};
    join->sort(&order, word, count);
    assert_int_equal(first[0], next);
    assert_int_equal(first[classes], next + count);
    for (uint32_t class = 0; class < classes; class ++) {
        uint64_t *in_class = malloc(count * sizeof *in_class + 1);
        assert_non_null(in_class);
        assert_true(first[class] <= first[class + 1]);
        for (uint32_t i = first[class]; i < first[class + 1]; i++)
            in_class[i - first[class]] = (uint64_t) class << 32 | to[i];
        qsort(in_class, first[class + 1] - first[class], sizeof *in_class, ascending);
        for (uint32_t i = first[class]; i < first[class + 1]; i++)
            assert_int_equal(in_class[i - first[class]], expected[i - next]);
        free(in_class);
    }
    free(word);
    free(expected);
    free(spare);
    free(to);
    free(first);
}

/* Random items in several ranges of both groups, and patterns of both; bits above those compared are disjoint. */
static void compare_match(const struct join *join, uint64_t *dice, uint32_t bits, size_t patterns, size_t firsts)
{
    enum { ITEMS = 200, RANGES = 5 };
    const uint64_t low = (UINT64_C(1) << bits) - 1;
    uint32_t item[ITEMS], *pattern = malloc((patterns + JOIN_MATCH_SLACK) * sizeof *pattern);
    struct join_range range[RANGES];
    uint64_t expected[2][2], found[2][2];
    assert_non_null(pattern);
    for (size_t i = 0; i < ITEMS; i++)
        item[i] = (uint32_t)(word_of(dice, 32, 20) & (low | UINT64_C(0x55555555)));
    for (size_t i = 0; i < patterns; i++)
        pattern[i] = (uint32_t)(word_of(dice, 32, 20) & (low | UINT64_C(0xaaaaaaaa)));
    memset(pattern + patterns, 0, JOIN_MATCH_SLACK * sizeof *pattern); /* they would go with every item */
    const struct join_task task = {.bits = bits,
                                   .patterns = patterns,
                                   .firsts = firsts,
                                   .pattern = pattern,
                                   .ranges = {facts_below(dice, RANGES + 1)},
                                   .range = range};
    struct join_task whole = task;
    whole.ranges[1] = RANGES - task.ranges[0];
    for (int i = 0; i < 4; i++)
        expected[i / 2][i % 2] = found[i / 2][i % 2] = (uint64_t)i; /* it is added to */
    for (size_t r = 0; r < RANGES; r++) {
        const uint32_t begin = facts_below(dice, ITEMS), end = begin + facts_below(dice, ITEMS - begin + 1);
        range[r] = (struct join_range){item + begin, item + end};
        for (const uint32_t *at = range[r].begin; at < range[r].end; at++)
            for (size_t i = 0; i < patterns; i++)
                expected[r >= task.ranges[0]][i >= firsts] += (*at & pattern[i] & low) == 0;
    }
    join->match(&whole, found);
    for (int i = 0; i < 4; i++)
        assert_int_equal(found[i / 2][i % 2], expected[i / 2][i % 2]);
    free(pattern);
}

/* Each instruction set that this machine has. */
static void test_routines(void **state)
{
    (void)state;
    uint64_t dice = 1;
    for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
        const struct join *join = (*kernel)->join;
        if (!join->supported())
            continue;
        for (size_t a = 0; a < 20; a++)
            for (size_t b = 0; b < 20; b++)
                compare_pairs(join, &dice, a, b);
        for (int round = 0; round < 20; round++)
            compare_pairs(join, &dice, facts_below(&dice, 100), facts_below(&dice, 100));
        for (uint32_t class_bits = 0; class_bits <= 8; class_bits++)
            for (uint32_t lowest = 25; lowest <= 32; lowest += class_bits ? 1 : 7)
                for (size_t count = 0; count < 300; count = 3 * count / 2 + 1)
                    compare_sort(join, &dice, count, lowest, class_bits, count % 2, 10 + 40 * (count % 3));
        compare_sort(join, &dice, 3000, 30, 4, true, 40);
        compare_sort(join, &dice, 3000, 30, JOIN_SPARE_BITS, false, 100); /* what takes most spare room */
        compare_sort(join, &dice, 3000, 32, 11, false, 40);
        for (uint32_t bits = 0; bits <= 32; bits++)
            for (size_t patterns = 1; patterns < 1400; patterns += 1 + facts_below(&dice, 500)) {
                compare_match(join, &dice, bits, patterns, patterns);
                compare_match(join, &dice, bits, patterns, 0);
                compare_match(join, &dice, bits, patterns, facts_below(&dice, (uint32_t)patterns));
            }
        for (size_t lane = 32; lane <= 64; lane += 32) /* the groups share a block: nearly, just, no longer, hardly */
            for (size_t firsts = join->block - lane - 1; firsts <= join->block - lane + 1; firsts++) {
                compare_match(join, &dice, 29, firsts + 1, firsts);
                compare_match(join, &dice, 29, firsts + lane, firsts);
                compare_match(join, &dice, 29, join->block + firsts + lane + 1, join->block + firsts);
            }
        compare_match(join, &dice, 29, join->block, 1);
        compare_match(join, &dice, 29, join->block + 1, 1);
        compare_match(join, &dice, 30, 1024, 512); /* the border of groups is one of blocks */
        compare_match(join, &dice, 30, 1024, 256); /* or, where two are tried at once, between these */
    }
}

/* Whatever a kernel names there is something the machine supports. */
static void test_join_of(void **state)
{
    (void)state;
    for (const struct kernel *const *kernel = kernels; *kernel; kernel++) {
        const struct join *join = (*kernel)->join;
        while (join->otherwise)
            join = join->otherwise;
        assert_true(join->supported());
        assert_true(join_of(*kernel)->supported());
    }
}

/* ---- Meeting ---- */

static void roll_halves(struct halves *halves, uint64_t *dice, uint32_t bits)
{
    *halves = (struct halves){.mirrored = facts_below(dice, 2)};
    for (int group = 0; group < 2; group++) {
        const uint32_t count = facts_below(dice, 200);
        assert_true(halves_reserve(halves, group, count));
        for (uint32_t i = 0; i < count; i++)
            halves_begin(halves, group)[i] = word_of(dice, bits, 8);
        halves->count[group] = count;
    }
}

/* Boards of all sizes up to n = 27, whose words have 52 bits, against all pairs. */
static void test_meeting(void **state)
{
    (void)state;
    uint64_t dice = 7;
    for (uint32_t bits = 14; bits <= 52; bits += 2) {
        struct meeting meeting = {.join = join_of(kernel_find("auto")), .bits = bits};
        struct halves west, east;
        uint64_t expected[2][2] = {{0}}, found[2][2] = {{0}};
        roll_halves(&west, &dice, bits);
        roll_halves(&east, &dice, bits);
        for (int i = 0; i < 4; i++)
            for (size_t a = 0; a < west.count[i / 2]; a++)
                for (size_t b = 0; b < east.count[i % 2]; b++) {
                    const uint64_t one = halves_begin(&west, i / 2)[a], other = halves_begin(&east, i % 2)[b];
                    expected[i / 2][i % 2] +=
                        ((west.mirrored ? join_mirror(one) : one) & (east.mirrored ? join_mirror(other) : other)) == 0;
                }
        assert_int_equal(meeting_count(&meeting, &west, &east, found), NQ_OK);
        assert_memory_equal(found, expected, sizeof found);
        free(west.word);
        free(east.word);
        meeting_close(&meeting);
    }
}

/* ---- Quadrants ---- */

/* The number of placements of a quadrant, that of ways to put any number of queens on a board of its size (OEIS
 * A287227), and that mirroring is what it says. */
static void test_quadrants(void **state)
{
    (void)state;
    static const uint32_t placements[] = {[4] = 87, [5] = 462, [6] = 2635, [7] = 16870};
    for (uint32_t n = 8; n <= 15; n++) {
        struct quadrants quadrants;
        assert_int_equal(quadrants_open(&quadrants, n, 3, NULL), NQ_OK);
        assert_int_equal(quadrants_list(&quadrants, 3, NULL), NQ_OK);
        const struct quadrant_list *list = &quadrants.list[LOWER_WEST];
        uint64_t all = 0;
        for (uint32_t rows = 0; rows < quadrants.sets; rows++)
            all += quadrants.placements[rows];
        assert_int_equal(all, placements[quadrants.m]);
        for (uint64_t i = 0; i < all; i++) {
            const uint64_t word = list->word[i], rows = quadrants_mirror_rows(&quadrants, word);
            assert_int_equal(word >> quadrants.bits, 0);
            assert_int_equal(quadrants_mirror_rows(&quadrants, rows), word);
            assert_int_equal(__builtin_popcountll(rows), __builtin_popcountll(word));
            assert_int_equal(join_mirror(join_mirror(word)), word);
        }
        quadrants_close(&quadrants);
    }
}

/* ---- Units ---- */

static void *plan_within(uint32_t n, size_t tables)
{
    struct filter filter;
    void *plan = NULL;
    filter_begin(&filter, n);
    assert_int_equal(method_join.prepare(&filter, &(struct method_means){tables, 2}, NULL, &plan), NQ_OK);
    assert_non_null(plan);
    return plan;
}

static void *plan_of(uint32_t n)
{
    return plan_within(n, SIZE_MAX);
}

static struct unit_result add_up(const struct plan *plan, const struct kernel *kernel)
{
    const atomic_bool go_on = false;
    struct unit_result all = {0};
    for (size_t unit = 0; unit < method_join.units(plan); unit++) {
        struct unit_result result;
        memset(&result, 0xff, sizeof result);
        assert_true(method_join.weight(plan, unit) > 0);
        assert_int_equal(method_join.count(plan, unit, kernel, unit % 2 ? &go_on : NULL, &result), NQ_OK);
        all.parts += result.parts;
        all.nodes += result.nodes;
    }
    return all;
}

static void test_published(void **state)
{
    (void)state;
    const uint32_t all = SANITIZED ? 14 : 17, most = getenv("NQ_LONG") ? 20 : all;
    for (uint32_t n = JOIN_MIN_N; n <= most; n++) {
        struct plan *plan = plan_of(n);
        for (const struct kernel *const *kernel = kernels; *kernel; kernel++)
            if ((*kernel)->supported() && (n <= all || *kernel == kernel_find("auto")))
                assert_int_equal(add_up(plan, *kernel).parts, METHOD_PARTS * facts_term("all", n));
        method_join.release(plan);
    }
}

/* With lists and without them: the same units, and each the same. */
static void test_without_lists(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("auto");
    const uint32_t most = getenv("NQ_LONG") ? 18 : SANITIZED ? 14 : 17;
    for (uint32_t n = JOIN_MIN_N; n <= most; n++) {
        struct plan *plan = plan_of(n), *without = plan_within(n, 0);
        uint64_t parts = 0;
        assert_non_null(plan->quadrants.list[LOWER_WEST].of_rows);
        assert_null(without->quadrants.list[LOWER_WEST].of_rows);
        assert_int_equal(plan->units, without->units);
        assert_memory_equal(plan->unit, without->unit, plan->units * sizeof *plan->unit);
        for (size_t unit = 0; unit < plan->units; unit++) {
            struct unit_result one = {0}, other = {0};
            assert_int_equal(method_join.count(plan, unit, kernel, NULL, &one), NQ_OK);
            assert_int_equal(method_join.count(without, unit, kernel, NULL, &other), NQ_OK);
            assert_int_equal(one.parts, other.parts);
            assert_int_equal(one.nodes, other.nodes);
            parts += one.parts;
        }
        assert_int_equal(parts, METHOD_PARTS * facts_term("all", n));
        method_join.release(plan);
        method_join.release(without);
    }
}

/* ---- Memory ---- */

/* The words in whole pages, if these are huge: not what lies idle between such pages. */
static size_t taken_by_list(const struct quadrants *quadrants, enum quadrant quadrant)
{
    const struct quadrant_list *list = &quadrants->list[quadrant];
    if (!list->of_rows)
        return 0;
    const struct view *last = &list->of_rows[quadrants->sets - 1];
    const size_t words =
                     (size_t)(last->word - list->word) + last->first[cells(quadrants, quadrant, quadrants->sets - 1)],
                 bytes = words * sizeof(uint64_t), whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    assert_true(malloc_usable_size(list->word) >= bytes);
    return (bytes < HUGE_PAGE ? malloc_usable_size(list->word) : whole) + malloc_usable_size(list->first) +
           malloc_usable_size(list->of_rows);
}

static double taken_by_plan(const struct plan *plan)
{
    const struct quadrants *quadrants = &plan->quadrants;
    size_t bytes = malloc_usable_size((void *)(uintptr_t)plan) + malloc_usable_size(plan->unit) +
                   malloc_usable_size(plan->priorities.priority) + malloc_usable_size(plan->priorities.either) +
                   malloc_usable_size(quadrants->by_size) + malloc_usable_size(quadrants->rank) +
                   malloc_usable_size(quadrants->placements);
    for (int quadrant = 0; quadrant < QUADRANTS; quadrant++)
        bytes += taken_by_list(quadrants, (enum quadrant)quadrant);
    return (double)bytes;
}

static double taken_by_worker(const struct worker *worker)
{
    const struct meeting *meeting = &worker->meeting;
    size_t bytes = sizeof *worker + malloc_usable_size(worker->mirrored[0]) + malloc_usable_size(worker->mirrored[1]) +
                   malloc_usable_size(worker->west.word) + malloc_usable_size(worker->east.word) +
                   malloc_usable_size(meeting->items.word) + malloc_usable_size(meeting->items.first[0]) +
                   malloc_usable_size(meeting->patterns.word) + malloc_usable_size(meeting->patterns.first[0]) +
                   malloc_usable_size(meeting->spare.word) + malloc_usable_size(meeting->list);
    for (int quadrant = 0; quadrant < QUADRANTS; quadrant++)
        bytes += malloc_usable_size(worker->own.quadrants.list[quadrant].of_rows);
    for (int i = 0; i < MOST_NEEDS; i++)
        bytes += malloc_usable_size(worker->of_x[i].word) + malloc_usable_size(worker->of_x[i].found) +
                 malloc_usable_size(worker->of_x[i].first) + malloc_usable_size(worker->of_u[i].word) +
                 malloc_usable_size(worker->of_u[i].found) + malloc_usable_size(worker->of_u[i].first);
    return (double)bytes;
}

/* Counts the unit of the greatest weight. */
static double taken_by_counting(const struct plan *plan)
{
    struct worker *worker = open_worker(plan, kernel_find("auto"), NULL);
    struct unit_result result;
    size_t heaviest = 0;
    assert_non_null(worker);
    for (size_t i = 1; i < plan->units; i++)
        if (plan->unit[i].weight > plan->unit[heaviest].weight)
            heaviest = i;
    assert_int_equal(count_unit(worker, &plan->unit[heaviest], &result), NQ_OK);
    const double taken = taken_by_worker(worker);
    close_worker(worker);
    return taken;
}

/* What is told is what is taken, or somewhat more; malloc gives a piece some bytes more than it was asked for, as its
 * heap happens to be. */
static void test_memory(void **state)
{
    enum { SPARE = 24, PIECES = 100 };
    (void)state;
    const uint32_t most = SANITIZED ? 16 : 20;
    for (uint32_t n = JOIN_MIN_N; n <= most; n++) {
        struct filter filter;
        filter_begin(&filter, n);
        for (int listed = 0; listed < 2; listed++) {
            const size_t tables = listed ? SIZE_MAX : 0;
            const struct method_memory told = method_join.memory(&filter, tables);
            struct plan *plan = plan_within(n, tables);
            const double shared = taken_by_plan(plan), each = taken_by_counting(plan);
            assert_true(shared <= told.shared + SPARE * PIECES && told.shared <= 1.3 * shared);
            assert_true(each <= told.each + SPARE * PIECES);
            method_join.release(plan);
        }
    }
}

/* Tables are made if they take no more than is allowed. */
static void test_tables(void **state)
{
    (void)state;
    for (uint32_t n = 12; n <= 13; n++) {
        const size_t tables = (size_t)quadrants_memory(n) + 1;
        struct plan *plan = plan_within(n, tables), *without = plan_within(n, tables - 2);
        struct filter filter;
        filter_begin(&filter, n);
        assert_non_null(plan->quadrants.list[LOWER_WEST].of_rows);
        assert_null(without->quadrants.list[LOWER_WEST].of_rows);
        assert_true(method_join.memory(&filter, tables).shared >
                    method_join.memory(&filter, tables - 2).shared + (double)(tables - 2));
        assert_true(method_join.memory(&filter, tables).each < method_join.memory(&filter, tables - 2).each);
        method_join.release(plan);
        method_join.release(without);
    }
}

/* It grows, up to the largest board, and from the smallest on what is tabulated is what is counted. */
static void test_memory_told(void **state)
{
    (void)state;
    for (uint32_t n = JOIN_MIN_N; n <= 17; n++) {
        struct quadrants quadrants;
        double words[QUADRANTS] = {0}, most[QUADRANTS] = {0};
        assert_int_equal(quadrants_open(&quadrants, n, 3, NULL), NQ_OK);
        for (int quadrant = 0; quadrant < quadrants_kinds(n); quadrant++) {
            for (uint32_t rows = 0; rows < quadrants.sets; rows++) {
                uint32_t count;
                assert_int_equal(count_rows(&quadrants, (enum quadrant)quadrant, rows, NULL, &count), NQ_OK);
                words[quadrant] += count;
                most[quadrant] = count > most[quadrant] ? count : most[quadrant];
            }
        }
        assert_true(totals[n / 2].plain == words[LOWER_WEST] && totals[n / 2].most == most[LOWER_WEST]);
        if (n % 2) {
            assert_true(totals[n / 2].plain == words[UPPER_EAST] && totals[n / 2].both == words[LOWER_EAST_BOTH]);
            assert_true(totals[n / 2].centre == words[LOWER_EAST_CENTRE]);
            assert_true(totals[n / 2].line == words[UPPER_EAST_COLUMN] && totals[n / 2].line == words[LOWER_EAST_ROW]);
            assert_true(totals[n / 2].most_others == most[LOWER_EAST_BOTH] + most[LOWER_EAST_CENTRE] +
                                                         most[UPPER_EAST_COLUMN] + most[LOWER_EAST_ROW]);
        }
        quadrants_close(&quadrants);
    }
    for (uint32_t n = JOIN_MIN_N; n + 2 <= 32; n++)
        assert_true(quadrants_memory(n + 2) > 3 * quadrants_memory(n) &&
                    quadrants_memory(n + 2) < 14 * quadrants_memory(n));
}

/* Of a set of quadrant rows or columns: a bit for each from the border inwards. */
static uint32_t set_of(const uint32_t *line, uint32_t n, bool lower, bool east)
{
    const uint32_t m = n / 2;
    uint32_t set = 0;
    for (uint32_t i = 0; i < m; i++) {
        const uint32_t column = line[lower ? n - 1 - i : i];
        set |= (uint32_t)(east ? column >= m : column < m) << i;
    }
    return set;
}

/* The parts that every pair of (x, u) should have, worked out from all solutions by the rules at the head of
 * choice.h; in an order of its own: parts[(size_t)x * sets + u]. */
static void expect_parts(const struct plan *plan, const uint32_t *solutions, size_t count, uint64_t *parts)
{
    const uint32_t n = plan->quadrants.n, m = n / 2, sets = plan->quadrants.sets, all = sets - 1;
    for (size_t s = 0; s < count; s++) {
        const uint32_t *columns = solutions + s * n;
        uint32_t rows[32];
        for (uint32_t row = 0; row < n; row++)
            rows[columns[row]] = row;
        const uint32_t x = set_of(columns, n, false, false), u = set_of(columns, n, true, true);
        if (n % 2 == 0) {
            const uint32_t y = set_of(rows, n, false, false), v = set_of(rows, n, true, true);
            const uint32_t mine = plan->priorities.priority[x];
            uint32_t ties = 0;
            const uint32_t others[] = {u, y, v};
            bool greatest = plan->priorities.priority[x] == plan->priorities.either[x];
            for (int i = 0; i < 3; i++) {
                greatest = greatest && plan->priorities.either[others[i]] <= mine;
                ties += plan->priorities.either[others[i]] == mine;
            }
            parts[(size_t)x * sets + u] += greatest ? 8 * METHOD_PARTS / (1 + ties) : 0;
            continue;
        }
        const uint32_t lower = u ^ all; /* without the middle row, the rows of the lower west */
        const int q = (int)columns[m] - (int)m, p = (int)rows[m] - (int)m;
        if (q == 0) {
            parts[(size_t)x * sets + u] +=
                x <= lower ? (uint64_t)METHOD_PARTS * choice_centre_images(&plan->quadrants, x, u) : 0;
        } else if (q > 0 && q > abs(p) && x <= lower) {
            parts[(size_t)x * sets + u] += (uint64_t)METHOD_PARTS * (x == lower ? 4 : 8);
        }
    }
}

static void test_pairs_of_sets(void **state)
{
    (void)state;
    for (uint32_t n = JOIN_MIN_N; n <= 11; n++) {
        size_t count;
        uint32_t *solutions = facts_solutions(n, &count);
        struct plan *plan = plan_of(n);
        const uint32_t sets = plan->quadrants.sets;
        uint64_t *parts = calloc((size_t)sets * sets, sizeof *parts), total = 0;
        assert_non_null(parts);
        expect_parts(plan, solutions, count, parts);
        for (uint32_t x = 0; x < sets; x++) {
            struct choice choice;
            if (!choice_make(&plan->priorities, x, &choice))
                continue;
            for (uint32_t i = 0; i < choice.of_u; i++) {
                struct unit unit = {.x = x, .u = i, .pairs = 1};
                struct plan one = *plan;
                struct unit_result result;
                one.unit = &unit;
                assert_int_equal(method_join.count(&one, 0, kernel_find("auto"), NULL, &result), NQ_OK);
                assert_int_equal(result.parts, parts[(size_t)x * sets + choice.set[i]]);
                total += result.parts;
            }
        }
        assert_int_equal(total, METHOD_PARTS * facts_term("all", n));
        free(parts);
        free(solutions);
        method_join.release(plan);
    }
}

/* The same plan twice; the units cover all pairs once, in order, and none weighs much more than the others. */
static void test_units(void **state)
{
    (void)state;
    for (uint32_t n = 14; n <= 17; n++) {
        struct plan *plan = plan_of(n), *again = plan_of(n);
        double weight = 0;
        uint64_t pairs = 0, covered = 0;
        assert_true(plan->units > FEW_UNITS / 2 && plan->units < (size_t)2 * FEW_UNITS);
        assert_int_equal(plan->units, again->units);
        for (size_t i = 0; i < plan->units; i++) {
            assert_memory_equal(&plan->unit[i], &again->unit[i], sizeof plan->unit[i]);
            weight += plan->unit[i].weight;
            covered += plan->unit[i].pairs;
        }
        for (size_t i = 0; i < plan->units; i++)
            assert_true(plan->unit[i].weight < 2 * weight / FEW_UNITS);
        for (uint32_t x = 0; x < plan->quadrants.sets; x++) {
            struct choice choice;
            pairs += choice_make(&plan->priorities, x, &choice) ? choice.of_u : 0;
        }
        assert_int_equal(covered, pairs);
        struct filter filter;
        filter_begin(&filter, n);
        const double cost = method_join.cost(&filter);
        assert_true(cost > weight / 1.5 && cost < weight * 1.5);
        method_join.release(plan);
        method_join.release(again);
    }
}

static void test_suits(void **state)
{
    (void)state;
    struct filter filter;
    for (uint32_t n = 0; n <= 32; n++) {
        filter_begin(&filter, n);
        assert_int_equal(method_join.suits(&filter), n >= JOIN_WORTH_N && n <= JOIN_MAX_N);
        if (n) {
            filter_exclude(&filter, 0, 0);
            assert_false(method_join.suits(&filter));
        }
    }
}

/* ---- Stopping ---- */

enum { LARGE_N = SANITIZED ? 18 : 20 };

/* Again and again, for one may be over before there is anybody to stop it. */
static enum nq_status prepare_large(void *of, const atomic_bool *stop)
{
    void **plan = of;
    enum nq_status status = NQ_OK;
    struct filter filter;
    filter_begin(&filter, LARGE_N);
    while (status == NQ_OK) {
        method_join.release(*plan);
        *plan = NULL;
        status = method_join.prepare(&filter, &(struct method_means){SIZE_MAX, 2}, stop, plan);
    }
    return status;
}

static enum nq_status count_first(void *plan, const atomic_bool *stop)
{
    struct unit_result result;
    return method_join.count(plan, 0, kernel_find("scalar"), stop, &result);
}

/* Preparing, and a unit that has all pairs in it. */
static void test_cancel(void **state)
{
    (void)state;
    void *none = NULL;
    stopping_check(prepare_large, &none, SANITIZED ? 1 : 30, 100);
    assert_null(none);
    for (int listed = 0; listed < 2; listed++) {
        struct plan *plan = plan_within(LARGE_N, listed ? SIZE_MAX : 0);
        for (size_t i = 1; i < plan->units; i++)
            plan->unit[0].pairs += plan->unit[i].pairs;
        stopping_check(count_first, plan, 50, 100);
        method_join.release(plan);
    }
}

static void test_cancelled_already(void **state)
{
    (void)state;
    const atomic_bool stop = true;
    struct filter filter;
    struct unit_result result;
    void *plan = NULL;
    filter_begin(&filter, LARGE_N);
    assert_int_equal(method_join.prepare(&filter, &(struct method_means){SIZE_MAX, 2}, &stop, &plan), NQ_CANCELLED);
    assert_null(plan);
    for (int listed = 0; listed < 2; listed++) {
        plan = plan_within(14, listed ? SIZE_MAX : 0);
        assert_int_equal(method_join.count(plan, 0, kernel_find("auto"), &stop, &result), NQ_CANCELLED);
        method_join.release(plan);
    }
}

/* ---- Threads, memory ---- */

/* Several threads count the same units of one plan. */
static void test_threads(void **state)
{
    (void)state;
    void *plan = plan_of(13);
    crowding_check(&method_join, plan, METHOD_PARTS * facts_term("all", 13));
    method_join.release(plan);
}

/* Whatever allocation is the first to fail: NQ_NOMEM, and nothing is left behind. */
static void test_without_memory(void **state)
{
    (void)state;
    struct filter filter;
    for (int round = 0; round < 4; round++) {
        const uint32_t n = round % 2 ? 13 : 12;
        const size_t tables = round / 2 ? 0 : SIZE_MAX;
        enum nq_status status;
        size_t succeed = 0;
        filter_begin(&filter, n);
        do {
            void *plan = NULL;
            failing_after = succeed++;
            status = method_join.prepare(&filter, &(struct method_means){tables, 2}, NULL, &plan);
            failing_after = SIZE_MAX;
            if (status == NQ_OK)
                method_join.release(plan);
            else
                assert_int_equal(status, NQ_NOMEM);
        } while (status != NQ_OK);
        assert_true(succeed > 5);
        void *plan = plan_within(n, tables);
        const size_t unit = method_join.units(plan) / 2;
        succeed = 0;
        do {
            struct unit_result result;
            failing_after = succeed++;
            status = method_join.count(plan, unit, kernel_find("auto"), NULL, &result);
            failing_after = SIZE_MAX;
            assert_true(status == NQ_OK || status == NQ_NOMEM);
        } while (status != NQ_OK);
        assert_true(succeed > 5);
        method_join.release(plan);
    }
    method_join.release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routines),    cmocka_unit_test(test_join_of),
        cmocka_unit_test(test_meeting),     cmocka_unit_test(test_quadrants),
        cmocka_unit_test(test_published),   cmocka_unit_test(test_without_lists),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_tables),
        cmocka_unit_test(test_memory_told), cmocka_unit_test(test_pairs_of_sets),
        cmocka_unit_test(test_units),       cmocka_unit_test(test_suits),
        cmocka_unit_test(test_cancel),      cmocka_unit_test(test_cancelled_already),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests_name("count_join", tests, NULL, NULL);
}
