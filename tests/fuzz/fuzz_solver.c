/* fuzz_solver.c - a cursor that seeks and steps in any order, against a model: what it yields must be the next
 * solution after its position, found the slow way. The first byte is n (0..7) and, times eight, which solutions are
 * asked for, by which of some rules; then two bits of each byte say what to do and six with what. */
#include <string.h>

#include "fuzz.h"
#include "solvers/solver.h"

enum { MAX_N = 7, MAX_SOLUTIONS = 700 };

/* What the cursor should list. */
static uint32_t solutions[MAX_SOLUTIONS][MAX_N];
static size_t count;

static bool peaceful(const struct filter *filter, uint32_t queens, const uint32_t *columns)
{
    const struct rule *rule = filter->rule;
    for (uint32_t b = 0; b < queens; b++)
        for (uint32_t a = 0; a < b; a++)
            if (rule_line(rule, filter->n, a, columns[a], b, columns[b]) != CONFLICT_LINES)
                return false;
    return true;
}

/* Whether a solution is one the query asks for. */
static bool wanted(const struct query *query, const uint32_t *columns)
{
    static const unsigned turns[] = {[SYMMETRY_ANY] = 0, [SYMMETRY_POINT] = 2, [SYMMETRY_QUARTER] = 1};
    const unsigned group = query_group(query);
    const uint32_t n = query->filter.n;
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES; symmetry++) {
        uint32_t image[MAX_N], row = 0;
        nq_transform(symmetry, n, columns, image);
        while (row < n && image[row] == columns[row])
            row++;
        if (row < n && (symmetry == turns[query->symmetry] || ((group >> symmetry & 1) && image[row] < columns[row])))
            return false;
    }
    return true;
}

static void collect(const struct query *query, uint32_t row, uint32_t *columns)
{
    const uint32_t n = query->filter.n;
    if (row == n) {
        if (!wanted(query, columns))
            return;
        REQUIRE(count < MAX_SOLUTIONS);
        if (n)
            memcpy(solutions[count], columns, n * sizeof *columns);
        count++;
        return;
    }
    for (columns[row] = 0; columns[row] < n; columns[row]++)
        if (peaceful(&query->filter, row + 1, columns))
            collect(query, row + 1, columns);
}

/* How many solutions are finished at a position: those up to and including every one that begins with it. */
static size_t finished(uint32_t length, const uint32_t *prefix)
{
    size_t done = 0;
    for (; length && done < count; done++) {
        const uint32_t *solution = solutions[done];
        uint32_t i = 0;
        while (i < length && solution[i] == prefix[i])
            i++;
        if (i < length && solution[i] > prefix[i])
            break;
    }
    return done;
}

static bool begins_one(uint32_t length, const uint32_t *prefix)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(solutions[i], prefix, length * sizeof *prefix) == 0)
            return true;
    return false;
}

/* Goes to a position, or, when that is none, stays: then *done does too. What begins no solution that is listed need
 * not be one, unless all are, or it is a whole solution. */
static void seek(struct nq_cursor *cursor, const struct query *query, const uint32_t *prefix, uint32_t length,
                 size_t *done)
{
    const uint32_t n = query->filter.n;
    bool placement = length <= n;
    for (uint32_t i = 0; i < length; i++)
        placement = placement && prefix[i] < n;
    placement = placement && peaceful(&query->filter, length, prefix);
    uint32_t before[NQ_SEARCH_MAX_N], after[NQ_SEARCH_MAX_N], kept = nq_cursor_position(cursor, before);
    const bool moved = nq_cursor_seek(cursor, prefix, length) == NQ_OK;
    REQUIRE(placement || !moved);
    const bool none = filter_impossible(&query->filter); /* no prefix is tried then */
    REQUIRE(moved || !placement || (length < n && (!query_whole(query) || none) && !begins_one(length, prefix)));
    uint32_t now = nq_cursor_position(cursor, after);
    REQUIRE(now == (moved ? length : kept));
    REQUIRE(now == 0 || memcmp(after, moved ? prefix : before, now * sizeof *after) == 0);
    if (moved)
        *done = finished(length, prefix);
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
        REQUIRE(*done < count);
        REQUIRE(n == 0 || memcmp(columns, solutions[*done], n * sizeof *columns) == 0);
        ++*done;
        break;
    case NQ_END: REQUIRE(*done == count); return;
    default: REQUIRE(status == NQ_AGAIN && left == 0);
    }
    REQUIRE(n == 0 || finished(length, position) == *done);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    static const unsigned some[] = {0, 1, 3, 6};
    const uint32_t n = data[0] % (MAX_N + 1), kind = data[0] / (MAX_N + 1) % 9;
    const unsigned rule = some[data[0] / (MAX_N + 1) / 9];
    struct query query = {.distinct = (enum query_distinct)(kind / 3), .symmetry = (enum query_symmetry)(kind % 3)};
    uint32_t prefix[64], columns[MAX_N], length = 0;
    struct nq_cursor *cursor = NULL;
    filter_begin(&query.filter, n);
    query.filter.rule = rules[rule];
    count = 0;
    collect(&query, 0, columns);
    REQUIRE((kind || rule ? cursor_open(NULL, &query, &cursor) : nq_cursor_open(NULL, n, &cursor)) == NQ_OK);
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
            seek(cursor, &query, prefix, length, &done);
            length = 0;
            break;
        case 2: step(cursor, n, with + 1, &done); break;
        default: step(cursor, n, UINT64_MAX, &done);
        }
    }
    nq_cursor_close(cursor);
    return 0;
}
