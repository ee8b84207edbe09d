/* format_zironi.c - solutions as the C program of Prof. Zironi prints them (KULT Underground, Otto regine): a heading,
 * the numbers, and a board of boxes in which columns of the board are what the list calls rows, for he goes through
 * columns and his numbers are rows. The text of the article has lost the sign of a queen, and the left side of a row of
 * boxes: here they are Q and the side that the other boxes have. */
#include "formats/format.h"

static void zironi_edge(struct bytes *out, uint32_t n)
{
    bytes_text(out, " +");
    for (uint32_t i = 0; i < n; i++)
        bytes_text(out, "-----+");
    bytes_char(out, '\n');
}

static void zironi_list_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns,
                                 uint64_t index, uint64_t rank)
{
    const uint32_t n = head->n;
    (void)index;
    bytes_text(out, "\n\n Soluzione n.");
    if (rank != RANK_UNKNOWN)
        bytes_format(out, "%2llu", (unsigned long long)rank + head->base);
    bytes_text(out, ": ");
    for (uint32_t i = 0; i < n; i++)
        bytes_format(out, "%u ", (unsigned)columns[i] + head->base);
    bytes_text(out, "\n\n");
    for (uint32_t j = 0; j < n; j++) {
        zironi_edge(out, n);
        bytes_text(out, " .");
        for (uint32_t i = 0; i < n; i++)
            bytes_text(out, columns[i] == j ? "  Q  ." : "     .");
        bytes_char(out, '\n');
    }
    zironi_edge(out, n);
}

/* He has no more pages; then nothing follows. */
static size_t zironi_list_end(struct bytes *out, const struct list_head *head, const struct list_tail *tail)
{
    (void)head;
    if (!tail->next)
        return 0;
    bytes_format(out, "\nnext: %s", tail->prefix);
    const size_t link = out->size;
    bytes_format(out, "%s\n", tail->next);
    return link;
}

const struct format format_zironi = {
    .name = "zironi",
    .media_type = "text/plain; charset=utf-8",
    .lines = true,
    .numbered = true,
    .list_solution = zironi_list_solution,
    .list_end = zironi_list_end,
};
