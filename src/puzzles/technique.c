/* technique.c - steps of deduction, and what several techniques share. */
#include "puzzles/technique.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *level_name(size_t level)
{
    static const char *const names[LEVELS] = {"easy", "medium", "hard", "expert"};
    return level < LEVELS ? names[level] : NULL;
}

const char *technique_name(const struct technique *technique, uint32_t size, char text[static FINDING_NAME_MAX])
{
    (void)snprintf(text, FINDING_NAME_MAX, technique->sized ? "%s-%u" : "%s", technique->name, (unsigned)size);
    return text;
}

const char *finding_name(const struct finding *finding, char text[static FINDING_NAME_MAX])
{
    return technique_name(finding->by, finding->size, text);
}

bool finding_first(const struct grid *grid, const struct position *position, const struct technique *const *list,
                   size_t count, struct finding *finding, const atomic_bool *stop)
{
    for (size_t i = 0; i < count && list[i]; i++) {
        finding_begin(grid, finding);
        finding->by = list[i];
        if (list[i]->find(grid, position, finding, stop))
            return true;
    }
    return false;
}

void finding_apply(const struct grid *grid, struct position *position, const struct finding *finding)
{
    assert(finding->queen == GRID_NOWHERE || finding->queen < grid->n * grid->n);
    for (uint32_t i = 0; i < grid->words; i++)
        position->free[i] &= ~finding->cross[i];
    if (finding->queen != GRID_NOWHERE)
        (void)position_place(grid, position, finding->queen);
}

void finding_begin(const struct grid *grid, struct finding *finding)
{
    finding->size = 0;
    finding->queen = GRID_NOWHERE;
    finding->groups = 0;
    memset(finding->cross, 0, grid->words * sizeof *finding->cross);
    memset(finding->squares, 0, grid->words * sizeof *finding->squares);
}

static void finding_add_group(struct finding *finding, unsigned kind, uint32_t index)
{
    assert(finding->groups < sizeof finding->group / sizeof finding->group[0]);
    finding->group[finding->groups++] = (struct group){(uint8_t)kind, (uint8_t)index};
}

void finding_rest_on(const struct grid *grid, const struct position *position, struct finding *finding, unsigned kind,
                     uint32_t index)
{
    const uint64_t *group = grid_group(grid, kind, index);
    finding_add_group(finding, kind, index);
    for (uint32_t i = 0; i < grid->words; i++)
        finding->squares[i] |= position->free[i] & group[i];
}

void touches_read(const struct grid *grid, const struct position *position, struct touches *touches)
{
    uint32_t square;
    for (unsigned kind = 0; kind < grid->kinds; kind++)
        for (unsigned other = 0; other < grid->kinds; other++)
            memset(touches->of[kind][other], 0, grid->n * sizeof *touches->of[kind][other]);
    for (struct squares_left at = squares_of(grid, position->free, NULL); squares_next(&at, &square);)
        for (unsigned kind = 1; kind < grid->kinds; kind++)
            for (unsigned other = 0; other < kind; other++) {
                const uint8_t a = grid->of[kind][square], b = grid->of[other][square];
                touches->of[kind][other][a] |= UINT64_C(1) << b;
                touches->of[other][kind][b] |= UINT64_C(1) << a;
            }
}

/* The squares of some groups of a kind. */
static void join_groups(const struct grid *grid, unsigned kind, uint64_t groups, uint64_t *set)
{
    memset(set, 0, grid->words * sizeof *set);
    for (; groups; groups &= groups - 1) {
        const uint64_t *group = grid_group(grid, kind, (uint32_t)__builtin_ctzll(groups));
        for (uint32_t i = 0; i < grid->words; i++)
            set[i] |= group[i];
    }
}

bool confinement_cross(const struct grid *grid, const struct position *position, const struct confinement *confinement,
                       uint64_t *cross)
{
    const bool few = __builtin_popcountll(confinement->targets) < __builtin_popcountll(confinement->groups);
    uint64_t inside[GRID_MAX_WORDS], targets[GRID_MAX_WORDS], any = 0;
    join_groups(grid, confinement->kind, confinement->groups, inside);
    join_groups(grid, confinement->into, confinement->targets, targets);
    for (uint32_t i = 0; i < grid->words; i++) {
        const uint64_t found = position->free[i] & (few ? inside[i] : targets[i] & ~inside[i]);
        cross[i] |= found;
        any |= found;
    }
    return any;
}

void confinement_found(const struct grid *grid, const struct position *position, const struct confinement *confinement,
                       struct finding *finding)
{
    for (uint64_t groups = confinement->groups; groups; groups &= groups - 1)
        finding_rest_on(grid, position, finding, confinement->kind, (uint32_t)__builtin_ctzll(groups));
    for (uint64_t targets = confinement->targets; targets; targets &= targets - 1)
        finding_add_group(finding, confinement->into, (uint32_t)__builtin_ctzll(targets));
}
