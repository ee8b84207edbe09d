/* fuzz_solver.c - a cursor told to seek and step in any order, against a model: what it yields must be the next
 * solution after its position, found the slow way. The first byte is n (0..7); then two bits of each byte say what to
 * do and six with what. */
#include <nqueens.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_N = 7, MAX_SOLUTIONS = 40 };

static uint32_t solutions[MAX_N + 1][MAX_SOLUTIONS][MAX_N];
static size_t counts[MAX_N + 1];

static bool peaceful(uint32_t count, const uint32_t *columns)
{
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (columns[a] == columns[b] || columns[a] + b == columns[b] + a || columns[a] + a == columns[b] + b)
                return false;
    return true;
}

static void collect(uint32_t n, uint32_t row, uint32_t *columns)
{
    if (row == n) {
        REQUIRE(counts[n] < MAX_SOLUTIONS);
        if (n)
            memcpy(solutions[n][counts[n]], columns, n * sizeof *columns);
        counts[n]++;
        return;
    }
    for (columns[row] = 0; columns[row] < n; columns[row]++)
        if (peaceful(row + 1, columns))
            collect(n, row + 1, columns);
}

/* How many solutions are finished at a position: those up to and including every one that begins with it. */
static size_t finished(uint32_t n, uint32_t length, const uint32_t *prefix)
{
    size_t count = 0;
    for (; length && count < counts[n]; count++) {
        const uint32_t *solution = solutions[n][count];
        uint32_t i = 0;
        while (i < length && solution[i] == prefix[i])
            i++;
        if (i < length && solution[i] > prefix[i])
            break;
    }
    return count;
}

/* Goes to a position, or, when that is none, stays: then *done does too. */
static void seek(struct nq_cursor *cursor, uint32_t n, const uint32_t *prefix, uint32_t length, size_t *done)
{
    bool placement = length <= n && peaceful(length, prefix);
    for (uint32_t i = 0; i < length; i++)
        placement = placement && prefix[i] < n;
    uint32_t before[NQ_SEARCH_MAX_N], after[NQ_SEARCH_MAX_N], kept = nq_cursor_position(cursor, before);
    REQUIRE(nq_cursor_seek(cursor, prefix, length) == (placement ? NQ_OK : NQ_INVALID));
    uint32_t now = nq_cursor_position(cursor, after);
    REQUIRE(now == (placement ? length : kept));
    REQUIRE(now == 0 || memcmp(after, placement ? prefix : before, now * sizeof *after) == 0);
    if (placement)
        *done = finished(n, length, prefix);
}

static void step(struct nq_cursor *cursor, uint32_t n, uint64_t budget, size_t *done)
{
    uint32_t columns[NQ_SEARCH_MAX_N], position[NQ_SEARCH_MAX_N];
    uint64_t left = budget;
    enum nq_status status = nq_cursor_next(cursor, &left, columns);
    uint32_t length = nq_cursor_position(cursor, position);
    REQUIRE(left <= budget);
    switch (status) {
    case NQ_OK:
        REQUIRE(*done < counts[n]);
        REQUIRE(n == 0 || memcmp(columns, solutions[n][*done], n * sizeof *columns) == 0);
        ++*done;
        break;
    case NQ_END: REQUIRE(*done == counts[n]); return;
    default: REQUIRE(status == NQ_AGAIN && left == 0);
    }
    REQUIRE(n == 0 || finished(n, length, position) == *done);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const uint32_t n = data[0] % (MAX_N + 1);
    uint32_t prefix[64], columns[MAX_N], length = 0;
    struct nq_cursor *cursor = NULL;
    if (counts[n] == 0)
        collect(n, 0, columns);
    REQUIRE(nq_cursor_open(NULL, n, &cursor) == NQ_OK);
    size_t done = 0;
    for (size_t i = 1; i < size && i < 4096; i++) {
        const uint32_t with = data[i] & 63;
        switch (data[i] >> 6) {
        case 0: /* one more column for the next seek */
            if (length < 64)
                prefix[length++] = with;
            break;
        case 1: /* go there, perhaps to a part of it only */
            length = with < length ? with : length;
            seek(cursor, n, prefix, length, &done);
            length = 0;
            break;
        case 2: step(cursor, n, with + 1, &done); break;
        default: step(cursor, n, UINT64_MAX, &done);
        }
    }
    nq_cursor_close(cursor);
    return 0;
}
