/* parallel_list.c - prefixes on one side, a lister for each of them and a format on the other. Queens have listers of
 * their own, all other rules one. */
#include "engine/lists/parallel_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/lists/source.h"
#include "formats/lines.h"
#include "kernels/kernel.h"
#include "rules/search.h"
#include "solvers/lister.h"
#include "solvers/solver.h"

/* Placements between two looks at the clock: well under a millisecond. */
enum { GRANT = 1 << 13 };

/* Solutions that pass from the lister to the format at a time. */
enum { BATCH = 256 };

/* On larger boards the cursor is faster, as it recognizes dead ends earlier; and shorter lists it makes soon enough. */
enum { PARALLEL_MAX_N = 20, PARALLEL_LEAST = 1 << 16 };

/* The rows of prefixes, so that each has some hundreds or thousands of solutions; see lister_rows(). Packed solutions
 * of several finds have room in a slot: n = 17 to 20 have 100 to 400 of them in one. Where more solutions stand than by
 * the rule of queens, all but eight rows; on larger boards few prefixes are come to. */
static uint32_t rows_of(const struct filter *filter, bool packs)
{
    enum { LAST_ROWS = 8, MOST_ROWS = 6, FEW = 17 };
    if (rule_by_lines(filter->rule) || !filter->rule->weaker)
        return lister_rows(filter->n) - (packs && filter->n >= FEW);
    const uint32_t rows = filter->n > LAST_ROWS ? filter->n - LAST_ROWS : 0;
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

struct parallel_list {
    struct listing listing;
    const struct finder *finder;
    bool by_lines;             /* see rule_by_lines() */
    struct kernel_board board; /* by lines; else */
    struct filter filter;      /* is settled */
    struct rule_walk prefixes;
    struct range first; /* position_length > 0: the list begins within it */
    uint32_t length;    /* of the prefixes */
    unsigned group;     /* see query_group() */
    bool fast;          /* `lines` writes the solutions, not the format, */
    bool packs;         /* and a reader has it done: see parallel_list_packs() */
    struct lines lines;
};

/* Whether the lister of a rule has such a board; one that is not by lines with solutions perhaps: prefixes without
 * are not recognized. */
static bool listable(const struct filter *filter)
{
    struct filter settled = *filter;
    if (rule_by_lines(filter->rule))
        return true;
    filter_settle(&settled);
    return !filter_contradictory(&settled) && !filter_impossible(filter);
}

/* The parameters that it heeds, and of them those that `lines` does: a list with any other one, as a new one is, goes
 * by the source and the format that all lists have. */
static const struct heeded {
    const char *name;
    bool lines;
} heeded[] = {
    {"n", true},     {"limit", true}, {"distinct", true},  {"place", true},  {"exclude", true}, {"rules", true},
    {"rank", false}, {"order", true}, {"algorithm", true}, {"board", false}, {"base", true},    {"format", true},
};

/* Whether a question's canonical path, which names every parameter that is not as preset, has only such ones. */
static bool heeds_all(const struct question *question, bool lines)
{
    for (const char *at = strchr(question->path, '?'); at; at = strchr(at, '&')) {
        const size_t length = strcspn(++at, "=");
        size_t i = 0;
        while (i < sizeof heeded / sizeof heeded[0] &&
               (strlen(heeded[i].name) != length || memcmp(heeded[i].name, at, length) != 0))
            i++;
        if (i == sizeof heeded / sizeof heeded[0] || (lines && !heeded[i].lines))
            return false;
    }
    return true;
}

bool parallel_list_suits(const struct question *question)
{
    return heeds_all(question, false) && question->format->lines && question->n > 0 && question->n <= PARALLEL_MAX_N &&
           listable(&question->query.filter) && question->list.limit >= PARALLEL_LEAST &&
           solver_find(question->list.cursor.algorithm) == solvers[0];
}

/* Goes to where the list begins; false when that is no placement. */
static bool seek(struct parallel_list *list, const struct list_start *from)
{
    struct range *first = &list->first;
    for (uint32_t row = 0; row < from->length && row < KERNEL_MAX_N; row++)
        first->position[row] = (uint8_t)from->prefix[row];
    if (from->length == 0)
        return true;
    if (from->length > list->filter.n || !rule_walk_seek(&list->prefixes, first->position, from->length))
        return false;
    if (from->length > list->length) {
        first->position_length = from->length;
        first->length = list->length;
        memcpy(first->prefix, first->position, sizeof first->prefix);
    }
    return true;
}

enum nq_status parallel_list_open(const struct question *question, const struct finder *finder,
                                  struct parallel_list **out)
{
    struct parallel_list *list = calloc(1, sizeof *list);
    if (!list)
        return NQ_NOMEM;
    list->finder = finder;
    list->filter = question->query.filter;
    list->by_lines = rule_by_lines(list->filter.rule);
    if (!list->by_lines)
        filter_settle(&list->filter);
    list->board = kernel_board_of(question->n, list->filter.allow);
    list->group = query_group(&question->query);
    list->fast = question->format == format_find("ndjson") && heeds_all(question, true);
    list->packs = list->fast && list->by_lines;
    list->length = rows_of(&list->filter, list->packs);
    rule_walk_begin(&list->prefixes, list->filter.rule, question->n, list->filter.allow, list->length);
    if (!seek(list, &question->list.from)) {
        free(list);
        return NQ_INVALID;
    }
    listing_begin(&list->listing, question, "lexicographic");
    if (list->fast)
        lines_begin(&list->lines, question->n, question->base);
    *out = list;
    return NQ_OK;
}

void parallel_list_close(struct parallel_list *list)
{
    free(list);
}

bool parallel_list_in_turn(const struct parallel_list *list)
{
    return list->listing.question->format->numbered || list->listing.head.ranked;
}

bool parallel_list_packs(const struct parallel_list *list)
{
    return list->packs;
}

void parallel_list_head(struct parallel_list *list, struct bytes *out)
{
    listing_head(&list->listing, out);
}

bool parallel_list_next(struct parallel_list *list, struct range *range)
{
    const struct list_start *from = &list->listing.question->list.from;
    if (list->first.position_length) {
        *range = list->first;
        list->first.position_length = 0;
        return true;
    }
    *range = (struct range){.length = list->length};
    if (token_is_end(from->ordinal, from->length))
        return false;
    while (rule_walk_next(&list->prefixes, range->prefix))
        if (!list->by_lines || kernel_promises(&list->board, &list->prefixes.search))
            return true;
    return false;
}

static void write(const struct parallel_list *list, uint64_t index, const uint8_t *rows, size_t count,
                  struct bytes *out)
{
    const uint32_t n = list->filter.n;
    if (list->fast) {
        char *to = bytes_reserve(out, count * list->lines.size + LINES_SLACK);
        if (to)
            out->size += lines_write(&list->lines, rows, count, to);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t columns[KERNEL_MAX_N];
        for (uint32_t row = 0; row < n; row++)
            columns[row] = rows[i * n + row];
        (void)listing_solution(&list->listing, out, columns, index + i,
                               rank_after(list->listing.head.offset, index + i), NULL);
    }
}

/* Keeps the representatives of classes, and returns how many they are. */
static size_t sift(const struct parallel_list *list, uint8_t *rows, size_t count)
{
    const uint32_t n = list->filter.n;
    size_t kept = 0;
    for (size_t i = 0; list->group != 1 && i < count; i++)
        if (query_representative(list->group, n, rows + i * n))
            memmove(rows + n * kept++, rows + i * n, n);
    return list->group == 1 ? count : kept;
}

/* After some solutions, of which the lister said `status`: NQ_OK to go on, or what filling ends with. */
static enum nq_status going_on(const struct filling *filling, enum nq_status status)
{
    if (filling->out->failed)
        return NQ_NOMEM;
    if (status == NQ_END || filling->solutions == filling->most)
        return NQ_END;
    if (stop_wanted(filling->stop))
        return NQ_CANCELLED;
    return clock_now() >= filling->slice->deadline ? NQ_AGAIN : NQ_OK;
}

/* What lists a range: NULL but one. */
struct listers {
    struct lister *queens;
    struct rule_walk *by_rule;
};

/* As parallel_list_fill, with a lister that stands where the range does. */
static enum nq_status fill_by(const struct parallel_list *list, const struct listers *by, uint64_t index,
                              struct filling *filling)
{
    uint8_t rows[BATCH * KERNEL_MAX_N];
    struct bytes *out = filling->out;
    while (out->size < filling->want) {
        const uint64_t left = filling->most - filling->solutions;
        uint64_t budget = GRANT;
        size_t count;
        const size_t room = left < BATCH ? (size_t)left : (size_t)BATCH;
        const enum nq_status status = by->queens ? lister_next(by->queens, &budget, rows, room, &count)
                                                 : rule_walk_list(by->by_rule, &budget, rows, room, &count);
        meter_did(filling->slice->meter, GRANT - budget);
        const size_t listed = sift(list, rows, count);
        write(list, index + filling->solutions, rows, listed, out);
        filling->solutions += listed;
        const enum nq_status going = going_on(filling, status);
        if (going != NQ_OK)
            return going;
    }
    return NQ_AGAIN;
}

static_assert(PACKED_LINE_MAX >= LINES_MAX_SIZE + LINES_SLACK, "a line has room");

/* What stands before the paths of a run, in packed solutions. */
struct packed_run {
    uint32_t count, length; /* of the paths; of the prefix */
    uint8_t columns[KERNEL_MAX_N];
};

/* Copies the paths of those solutions of a run that represent their classes. Returns how many they are. */
static size_t pack_representatives(const struct parallel_list *list, const struct run *run, uint64_t *paths)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct run one = {.length = run->length, .columns = run->columns, .paths = run->paths + i, .count = 1};
        uint8_t row[KERNEL_MAX_N];
        lister_rows_of(&one, list->filter.n, row);
        if (query_representative(list->group, list->filter.n, row))
            paths[kept++] = run->paths[i];
    }
    return kept;
}

static size_t pack(const struct parallel_list *list, const struct run *run, struct bytes *out)
{
    struct packed_run head = {.length = run->length};
    char *to = run->count ? bytes_reserve(out, sizeof head + run->count * sizeof *run->paths) : NULL;
    if (!to)
        return 0;
    uint64_t *paths = (uint64_t *)(void *)(to + sizeof head);
    size_t count = run->count;
    if (list->group == 1)
        memcpy(paths, run->paths, count * sizeof *paths);
    else
        count = pack_representatives(list, run, paths);
    head.count = (uint32_t)count;
    if (run->length)
        memcpy(head.columns, run->columns, run->length);
    memcpy(to, &head, sizeof head);
    out->size += count ? sizeof head + count * sizeof *paths : 0;
    return count;
}

static enum nq_status fill_packed(const struct parallel_list *list, struct lister *lister, struct filling *filling)
{
    while (filling->out->size < filling->want) {
        uint64_t budget = GRANT;
        struct run run;
        const enum nq_status status = lister_take(lister, &budget, filling->most - filling->solutions, &run);
        meter_did(filling->slice->meter, GRANT - budget);
        filling->solutions += pack(list, &run, filling->out);
        const enum nq_status going = going_on(filling, status);
        if (going != NQ_OK)
            return going;
    }
    return NQ_AGAIN;
}

size_t parallel_list_write(const struct parallel_list *list, const struct bytes *packed, struct packed_place *place,
                           char *to, size_t size)
{
    const size_t line = list->lines.size;
    size_t done = 0;
    while (place->at < packed->size && size - done >= line + LINES_SLACK) {
        struct packed_run head;
        const char *at = packed->data + place->at;
        const size_t room = (size - done - LINES_SLACK) / line;
        memcpy(&head, at, sizeof head);
        const uint64_t *paths = (const uint64_t *)(const void *)(at + sizeof head);
        const size_t left = head.count - place->done;
        const struct run run = {.length = head.length,
                                .columns = head.columns,
                                .paths = paths + place->done,
                                .count = left < room ? left : room};
        done += lines_write_run(&list->lines, &run, to + done);
        place->done += run.count;
        if (place->done == head.count)
            *place = (struct packed_place){.at = place->at + sizeof head + head.count * sizeof *paths};
    }
    return done;
}

static enum nq_status fill_queens(const struct parallel_list *list, struct range *range, struct filling *filling)
{
    struct lister *lister;
    enum nq_status status = lister_open(list->board.n, list->filter.allow, list->finder, 0, &lister);
    if (status != NQ_OK)
        return status;
    status = lister_begin(lister, range->prefix, range->length);
    if (status == NQ_OK && range->position_length)
        status = lister_seek(lister, range->position, range->done_length ? range->done_length : range->position_length);
    if (status == NQ_OK)
        status = list->packs ? fill_packed(list, lister, filling)
                             : fill_by(list, &(struct listers){.queens = lister}, range->index, filling);
    range->position_length = lister_position(lister, range->position);
    range->done_length = lister_done_length(lister);
    lister_close(lister);
    return status;
}

static enum nq_status fill_by_rule(const struct parallel_list *list, struct range *range, struct filling *filling)
{
    const struct filter *filter = &list->filter;
    struct rule_walk walk;
    rule_walk_begin(&walk, filter->rule, filter->n, filter->allow, filter->n);
    const bool valid = rule_walk_root(&walk, range->prefix, range->length) &&
                       (!range->position_length || rule_walk_seek(&walk, range->position, range->position_length));
    const enum nq_status status =
        valid ? fill_by(list, &(struct listers){.by_rule = &walk}, range->index, filling) : NQ_INVALID;
    if (walk.position_length)
        memcpy(range->position, walk.position, walk.position_length);
    range->position_length = walk.position_length;
    return status;
}

enum nq_status parallel_list_fill(const struct parallel_list *list, struct range *range, struct filling *filling)
{
    const enum nq_status status =
        list->by_lines ? fill_queens(list, range, filling) : fill_by_rule(list, range, filling);
    range->index += filling->solutions;
    return status;
}

void parallel_list_end(const struct parallel_list *list, uint64_t returned, const struct range *last, struct bytes *out)
{
    struct token place = {0};
    const bool goes_on = last && listing_goes_on(&list->listing, returned);
    if (goes_on) {
        place.length = last->position_length;
        for (uint32_t row = 0; row < place.length; row++)
            place.prefix[row] = last->position[row];
    }
    (void)listing_end(&list->listing, out, returned, true, goes_on ? &place : NULL);
}
