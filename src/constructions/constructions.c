/* constructions.c - the table of constructions, and the calls that go through it: to a construction's own functions, or
 * to its machine, up to the first solution. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constructions/construction.h"

extern const struct construction construction_explicit, construction_linear, construction_tensor,
    construction_local_search, construction_neural, construction_freeman, construction_hill_climbing,
    construction_annealing, construction_genetic, construction_random;

const struct construction *const constructions[] = {
    &construction_explicit,
    &construction_linear,
    &construction_tensor,
    &construction_local_search,
    &construction_neural,
    &construction_freeman,
    &construction_hill_climbing,
    &construction_annealing,
    &construction_genetic,
    &construction_random,
    NULL,
};

struct nq_construction {
    const struct construction *method;
    uint32_t n;
    void *plan; /* of its own functions; NULL: the board has one square or none */
    /* Of a machine: */
    void *machine; /* until it is ready */
    uint32_t *columns;
    struct allowance *allowance;
    struct construction_end end;
};

const struct construction *construction_find(const char *name)
{
    for (const struct construction *const *at = constructions; *at; at++)
        if (!name || strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

/* ---- Whether there is a solution ---- */

static bool lists_rule(const struct construction *method, const struct rule *rule)
{
    const struct rule *const *at = method->rules;
    while (at && *at && *at != rule)
        at++;
    return at && *at;
}

uint32_t construction_max_n(const struct construction *method, const struct rule *rule)
{
    if (rule->weaker || lists_rule(method, rule))
        return method->max_n;
    return rule->drawn_n && rule->drawn_n < method->drawn_n ? rule->drawn_n : method->drawn_n;
}

static enum nq_status ask(const struct construction *method, const struct construction_settings *settings,
                          char why[static CONSTRUCTION_WHY_MAX])
{
    const bool trivial = settings->n <= 1 && !settings->factor_count, drawn = settings->n <= method->drawn_n;
    if (rule_none(rules[0], settings->n) && !lists_rule(method, settings->rule) && !drawn) {
        (void)snprintf(why, CONSTRUCTION_WHY_MAX, "The method %s has no solution of n = %u.", method->name,
                       settings->n);
        return NQ_NONE;
    }
    return method->check && !trivial ? method->check(settings, why) : NQ_OK;
}

bool construction_able(const struct construction *construction, uint32_t n, const struct rule *rule)
{
    const struct construction_settings presets = {.n = n, .rule = rule};
    char unused[CONSTRUCTION_WHY_MAX];
    const uint32_t most = construction_max_n(construction, rule);
    return most && n <= most && !construction->fails && ask(construction, &presets, unused) == NQ_OK;
}

/* Appends the largest n below this one of which a method has a solution. */
static void recommend_smaller(const struct construction_settings *settings, char why[static CONSTRUCTION_WHY_MAX])
{
    const struct construction *largest = NULL;
    uint32_t most = 0;
    for (const struct construction *const *at = constructions; *at; at++) {
        const uint32_t own = construction_max_n(*at, settings->rule);
        if (own < settings->n && own > most && construction_able(*at, own, settings->rule)) {
            largest = *at;
            most = own;
        }
    }
    const size_t size = strlen(why);
    if (largest)
        (void)snprintf(why + size, CONSTRUCTION_WHY_MAX - size, " Up to n = %u %s has solutions.", most, largest->name);
}

/* Appends the names of those that have a solution of this size, as they are preset. */
static void recommend(const struct construction *refusing, const struct construction_settings *settings,
                      char why[static CONSTRUCTION_WHY_MAX])
{
    const char *before = " Methods that have a solution:";
    for (const struct construction *const *at = constructions; *at; at++) {
        if (!construction_able(*at, settings->n, settings->rule))
            continue;
        const size_t size = strlen(why);
        (void)snprintf(why + size, CONSTRUCTION_WHY_MAX - size, "%s %s%s", before, (*at)->name,
                       *at == refusing ? " with its defaults" : "");
        before = ",";
    }
    const size_t size = strlen(why);
    if (before[0] == ',')
        (void)snprintf(why + size, CONSTRUCTION_WHY_MAX - size, ".");
    else
        recommend_smaller(settings, why);
}

enum nq_status construction_check(const struct construction *construction, const struct construction_settings *settings,
                                  char why[static CONSTRUCTION_WHY_MAX])
{
    why[0] = '\0';
    if (rule_none(settings->rule, settings->n))
        return NQ_NONE;
    const enum nq_status status = ask(construction, settings, why);
    if (status == NQ_NONE)
        recommend(construction, settings, why);
    return status;
}

/* ---- By a machine ---- */

static enum nq_status open_machine(struct nq_construction *construction, const struct construction_settings *settings)
{
    const struct machine_settings machine = {
        .n = settings->n, .rule = settings->rule, .seed = settings->seed, .allowance = settings->allowance};
    const size_t size = settings->n * sizeof *construction->columns;
    if (!allowance_take(settings->allowance, size))
        return NQ_BUSY;
    construction->allowance = settings->allowance;
    construction->columns = malloc(size);
    const enum nq_status status = construction->columns
                                      ? machine_open(construction->method->machine, &machine, &construction->machine)
                                      : NQ_NOMEM;
    if (status != NQ_OK) {
        free(construction->columns);
        allowance_give(settings->allowance, size);
    }
    return status;
}

static void end_machine(struct nq_construction *construction)
{
    if (construction->machine)
        construction->method->machine->close(construction->machine);
    construction->machine = NULL;
}

static enum nq_status step_on(struct nq_construction *construction, uint64_t *budget)
{
    const struct machine_class *class = construction->method->machine;
    struct step step = {0};
    while (construction->machine) {
        if (*budget == 0)
            return NQ_AGAIN;
        const enum nq_status status = class->step(construction->machine, &step);
        if (status != NQ_OK)
            return status == NQ_END ? NQ_LIMIT : status;
        const uint64_t cost = step_cost(&step);
        *budget -= *budget < cost ? *budget : cost;
        construction->end.steps++;
        construction->end.energy = step_energy(&step);
        if (step.kind == STEP_SOLUTION) {
            class->board(construction->machine, construction->columns);
            end_machine(construction);
        }
    }
    return NQ_OK;
}

/* ---- The calls ---- */

static enum nq_status open_plan(struct nq_construction *construction, const struct construction_settings *settings)
{
    if (settings->n <= 1)
        return NQ_OK;
    if (construction->method->open)
        return construction->method->open(settings, &construction->plan);
    return open_machine(construction, settings);
}

enum nq_status construction_open(const struct construction *method, const struct construction_settings *settings,
                                 struct nq_construction **out)
{
    char why[CONSTRUCTION_WHY_MAX];
    if (!method->open && !method->machine)
        return NQ_INVALID;
    if (settings->n > construction_max_n(method, settings->rule))
        return NQ_LIMIT;
    enum nq_status status = construction_check(method, settings, why);
    if (status != NQ_OK)
        return status;
    struct nq_construction *construction = calloc(1, sizeof *construction);
    if (!construction)
        return NQ_NOMEM;
    construction->method = method;
    construction->n = settings->n;
    status = open_plan(construction, settings);
    if (status != NQ_OK) {
        free(construction);
        return status;
    }
    *out = construction;
    return NQ_OK;
}

struct construction_end construction_ended(const struct nq_construction *construction)
{
    return construction->end;
}

enum nq_status construction_work(struct nq_construction *construction, uint64_t *budget)
{
    if (construction->plan && construction->method->work)
        return construction->method->work(construction->plan, budget);
    return step_on(construction, budget);
}

void nq_construction_rows(const struct nq_construction *construction, uint32_t first, uint32_t count, uint32_t *columns)
{
    assert(!construction->machine);
    if (construction->plan)
        construction->method->rows(construction->plan, first, count, columns);
    else if (construction->columns)
        memcpy(columns, construction->columns + first, count * sizeof *columns);
    else
        memset(columns, 0, count * sizeof *columns); /* one square at most */
}

void nq_construction_close(struct nq_construction *construction)
{
    if (!construction)
        return;
    if (construction->plan)
        construction->method->close(construction->plan);
    end_machine(construction);
    if (construction->columns) {
        free(construction->columns);
        allowance_give(construction->allowance, construction->n * sizeof *construction->columns);
    }
    free(construction);
}
