/* halves.c - room for halves, and a sample of them. */
#include "count/methods/halves.h"

#include <stdlib.h>

bool halves_reserve(struct halves *halves, int group, size_t more)
{
    const size_t count = halves->count[0] + (group ? halves->count[1] + HALVES_SLACK : 0) + more + HALVES_SLACK;
    if (count <= halves->room)
        return true;
    uint64_t *word = realloc(halves->word, 2 * count * sizeof *word);
    if (!word)
        return false;
    halves->word = word;
    halves->room = 2 * count;
    return true;
}

void halves_free_many(struct halves *halves)
{
    enum { MANY_HALVES = 1 << 23 };
    if (halves->room < MANY_HALVES)
        return;
    free(halves->word);
    halves->word = NULL;
    halves->room = 0;
}

void halves_sample(const struct halves *halves, size_t count, uint64_t *word)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * halves_count(halves) / count;
        word[i] = halves_begin(halves, 0)[at < halves->count[0] ? at : at + HALVES_SLACK];
        if (halves->mirrored)
            word[i] = join_mirror(word[i]);
    }
}
