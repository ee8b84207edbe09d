/* test_gzip.c - blocks that are compressed on their own are one gzip member, which zlib unpacks to the same bytes,
 * whatever they are. */
/* CI builds: address */
#include "engine/run/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "support/facts.h"
#include "support/failing_bytes.h"

/* The compressed bytes are of these. */
static void check_unpacked(const char *bytes, size_t compressed, const char *data, size_t size)
{
    enum { AS_GZIP = 16 };
    OWNED(free) char *back = malloc(size + 1);
    assert_non_null(back);
    z_stream z = {.next_in = (Bytef *)bytes,
                  .avail_in = (uInt)compressed,
                  .next_out = (Bytef *)back,
                  .avail_out = (uInt)(size + 1)};
    assert_int_equal(inflateInit2(&z, AS_GZIP + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END); /* and the sum is right */
    assert_int_equal(z.total_out, size);
    assert_int_equal(z.avail_in, 0);
    if (size)
        assert_memory_equal(back, data, size);
    (void)inflateEnd(&z);
}

/* Compresses both halves on their own, and unpacks them together. Returns the size of the compressed bytes. */
static size_t check(const char *data, size_t size)
{
    const struct bytes halves[] = {{.data = (char *)data, .size = size / 2},
                                   {.data = (char *)data + size / 2, .size = size - size / 2}};
    struct gzip_sum sum = {0};
    BYTES(out);
    gzip_head(&out);
    for (int i = 0; i < 2; i++) {
        struct gzip_sum half;
        gzip_block(&halves[i], &out, &half);
        gzip_add(&sum, &half);
    }
    gzip_end(&sum, &out);
    assert_false(out.failed);
    assert_int_equal(sum.size, size);
    check_unpacked(out.data, out.size, data, size);
    return out.size;
}

static uint32_t drawn(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return (uint32_t)(*state >> 33);
}

enum { MOST = 200000 };

TEST(test_sizes)
{
    static char text[MOST];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "0123456789,[]\n"[drawn(&seed) % 14];
    for (size_t size = 0; size < 300; size++)
        check(text, size);
    for (size_t size = 49100; size < 49200; size++) /* twice the size of a block */
        check(text, size);
    check(text, sizeof text);
}

TEST(test_repeated)
{
    static char text[MOST];
    for (size_t period = 1; period < 600; period = period * 2 + 1) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (char)(i % period * 7);
        assert_true(check(text, sizeof text) < sizeof text / 8);
    }
}

TEST(test_any_bytes)
{
    static char data[MOST];
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)drawn(&seed);
    assert_true(check(data, sizeof data) < sizeof data + sizeof data / 32);
}

TEST(test_lines)
{
    BYTES(text);
    uint64_t seed = 4;
    for (unsigned line = 0; line < 3000; line++) {
        bytes_text(&text, "{\"permutation\":[");
        for (unsigned row = 0; row < 15; row++)
            bytes_format(&text, "%s%u", row ? "," : "", row < 8 ? row * (1 + line / 500) : 1 + drawn(&seed) % 15);
        bytes_text(&text, "]}\n");
    }
    assert_true(check(text.data, text.size) < text.size / 3);
}

/* What finds no memory fails as bytes do. */
TEST(test_no_memory)
{
    static char text[1000];
    const struct bytes body = {.data = text, .size = sizeof text};
    BYTES(out);
    struct gzip_sum sum;
    atomic_store(&bytes_failing_after, 0);
    gzip_block(&body, &out, &sum);
    atomic_store(&bytes_failing_after, SIZE_MAX);
    assert_true(out.failed);
}

/* The copy of an answer is its blocks, some of which are made before the stop. */
TEST(test_answer)
{
    static char text[MOST];
    const struct bytes body = {.data = text, .size = sizeof text};
    atomic_bool stop = false;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    struct answer *answer = answer_new(&body, "text/plain");
    assert_non_null(answer);
    answer->complete = false;
    struct answer *copy = gzip_answer(answer, &stop);
    assert_non_null(copy);
    assert_true(!copy->complete && copy->size < sizeof text / 8);
    assert_string_equal(copy->media_type, "text/plain");
    check_unpacked(copy->bytes, copy->size, text, sizeof text);
    answer_unref(copy);
    atomic_store(&stop, true);
    assert_null(gzip_answer(answer, &stop));
    atomic_store(&stop, false);
    atomic_store(&bytes_failing_after, 1);
    assert_null(gzip_answer(answer, &stop));
    atomic_store(&bytes_failing_after, SIZE_MAX);
    answer_unref(answer);
}
