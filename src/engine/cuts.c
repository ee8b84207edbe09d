/* cuts.c - a list: few units are under way at a time. */
#include "engine/cuts.h"

#include <stdlib.h>

void cuts_close(struct cuts *cuts)
{
    while (cuts->list)
        cuts_remove(cuts, cuts->list);
}

struct cut *cuts_find(const struct cuts *cuts, size_t unit)
{
    struct cut *cut = cuts->list;
    while (cut && cut->unit != unit)
        cut = cut->next;
    return cut;
}

struct cut *cuts_add(struct cuts *cuts, size_t unit, size_t pieces)
{
    struct cut *cut = calloc(1, sizeof *cut + pieces * sizeof cut->known[0]);
    if (!cut)
        return NULL;
    cut->unit = unit;
    cut->pieces = cut->left = pieces;
    cut->next = cuts->list;
    cuts->list = cut;
    return cut;
}

void cuts_begin(struct cut *cut)
{
    cut->begun = true;
}

bool cuts_take(struct cuts *cuts, size_t *task)
{
    for (struct cut *cut = cuts->list; cut; cut = cut->next)
        while (cut->begun && cut->untaken < cut->pieces)
            if (!cut->known[cut->untaken++]) {
                *task = task_of(cut->unit, cut->untaken - 1);
                return true;
            }
    return false;
}

bool cuts_settle(struct cut *cut, size_t piece, nq_wide parts, uint64_t nodes)
{
    if (cut->known[piece])
        return false;
    cut->known[piece] = true;
    cut->left--;
    cut->parts += parts;
    cut->nodes += nodes;
    return true;
}

void cuts_remove(struct cuts *cuts, struct cut *cut)
{
    struct cut **at = &cuts->list;
    while (*at != cut)
        at = &(*at)->next;
    *at = cut->next;
    free(cut);
}
