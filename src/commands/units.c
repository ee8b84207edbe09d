/* units.c - `nqueensd units`: counts the units of a count, or one of them, anew. They depend only on n: whoever has the
 * thirds of all units of a count, from another machine, can count any of them again. */
#include "commands/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/status.h"
#include "count/counting.h"
#include "count/unit_list.h"

static const char usage[] =
    "nqueensd units --n N [--unit I[.P]] [--kernel K] [--split W]\n"
    "  Counts the units of the count of all solutions for n queens, and prints for each its index and its thirds. The\n"
    "  last line has their sum, which is three times the count. GET /jobs/{id}/units of a server has the same form.\n"
    "  --n N           the board, 1 to 28\n"
    "  --unit I[.P]    only the unit of this index, or only a piece of it; both from 0\n"
    "  --kernel K      as of serve (auto)\n"
    "  --split W       splits units of more than this weight into pieces (what servers use)\n";

enum { MOST_N = 28 };

struct options {
    unsigned long n, split;
    size_t unit, piece; /* SIZE_MAX: all; METHOD_WHOLE: all of the unit */
    const struct kernel *kernel;
};

/* "17" or "17.3". */
static bool read_unit(const char *text, void *to)
{
    struct options *options = to;
    const char *dot = strchr(text, '.'), *end = text + strlen(text);
    nq_wide unit, piece = 0;
    if (!wide_read(text, dot ? dot : end, &unit) || unit > UINT32_MAX ||
        (dot && (!wide_read(dot + 1, end, &piece) || piece >= METHOD_PIECES_MAX)))
        return false;
    options->unit = (size_t)unit;
    options->piece = dot ? (size_t)piece : METHOD_WHOLE;
    return true;
}

static bool read_kernel(const char *name, void *to)
{
    const struct kernel **kernel = to;
    return (*kernel = kernel_find(name));
}

/* False, with a sentence on standard error. */
static bool read_options(struct options *options, int count, char **arguments)
{
    const struct command_option known[] = {
        {.name = "--n", .number = &options->n, .least = 1, .most = MOST_N},
        {.name = "--unit",
         .read = read_unit,
         .to = options,
         .form = "an index, or those of a unit and a piece (5, 5.3)"},
        {.name = "--kernel",
         .read = read_kernel,
         .to = &options->kernel,
         .form = "a kernel of this machine; GET /algorithms lists them"},
        {.name = "--split", .number = &options->split, .least = 1000, .most = INT64_MAX},
        {0},
    };
    if (!options_read("units", known, count, arguments))
        return false;
    if (!options->n)
        fputs("nqueensd units: --n is missing\n", stderr);
    return options->n;
}

/* ---- Counting ---- */

/* Frees them. */
static enum nq_status print(struct bytes *lines)
{
    const bool whole = !lines->failed;
    const bool printed = whole && fwrite(lines->data, 1, lines->size, stdout) == lines->size && fflush(stdout) == 0;
    bytes_free(lines);
    return printed ? NQ_OK : whole ? NQ_BROKEN : NQ_NOMEM;
}

static enum nq_status print_unit(const struct counting *counting, const struct options *options, size_t unit,
                                 nq_wide *sum)
{
    struct unit_result result = {0};
    char digits[WIDE_TEXT_MAX];
    struct bytes line = {0};
    const enum nq_status status = counting_count(counting, unit, options->piece, options->kernel, NULL, &result);
    if (status != NQ_OK)
        return status;
    *sum += result.parts;
    if (options->piece == METHOD_WHOLE)
        unit_list_unit(&line, unit, result.parts);
    else
        bytes_format(&line, "%zu.%zu %s\n", unit, options->piece, wide_text(result.parts, digits));
    return print(&line);
}

static enum nq_status print_units(const struct counting *counting, const struct options *options)
{
    const size_t units = counting_units(counting);
    struct bytes last = {0};
    nq_wide sum = 0;
    if (options->unit != SIZE_MAX)
        return options->unit < units ? print_unit(counting, options, options->unit, &sum) : NQ_INVALID;
    enum nq_status status = NQ_OK;
    for (size_t unit = 0; unit < units && status == NQ_OK; unit++)
        status = print_unit(counting, options, unit, &sum);
    if (status != NQ_OK)
        return status;
    unit_list_sum(&last, sum);
    return print(&last);
}

static enum nq_status count_units(const struct options *options)
{
    const struct method_means means = {.tables = COUNTING_TABLES, .threads = 1, .split_weight = (double)options->split};
    const struct plan_source source = plan_source_alone(&means);
    struct query query = {0};
    struct counting *counting;
    struct bytes name = {0}, first = {0};
    filter_begin(&query.filter, (uint32_t)options->n);
    enum nq_status status = counting_open(&query, NULL, &counting);
    if (status != NQ_OK)
        return status;
    status = counting_prepare(counting, NULL, &source, NULL);
    if (status == NQ_OK) {
        counting_name(counting, 0, &name);
        char *text = bytes_take(&name);
        unit_list_head(&first, (uint32_t)options->n, counting_units(counting), text ? text : "");
        status = text ? print(&first) : NQ_NOMEM;
        free(text);
    }
    if (status == NQ_OK)
        status = print_units(counting, options);
    counting_close(counting);
    return status;
}

int units_run(int count, char **arguments)
{
    struct options options = {.unit = SIZE_MAX, .piece = METHOD_WHOLE, .kernel = kernel_find("auto")};
    if (count && options_help(arguments[0])) {
        fputs(usage, stdout);
        return 0;
    }
    if (!read_options(&options, count, arguments))
        return 2;
    const enum nq_status status = count_units(&options);
    if (status == NQ_INVALID)
        fputs("nqueensd units: --unit: there is no such unit or piece; the first line has the number of units\n",
              stderr);
    else if (status != NQ_OK)
        fprintf(stderr, "nqueensd units: %s\n", nq_status_text(status));
    return status == NQ_OK ? 0 : status == NQ_INVALID ? 2 : 1;
}
