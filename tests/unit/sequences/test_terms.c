/* test_terms.c - tests of src/sequences/term_x.c against plain recursions, and of what they do with wrong results. */
/* CI builds: address */
#include "count/methods/method.h"
#include "sequences/sequence.h"
#include "support/facts.h"
#include "support/sanitizer.h"

/* ---- Recursions ---- */

/* Placements from a row on; diagonals wrap around. */
static uint64_t semiqueens(uint32_t n, uint32_t row, uint32_t columns, uint32_t diagonals)
{
    uint64_t count = 0;
    if (row == n)
        return 1;
    for (uint32_t column = 0; column < n; column++) {
        const uint32_t diagonal = (row + column) % n;
        if (!(columns >> column & 1) && !(diagonals >> diagonal & 1))
            count += semiqueens(n, row + 1, columns | UINT32_C(1) << column, diagonals | UINT32_C(1) << diagonal);
    }
    return count;
}

/* Placements on the first rows, by square attacks. */
static uint64_t nodes(uint32_t n, uint32_t row, uint32_t *columns)
{
    uint64_t count = 1;
    for (uint32_t column = 0; row < n && column < n; column++) {
        bool free = true;
        for (uint32_t other = 0; other < row; other++)
            free = free && !nq_attack(other, columns[other], row, column);
        columns[row] = column;
        count += free ? nodes(n, row + 1, columns) : 0;
    }
    return count;
}

/* ---- Terms ---- */

/* Up to boards of 11 columns, of which a statistic has the most. */
enum { SUMS_MOST = 1024 };

/* Adds `more` to the first number of the first unit; false if the class finds that the sums cannot be right. */
static bool compute(const char *id, uint32_t n, nq_wide more, nq_wide *values)
{
    ENDED_BY(term_release) struct term term = {.sequence = sequence_find(id), .n = n};
    nq_wide sums[SUMS_MOST] = {0};
    assert_non_null(term.sequence);
    const struct term_class *class = term.sequence->class;
    assert_int_equal(term_prepare(&term, NULL), NQ_OK);
    assert_true(term_sums(&term) <= sizeof sums / sizeof sums[0]);
    for (size_t unit = 0; unit < class->units(&term); unit++) {
        nq_wide result[SUMS_MOST] = {0};
        assert_int_equal(class->count(&term, unit, NULL, result), NQ_OK);
        result[0] += unit ? 0 : more;
        term_add(&term, unit, result, sums);
    }
    memset(values, 0, sequence_numbers(term.sequence, n) * sizeof *values);
    return class->value(&term, sums, values);
}

static uint64_t term(const char *id, uint32_t index)
{
    const struct sequence *sequence = sequence_find(id);
    nq_wide values[64];
    uint32_t number;
    assert_non_null(sequence);
    const uint32_t n = sequence_place(sequence, index, &number);
    assert_true(compute(id, n, 0, values));
    return (uint64_t)values[number] / (sequence->per_column ? n : 1);
}

TEST(test_toroidal_semiqueens_against_a_recursion)
{
    for (uint32_t n = 1; n <= 11; n++) {
        nq_wide value = 9;
        assert_true(compute("A006717", n, 0, &value));
        assert_int_equal((uint64_t)value, semiqueens(n, 0, 0, 0));
    }
}

TEST(test_an_even_torus_is_not_searched)
{
    for (uint32_t n = 2; n <= 28; n += 2) {
        ENDED_BY(term_release) struct term term = {.sequence = sequence_find("A006717"), .n = n};
        nq_wide value = 1, sums[1] = {0};
        assert_int_equal(term_prepare(&term, NULL), NQ_OK);
        assert_int_equal(term.sequence->class->units(&term), 0);
        assert_true(term.sequence->class->value(&term, sums, &value));
        assert_int_equal((uint64_t)value, 0);
    }
}

TEST(test_nodes_against_a_recursion)
{
    uint32_t columns[16];
    for (uint32_t n = 0; n <= 9; n++)
        assert_int_equal(term("A319283", n), nodes(n, 0, columns));
    assert_int_equal(term("A319283", 13), 4674890); /* more placements than a batch has */
}

/* Terms of small boards; bfile.test.js has larger ones. */
TEST(test_terms_as_published)
{
    json_error_t error;
    json_t *file = json_load_file("tests/data/sequences.json", 0, &error), *one;
    size_t i;
    assert_non_null(file);
    json_array_foreach(json_object_get(file, "sequences"), i, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));
        const json_t *published = json_object_get(one, "published");
        const struct sequence *sequence = sequence_find(id);
        const uint32_t first = (uint32_t)facts_get(one, "first");
        assert_non_null(sequence);
        const uint32_t most = sequence->row                           ? 8
                              : strstr(sequence->what, "superqueens") ? (SANITIZED ? 12 : 13)
                                                                      : (SANITIZED ? 10 : 11);
        for (size_t k = 0; k < json_array_size(published); k++) {
            const uint32_t index = first + (uint32_t)k;
            uint32_t number;
            if (sequence_place(sequence, index, &number) > most)
                break;
            assert_int_equal(term(id, index), strtoull(json_string_value(json_array_get(published, k)), NULL, 10));
        }
    }
    json_decref(file);
}

/* Not a solution less or more, not a third of one, not a class that is not whole. */
TEST(test_wrong_sums_are_found)
{
    static const struct {
        const char *id;
        uint32_t n;
        nq_wide more;
    } cases[] = {{"A000170", 8, 1},
                 {"A006717", 9, 1},
                 {"A006717", 9, (nq_wide)1 << 127},
                 {"A352662", 12, 1},
                 {"A352662", 12, METHOD_THIRDS},
                 {"A062164", 9, 0x7fff}};
    const struct term tree = {.sequence = sequence_find("A269133"), .n = 8};
    nq_wide levels[8], sums[9] = {0};
    assert_false(tree.sequence->class->value(&tree, sums, levels));
    sums[1] = 8;
    assert_false(tree.sequence->class->value(&tree, sums, levels));
    sums[2] = 42;
    assert_true(tree.sequence->class->value(&tree, sums, levels));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nq_wide values[64];
        assert_false(compute(cases[i].id, cases[i].n, cases[i].more, values));
    }
}

/* Not a torus-class of size 0, nor a row that goes on after n. */
TEST(test_wrong_statistics_are_found)
{
    static const struct {
        const char *id;
        size_t value; /* of the statistic */
        bool sound;
    } cases[] = {{"A062164", 0, false}, {"A062164", 1, true},  {"A062164", 2, false},
                 {"A181499", 6, true},  {"A181499", 7, false}, {"A181502", 6, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ENDED_BY(term_release) struct term term = {.sequence = sequence_find(cases[i].id), .n = 6};
        nq_wide sums[SUMS_MOST] = {0}, values[7] = {0};
        assert_int_equal(term_prepare(&term, NULL), NQ_OK);
        assert_true(cases[i].value < term_sums(&term));
        sums[cases[i].value] = 1;
        assert_int_equal(term.sequence->class->value(&term, sums, values), cases[i].sound);
    }
}

TEST(test_rows_of_triangles)
{
    const struct sequence *triangle = sequence_find("A181500");
    uint32_t index = 0, number;
    for (uint32_t n = 0; n <= triangle->max_n; n++)
        for (uint32_t k = 0; k <= n; k++, index++) {
            assert_int_equal(sequence_place(triangle, index, &number), n);
            assert_int_equal(number, k);
        }
    assert_int_equal(sequence_last(triangle), index - 1);
    assert_int_equal(sequence_place(sequence_find("A000170"), 7, &number), 7);
    assert_int_equal(number, 0);
}

/* Rows of n numbers, from n = 1 on. */
TEST(test_rows_of_levels)
{
    const struct sequence *triangle = sequence_find("A269133");
    uint32_t index = triangle->first, number;
    for (uint32_t n = 1; n <= triangle->max_n; n++)
        for (uint32_t m = 1; m <= n; m++, index++) {
            assert_int_equal(sequence_place(triangle, index, &number), n);
            assert_int_equal(number, m - 1);
        }
    assert_int_equal(sequence_last(triangle), index - 1);
    for (uint32_t n = 0; n <= 11; n++) { /* all levels together are the tree, with its root or without */
        nq_wide levels[16] = {0}, profile[16] = {0}, sum = 1;
        assert_true(compute("A269133", n, 0, levels));
        assert_true(compute("A319284", n, 0, profile));
        assert_int_equal((uint64_t)profile[0], 1);
        for (uint32_t m = 1; m <= n; m++) {
            assert_int_equal((uint64_t)profile[m], (uint64_t)levels[m - 1]);
            sum += levels[m - 1];
        }
        assert_int_equal((uint64_t)sum, term("A319283", n));
    }
}

TEST(test_a_unit_is_stopped)
{
    static const char *const ids[] = {"A006717", "A319283", "A000170", "A352662", "A062164", "A269133"};
    const atomic_bool stop = true;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        ENDED_BY(term_release) struct term term = {.sequence = sequence_find(ids[i]), .n = i == 3 ? 28 : 17};
        nq_wide result[2400] = {0};
        assert_int_equal(term_prepare(&term, NULL), NQ_OK);
        const struct term_class *class = term.sequence->class;
        /* its second and further columns: the first two queens of unit 0 attack each other */
        assert_int_equal(class->count(&term, class->units(&term) - 1, &stop, result), NQ_CANCELLED);
    }
}

/* What is stored under a name is the same, whichever sequence asks. */
TEST(test_sequences_of_one_name)
{
    unsigned pairs = 0;
    for (size_t i = 0; i < sequences_count; i++)
        for (size_t j = i + 1; j < sequences_count; j++) {
            const struct sequence *one = &sequences[i], *other = &sequences[j];
            if (strcmp(one->name, other->name) != 0)
                continue;
            pairs++;
            assert_ptr_equal(one->class, other->class);
            assert_ptr_equal(one->rule, other->rule);
            assert_ptr_equal(one->statistic, other->statistic);
            assert_int_equal(one->row, other->row);
            assert_int_equal(one->distinct, other->distinct);
            assert_int_equal(one->symmetry, other->symmetry);
            assert_int_equal(one->without, other->without);
            assert_int_equal(one->queens, other->queens);
            assert_int_equal(one->maximal, other->maximal);
            assert_int_equal(one->divisor, other->divisor);
            assert_int_equal(one->single, other->single);
        }
    assert_int_equal(pairs, 1); /* A003111 and A006717 */
}

TEST(test_the_table)
{
    for (size_t i = 0; i < sequences_count; i++) {
        assert_ptr_equal(sequence_find(sequences[i].id), &sequences[i]);
        assert_true(i == 0 || strcmp(sequences[i - 1].id, sequences[i].id) < 0);
        uint32_t number;
        assert_true(sequence_place(&sequences[i], sequence_last(&sequences[i]), &number) <= sequences[i].max_n);
    }
    assert_null(sequence_find("A000001"));
}
