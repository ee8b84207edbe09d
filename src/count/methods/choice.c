/* choice.c - priorities of sets, and weights. */
#include "count/methods/choice.h"

#include <stdlib.h>

#include "count/methods/method.h"

struct ranked {
    uint32_t set;
    uint64_t work;
};

static int by_priority(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    const int size_a = __builtin_popcount(a->set), size_b = __builtin_popcount(b->set);
    if (size_a != size_b)
        return size_a > size_b ? -1 : 1;
    if (a->work != b->work)
        return a->work < b->work ? -1 : 1;
    return a->set < b->set ? -1 : a->set > b->set;
}

/* Any distinct priorities would do. Smaller sets first, because they have fewer companions; among those of one size the
 * ones with most placements, so that what makes most work is ruled out for all others: 10 to 20 % less than by number.
 */
bool priorities_open(struct priorities *priorities, const struct quadrants *quadrants)
{
    *priorities = (struct priorities){.quadrants = quadrants};
    if (quadrants->n % 2)
        return true;
    const uint32_t sets = quadrants->sets, all = sets - 1;
    struct ranked *ranked = malloc(sets * sizeof *ranked);
    priorities->priority = malloc(sets * sizeof priorities->priority[0]);
    priorities->either = malloc(sets * sizeof priorities->either[0]);
    if (!ranked || !priorities->priority || !priorities->either) {
        free(ranked);
        return false;
    }
    for (uint32_t set = 0; set < sets; set++)
        ranked[set] = (struct ranked){set, (uint64_t)quadrants->placements[set] * quadrants->placements[set ^ all]};
    qsort(ranked, sets, sizeof *ranked, by_priority);
    for (uint32_t i = 0; i < sets; i++)
        priorities->priority[ranked[i].set] = (uint16_t)i;
    for (uint32_t set = 0; set < sets; set++)
        priorities->either[set] = priorities->priority[set] > priorities->priority[set ^ all]
                                      ? priorities->priority[set]
                                      : priorities->priority[set ^ all];
    free(ranked);
    return true;
}

void priorities_close(struct priorities *priorities)
{
    free(priorities->priority);
    free(priorities->either);
}

bool choice_make(const struct priorities *priorities, uint32_t x, struct choice *choice)
{
    const struct quadrants *quadrants = priorities->quadrants;
    const uint32_t size = (uint32_t)__builtin_popcount(x), all = quadrants->sets - 1,
                   count = quadrants_sets(quadrants, size);
    const uint16_t *set = quadrants->by_size + quadrants->size_first[size];
    choice->x = x;
    choice->count = choice->of_u = 0;
    if (quadrants->n % 2) {
        for (uint32_t i = 0; i < count; i++) {
            choice->set[i] = set[i];
            choice->of_u += x <= (set[i] ^ all); /* the others come after these */
        }
        choice->count = choice->below = count;
        return choice->of_u > 0;
    }
    const uint32_t priority = priorities->priority[x];
    if (priority < priorities->either[x])
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (priorities->either[set[i]] < priority)
            choice->set[choice->count++] = set[i];
    choice->below = choice->count;
    for (uint32_t i = 0; i < count; i++)
        if (priorities->either[set[i]] == priority)
            choice->set[choice->count++] = set[i];
    choice->of_u = choice->count;
    return true;
}

/* The rows of the west half as the symmetries of a solution with a queen in the centre change them: how many different
 * ones there are if this is the least, else 0. */
unsigned choice_centre_images(const struct quadrants *quadrants, uint32_t x, uint32_t u)
{
    const uint32_t all = quadrants->sets - 1, upper = x, lower = u ^ all;
    const uint64_t image[4] = {
        (uint64_t)upper << 32 | lower,
        (uint64_t)lower << 32 | upper,
        (uint64_t)(upper ^ all) << 32 | (lower ^ all),
        (uint64_t)(lower ^ all) << 32 | (upper ^ all),
    };
    unsigned same = 1;
    for (int i = 1; i < 4; i++) {
        if (image[i] < image[0])
            return 0;
        same += image[i] == image[0];
    }
    return 4 / same;
}

uint64_t choice_thirds(const struct priorities *priorities, const struct choice *choice, uint32_t u,
                       uint64_t found[2][2])
{
    const struct quadrants *quadrants = priorities->quadrants;
    if (quadrants->n % 2) {
        const uint64_t weight = choice->x == (u ^ (quadrants->sets - 1)) ? 4 : 8;
        return (found[0][0] * weight + found[0][1] * choice_centre_images(quadrants, choice->x, u)) * METHOD_THIRDS;
    }
    const uint32_t ties = priorities->either[u] == priorities->priority[choice->x];
    uint64_t thirds = 0;
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t v = 0; v < 2; v++)
            thirds += found[y][v] * (8 * METHOD_THIRDS / (1 + ties + y + v)); /* 24, 12, 8 or 6 */
    return thirds;
}
