/* test_engine_cache.c - tests of src/engine/cache.c and answer.c: what is kept, what goes first when room is wanted,
 * and that whoever holds an answer keeps it. */
#include "engine/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"

static const char media_type[] = "application/json";

/* An answer of a size, every byte of it the same. */
static struct answer *answer_of(size_t size, char fill)
{
    struct bytes body = {0};
    for (size_t i = 0; i < size; i++)
        bytes_char(&body, fill);
    struct answer *answer = answer_new(&body, media_type);
    assert_non_null(answer);
    bytes_free(&body);
    return answer;
}

static void put(struct cache *cache, const char *key, size_t size, char fill)
{
    struct answer *answer = answer_of(size, fill);
    cache_put(cache, key, answer);
    answer_unref(answer);
}

/* Whether the answer kept under a key is of this size and filled so. Using it makes it the newest. */
static bool holds(struct cache *cache, const char *key, size_t size, char fill)
{
    struct answer *answer = cache_get(cache, key);
    bool same = answer && answer->size == size;
    for (size_t i = 0; same && i < size; i++)
        same = answer->bytes[i] == fill;
    answer_unref(answer);
    return same;
}

static bool has(struct cache *cache, const char *key)
{
    struct answer *answer = cache_get(cache, key);
    answer_unref(answer);
    return answer;
}

static struct cache *new_cache(size_t budget)
{
    struct cache *cache = cache_new(budget);
    assert_non_null(cache);
    return cache;
}

/* What an answer costs beside the bytes of its key and its body. */
static size_t overhead(void)
{
    struct cache *cache = new_cache(1 << 20);
    put(cache, "key", 100, 'x');
    size_t bytes = cache_figures(cache).bytes;
    cache_free(cache);
    assert_true(bytes > 4 + 100);
    return bytes - 4 - 100;
}

static void test_answer(void **state)
{
    (void)state;
    static const char bytes[] = "one\0two";
    struct bytes body = {0};
    bytes_add(&body, bytes, sizeof bytes);
    struct answer *answer = answer_new(&body, media_type);
    assert_non_null(answer);
    memset(body.data, 'x', body.size); /* it is a copy */
    bytes_free(&body);
    assert_int_equal(answer->size, sizeof bytes);
    assert_memory_equal(answer->bytes, bytes, sizeof bytes);
    assert_ptr_equal(answer->media_type, media_type);
    assert_true(answer->complete);
    assert_int_equal(answer->link_length, 0);
    assert_int_equal(answer->references, 1);
    assert_ptr_equal(answer_ref(answer), answer);
    answer_unref(answer);
    assert_int_equal(answer->references, 1);
    answer_unref(answer);
    answer_unref(NULL);

    answer = answer_new(&body, media_type); /* of nothing */
    assert_int_equal(answer->size, 0);
    answer_unref(answer);
    body.failed = true;
    assert_null(answer_new(&body, media_type));
}

static void test_get_put_replace(void **state)
{
    (void)state;
    struct cache *cache = new_cache(1 << 20);
    const size_t cost = overhead();
    assert_null(cache_get(cache, "a"));
    assert_null(cache_get(cache, ""));
    put(cache, "a", 10, 'x');
    put(cache, "aa", 20, 'y');
    put(cache, "", 0, 'z');
    assert_true(holds(cache, "a", 10, 'x'));
    assert_true(holds(cache, "aa", 20, 'y'));
    assert_true(holds(cache, "", 0, 'z'));
    assert_null(cache_get(cache, "A"));
    assert_null(cache_get(cache, "aaa"));
    assert_int_equal(cache_figures(cache).entries, 3);
    assert_int_equal(cache_figures(cache).bytes, 3 * cost + (2 + 10) + (3 + 20) + 1);
    put(cache, "a", 30, 'w'); /* in place of the older one, which is not an eviction */
    assert_true(holds(cache, "a", 30, 'w'));
    assert_int_equal(cache_figures(cache).entries, 3);
    assert_int_equal(cache_figures(cache).bytes, 3 * cost + (2 + 30) + (3 + 20) + 1);
    assert_int_equal(cache_figures(cache).evictions, 0);
    cache_free(cache);
}

/* The key is copied: the caller may write over it. */
static void test_the_key_is_copied(void **state)
{
    (void)state;
    struct cache *cache = new_cache(1 << 20);
    char key[] = "key";
    put(cache, key, 5, 'x');
    key[0] = 'b';
    assert_true(holds(cache, "key", 5, 'x'));
    assert_null(cache_get(cache, "bey"));
    cache_free(cache);
}

static void test_the_least_recently_used_goes_first(void **state)
{
    (void)state;
    enum { SIZE = 1000, FIT = 10 };
    const size_t each = overhead() + 2 + SIZE;
    struct cache *cache = new_cache(FIT * each);
    char key[2] = "a";
    for (int i = 0; i < FIT; i++, key[0]++)
        put(cache, key, SIZE, key[0]);
    assert_int_equal(cache_figures(cache).entries, FIT);
    assert_int_equal(cache_figures(cache).bytes, FIT * each); /* to the last byte */
    assert_int_equal(cache_figures(cache).evictions, 0);
    assert_true(has(cache, "a")); /* now b is the oldest */
    put(cache, "k", SIZE, 'k');
    assert_false(has(cache, "b"));
    put(cache, "c", SIZE, 'C'); /* replaced, so used: d is next to go */
    put(cache, "l", SIZE, 'l');
    assert_false(has(cache, "d"));
    put(cache, "m", SIZE + 1, 'm'); /* one byte too many for one place: two must go */
    assert_false(has(cache, "e"));
    assert_false(has(cache, "f"));
    assert_int_equal(cache_figures(cache).evictions, 4);
    static const char left[] = "aghijkclm";
    for (const char *at = left; *at; at++)
        assert_true(has(cache, (char[]){*at, '\0'}));
    assert_int_equal(cache_figures(cache).entries, strlen(left));
    assert_true(holds(cache, "c", SIZE, 'C'));
    cache_free(cache);
}

static void test_above_an_eighth_is_not_kept(void **state)
{
    (void)state;
    enum { BUDGET = 80000 };
    const size_t most = BUDGET / 8 - overhead() - 2;
    struct cache *cache = new_cache(BUDGET);
    put(cache, "a", most, 'a');
    assert_true(holds(cache, "a", most, 'a'));
    put(cache, "b", most + 1, 'b');
    assert_null(cache_get(cache, "b"));
    put(cache, "c", 10 * BUDGET, 'c');
    assert_null(cache_get(cache, "c"));
    assert_int_equal(cache_figures(cache).entries, 1);
    assert_int_equal(cache_figures(cache).evictions, 0); /* nothing had to go for what is not kept */
    cache_free(cache);

    cache = new_cache(0); /* keeps nothing at all */
    put(cache, "a", 0, 'a');
    assert_null(cache_get(cache, "a"));
    assert_int_equal(cache_figures(cache).bytes, 0);
    cache_free(cache);
}

static void test_a_holder_keeps_its_answer(void **state)
{
    (void)state;
    struct cache *cache = new_cache(80000);
    struct answer *mine = answer_of(5000, 'm');
    cache_put(cache, "mine", mine);
    assert_int_equal(mine->references, 2);
    struct answer *got = cache_get(cache, "mine");
    assert_ptr_equal(got, mine);
    assert_int_equal(mine->references, 3);
    answer_unref(mine);
    for (int i = 0; i < 26; i++)
        put(cache, (char[]){(char)('a' + i), '\0'}, 5000, 'x');
    assert_null(cache_get(cache, "mine"));
    assert_int_equal(got->references, 1);
    for (size_t i = 0; i < got->size; i++)
        assert_int_equal(got->bytes[i], 'm');
    cache_put(cache, "mine", got);
    cache_free(cache); /* drops its reference, not ours */
    assert_int_equal(got->references, 1);
    assert_int_equal(got->bytes[4999], 'm');
    answer_unref(got);
}

/* More answers than any table has places: some share one. */
static void test_many_answers(void **state)
{
    (void)state;
    enum { MANY = 50000 };
    struct cache *cache = new_cache(1 << 30);
    char key[16];
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(key, sizeof key, "%u", i);
        put(cache, key, i % 5, (char)i);
    }
    assert_int_equal(cache_figures(cache).entries, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(key, sizeof key, "%u", i);
        if (!holds(cache, key, i % 5, (char)i))
            fail_msg("%s is not there", key);
    }
    cache_free(cache);
}

/* The same cache the slow way: a list in order of use, the newest first. */
struct model {
    size_t count, bytes;
    uint64_t evictions;
    struct {
        unsigned key;
        size_t size, cost;
        char fill;
    } list[64];
};

static size_t model_find(const struct model *model, unsigned key)
{
    size_t at = 0;
    while (at < model->count && model->list[at].key != key)
        at++;
    return at;
}

static void model_remove(struct model *model, size_t at)
{
    model->bytes -= model->list[at].cost;
    memmove(&model->list[at], &model->list[at + 1], (--model->count - at) * sizeof model->list[0]);
}

static void model_insert(struct model *model, unsigned key, size_t size, size_t cost, char fill)
{
    memmove(&model->list[1], &model->list[0], model->count++ * sizeof model->list[0]);
    model->list[0].key = key;
    model->list[0].size = size;
    model->list[0].cost = cost;
    model->list[0].fill = fill;
    model->bytes += cost;
}

static void test_random_use_against_a_model(void **state)
{
    (void)state;
    enum { BUDGET = 12000, KEYS = 40, STEPS = 60000 };
    struct cache *cache = new_cache(BUDGET);
    struct model model = {0};
    const size_t over = overhead();
    uint64_t dice = 1;
    for (int step = 0; step < STEPS; step++) {
        const unsigned number = facts_below(&dice, KEYS);
        const size_t at = model_find(&model, number);
        char key[16];
        const size_t length = (size_t)snprintf(key, sizeof key, "question %u", number) + 1;
        if (facts_below(&dice, 3)) {
            if (at == model.count) {
                assert_null(cache_get(cache, key));
                continue;
            }
            const size_t size = model.list[at].size, cost = model.list[at].cost;
            const char fill = model.list[at].fill;
            assert_true(holds(cache, key, size, fill));
            model_remove(&model, at);
            model_insert(&model, number, size, cost, fill);
        } else {
            const size_t size = facts_below(&dice, BUDGET / 7), cost = over + length + size;
            const char fill = (char)facts_random(&dice);
            put(cache, key, size, fill);
            if (cost <= BUDGET / 8) {
                if (at < model.count)
                    model_remove(&model, at);
                for (; model.bytes + cost > BUDGET; model.evictions++)
                    model_remove(&model, model.count - 1);
                model_insert(&model, number, size, cost, fill);
            }
        }
        const struct cache_figures figures = cache_figures(cache);
        assert_true(figures.bytes <= BUDGET);
        assert_int_equal(figures.bytes, model.bytes);
        assert_int_equal(figures.entries, model.count);
        assert_int_equal(figures.evictions, model.evictions);
    }
    assert_true(model.evictions > 1000);
    cache_free(cache);
}

/* References come and go on any thread; the last one out frees. */
static void *use(void *answer)
{
    for (int i = 0; i < 20000; i++) {
        struct answer *mine = answer_ref(answer);
        answer_unref(mine);
    }
    answer_unref(answer);
    return NULL;
}

static void test_references_on_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct answer *answer = answer_of(64, 'x');
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, answer_ref(answer)), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(answer->references, 1);
    answer_unref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_get_put_replace),
        cmocka_unit_test(test_the_key_is_copied),
        cmocka_unit_test(test_the_least_recently_used_goes_first),
        cmocka_unit_test(test_above_an_eighth_is_not_kept),
        cmocka_unit_test(test_a_holder_keeps_its_answer),
        cmocka_unit_test(test_many_answers),
        cmocka_unit_test(test_random_use_against_a_model),
        cmocka_unit_test(test_references_on_many_threads),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
