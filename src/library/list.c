/* list.c - the tables of the rooms, as one. */
#include "constructions/construction.h"
#include "count/methods/method.h"
#include "puzzles/technique.h"
#include "rules/rule.h"
#include "solvers/solver.h"

static const char *text(const char *given)
{
    return given ? given : "";
}

/* The i-th entry of a table that ends with NULL; NULL after its last. */
#define ENTRY(table, i) (table_has((const void *const *)(table), i) ? (table)[i] : NULL)
static bool table_has(const void *const *table, size_t i)
{
    for (size_t at = 0; at <= i; at++)
        if (!table[at])
            return false;
    return true;
}

static bool list_rule(size_t i, struct nq_entry *entry)
{
    const struct rule *rule = ENTRY(rules, i);
    if (rule)
        *entry = (struct nq_entry){.name = rule->name, .summary = "", .source = ""};
    return rule;
}

static bool list_algorithm(size_t i, struct nq_entry *entry)
{
    const struct solver *solver = ENTRY(solvers, i);
    if (solver)
        *entry =
            (struct nq_entry){solver->name, text(solver->summary), text(solver->source), solver->year, solver->max_n};
    return solver;
}

static bool list_counting_method(size_t i, struct nq_entry *entry)
{
    const struct method *method = ENTRY(methods, i);
    if (method)
        *entry = (struct nq_entry){method->name, text(method->summary), text(method->source), 0, method->max_n};
    return method;
}

/* Those that can be opened here: one without functions of its own is put together by the service. */
static bool list_construction(size_t i, struct nq_entry *entry)
{
    for (const struct construction *const *at = constructions; *at; at++) {
        const struct construction *method = *at;
        if ((!method->open && !method->machine) || i--)
            continue;
        *entry =
            (struct nq_entry){method->name, text(method->summary), text(method->source), method->year, method->max_n};
        return true;
    }
    return false;
}

static bool list_technique(size_t i, struct nq_entry *entry)
{
    const struct technique *technique = ENTRY(techniques, i);
    if (technique)
        *entry = (struct nq_entry){.name = technique->name, .summary = text(technique->summary), .source = ""};
    return technique;
}

bool nq_list(enum nq_table table, size_t i, struct nq_entry *entry)
{
    switch (table) {
    case NQ_RULES: return list_rule(i, entry);
    case NQ_ALGORITHMS: return list_algorithm(i, entry);
    case NQ_COUNTING_METHODS: return list_counting_method(i, entry);
    case NQ_CONSTRUCTIONS: return list_construction(i, entry);
    case NQ_TECHNIQUES: return list_technique(i, entry);
    }
    return false;
}
