/* test_terms.c - tests of src/sequences/term_x.c against plain recursions, and of what they do with wrong results. */
/* CI builds: address */
#include "count/methods/method.h"
#include "sequences/sequence.h"
#include "support/facts.h"

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

/* Adds `more` to the result of the first unit; false if the method finds that the sum cannot be right. */
static bool compute(const struct term_method *method, uint32_t n, nq_wide more, nq_wide *value)
{
    void *plan = NULL;
    assert_int_equal(method->prepare(n, NULL, &plan), NQ_OK);
    const size_t units = method->units(plan), numbers = term_result_numbers(method, n);
    nq_wide *results = calloc(units * numbers + 1, sizeof *results);
    assert_non_null(results);
    for (size_t unit = 0; unit < units; unit++)
        assert_int_equal(method->count(plan, unit, NULL, results + unit * numbers), NQ_OK);
    results[0] += more;
    const bool sound = method->value(plan, results, value);
    free(results);
    method->release(plan);
    return sound;
}

static uint64_t term(const char *id, uint32_t index)
{
    const struct sequence *sequence = sequence_find(id);
    nq_wide values[64] = {0};
    assert_non_null(sequence);
    assert_true(compute(sequence->method, sequence_board(sequence, index), 0, values));
    return (uint64_t)values[sequence_number(sequence, index)] /
           (sequence->per_column ? sequence_board(sequence, index) : 1);
}

TEST(test_toroidal_semiqueens_against_a_recursion)
{
    for (uint32_t n = 1; n <= 11; n++) {
        nq_wide value = 9;
        assert_true(compute(sequence_find("A006717")->method, n, 0, &value));
        assert_int_equal((uint64_t)value, semiqueens(n, 0, 0, 0));
    }
}

TEST(test_an_even_torus_is_not_searched)
{
    const struct term_method *method = sequence_find("A006717")->method;
    for (uint32_t n = 2; n <= 28; n += 2) {
        void *plan = NULL;
        nq_wide value = 1;
        assert_int_equal(method->prepare(n, NULL, &plan), NQ_OK);
        assert_int_equal(method->units(plan), 0);
        assert_true(method->value(plan, NULL, &value));
        assert_int_equal((uint64_t)value, 0);
        method->release(plan);
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
        const uint32_t most = sequence_is_triangle(sequence) ? 8 : strstr(sequence->what, "superqueens") ? 13 : 11;
        for (size_t k = 0; k < json_array_size(published); k++) {
            const uint32_t index = first + (uint32_t)k;
            if (sequence_board(sequence, index) > most)
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
    nq_wide levels[9];
    void *plan;
    assert_int_equal(sequence_find("A269133")->method->prepare(8, NULL, &plan), NQ_OK);
    nq_wide *nothing = calloc(4 * 8 * 9, sizeof *nothing);
    assert_non_null(nothing);
    assert_false(sequence_find("A269133")->method->value(plan, nothing, levels));
    nothing[1] = 8;
    assert_false(sequence_find("A269133")->method->value(plan, nothing, levels));
    nothing[2] = 42;
    assert_true(sequence_find("A269133")->method->value(plan, nothing, levels));
    free(nothing);
    sequence_find("A269133")->method->release(plan);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nq_wide values[64];
        assert_false(compute(sequence_find(cases[i].id)->method, cases[i].n, cases[i].more, values));
    }
}

TEST(test_rows_of_triangles)
{
    const struct sequence *triangle = sequence_find("A181500");
    uint32_t index = 0;
    for (uint32_t n = 0; n <= triangle->method->max_n; n++)
        for (uint32_t k = 0; k <= n; k++, index++) {
            assert_int_equal(sequence_board(triangle, index), n);
            assert_int_equal(sequence_number(triangle, index), k);
        }
    assert_int_equal(sequence_last(triangle), index - 1);
    assert_int_equal(sequence_number(sequence_find("A000170"), 7), 0);
}

/* Rows of n numbers, from n = 1 on. */
TEST(test_rows_of_levels)
{
    const struct sequence *triangle = sequence_find("A269133");
    uint32_t index = triangle->first;
    for (uint32_t n = 1; n <= triangle->method->max_n; n++)
        for (uint32_t m = 1; m <= n; m++, index++) {
            assert_int_equal(sequence_board(triangle, index), n);
            assert_int_equal(sequence_number(triangle, index), m - 1);
        }
    assert_int_equal(sequence_last(triangle), index - 1);
    for (uint32_t n = 0; n <= 11; n++) { /* all levels together are the tree */
        nq_wide levels[16] = {0}, sum = n > 0;
        assert_true(compute(triangle->method, n, 0, levels));
        for (uint32_t m = 0; m < (n ? n : 1); m++)
            sum += levels[m];
        assert_int_equal((uint64_t)sum, term("A319283", n));
    }
}

TEST(test_a_unit_is_stopped)
{
    static const char *const ids[] = {"A006717", "A319283", "A000170", "A352662", "A062164", "A269133"};
    const atomic_bool stop = true;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct term_method *method = sequence_find(ids[i])->method;
        void *plan = NULL;
        nq_wide result[2400] = {0};
        assert_int_equal(method->prepare(i == 3 ? 28 : 17, NULL, &plan), NQ_OK);
        /* its second and further columns: the first two queens of unit 0 attack each other */
        assert_int_equal(method->count(plan, method->units(plan) - 1, &stop, result), NQ_CANCELLED);
        method->release(plan);
    }
}

TEST(test_the_table)
{
    for (size_t i = 0; i < sequences_count; i++) {
        assert_ptr_equal(sequence_find(sequences[i].id), &sequences[i]);
        assert_true(i == 0 || strcmp(sequences[i - 1].id, sequences[i].id) < 0);
        assert_true(sequence_board(&sequences[i], sequence_last(&sequences[i])) <= sequences[i].method->max_n);
    }
    assert_null(sequence_find("A000001"));
}
