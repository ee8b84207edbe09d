/* measure.c - reads options, takes times, and prints documents. It does not know what is measured. */
#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"

/* False, with a message: the option does not have this value. */
static bool read_value(const struct bench_option *option, const char *value)
{
    char *end;
    if (option->text) {
        *option->text = value;
        return true;
    }
    *option->number = strtoul(value, &end, 10);
    /* strtoul accepts signs and spaces, too */
    if (*value >= '0' && *value <= '9' && !*end && *option->number >= option->least && *option->number <= option->most)
        return true;
    fprintf(stderr, "nqueensd bench: %s must be a whole number from %lu to %lu\n", option->name, option->least,
            option->most);
    return false;
}

/* --format; false, with a message: there is none of this name. */
static bool read_format(const char *value, bool *json)
{
    *json = strcmp(value, "json") == 0;
    if (*json || strcmp(value, "table") == 0)
        return true;
    fputs("nqueensd bench: --format must be table or json\n", stderr);
    return false;
}

bool bench_read(const struct bench_option *options, size_t known, int count, char **arguments, bool *json)
{
    for (int at = 0; at < count; at += 2) {
        const char *name = arguments[at], *value = at + 1 < count ? arguments[at + 1] : NULL;
        const bool format = strcmp(name, "--format") == 0;
        size_t i = 0;
        while (!format && i < known && strcmp(name, options[i].name) != 0)
            i++;
        if (i == known || !value) {
            fprintf(stderr, i == known ? "nqueensd bench: %s is not an option\n" : "nqueensd bench: %s needs a value\n",
                    name);
            return false;
        }
        if (!(format ? read_format(value, json) : read_value(&options[i], value)))
            return false;
    }
    return true;
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

int bench_print(json_t *document)
{
    struct bytes text = {0};
    bytes_json(&text, document, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    const bool written = !text.failed && fwrite(text.data, 1, text.size, stdout) == text.size;
    bytes_free(&text);
    return written ? 0 : 1;
}

json_t *bench_contestant(const char *name, unsigned threads, const double *seconds, unsigned rounds, double reference)
{
    const double median = bench_median(seconds, rounds);
    json_t *all = json_array();
    for (unsigned round = 0; round < rounds; round++)
        json_array_append_new(all, json_real(seconds[round]));
    return json_pack("{s:s, s:i, s:f, s:o, s:f}", "name", name, "threads", (int)threads, "seconds", median, "rounds",
                     all, "ratio", reference / median);
}

json_t *bench_contest(const char *bench, unsigned long n, unsigned rounds, json_t *contestants)
{
    json_t *first = json_object_get(json_array_get(contestants, 0), "name");
    return json_pack("{s:s, s:I, s:I, s:O, s:o}", "bench", bench, "n", (json_int_t)n, "rounds", (json_int_t)rounds,
                     "reference", first, "contestants", contestants);
}
