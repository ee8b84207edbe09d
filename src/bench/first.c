/* first.c - the first solutions of large boards, one thread: what `nqueensd bench solve` adds to its race. */
#include "bench/first.h"

#include <stdio.h>

#include "base/json.h"
#include "bench/measure.h"
#include "solvers/solver.h"

enum { FIRST = 100 };

/* Seconds of the processor for the first solutions of a board; negative: they were not found. */
static double find_first(uint32_t n)
{
    const double start = bench_seconds(1);
    struct nq_cursor *cursor;
    uint32_t columns[NQ_LIST_MAX_N], found = 0;
    uint64_t budget = UINT64_C(1) << 32;
    if (nq_cursor_open("fewest-first", n, &cursor) != NQ_OK)
        return -1;
    while (found < FIRST && nq_cursor_next(cursor, &budget, columns) == NQ_OK)
        found++;
    nq_cursor_close(cursor);
    return found == FIRST ? bench_seconds(1) - start : -1;
}

/* {"n": 64, "solutions": 100, "seconds": median, "rounds": [seconds of each]} */
static void write_entry(struct bytes *out, uint32_t n, const double *seconds, unsigned rounds)
{
    json_begin_object(out, NULL);
    json_write_number(out, "n", n);
    json_write_number(out, "solutions", FIRST);
    bench_rounds(out, seconds, rounds);
    json_end_object(out);
}

bool bench_first(unsigned rounds, struct bytes *json)
{
    static const uint32_t sizes[] = {64, 1000};
    if (!json)
        printf("first %d solutions, order=any, median of %u rounds; CPU seconds\n", FIRST, rounds);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double seconds[BENCH_ROUNDS_MAX];
        for (unsigned round = 0; round < rounds; round++) {
            seconds[round] = find_first(sizes[i]);
            if (seconds[round] < 0)
                return false;
        }
        if (json)
            write_entry(json, sizes[i], seconds, rounds);
        else
            printf("n=%-38u %10.4f\n", (unsigned)sizes[i], bench_median(seconds, rounds));
    }
    return true;
}
