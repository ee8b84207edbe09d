/* page.c - the first lines of a page, written for each request, before the rest, which was compressed when the binary
 * was built. The two become one gzip stream (RFC 1952) without compressing the rest again: the blocks of the first end
 * on a whole byte, those of the second follow, and zlib combines the checksums. */
#include "http/reply/page.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

/* What gzip has before the blocks, without a name, and after them. */
enum { GZIP_HEAD = 10, GZIP_TAIL = 8, RAW_WINDOW = -15, MEMORY_LEVEL = 8 };

static uint32_t read_le32(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static void write_le32(struct bytes *out, uint32_t value)
{
    const char byte[] = {(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)};
    bytes_add(out, byte, sizeof byte);
}

/* Appends blocks of which none is the last, up to a whole byte. False: out of memory. */
static bool write_blocks(struct bytes *out, const struct bytes *head)
{
    char room[1 << 10];
    z_stream stream = {.next_in = (Bytef *)head->data, .avail_in = (uInt)head->size};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    do {
        stream.next_out = (Bytef *)room;
        stream.avail_out = sizeof room;
        (void)deflate(&stream, Z_FULL_FLUSH);
        bytes_add(out, room, sizeof room - stream.avail_out);
    } while (!stream.avail_out);
    (void)deflateEnd(&stream); /* it says that the stream has no end, which is so */
    return true;
}

bool page_gzip(struct bytes *out, const struct bytes *head, const struct embedded *rest)
{
    static const char begin[GZIP_HEAD] = {0x1f, (char)0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 2, 3};
    const char *tail = rest->gzip_end - GZIP_TAIL;
    const size_t size = (size_t)(rest->end - rest->begin);
    assert(tail - rest->gzip_begin > GZIP_HEAD && memcmp(rest->gzip_begin, begin, 4) == 0);
    assert(read_le32(tail + 4) == size);
    bytes_add(out, begin, sizeof begin);
    if (!write_blocks(out, head))
        return false;
    bytes_add(out, rest->gzip_begin + GZIP_HEAD, (size_t)(tail - rest->gzip_begin) - GZIP_HEAD);
    const uLong sum = crc32(0, (const Bytef *)head->data, (uInt)head->size);
    write_le32(out, (uint32_t)crc32_combine(sum, read_le32(tail), (z_off_t)size));
    write_le32(out, (uint32_t)(head->size + size));
    return true;
}
