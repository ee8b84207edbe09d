/* fuzz_regions.c - a board of regions in any bytes, read as rows of letters, as a link, and in any form. What is
 * accepted is n regions that cover the board, is written and read back as the same, in both forms; what is refused has
 * a reason. The first byte says whether regions may be apart. */
#include <string.h>

#include "board/regions.h"
#include "fuzz.h"

static bool same(const struct regions *a, const struct regions *b)
{
    return a->n == b->n && memcmp(a->of, b->of, (size_t)a->n * a->n) == 0;
}

static void check_board(const struct regions *regions, bool apart)
{
    struct regions again;
    struct regions_fault fault;
    struct bytes text = {0}, link = {0};
    uint32_t seen = 0;
    REQUIRE(regions->n >= REGIONS_MIN_N && regions->n <= REGIONS_MAX_N);
    for (uint32_t square = 0; square < regions->n * regions->n; square++) {
        REQUIRE(regions->of[square] <= seen);
        seen += regions->of[square] == seen;
    }
    REQUIRE(seen == regions->n);
    for (uint32_t i = 0; i < seen && !apart; i++)
        REQUIRE(regions_connected(regions->n, regions->of, (uint8_t)i, REGIONS_MAX_SQUARES));
    regions_write_text(regions, '/', &text);
    REQUIRE(!text.failed && regions_read_text(text.data, text.size, apart, &again, &fault) && same(regions, &again));
    regions_write_link(regions, &link);
    REQUIRE(!link.failed && regions_is_link(link.data, link.size));
    if (!apart)
        REQUIRE(regions_read_link(link.data, link.size, &again, &fault) && same(regions, &again));
    bytes_free(&text);
    bytes_free(&link);
}

static void check(bool read, const struct regions *regions, const struct regions_fault *fault, bool apart)
{
    struct bytes text = {0};
    if (read) {
        check_board(regions, apart);
        return;
    }
    REQUIRE(fault->wrong != REGIONS_RIGHT);
    regions_fault_text(fault, 1, &text);
    REQUIRE(!text.failed && text.size && text.data[text.size - 1] == '.');
    REQUIRE(fault->row <= fault->n && fault->column <= fault->n);
    bytes_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct regions regions;
    struct regions_fault fault;
    if (!size)
        return 0;
    const bool apart = data[0] & 1;
    char *text = fuzz_bytes(data + 1, size - 1);
    const bool lines = regions_read_text(text, size - 1, apart, &regions, &fault);
    check(lines, &regions, &fault, apart);
    const bool link = regions_read_link(text, size - 1, &regions, &fault);
    check(link, &regions, &fault, false);
    const bool any = regions_read(text, size - 1, apart, &regions, &fault);
    check(any, &regions, &fault, apart);
    REQUIRE(any || (!lines && (!link || !regions_is_link(text, size - 1))));
    free(text);
    return 0;
}
