/* question.c - cursors of a question, and copies of it that are shared. */
#include "engine/ask/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
#include "count/known.h"
#include "engine/ask/answer.h"
#include "engine/ask/query_values.h"
#include "shapes/shape.h"
#include "solvers/solver.h"

/* ---- Canonical names ---- */

bool canonical_names(const struct canonical *of, char **key, char **path)
{
    static const struct param none[] = {{0}};
    const struct param *params = of->params ? of->params : none; /* as a route says that it has none */
    struct bytes key_text = {0}, path_text = {0};
    bytes_format(&key_text, "%s %s", of->format, of->space);
    params_canonical(params, of->values, true, &key_text);
    bytes_text(&path_text, of->path);
    params_canonical(params, of->values, false, &path_text);
    *key = bytes_take(&key_text);
    *path = bytes_take(&path_text);
    if (*key && *path)
        return true;
    free(*key);
    free(*path);
    *key = *path = NULL;
    return false;
}

/* ---- Normal values ---- */

bool question_normalise(const struct form *form, struct params *params)
{
    if (form->choose)
        form->choose(params->rows, params->values);
    bool held = params_bonds(params->rows, params->values, &params->errors);
    if (form->normalise)
        form->normalise(params->rows, params->values);
    for (size_t i = 0; params->rows[i].name; i++)
        held = held && params->values[i].sound;
    return held;
}

bool question_draw(const struct form *form, struct value *values)
{
    if (!form->draws || !form->draws(values))
        return false;
    struct value *seed = value_named(form->params, values, "seed");
    if (seed->given)
        return false;
    uint64_t drawn = 0;
    (void)!getrandom(&drawn, sizeof drawn, 0);
    value_set(seed, drawn & SEED_MOST);
    if (form->normalise)
        form->normalise(form->params, values); /* with a seed it may be what is usual */
    return true;
}

bool question_parse(const struct form *form, const char *text, struct params *params)
{
    const size_t size = strlen(form->path);
    return strncmp(text, form->path, size) == 0 && (text[size] == '?' || text[size] == '\0') &&
           params_parse(params, form->params, text + size) && question_normalise(form, params) && !params->errors.made;
}

/* ---- Brief questions ---- */

/* The largest board of each kind; 0: none is brief. Measured on a Zen 5 core with questions that exclude two squares,
 * or have a seed: half of them took 10 to 60 us, nine of ten less than 80. */
static const uint8_t largest[] = {
    [ASK_SOLVE] = 10, [ASK_COUNT] = 10, [ASK_CONSTRUCT] = 12, [ASK_PUZZLE] = 8, [ASK_VERIFY] = 12, /* the last kind */
};

/* Of a list: more would take longer to write, and the ranks of all of them a table. */
enum { MOST_SOLUTIONS = 100 };

static bool brief_list(const struct list_question *list)
{
    const char *algorithm = list->cursor.algorithm;
    return (!algorithm || solver_find(algorithm) == solvers[0]) && !list->cursor.watched && !list->ranked &&
           list->limit <= MOST_SOLUTIONS;
}

static bool brief_count(const struct question *question)
{
    const struct count_question *count = &question->count;
    const bool computed = count->way == COUNT_COMPUTE && !count->indexed && !count->statistic;
    return (computed && !question->query.by_square) || count->way == COUNT_TABLE;
}

bool question_brief(const struct question *question)
{
    const struct query *query = &question->query;
    const uint8_t most = largest[question->kind];
    if (!most || question->needed[NEED_INDEX] || question->n > most || !rule_by_lines(query->filter.rule) ||
        query->regions.n || question->shape.rows ||  /* whose tables take longer */
        strcmp(question->format->name, "json") != 0) /* and so does a picture */
        return false;
    switch (question->kind) {
    case ASK_SOLVE: return brief_list(&question->list);
    case ASK_COUNT: return brief_count(question);
    case ASK_CONSTRUCT: return true;
    case ASK_PUZZLE: return !question->puzzle.regions;
    case ASK_VERIFY: return true;
    default: return false;
    }
}

/* ---- Question ---- */

const char algorithm_estimate[] = "estimate", algorithm_index[] = "index", algorithm_statistic[] = "statistic",
           algorithm_regions[] = "regions", algorithm_shape[] = "shape";

const char *question_distinct(const struct question *question)
{
    const enum query_distinct distinct = question->query.distinct;
    return distinct == DISTINCT_ALL ? NULL : query_distincts(distinct);
}

const char *question_symmetry(const struct question *question)
{
    const enum query_symmetry symmetry = question->query.symmetry;
    return symmetry == SYMMETRY_ANY ? NULL : query_symmetries(symmetry);
}

const char *question_transforms(size_t i)
{
    static const char *const words[NQ_SYMMETRIES + 1] = {"none",   "turn-90",       "turn-180", "turn-270",
                                                         "mirror", "antitranspose", "flip",     "transpose"};
    return words[i];
}

/* A reflection is its own inverse; two turns make four quarters. */
unsigned question_transform_back(unsigned transform)
{
    return transform < 4 ? (4 - transform) % 4 : transform;
}

const char *question_rules(const struct question *question)
{
    return rule_word(question->query.filter.rule);
}

const char *question_algorithm(const struct question *question)
{
    switch (question->kind) {
    case ASK_SOLVE:
        return question->shape.rows              ? algorithm_shape
               : question->list.samples          ? algorithm_index
               : question->list.cursor.algorithm ? question->list.cursor.algorithm
                                                 : solvers[0]->name;
    case ASK_TRACE: return question->list.cursor.algorithm;
    case ASK_CONSTRUCT: return question->construct.method;
    case ASK_COUNT:
        if (question->count.way == COUNT_ESTIMATE)
            return algorithm_estimate;
        if (question->count.way == COUNT_REGIONS)
            return algorithm_regions;
        if (question->shape.rows)
            return algorithm_shape;
        if (question->count.statistic)
            return algorithm_statistic;
        return question->count.way == COUNT_COMPUTE && question->count.indexed ? algorithm_index : NULL;
    case ASK_COST:
    case ASK_UNITS:
    case ASK_COMPARE:
    case ASK_PUZZLE:
    case ASK_HINT:
    case ASK_VERIFY: break;
    }
    return NULL;
}

/* ---- Shapes ---- */

/* Places in lists of placements of a shape: a number for each square, in reading order, behind one that no square has,
 * so that the placement without queens is a place, too. */

static uint32_t board_squares(const struct shape *shape)
{
    return shape->rows * shape->columns;
}

unsigned question_shape_group(const struct question *question)
{
    return distinct_group(question->query.distinct, shape_symmetries(&question->shape));
}

bool question_shape_place(const struct question *question, const struct nq_square *squares, uint32_t count,
                          struct token *place)
{
    if (count >= NQ_LIST_MAX_N)
        return false;
    place->prefix[0] = board_squares(&question->shape);
    for (uint32_t i = 0; i < count; i++)
        place->prefix[i + 1] = squares[i].row * question->shape.columns + squares[i].column;
    place->length = count + 1;
    return true;
}

enum nq_status question_shape_after(struct question *question, const uint64_t *queens, uint32_t *places)
{
    const struct shape *shape = &question->shape;
    struct list_start place = {.ordinal = RANK_UNKNOWN, .length = 1, .prefix = places};
    if (!shape_has(shape, queens))
        return NQ_INVALID;
    places[0] = board_squares(shape);
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint64_t rest = queens[row]; rest; rest &= rest - 1) {
            if (place.length == NQ_LIST_MAX_N)
                return NQ_INVALID;
            places[place.length++] = row * shape->columns + (uint32_t)__builtin_ctzll(rest);
        }
    question->list.from = place;
    return NQ_OK;
}

enum nq_status question_shape_seek(const struct question *question, const struct list_start *from,
                                   struct shape_list *list)
{
    const struct shape *shape = &question->shape;
    struct nq_square squares[NQ_LIST_MAX_N];
    if (!from->length)
        return NQ_OK;
    if (from->length > NQ_LIST_MAX_N || from->prefix[0] != board_squares(shape))
        return NQ_INVALID;
    for (uint32_t i = 1; i < from->length; i++) {
        const uint32_t square = from->prefix[i];
        if (square >= board_squares(shape))
            return NQ_INVALID;
        squares[i - 1] = (struct nq_square){square / shape->columns, square % shape->columns};
    }
    return shape_list_seek(list, squares, from->length - 1);
}

/* What can be seen without the tables of a list, which take milliseconds to make: squares in order that may have
 * queens. Whether these attack each other turns out when it begins there. */
static enum nq_status look_up_shape(const struct question *question, const struct list_start *from)
{
    const struct shape *shape = &question->shape;
    const uint32_t squares = board_squares(shape);
    if (!from->length || from->prefix[0] != squares)
        return NQ_INVALID;
    for (uint32_t i = 1; i < from->length; i++) {
        const uint32_t square = from->prefix[i], row = square / shape->columns, column = square % shape->columns;
        if (square >= squares || (i > 1 && square <= from->prefix[i - 1]) ||
            !((shape->allow[row] | shape->placed[row]) >> column & 1))
            return NQ_INVALID;
    }
    return NQ_OK;
}

/* The same of a list in any order. */
static enum nq_status look_up_found(const struct question *question, const struct list_start *from)
{
    const uint32_t squares = board_squares(&question->shape), most = shape_find_bound(&question->shape);
    if (!from->length || from->prefix[0] <= squares || from->prefix[0] > most)
        return NQ_INVALID;
    for (uint32_t i = 1; i < from->length; i++)
        if (from->prefix[i] > squares)
            return NQ_INVALID;
    return NQ_OK;
}

/* ---- Cursors ---- */

/* What the algorithm heeds of its settings. */
static uint64_t hash_settings(uint64_t hash, const struct question *question)
{
    const struct machine_settings *machine = &question->list.cursor.machine;
    const int kind = question->kind == ASK_TRACE ? 6 : 0; /* as cursors of 1.0.0 have it */
    char text[120];
    (void)snprintf(text, sizeof text, "%d %u %u %u %u %u %d %llu", kind, question->n, machine->column, machine->splits,
                   machine->split[0], machine->split[1], (int)machine->strategy, (unsigned long long)machine->seed);
    hash = hash_text(hash, text);
    if (question->kind != ASK_TRACE)
        return hash;
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)question->list.most);
    return hash_text(hash, text);
}

static uint64_t hash_squares(uint64_t hash, uint32_t base, const struct param_square *squares, uint32_t count)
{
    hash = hash_text(hash, "squares");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = squares[i].row - base, column = squares[i].column - base;
        const unsigned char bytes[] = {(unsigned char)row, (unsigned char)(row >> 8), (unsigned char)column,
                                       (unsigned char)(column >> 8)};
        hash = hash_bytes(hash, bytes, sizeof bytes);
    }
    return hash;
}

static uint64_t hash_marks(uint64_t hash, const struct marks *marks)
{
    if (marks->placed + marks->excluded == 0)
        return hash;
    hash = hash_squares(hash, marks->base, marks->place, marks->placed);
    return hash_squares(hash, marks->base, marks->exclude, marks->excluded);
}

/* Squares by row: the same on machines of either byte order. */
static uint64_t hash_rows(uint64_t hash, const uint64_t *squares, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++) {
        unsigned char bytes[8];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)(squares[row] >> 8 * i);
        hash = hash_bytes(hash, bytes, sizeof bytes);
    }
    return hash;
}

static uint64_t hash_shape(uint64_t hash, const struct shape *shape)
{
    char text[64];
    if (!shape->rows)
        return hash;
    (void)snprintf(text, sizeof text, "shape %u %u %u %u %d", shape->rows, shape->columns, shape->least, shape->most,
                   (int)shape->maximal);
    if (shape_large(shape)) {
        const struct shape_squares *const lists[] = {&shape->wall_list, &shape->exclude_list, &shape->place_list};
        hash = hash_text(hash, text);
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
            hash = hash_squares(hash, lists[i]->base, lists[i]->list, lists[i]->count);
        return hash;
    }
    hash = hash_rows(hash_text(hash, text), shape->walls, shape->rows);
    return hash_rows(hash_rows(hash, shape->allow, shape->rows), shape->placed, shape->rows);
}

/* Names the list a place is in: whatever decides which solutions come and in what order, and nothing else. */
static uint64_t list_digest(const struct question *question)
{
    const struct query *query = &question->query;
    const unsigned group = query_group(query);
    const unsigned char kind[] = {(unsigned char)question->n, /* the whole of it is with the settings */
                                  (unsigned char)query->distinct, (unsigned char)query->symmetry, (unsigned char)group};
    uint64_t hash = hash_bytes(hash_text(HASH_START, question->list.cursor.algorithm), kind, sizeof kind);
    hash = hash_settings(hash, question);
    if (question_rules(question)) /* cursors of before there were rules are of queens */
        hash = hash_text(hash, question_rules(question));
    hash = hash_rows(hash, query->filter.allow, question->n < FILTER_MAX_N ? question->n : FILTER_MAX_N);
    hash = hash_shape(hash, &question->shape);
    if (query->regions.n)
        hash = hash_bytes(hash_text(hash, "regions"), query->regions.of, (size_t)question->n * question->n);
    return hash_marks(hash, &query->marks);
}

/* Whether there can be such a place. */
static enum nq_status look_up(const struct question *question, const struct list_start *place)
{
    if (question->shape.rows)
        return question->list.any ? look_up_found(question, place) : look_up_shape(question, place);
    const struct search_class *search = solver_find(question->list.cursor.algorithm)->search;
    if (search && search->check)
        return search->check(&question->query, place->prefix, place->length);
    struct nq_cursor *cursor;
    enum nq_status status = cursor_open(&question->list.cursor, &question->query, &cursor);
    if (status != NQ_OK)
        return status;
    status = nq_cursor_seek(cursor, place->prefix, place->length);
    nq_cursor_close(cursor);
    return status;
}

enum nq_status question_set_cursor(struct question *question, const char *text, uint32_t *columns)
{
    struct token token;
    uint64_t total;
    if (token_decode(text, list_digest(question), &token) != NQ_OK || token.length > question_place_most(question))
        return NQ_INVALID;
    struct list_start place = {.ordinal = token.ordinal, .length = token.length};
    if (question->kind == ASK_TRACE) { /* a number of steps, and nothing else */
        if (place.length)
            return NQ_INVALID;
        question->list.from = place;
        return NQ_OK;
    }
    const bool resumes = solver_resumes(solver_find(question->list.cursor.algorithm));
    if (question->shape.rows || !rule_by_lines(question->query.filter.rule) ||
        nq_known_count(question->n, &total) != NQ_OK)
        total = UINT64_C(1) << 62; /* nobody gets so far by reading */
    if (place.ordinal >= total && !(resumes && place.ordinal == RANK_UNKNOWN))
        return NQ_INVALID; /* nothing leads to the end of a list */
    if (resumes ? token_is_end(place.ordinal, place.length) : place.length)
        return NQ_INVALID; /* where everything before is done again, a place is a number and nothing else */
    place.prefix = columns;
    for (uint32_t row = 0; row < place.length; row++)
        columns[row] = token.prefix[row];
    const enum nq_status status = resumes ? look_up(question, &place) : NQ_OK;
    if (status == NQ_OK)
        question->list.from = place;
    return status;
}

enum nq_status question_set_after(struct question *question, const uint32_t *columns)
{
    const struct list_start place = {.ordinal = RANK_UNKNOWN, .length = question->n, .prefix = columns};
    const enum nq_status status = look_up(question, &place);
    if (status == NQ_OK)
        question->list.from = place;
    return status;
}

void question_cursor(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX])
{
    token_encode(place, list_digest(question), text);
}

bool question_next(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX],
                   char **next, size_t *length)
{
    struct bytes path = {0};
    CHECKED(token_check(place, question_place_most(question),
                        question->shape.rows ? shape_find_bound(&question->shape) + 1 : question->n));
    question_cursor(question, place, text);
    *next = NULL;
    if (question->unlinked)
        return true;
    bytes_format(&path, "%s&cursor=%s", question->path, text);
    *length = path.size;
    *next = bytes_take(&path);
    return *next;
}

bool question_listed(const struct question *question)
{
    return solver_find(question->list.cursor.algorithm)->lists != LISTS_SOME;
}

/* An answer of at most so many rows is cached; more are a stream. */
enum { ANSWER_MAX_ROWS = 16384 };

bool question_flows(const struct question *question)
{
    if (question->kind == ASK_CONSTRUCT)
        return question->construct.last - question->construct.first >= ANSWER_MAX_ROWS;
    return (question->kind == ASK_SOLVE || question->kind == ASK_TRACE) && question->format->lines;
}

bool question_table_total(const struct question *question)
{
    const struct query *query = &question->query;
    struct known known;
    return !question->shape.rows && question_listed(question) && query_all_squares(query) &&
           known_find(query->filter.rule, question->n, query->distinct, query->symmetry, &known);
}

/* The columns that a question borrows: of where a list begins. */
static uint32_t columns_of(const struct question *question)
{
    return question->kind == ASK_SOLVE || question->kind == ASK_TRACE ? question->list.from.length : 0;
}

static const char *put(char **at, const char *text)
{
    const char *start = *at;
    *at = stpcpy(*at, text) + 1;
    return start;
}

/* Copies a list of squares, if it has any; returns what follows it. */
static struct param_square *put_squares(struct param_square *to, uint32_t count, const struct param_square **list)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (*list)[i];
    if (count)
        *list = to;
    return to + count;
}

struct shared_question *question_share(const struct question *question)
{
    const size_t size = strlen(question->key) + strlen(question->path) + strlen(question->prefix) + 3;
    const struct marks *marks = &question->query.marks;
    const struct shape *shape = &question->shape;
    const size_t large = (size_t)shape->wall_list.count + shape->exclude_list.count + shape->place_list.count;
    const size_t squares = (size_t)marks->placed + marks->excluded + large, columns = columns_of(question);
    struct shared_question *shared =
        malloc(sizeof *shared + columns * sizeof shared->columns[0] + squares * sizeof marks->place[0] + size);
    if (!shared)
        return NULL;
    struct placement *placement = question->kind == ASK_VERIFY ? question->verify.placement : NULL;
    struct param_square *marked = (struct param_square *)(shared->columns + columns);
    char *at = (char *)(marked + squares);
    atomic_init(&shared->references, 1);
    shared->placement = placement ? placement_ref(placement) : NULL;
    shared->question = *question;
    for (size_t i = 0; i < NEED_NONE; i++)
        if (question->needed[i])
            (void)answer_ref(question->needed[i]);
    if (columns) {
        memcpy(shared->columns, question->list.from.prefix, columns * sizeof shared->columns[0]);
        shared->question.list.from.prefix = shared->columns;
    }
    marked = put_squares(marked, marks->placed, &shared->question.query.marks.place);
    marked = put_squares(marked, marks->excluded, &shared->question.query.marks.exclude);
    marked = put_squares(marked, shape->wall_list.count, &shared->question.shape.wall_list.list);
    marked = put_squares(marked, shape->exclude_list.count, &shared->question.shape.exclude_list.list);
    (void)put_squares(marked, shape->place_list.count, &shared->question.shape.place_list.list);
    shared->question.key = put(&at, question->key);
    shared->question.path = put(&at, question->path);
    shared->question.prefix = put(&at, question->prefix);
    return shared;
}

struct shared_question *question_ref(struct shared_question *shared)
{
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void question_unref(struct shared_question *shared)
{
    if (!shared || atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < NEED_NONE; i++)
        answer_unref(shared->question.needed[i]);
    placement_unref(shared->placement);
    free(shared);
}
