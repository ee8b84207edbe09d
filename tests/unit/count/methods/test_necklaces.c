/* test_necklaces.c - tests of src/count/methods/necklaces.c against all words. */
/* CI builds: address */
#include "count/methods/necklaces.h"
#include "support/tests.h"

static uint32_t place(uint32_t n, uint32_t word, uint32_t factor, uint32_t by)
{
    uint32_t image = 0;
    for (uint32_t j = 0; j < n; j++)
        image |= (word >> j & 1) << (j * factor + by) % n;
    return image;
}

static bool has_inverse(uint32_t n, uint32_t factor)
{
    for (uint32_t other = 1; other < n; other++)
        if (factor * other % n == 1)
            return true;
    return false;
}

/* Marks all words that a class stands for. Returns how many there are. */
static uint32_t mark(uint32_t n, uint32_t word, bool *marked)
{
    uint32_t count = 0;
    for (uint32_t factor = 1; factor < n; factor++)
        for (uint32_t by = 0; by < n && has_inverse(n, factor); by++) {
            const uint32_t image = place(n, word, factor, by);
            count += !marked[image];
            marked[image] = true;
        }
    return count;
}

TEST(test_classes_hold_every_even_word_once)
{
    static bool marked[1 << 15];
    for (uint32_t n = 3; n <= 15; n += 2) {
        struct necklaces list;
        uint32_t words = 0, listed = 0, period = 0;
        memset(marked, 0, sizeof marked);
        assert_int_equal(necklaces_list(n, NULL, &list), NQ_OK);
        for (uint32_t i = 0; i < list.classes; i++) {
            const struct necklace_class *class = &list.class[i];
            assert_int_equal(class->first, listed);
            assert_true(class->period >= period && n % class->period == 0);
            period = class->period;
            listed += class->members;
            const uint32_t fresh = mark(n, list.words[class->first], marked);
            assert_int_equal(fresh, class->members * class->period);
            for (uint32_t k = class->first; k < listed; k++) {
                assert_true(marked[list.words[k]]);
                assert_int_equal(__builtin_popcount(list.words[k]) % 2, 0);
            }
            words += fresh;
        }
        assert_int_equal(listed, list.count);
        assert_int_equal(necklaces_size(n).count, list.count);
        assert_int_equal(necklaces_size(n).classes, list.classes);
        assert_int_equal(words, UINT32_C(1) << (n - 1));
        necklaces_free(&list);
    }
}

TEST(test_stopped)
{
    const atomic_bool stop = true;
    struct necklaces list;
    assert_int_equal(necklaces_list(21, &stop, &list), NQ_CANCELLED);
    assert_null(list.words);
}
