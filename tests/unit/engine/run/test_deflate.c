/* test_deflate.c - what is compressed is unpacked by zlib to the same bytes, whatever they are. */
/* CI builds: address */
#include "engine/run/deflate.c"

#include <zlib.h>

#include "support/facts.h"

/* Compresses both halves on their own, and unpacks them together. Returns the size of the compressed bytes. */
static size_t check(const char *data, size_t size)
{
    const struct bytes one = {.data = (char *)data, .size = size / 2},
                       two = {.data = (char *)data + size / 2, .size = size - size / 2};
    static const char end[] = {3, 0};
    struct bytes out = {0};
    deflate_add(&one, &out);
    deflate_add(&two, &out);
    bytes_add(&out, end, sizeof end);
    assert_false(out.failed);
    char *back = malloc(size + 1);
    z_stream z = {.next_in = (Bytef *)out.data,
                  .avail_in = (uInt)out.size,
                  .next_out = (Bytef *)back,
                  .avail_out = (uInt)(size + 1)};
    assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, size);
    assert_int_equal(z.avail_in, 0);
    assert_memory_equal(back, data, size);
    (void)inflateEnd(&z);
    free(back);
    const size_t compressed = out.size;
    bytes_free(&out);
    return compressed;
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

/* Symbols that occur as often as Fibonacci's numbers have the longest codes there are: they are shortened, and use all
 * the room that there is. */
TEST(test_steep)
{
    for (unsigned most = 7; most <= 15; most += 8)
        for (unsigned symbols = 2; symbols <= 30; symbols++) {
            uint32_t count[LITERALS] = {1, 1}, room = 0;
            uint8_t length[LITERALS];
            for (unsigned i = 2; i < symbols; i++)
                count[i] = count[i - 1] + count[i - 2];
            make_lengths(count, symbols, most, length);
            for (unsigned i = 0; i < symbols; i++) {
                assert_in_range(length[i], 1, most);
                assert_true(i == 0 || length[i] <= length[i - 1]);
                room += UINT32_C(1) << (most - length[i]);
            }
            assert_int_equal(room, UINT32_C(1) << most);
        }
}

TEST(test_lines)
{
    struct bytes text = {0};
    uint64_t seed = 4;
    for (unsigned line = 0; line < 3000; line++) {
        bytes_text(&text, "{\"permutation\":[");
        for (unsigned row = 0; row < 15; row++)
            bytes_format(&text, "%s%u", row ? "," : "", row < 8 ? row * (1 + line / 500) : 1 + drawn(&seed) % 15);
        bytes_text(&text, "]}\n");
    }
    assert_true(check(text.data, text.size) < text.size / 3);
    bytes_free(&text);
}
