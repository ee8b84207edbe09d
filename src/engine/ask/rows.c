/* rows.c - choices of shared rows, and drawn seeds. */
#include "engine/ask/rows.h"

#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

const char *row_no_yes(size_t i)
{
    static const char *const words[] = {"false", "true", NULL};
    return words[i];
}

const char *row_bases(size_t i)
{
    static const char *const words[] = {"1", "0", NULL};
    return words[i];
}

const struct value *row_value(const struct param *rows, const struct value *values, const char *name)
{
    static const struct value absent = {.sound = true};
    for (size_t i = 0; rows[i].name; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &values[i];
    return &absent;
}

bool seed_draw(struct value *seed)
{
    uint64_t drawn = 0;
    if (seed->given)
        return false;
    (void)!getrandom(&drawn, sizeof drawn, 0);
    seed->given = true;
    seed->number = drawn & SEED_MOST;
    return true;
}

const struct rule *row_rule(const struct value *value)
{
    return value->number ? rules[value->number] : NULL;
}

void fault_no_solution(struct fault *fault, uint32_t n, const struct rule *rule)
{
    const bool known = rule && rule_none(rule, n);
    fault_write(
        fault, FAULT_NO_SOLUTION, (const double[]){n},
        "%" PRIu32 " queens do not fit on a board of %" PRIu32 " x %" PRIu32 " without attacking each other%s%s%s%s.",
        n, n, n, rule ? " by rules=" : "", rule ? rule->name : "", known ? ": " : "", known ? rule->none_text : "");
}
