/* format_octets.c - the columns of a construction as numbers of four bytes, the least significant first, and nothing
 * else: what programs read. It knows nothing of lists. */
#include <endian.h>
#include <string.h>

#include "formats/format.h"

enum { ROW_BYTES = sizeof(uint32_t) };

static void octets_build_rows(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                              const uint32_t *columns)
{
    (void)row;
    char *to = bytes_reserve(out, (size_t)count * ROW_BYTES);
    if (!to)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t column = htole32(columns[i] + head->base);
        memcpy(to + (size_t)i * ROW_BYTES, &column, ROW_BYTES);
    }
    out->size += (size_t)count * ROW_BYTES;
}

const struct format format_octets = {
    .name = "octet-stream",
    .media_type = "application/octet-stream",
    .row_bytes = ROW_BYTES,
    .build_rows = octets_build_rows,
};
