/* question.c - cursors of a question, and its copies. */
#include "engine/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "count/known.h"
#include "engine/answer.h"
#include "engine/effort.h"
#include "solvers/solver.h"

const char *question_algorithm(const struct question *question)
{
    switch (question->kind) {
    case ASK_SOLVE:
        return question->samples            ? effort_index
               : question->cursor.algorithm ? question->cursor.algorithm
                                            : solvers[0]->name;
    case ASK_TRACE: return question->cursor.algorithm;
    case ASK_CONSTRUCT: return question->method;
    case ASK_PLACE: return effort_index;
    case ASK_COUNT:
        if (question->way == COUNT_ESTIMATE)
            return effort_estimate;
        return question->way == COUNT_COMPUTE && question->indexed ? effort_index : NULL;
    case ASK_COST:
    case ASK_COMPARE:
    case ASK_PUZZLE:
    case ASK_HINT:
    case ASK_VERIFY: break;
    }
    return NULL;
}

/* What the algorithm heeds of its settings. */
static uint64_t hash_settings(uint64_t hash, const struct question *question)
{
    const struct machine_settings *machine = &question->cursor.machine;
    char text[120];
    (void)snprintf(text, sizeof text, "%d %u %u %u %u %u %d %llu", (int)question->kind, question->n, machine->column,
                   machine->splits, machine->split[0], machine->split[1], (int)machine->strategy,
                   (unsigned long long)machine->seed);
    hash = hash_text(hash, text);
    if (question->kind != ASK_TRACE)
        return hash;
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)question->most);
    return hash_text(hash, text);
}

/* Names the list a place is in: whatever decides which solutions come and in what order, and nothing else. */
static uint64_t list_digest(const struct question *question)
{
    const struct query *query = &question->query;
    const unsigned char kind[] = {(unsigned char)question->n, /* the whole of it is with the settings */
                                  (unsigned char)query->distinct, (unsigned char)query->symmetry};
    uint64_t hash = hash_bytes(hash_text(HASH_START, question->cursor.algorithm), kind, sizeof kind);
    hash = hash_settings(hash, question);
    for (uint32_t row = 0; row < question->n && row < FILTER_MAX_N; row++) {
        unsigned char allow[8]; /* the same on machines of either byte order */
        for (size_t i = 0; i < sizeof allow; i++)
            allow[i] = (unsigned char)(query->filter.allow[row] >> 8 * i);
        hash = hash_bytes(hash, allow, sizeof allow);
    }
    return hash;
}

/* A place that can only be found again by doing everything before it: at least it is one. */
static enum nq_status look_at(const struct token *place, uint32_t n)
{
    bool valid = place->length == 0 && place->ordinal == 0;
    const enum nq_status status = place->length == n && n && place->ordinal && place->ordinal != RANK_UNKNOWN
                                      ? nq_verify(n, place->prefix, &valid)
                                      : NQ_OK;
    return status != NQ_OK || valid ? status : NQ_INVALID;
}

/* Whether there can be such a place. */
static enum nq_status look_up(const struct question *question, const struct token *place)
{
    struct nq_cursor *cursor;
    if (!solver_resumes(solver_find(question->cursor.algorithm)))
        return look_at(place, question->n);
    enum nq_status status = cursor_open(&question->cursor, &question->query, &cursor);
    if (status != NQ_OK)
        return status;
    status = nq_cursor_seek(cursor, place->prefix, place->length);
    nq_cursor_close(cursor);
    return status;
}

enum nq_status question_set_cursor(struct question *question, const char *text)
{
    struct token place;
    uint64_t total;
    if (token_decode(text, list_digest(question), &place) != NQ_OK)
        return NQ_INVALID;
    if (question->kind == ASK_TRACE) { /* a number of steps, and nothing else */
        question->from = place;
        return place.length ? NQ_INVALID : NQ_OK;
    }
    if (nq_known_count(question->n, &total) != NQ_OK)
        total = UINT64_C(1) << 62; /* nobody gets so far by reading */
    if (token_is_end(&place) || (place.ordinal >= total && place.ordinal != RANK_UNKNOWN))
        return NQ_INVALID; /* nothing leads to the end of a list */
    const enum nq_status status = look_up(question, &place);
    if (status == NQ_OK)
        question->from = place;
    return status;
}

enum nq_status question_set_after(struct question *question, const uint32_t *columns)
{
    struct token place = {.ordinal = RANK_UNKNOWN, .length = question->n};
    for (uint32_t row = 0; row < question->n; row++)
        place.prefix[row] = columns[row];
    const enum nq_status status = look_up(question, &place);
    if (status == NQ_OK)
        question->from = place;
    return status;
}

void question_cursor(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX])
{
    token_encode(place, list_digest(question), text);
}

char *question_next(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX],
                    size_t *length)
{
    struct bytes next = {0};
    question_cursor(question, place, text);
    bytes_format(&next, "%s&cursor=%s", question->path, text);
    *length = next.size;
    return bytes_take(&next);
}

bool question_listed(const struct question *question)
{
    return solver_find(question->cursor.algorithm)->lists != LISTS_SOME;
}

bool question_table_total(const struct question *question)
{
    const struct query *query = &question->query;
    struct known known;
    return question_listed(question) && filter_whole(&query->filter) &&
           known_find(question->n, query->distinct, query->symmetry, &known);
}

bool question_copy(struct question *copy, const struct question *question)
{
    *copy = *question;
    copy->key = strdup(question->key);
    copy->path = strdup(question->path);
    copy->prefix = strdup(question->prefix);
    if (copy->index)
        answer_ref(copy->index);
    if (copy->placement)
        placement_ref(copy->placement);
    if (copy->key && copy->path && copy->prefix)
        return true;
    question_free(copy);
    return false;
}

void question_free(struct question *copy)
{
    free((char *)copy->key);
    free((char *)copy->path);
    free((char *)copy->prefix);
    answer_unref(copy->index);
    placement_unref(copy->placement);
    *copy = (struct question){0};
}
