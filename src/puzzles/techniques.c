/* techniques.c - the table of techniques, and the next step by it. */
#include "puzzles/technique.h"

extern const struct technique technique_single, technique_confined, technique_common_attack, technique_sets,
    technique_contradiction_1, technique_contradiction, technique_contradiction_full, technique_search;

const struct technique *const techniques[] = {&technique_single,
                                              &technique_confined,
                                              &technique_common_attack,
                                              &technique_sets,
                                              &technique_contradiction_1,
                                              &technique_contradiction,
                                              &technique_contradiction_full,
                                              &technique_search,
                                              NULL};

bool finding_next(const struct grid *grid, const struct position *position, size_t count, struct finding *finding,
                  const atomic_bool *stop)
{
    return finding_first(grid, position, techniques, count, finding, stop);
}
