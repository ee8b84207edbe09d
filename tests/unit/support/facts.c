/* facts.c - the published numbers, read from a file, and the slow way to find solutions. It knows nothing of the
 * library. */
#include "support/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char tables[] = "tests/data/tables.json", seeds[] = "tests/data/seeds.json",
                  variants[] = "tests/data/variants.json";

/* A file of tests/data, read once for each slot. A missing one fails the test. */
static const json_t *load(const char *path, json_t **slot)
{
    json_error_t error;
    if (!*slot)
        *slot = json_load_file(path, 0, &error);
    if (!*slot)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return *slot;
}

const json_t *facts_table(const char *name)
{
    static json_t *file;
    const json_t *table = json_object_get(json_object_get(load(tables, &file), "tables"), name);
    if (!table)
        fail_msg("%s: no table \"%s\"", tables, name);
    return table;
}

const json_t *facts_seed(const char *name)
{
    static json_t *file;
    const json_t *of = json_object_get(load(seeds, &file), name);
    if (!of)
        fail_msg("%s: no \"%s\"", seeds, name);
    return of;
}

/* json is NULL where nothing was found. */
static uint64_t number(const json_t *json)
{
    if (!json_is_integer(json))
        fail_msg("a number is missing in tests/data");
    return (uint64_t)json_integer_value(json);
}

uint64_t facts_at(const json_t *array, size_t index)
{
    return number(json_array_get(array, index));
}

uint64_t facts_get(const json_t *object, const char *key)
{
    return number(json_object_get(object, key));
}

uint64_t facts_term(const char *table, uint32_t n)
{
    const json_t *of = facts_table(table);
    return facts_at(json_object_get(of, "terms"), n - facts_get(of, "offset"));
}

const json_t *facts_entry(const char *table, uint32_t n)
{
    const json_t *of = facts_table(table), *rows = json_object_get(of, "rows");
    char key[12];
    (void)snprintf(key, sizeof key, "%u", (unsigned)n);
    return json_object_get(rows ? rows : json_object_get(of, "n"), key);
}

bool facts_published(const char *rule, uint32_t n, uint64_t *count)
{
    static json_t *file;
    const json_t *pairs = json_object_get(json_object_get(load(variants, &file), rule), "counts");
    for (size_t i = 0; i < json_array_size(pairs); i++)
        if (facts_at(json_array_get(pairs, i), 0) == n) {
            *count = facts_at(json_array_get(pairs, i), 1);
            return true;
        }
    return false;
}

/* Whether the queen of the last row is attacked by one above. */
static bool attacked(uint32_t row, const uint32_t *columns)
{
    for (uint32_t above = 0; above < row; above++) {
        uint32_t across = columns[above] > columns[row] ? columns[above] - columns[row] : columns[row] - columns[above];
        if (across == 0 || across == row - above)
            return true;
    }
    return false;
}

bool facts_peaceful(uint32_t count, const uint32_t *columns)
{
    for (uint32_t row = 0; row < count; row++)
        if (attacked(row, columns))
            return false;
    return true;
}

struct list {
    uint32_t n;
    size_t count, room;
    uint32_t *solutions;
};

static void collect(struct list *list, uint32_t row, uint32_t *columns)
{
    if (row == list->n) {
        if (list->count == list->room) {
            list->room = list->room ? 2 * list->room : 64;
            list->solutions = realloc(list->solutions, (list->room * list->n + 1) * sizeof *columns);
            assert_non_null(list->solutions);
        }
        memcpy(list->solutions + list->count++ * list->n, columns, list->n * sizeof *columns);
        return;
    }
    for (columns[row] = 0; columns[row] < list->n; columns[row]++)
        if (!attacked(row, columns))
            collect(list, row + 1, columns);
}

uint32_t *facts_solutions(uint32_t n, size_t *count)
{
    struct list list = {.n = n};
    uint32_t columns[32];
    assert_true(n < sizeof columns / sizeof *columns);
    collect(&list, 0, columns);
    *count = list.count;
    return list.solutions;
}

/* G. Steele, D. Lea, C. Flood: SplitMix64 (2014). */
int facts_compare(const void *a, const void *b, void *n)
{
    const uint32_t *left = a, *right = b, size = *(const uint32_t *)n;
    for (uint32_t i = 0; i < size; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

uint64_t facts_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t facts_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)((facts_random(state) >> 32) * bound >> 32);
}

uint64_t facts_word(uint64_t *state, uint32_t bits, uint32_t percent)
{
    uint64_t word = 0;
    for (uint32_t bit = 0; bit < bits; bit++)
        word |= (uint64_t)(facts_below(state, 100) < percent) << bit;
    return word;
}
