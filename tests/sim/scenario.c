/* scenario.c - drawn so that most runs have little of everything, and some nothing. */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check.h"

#define NUMBER(name, least) \
    { \
#name, offsetof(struct scenario, name), least \
    }
const struct scenario_number scenario_numbers[] = {
    NUMBER(seed, 0),  NUMBER(servers, 1), NUMBER(workers, 0),    NUMBER(threads, 1), NUMBER(asks, 1),
    NUMBER(terms, 1), NUMBER(units, 1),   NUMBER(pieces, 1),     NUMBER(unit_ms, 1), NUMBER(audit, 0),
    NUMBER(drift, 0), NUMBER(spread, 0),  NUMBER(lost, 0),       NUMBER(twice, 0),   NUMBER(unanswered, 0),
    NUMBER(late, 0),  NUMBER(late_ms, 0), NUMBER(lease_ms, 500), NUMBER(stale, 0),   NUMBER(bytes, 0),
    {NULL, 0, 0},
};

static const char *const names[FAULT_KINDS] = {
    [FAULT_KILL] = "kill", [FAULT_LEAVE] = "leave", [FAULT_FREEZE] = "freeze", [FAULT_CUT] = "cut",
    [FAULT_HANG] = "hang", [FAULT_STALL] = "stall", [FAULT_BROKER] = "broker", [FAULT_SILENT] = "silent",
    [FAULT_FULL] = "full", [FAULT_EVICT] = "evict", [FAULT_JUMP] = "jump",     [FAULT_GONE] = "gone",
};

/* ---- Drawn ---- */

static bool one_in(struct random *random, unsigned of)
{
    return random_below(random, of) == 0;
}

static unsigned between(struct random *random, unsigned least, unsigned most)
{
    return least + random_below(random, most - least + 1);
}

static void draw_network(struct random *random, struct scenario *scenario)
{
    if (one_in(random, 2))
        return;
    scenario->lost = one_in(random, 2) ? 0 : between(random, 1, 50);
    scenario->twice = one_in(random, 2) ? 0 : between(random, 1, 100);
    scenario->unanswered = one_in(random, 2) ? 0 : between(random, 1, 30);
    scenario->late = one_in(random, 2) ? 0 : between(random, 1, 200);
    scenario->late_ms = between(random, 1, one_in(random, 4) ? 3000 : 300);
    scenario->stale = one_in(random, 4) ? between(random, 1, 300) : 0;
}

static void draw_faults(struct random *random, struct scenario *scenario)
{
    const unsigned most = one_in(random, 3) ? 0 : between(random, 1, one_in(random, 4) ? SCENARIO_FAULTS : 4);
    const unsigned span = 1000 + scenario->units * scenario->unit_ms * scenario->terms;
    for (; scenario->fault_count < most; scenario->fault_count++) {
        struct sim_fault *fault = &scenario->faults[scenario->fault_count];
        /* deaths and lost connections are the most frequent */
        fault->kind = one_in(random, 2) ? (enum fault_kind)between(random, FAULT_KILL, FAULT_HANG)
                                        : (enum fault_kind)random_below(random, FAULT_KINDS);
        fault->process = random_below(random, scenario->servers + scenario->workers);
        fault->at_ms = between(random, 1, span < 30000 ? span : 30000);
        fault->for_ms = between(random, 1, one_in(random, 3) ? fault->kind == FAULT_FREEZE ? 20000 : 15000 : 3000);
    }
}

void scenario_draw(unsigned seed, struct scenario *scenario)
{
    struct random random = random_begin(seed, 0);
    *scenario = (struct scenario){.seed = seed};
    scenario->servers = between(&random, 1, one_in(&random, 2) ? 3 : 1);
    scenario->workers = one_in(&random, 6) ? 0 : between(&random, 1, 4);
    scenario->threads = between(&random, 1, 2);
    scenario->asks = 1;
    for (unsigned i = 1; i < 2 * scenario->servers; i++)
        scenario->asks |= (unsigned)one_in(&random, i % 2 ? 6 : 2) << i;
    scenario->terms = between(&random, 1, one_in(&random, 3) ? CHECK_TERMS : 1);
    scenario->units = between(&random, 1, one_in(&random, 4) ? 48 : 16);
    scenario->pieces = one_in(&random, 3) ? CHECK_PIECES : 1;
    scenario->unit_ms = between(&random, 10, one_in(&random, 5) ? 3000 : 400);
    scenario->audit = one_in(&random, 2) ? 0 : one_in(&random, 2) ? 1000 : between(&random, 10, 500);
    scenario->lease_ms = one_in(&random, 4) ? between(&random, 1000, 30000) : 3000;
    scenario->drift = one_in(&random, 4) ? random_below(&random, 50) : 0;
    scenario->spread = one_in(&random, 2) ? random_below(&random, 800) : 0;
    draw_network(&random, scenario);
    draw_faults(&random, scenario);
    scenario->bytes = one_in(&random, 4);
}

/* ---- As text ---- */

void scenario_write(const struct scenario *scenario, char text[static SCENARIO_TEXT])
{
    struct scenario copy = *scenario;
    size_t size = 0;
    *text = '\0';
    for (const struct scenario_number *number = scenario_numbers; number->name; number++)
        size += (size_t)snprintf(text + size, SCENARIO_TEXT - size, "%s%s=%u", size ? " " : "", number->name,
                                 *scenario_at(&copy, number));
    for (unsigned i = 0; i < scenario->fault_count; i++) {
        const struct sim_fault *fault = &scenario->faults[i];
        size += (size_t)snprintf(text + size, SCENARIO_TEXT - size, " %s:%u@%u+%u", names[fault->kind], fault->process,
                                 fault->at_ms, fault->for_ms);
    }
}

static bool read_word(const char *word, struct scenario *scenario)
{
    char name[32];
    unsigned value;
    struct sim_fault fault;
    if (sscanf(word, "%31[a-z_]=%u", name, &value) == 2)
        for (const struct scenario_number *number = scenario_numbers; number->name; number++)
            if (strcmp(number->name, name) == 0) {
                *scenario_at(scenario, number) = value;
                return true;
            }
    if (sscanf(word, "%31[a-z]:%u@%u+%u", name, &fault.process, &fault.at_ms, &fault.for_ms) != 4 ||
        scenario->fault_count == SCENARIO_FAULTS)
        return false;
    for (unsigned kind = 0; kind < FAULT_KINDS; kind++)
        if (strcmp(names[kind], name) == 0) {
            fault.kind = (enum fault_kind)kind;
            scenario->faults[scenario->fault_count++] = fault;
            return true;
        }
    return false;
}

bool scenario_read(const char *text, struct scenario *scenario)
{
    char copy[SCENARIO_TEXT], *rest;
    *scenario = (struct scenario){0};
    (void)snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
        if (!read_word(word, scenario))
            return false;
    return scenario->servers > 0 && scenario->threads > 0 && scenario->units > 0 && scenario->terms > 0;
}

bool scenario_is_calm(const struct scenario *scenario)
{
    return !scenario->fault_count && !scenario->lost && !scenario->twice && !scenario->unanswered && !scenario->late &&
           !scenario->stale;
}
