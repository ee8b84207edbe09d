/* written_formats.h - what the tests of src/formats share: two boards, and lists and builds written as the service
 * writes them. */
#ifndef TESTS_UNIT_SUPPORT_WRITTEN_FORMATS_H
#define TESTS_UNIT_SUPPORT_WRITTEN_FORMATS_H

#include "base/bytes.h"
#include "formats/format.h"
#include "support/facts.h"

static const uint32_t small[][4] = {{1, 3, 0, 2}, {2, 0, 3, 1}};

/* Compares with the text and starts afresh. */
static inline void assert_wrote(struct bytes *out, const char *expected)
{
    OWNED(free) char *text = bytes_take(out);
    assert_non_null(text);
    assert_string_equal(text, expected);
}

/* The first boards, as many as the tail returns. *link: where the next page is linked. */
static inline void write_list(struct bytes *out, const struct format *format, const struct list_head *head,
                              const struct list_tail *tail, size_t *link)
{
    if (format->list_begin)
        format->list_begin(out, head);
    for (uint64_t i = 0; i < tail->returned; i++)
        format->list_solution(out, head, small[i], i, rank_after(head->offset, i));
    *link = format->list_end ? format->list_end(out, head, tail) : 0;
}

/* In pieces: joined they must read as one. */
static inline void write_build(struct bytes *out, const struct format *format, const struct build_head *head,
                               uint32_t rows, const uint32_t *columns)
{
    if (format->build_begin)
        format->build_begin(out, head);
    for (uint32_t at = 0; at < rows; at += 3) {
        uint32_t piece = rows - at < 3 ? rows - at : 3;
        format->build_rows(out, head, head->first + at, piece, columns + at);
    }
    if (format->build_end)
        format->build_end(out, head, rows);
}

#endif
