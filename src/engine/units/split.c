/* split.c - a list: few units are under way at a time. */
#include "engine/units/split.h"

#include <stdlib.h>

void splits_close(struct splits *splits)
{
    while (splits->list)
        splits_remove(splits, splits->list);
}

struct split_unit *splits_find(const struct splits *splits, size_t unit)
{
    struct split_unit *split = splits->list;
    while (split && split->unit != unit)
        split = split->next;
    return split;
}

struct split_unit *splits_add(struct splits *splits, size_t unit, size_t pieces)
{
    struct split_unit *split = calloc(1, sizeof *split + pieces * sizeof split->known[0]);
    if (!split)
        return NULL;
    split->unit = unit;
    split->pieces = split->left = pieces;
    split->next = splits->list;
    splits->list = split;
    return split;
}

bool splits_take(struct splits *splits, size_t *item)
{
    for (struct split_unit *split = splits->list; split; split = split->next)
        while (split->begun && split->untaken < split->pieces)
            if (!split->known[split->untaken++]) {
                *item = item_of(split->unit, split->untaken - 1);
                return true;
            }
    return false;
}

void splits_rewind(struct splits *splits)
{
    for (struct split_unit *split = splits->list; split; split = split->next)
        split->untaken = 0;
}

bool splits_settle(struct split_unit *split, size_t piece, nq_wide parts, uint64_t nodes)
{
    if (split->known[piece])
        return false;
    split->known[piece] = true;
    split->left--;
    split->parts += parts;
    split->nodes += nodes;
    return true;
}

void splits_remove(struct splits *splits, struct split_unit *split)
{
    struct split_unit **at = &splits->list;
    while (*at != split)
        at = &(*at)->next;
    *at = split->next;
    free(split);
}
