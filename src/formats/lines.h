/* lines.h - solutions as NDJSON, thousands of lines a call: the bytes that format_ndjson writes without a board, from
 * runs or from rows of columns, as listers find them. It knows no streams and allocates nothing. */
#ifndef FORMATS_LINES_H
#define FORMATS_LINES_H

#include "kernels/find.h"

/* The longest line, and so many bytes behind the last one writing may touch. */
enum { LINES_MAX_N = 32, LINES_MAX_SIZE = 105, LINES_SLACK = 32 };

struct lines {
    uint32_t n;
    unsigned bits;             /* of a column in a path */
    size_t size;               /* bytes of a line: all solutions have the same numbers */
    uint64_t one[LINES_MAX_N]; /* the text of a column and a comma, */
    uint64_t
        two[LINES_MAX_N * LINES_MAX_N]; /* or of two, at a << bits | b; and in the last byte how many bytes it is */
};

/* Lays out the tables for n <= LINES_MAX_N; base is added to each column: 0 or 1. */
void lines_begin(struct lines *lines, uint32_t n, uint32_t base);

/* Writes {"permutation":[...]} and a line feed for each of `count` solutions, n bytes each, one column below n a byte.
 * `to` must have room for count * lines->size + LINES_SLACK bytes. Returns how many it wrote. */
size_t lines_write(const struct lines *lines, const uint8_t *columns, size_t count, char *to);

/* The same for the solutions of a run. */
size_t lines_write_run(const struct lines *lines, const struct run *run, char *to);

#endif
