/* units.c - a flag for each unit, sums, and the names of units in the journal. */
#include "engine/units/units.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { DEADLINE_MS = 2000, LENGTHY_DEADLINE_MS = 60000 };

/* Core-seconds from which on a work is lengthy. */
#define LENGTHY_SECONDS 0.25

bool units_lay(struct units *units, size_t count)
{
    units->count = count;
    units->known = calloc(count + 1, sizeof *units->known);
    return units->known;
}

void units_close(struct units *units)
{
    free(units->known);
}

bool units_settle(struct units *units, size_t unit)
{
    assert(unit < units->count);
    return !atomic_exchange(&units->known[unit], true);
}

void units_restore_some(struct units *units, uint64_t weight)
{
    units->weight_restored += weight;
}

void units_restore(struct units *units, uint64_t weight)
{
    units_restore_some(units, weight);
    units->restored++;
}

void units_begin(struct units *units)
{
    assert(units->restored <= units->count && units->weight_restored <= units->weight);
    units->done = units->restored;
    units->weight_done = units->weight_restored;
    atomic_store(&units->laid, true);
}

bool units_take(struct units *units, size_t *unit)
{
    assert(atomic_load(&units->laid));
    do
        *unit = atomic_fetch_add(&units->next, 1);
    while (*unit < units->count && units_known(units, *unit));
    return *unit < units->count;
}

void units_rewind(struct units *units)
{
    atomic_store(&units->next, 0);
}

void units_finish(struct units *units, uint64_t weight, uint64_t nodes)
{
    assert(atomic_load(&units->done) < units->count); /* a unit counted twice */
    units_finish_some(units, weight, nodes);
    atomic_fetch_add(&units->done, 1);
}

void units_finish_some(struct units *units, uint64_t weight, uint64_t nodes)
{
    atomic_fetch_add(&units->weight_done, weight);
    atomic_fetch_add(&units->nodes, nodes);
}

void units_progress(const struct units *units, struct progress *progress)
{
    if (!atomic_load(&units->laid))
        return;
    progress->weight = units->weight;
    progress->weight_done = atomic_load(&units->weight_done);
    progress->weight_restored = units->weight_restored;
    progress->units = units->count;
    progress->units_done = atomic_load(&units->done);
    progress->units_restored = units->restored;
    progress->nodes = atomic_load(&units->nodes);
}

bool units_afford(struct work *work, const struct question *question, const struct tools *tools, double seconds)
{
    work->seconds = seconds;
    work->lengthy = seconds >= (tools->lengthy_seconds > 0 ? tools->lengthy_seconds : LENGTHY_SECONDS);
    return question->admitted || seconds <= tools->most_core_seconds;
}

enum nq_status units_too_costly(const struct tools *tools, double seconds, const char *instead, struct fault *fault)
{
    fault_write(fault, FAULT_COST, (const double[]){seconds, tools->most_core_seconds},
                "This needs about %.3g core-hours; the limit is %.3g.%s", seconds / 3600,
                tools->most_core_seconds / 3600, instead);
    return NQ_LIMIT;
}

char *units_prefix(const char *name)
{
    struct bytes prefix = {0};
    bytes_format(&prefix, "%s #", name);
    return bytes_take(&prefix);
}

char *units_pieces_prefix(const char *name, size_t unit)
{
    struct bytes prefix = {0};
    bytes_format(&prefix, "%s #%zu#", name, unit);
    return bytes_take(&prefix);
}

char *units_list_key(const char *name)
{
    struct bytes key = {0};
    bytes_format(&key, "%s units", name);
    return bytes_take(&key);
}

char *units_key(const char *name, size_t unit, size_t piece)
{
    struct bytes key = {0};
    bytes_format(&key, "%s #%zu", name, unit);
    if (piece != UNIT_WHOLE)
        bytes_format(&key, "#%zu", piece);
    return bytes_take(&key);
}

bool units_number(const char *key, size_t count, size_t *unit, size_t *piece)
{
    const char *first = strrchr(key, ' '), *end = key + strlen(key);
    const char *second = first && first[1] == '#' ? strchr(first + 2, '#') : NULL;
    nq_wide read, part = UNIT_WHOLE;
    if (!first || first[1] != '#' || !wide_read(first + 2, second ? second : end, &read) || read >= count)
        return false;
    if (second && (!wide_read(second + 1, end, &part) || part >= UNIT_WHOLE))
        return false;
    *unit = (size_t)read;
    *piece = (size_t)part;
    return true;
}

void units_fact(nq_wide parts, uint64_t nodes, char value[static UNIT_FACT_MAX])
{
    char digits[WIDE_TEXT_MAX];
    (void)snprintf(value, UNIT_FACT_MAX, "%s %" PRIu64, wide_text(parts, digits), nodes);
}

bool units_read_fact(const char *text, size_t size, nq_wide most, nq_wide *parts, uint64_t *nodes)
{
    const char *end = text + size, *space = memchr(text, ' ', size);
    nq_wide first, second;
    if (!space || !wide_read(text, space, &first) || first > most || !wide_read(space + 1, end, &second) ||
        second > UINT64_MAX)
        return false;
    *parts = first;
    *nodes = (uint64_t)second;
    return true;
}

struct deadline units_deadline(const struct work *work, const atomic_bool *stop)
{
    return (struct deadline){stop, work->lengthy ? LENGTHY_DEADLINE_MS : DEADLINE_MS};
}
