/* constructions.c - the table of constructions, and the public calls that go through it. */
#include <stdlib.h>
#include <string.h>

#include "constructions/construction.h"

extern const struct construction construction_explicit;

const struct construction *const constructions[] = {&construction_explicit, NULL};

struct nq_construction {
    const struct construction *method;
    void *plan;
};

static const struct construction *find(const char *name)
{
    for (const struct construction *const *at = constructions; *at; at++)
        if (!name || strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

enum nq_status nq_construction_open(const char *name, uint32_t n, struct nq_construction **out)
{
    const struct construction *method = find(name);
    if (!method)
        return NQ_INVALID;
    if (n > method->max_n)
        return NQ_LIMIT;
    if (n == 2 || n == 3)
        return NQ_NONE;
    struct nq_construction *construction = malloc(sizeof *construction);
    if (!construction)
        return NQ_NOMEM;
    construction->method = method;
    enum nq_status status = method->open(n, &construction->plan);
    if (status != NQ_OK) {
        free(construction);
        return status;
    }
    *out = construction;
    return NQ_OK;
}

void nq_construction_rows(const struct nq_construction *construction, uint32_t first, uint32_t count, uint32_t *columns)
{
    construction->method->rows(construction->plan, first, count, columns);
}

void nq_construction_close(struct nq_construction *construction)
{
    if (!construction)
        return;
    construction->method->close(construction->plan);
    free(construction);
}
