/* measure.c - takes times, and prints documents. It does not know what is measured. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"

bool bench_format(const char *value, void *to)
{
    bool *json = to;
    *json = strcmp(value, "json") == 0;
    return *json || strcmp(value, "table") == 0;
}

double bench_seconds(unsigned threads)
{
    return (double)(threads > 1 ? clock_now() : clock_worked()) / (double)CLOCK_SECOND;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const double *times, unsigned count)
{
    double sorted[BENCH_ROUNDS_MAX];
    memcpy(sorted, times, count * sizeof *times);
    qsort(sorted, count, sizeof *sorted, ascending);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

void bench_contest(struct bytes *out, const char *bench, unsigned long n, unsigned rounds, const char *reference)
{
    json_begin_object(out, NULL);
    json_write_text(out, "bench", bench);
    json_write_number(out, "n", n);
    json_write_number(out, "rounds", rounds);
    json_write_text(out, "reference", reference);
    json_begin_array(out, "contestants");
}

void bench_rounds(struct bytes *out, const double *seconds, unsigned rounds)
{
    json_write_real(out, "seconds", bench_median(seconds, rounds), BENCH_DIGITS);
    json_begin_array(out, "rounds");
    for (unsigned round = 0; round < rounds; round++)
        json_write_real(out, NULL, seconds[round], BENCH_DIGITS);
    json_end_array(out);
}

void bench_contestant(struct bytes *out, const char *name, unsigned threads, const double *seconds, unsigned rounds,
                      double reference)
{
    json_begin_object(out, NULL);
    json_write_text(out, "name", name);
    json_write_number(out, "threads", threads);
    bench_rounds(out, seconds, rounds);
    json_write_real(out, "ratio", reference / bench_median(seconds, rounds), BENCH_DIGITS);
}

int bench_print(struct bytes *text)
{
    json_end_object(text);
    json_end_indented(text, 0);
    const bool written = !text->failed && fwrite(text->data, 1, text->size, stdout) == text->size;
    bytes_free(text);
    return written ? 0 : 1;
}
