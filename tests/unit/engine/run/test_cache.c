/* test_cache.c - tests of src/engine/ask/answer.c and answer.c: what is kept, what goes first when room is
 * wanted, and that whoever holds an answer keeps it. */
/* CI builds: address thread */
#include "engine/ask/answer.h"

#include <pthread.h>

#include "support/facts.h"
#include "support/sanitizer.h"

OWNER(answer_unref, struct answer *)
OWNER(cache_free, struct cache *)

static const char media_type[] = "application/json";

/* An answer of a size, every byte of it the same. */
static struct answer *answer_of(size_t size, char fill)
{
    BYTES(body);
    for (size_t i = 0; i < size; i++)
        bytes_char(&body, fill);
    struct answer *answer = answer_new(&body, media_type);
    assert_non_null(answer);
    return answer;
}

static void put(struct cache *cache, const char *key, size_t size, char fill)
{
    OWNED(answer_unref) struct answer *answer = answer_of(size, fill);
    cache_put(cache, key, answer);
}

/* Whether the answer kept under a key is of this size and filled so. Using it makes it the newest. */
static bool holds(struct cache *cache, const char *key, size_t size, char fill)
{
    OWNED(answer_unref) struct answer *answer = cache_get(cache, key);
    bool same = answer && answer->size == size;
    for (size_t i = 0; same && i < size; i++)
        same = answer->bytes[i] == fill;
    return same;
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
    size_t bytes = cache_stats(cache).bytes;
    cache_free(cache);
    assert_true(bytes > 4 + 100);
    return bytes - 4 - 100;
}

TEST(test_answer)
{
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

/* A cache without room keeps nothing at all. */
TEST(test_no_room)
{
    OWNED(cache_free) struct cache *cache = new_cache(0);
    put(cache, "a", 0, 'a');
    assert_null(cache_get(cache, "a"));
    assert_int_equal(cache_stats(cache).bytes, 0);
}

TEST(test_a_holder_keeps_its_answer)
{
    struct cache *cache = new_cache(80000);
    struct answer *mine = answer_of(5000, 'm');
    cache_put(cache, "mine", mine);
    assert_int_equal(mine->references, 2);
    OWNED(answer_unref) struct answer *got = cache_get(cache, "mine");
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
}

/* More answers than any table has places: some share one. */
TEST(test_many_answers)
{
    enum { MANY = THREAD_SANITIZED ? 5000 : 50000 };
    OWNED(cache_free) struct cache *cache = new_cache(1 << 30);
    char key[16];
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(key, sizeof key, "%u", i);
        put(cache, key, i % 5, (char)i);
    }
    assert_int_equal(cache_stats(cache).entries, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(key, sizeof key, "%u", i);
        if (!holds(cache, key, i % 5, (char)i))
            fail_msg("%s is not there", key);
    }
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

/* To the last byte, for answers of every size up to what is not kept; each key is written over after its use. */
TEST(test_random_use_against_a_model)
{
    enum { BUDGET = 12000, KEYS = 40, STEPS = THREAD_SANITIZED ? 10000 : 60000 };
    OWNED(cache_free) struct cache *cache = new_cache(BUDGET);
    struct model model = {0};
    const size_t over = overhead();
    uint64_t dice = 1;
    for (int step = 0; step < STEPS; step++) {
        const unsigned number = facts_below(&dice, KEYS);
        const size_t at = model_find(&model, number);
        char key[24] = "";
        if (number)
            (void)snprintf(key, sizeof key, "question %u", number);
        const size_t length = strlen(key) + 1;
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
        const struct cache_stats stats = cache_stats(cache);
        assert_true(stats.bytes <= BUDGET);
        assert_int_equal(stats.bytes, model.bytes);
        assert_int_equal(stats.entries, model.count);
        assert_int_equal(stats.evictions, model.evictions);
        if (step % 64 == 0) /* it looks at every bucket */
            CHECKED(cache_check(cache));
    }
    assert_true(model.evictions > 1000);
}

/* References come and go on any thread; the last one out frees. */
static void *use(void *answer)
{
    for (int i = 0; i < (THREAD_SANITIZED ? 2000 : 20000); i++) {
        struct answer *mine = answer_ref(answer);
        answer_unref(mine);
    }
    answer_unref(answer);
    return NULL;
}

TEST(test_references_on_many_threads)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    OWNED(answer_unref) struct answer *answer = answer_of(64, 'x');
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, answer_ref(answer)), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(answer->references, 1);
}
