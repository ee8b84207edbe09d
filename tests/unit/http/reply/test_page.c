/* test_page.c - tests of src/http/reply/page.c: lines of a request and a part that was compressed before are one gzip
 * stream. */
/* CI builds: address */
#include "http/reply/page.h"

#include <zlib.h>

#include "support/facts.h"

/* As zopfli and gzip write it, without a name. */
static struct bytes gzip(const char *data, size_t size)
{
    struct bytes out = {0};
    z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)size};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.avail_out = (uInt)deflateBound(&stream, size);
    stream.next_out = (Bytef *)bytes_reserve(&out, stream.avail_out);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.size = stream.total_out;
    deflateEnd(&stream);
    return out;
}

static void check(size_t head_size, size_t rest_size)
{
    ENDED_BY(bytes_free) struct bytes head = {0}, rest = {0}, whole = {0};
    for (size_t i = 0; i < head_size; i++)
        bytes_char(&head, (char)('a' + i * i % 23));
    for (size_t i = 0; i < rest_size; i++)
        bytes_char(&rest, (char)('A' + i * 7 % 19));
    ENDED_BY(bytes_free) struct bytes packed = gzip(rest.data ? rest.data : "", rest.size);
    const struct embedded file = {rest.data, rest.data + rest.size, packed.data, packed.data + packed.size};
    assert_true(page_gzip(&whole, &head, &file));
    assert_false(whole.failed);

    OWNED(free) char *read = malloc(head_size + rest_size + 1);
    z_stream stream = {.next_in = (Bytef *)whole.data,
                       .avail_in = (uInt)whole.size,
                       .next_out = (Bytef *)read,
                       .avail_out = (uInt)(head_size + rest_size + 1)};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END); /* which compares the sum and the length */
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, head_size + rest_size);
    if (head_size)
        assert_memory_equal(read, head.data, head_size);
    if (rest_size)
        assert_memory_equal(read + head_size, rest.data, rest_size);
    inflateEnd(&stream);
}

TEST(test_head_and_rest_are_one_stream)
{
    for (size_t head = 1; head < 5000; head = 3 * head + 1)
        for (size_t rest = 1; rest < 40000; rest = 5 * rest + 2)
            check(head, rest);
}
