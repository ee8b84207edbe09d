/* partials.c - placements of the upper rows in memory: chunks that grow from an allowance, numbers given back and used
 * again, and the steps that describe them. It does not know which is taken up next. */
#include "solvers/partials.h"
#include "base/status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct partial {
    uint32_t next; /* in its list, or of those given back */
    uint8_t rows;
    uint8_t columns[];
};

static size_t chunk_size(const struct partials *partials)
{
    return (size_t)PARTIALS_IN_CHUNK * partials->size;
}

void partials_open(struct partials *partials, const struct machine_settings *settings, uint32_t spare)
{
    assert(settings->n >= 1 && settings->n <= MACHINE_MAX_N && settings->column < settings->n && spare % 8 == 0);
    *partials = (struct partials){.n = settings->n, .allowance = settings->allowance, .spare = spare};
    partials->size = (spare + (uint32_t)offsetof(struct partial, columns) + settings->n + 7) / 8 * 8;
}

void partials_close(struct partials *partials)
{
    for (size_t i = 0; i < PARTIALS_CHUNKS && partials->chunks[i]; i++) {
        free(partials->chunks[i]);
        allowance_give(partials->allowance, chunk_size(partials));
    }
}

void *partials_spare(const struct partials *partials, uint32_t number)
{
    assert(number >= 1 && number <= partials->ever);
    const uint32_t index = number - 1;
    return partials->chunks[index / PARTIALS_IN_CHUNK] + (size_t)(index % PARTIALS_IN_CHUNK) * partials->size;
}

static struct partial *at(const struct partials *partials, uint32_t number)
{
    return (void *)((unsigned char *)partials_spare(partials, number) + partials->spare);
}

static enum nq_status grow(struct partials *partials)
{
    const size_t size = chunk_size(partials), chunk = partials->ever / PARTIALS_IN_CHUNK;
    if (chunk == PARTIALS_CHUNKS || (chunk + 1) * size > PARTIALS_BYTES)
        return NQ_LIMIT;
    if (!allowance_take(partials->allowance, size))
        return NQ_BUSY;
    partials->chunks[chunk] = malloc(size);
    if (partials->chunks[chunk])
        return NQ_OK;
    allowance_give(partials->allowance, size);
    return NQ_NOMEM;
}

/* A number that is not in use. */
static enum nq_status draw(struct partials *partials, uint32_t *number)
{
    *number = partials->free;
    if (*number) {
        partials->free = at(partials, *number)->next;
        return NQ_OK;
    }
    if (partials->ever % PARTIALS_IN_CHUNK == 0) {
        const enum nq_status status = grow(partials);
        if (status != NQ_OK)
            return status;
    }
    *number = ++partials->ever;
    return NQ_OK;
}

uint64_t partials_taken(const struct partials *partials)
{
    uint64_t taken = 0;
    for (uint32_t row = 0; row < partials->rows; row++)
        taken |= UINT64_C(1) << partials->columns[row];
    return taken;
}

void partials_board(const struct partials *partials, uint32_t *columns)
{
    for (uint32_t row = 0; row < partials->n; row++)
        columns[row] = row < partials->rows ? partials->columns[row] : NOWHERE;
}

/* The board counts as one placement in memory. */
static struct step step_of(const struct partials *partials, enum step_kind kind, uint32_t row, uint32_t column)
{
    struct step step = step_on_square(kind, row, column, partials->rows);
    step.tests = kind == STEP_PLACE || kind == STEP_REJECT || kind == STEP_KEEP;
    step.states += partials->kept;
    return step;
}

bool partials_reject(const struct partials *partials, uint32_t column, struct step *step)
{
    for (uint32_t row = 0; row < partials->rows; row++) {
        if (!nq_attack(row, partials->columns[row], partials->rows, column))
            continue;
        *step = step_of(partials, STEP_REJECT, partials->rows, column);
        step->by = row;
        return true;
    }
    return false;
}

enum nq_status partials_keep(struct partials *partials, uint32_t column, uint32_t *number, struct step *step)
{
    const enum nq_status status = draw(partials, number);
    if (status != NQ_OK)
        return status;
    struct partial *partial = at(partials, *number);
    partial->rows = (uint8_t)(partials->rows + 1);
    memcpy(partial->columns, partials->columns, partials->rows);
    partial->columns[partials->rows] = (uint8_t)column;
    partials->kept++;
    *step = step_of(partials, STEP_KEEP, partials->rows, column);
    step->depth = partial->rows;
    return NQ_OK;
}

void partials_take(struct partials *partials, uint32_t number, struct step *step)
{
    struct partial *partial = at(partials, number);
    partials->rows = partial->rows;
    memcpy(partials->columns, partial->columns, partial->rows);
    partial->next = partials->free;
    partials->free = number;
    partials->kept--;
    *step = step_of(partials, STEP_TAKE, NOWHERE, NOWHERE);
}

void partials_place(struct partials *partials, uint32_t column, struct step *step)
{
    const uint32_t row = partials->rows++;
    partials->columns[row] = (uint8_t)column;
    *step = step_of(partials, STEP_PLACE, row, column);
}

void partials_remove(struct partials *partials, struct step *step)
{
    const uint32_t row = --partials->rows;
    *step = step_of(partials, STEP_REMOVE, row, partials->columns[row]);
}

void partials_solution(const struct partials *partials, struct step *step)
{
    *step = step_of(partials, STEP_SOLUTION, NOWHERE, NOWHERE);
}

void partials_insert(struct partials *partials, struct partials_list *list, uint32_t after, uint32_t number)
{
    uint32_t *link = after ? &at(partials, after)->next : &list->first;
    if (after == list->last)
        list->last = number;
    at(partials, number)->next = *link;
    *link = number;
}

uint32_t partials_pop(struct partials *partials, struct partials_list *list)
{
    const uint32_t number = list->first;
    if (number)
        list->first = at(partials, number)->next;
    if (!list->first)
        list->last = 0;
    return number;
}
