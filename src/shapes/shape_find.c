/* shape_find.c - a depth-first search with counters: how often each square is taken, and how many free squares each
 * part of a row and of a column has. */
#include "shapes/shape.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "shapes/shape_board.h"

/* Beginnings, each of another order, and what the search may cost after each of them; the last has no limit. All
 * together cost less than half of what a page may, so that where a page ends never decides in which order the list is.
 */
enum { BEGINNINGS = 64, BEGINNING_COST = 1 << 20 };

/* What a node costs, as placements of a plain search: so much, and for each row and column. */
enum { NODE_COST = 16 };

enum { WALL = UINT16_MAX };

enum family { IN_ROWS, IN_COLUMNS, FAMILIES };

/* A part of a row or a column between walls or borders: first and last square, and how far one is from the next. It
 * holds one queen at most. */
struct part {
    uint16_t first, last, apart;
    uint16_t free;
    bool filled; /* it has a queen */
    bool family;
};

/* A node on the way down: which part it fills, and with which squares. */
struct level {
    uint16_t part;
    uint16_t count, at; /* squares to choose from, and how many of them were chosen */
    uint32_t squares;   /* where they begin in the list of all */
    bool closed;        /* none was chosen */
};

struct shape_find {
    const struct shape *shape;
    uint32_t squares, queens; /* of the board; to be placed */
    uint32_t parts, in[FAMILIES];
    int32_t slack[FAMILIES]; /* parts that may stay empty, */
    int32_t dead[FAMILIES];  /* and those that do: no free square, no queen */
    bool chosen[FAMILIES];   /* parts of this family are filled */
    bool impossible;
    uint16_t *part_of[FAMILIES]; /* by square; WALL */
    uint16_t *taken;             /* by square: by how many queens, closed parts and crosses */
    struct part *part;           /* those of rows first */
    struct level *levels;        /* one more than there are parts */
    uint16_t *choices;           /* of all levels */
    uint64_t *placed;            /* a bit for each square */
    uint64_t *attack;            /* as shape_attack(), of rules that are not by lines; NULL: along rays */
    uint32_t salt;               /* of all orders */
    bool partial;                /* parts stay empty because it says so */
    uint32_t depth, standing;    /* levels; queens, those of the shape included */
    uint32_t order;              /* which beginning this is */
    uint64_t cost;               /* since then */
    bool found;                  /* a placement was, since then: there are no more beginnings */
    bool back;                   /* the next step goes back, not down */
    bool begun, over;
};

/* ---- Squares ---- */

static void part_loses(struct shape_find *find, uint16_t at)
{
    struct part *part = &find->part[at];
    if (--part->free == 0 && !part->filled)
        find->dead[part->family]++;
}

static void part_gains(struct shape_find *find, uint16_t at)
{
    struct part *part = &find->part[at];
    if (part->free++ == 0 && !part->filled)
        find->dead[part->family]--;
}

static void take(struct shape_find *find, uint32_t square)
{
    if (find->taken[square]++)
        return;
    part_loses(find, find->part_of[IN_ROWS][square]);
    part_loses(find, find->part_of[IN_COLUMNS][square]);
}

static void give(struct shape_find *find, uint32_t square)
{
    if (--find->taken[square])
        return;
    part_gains(find, find->part_of[IN_ROWS][square]);
    part_gains(find, find->part_of[IN_COLUMNS][square]);
}

/* Its own square, and along eight rays up to a wall. */
static void along_rays(struct shape_find *find, uint32_t square, void (*each)(struct shape_find *find, uint32_t square))
{
    const int32_t rows = (int32_t)find->shape->rows, columns = (int32_t)find->shape->columns;
    const int32_t row = (int32_t)square / columns, column = (int32_t)square % columns;
    each(find, square);
    for (int32_t down = -1; down <= 1; down++)
        for (int32_t right = -1; right <= 1; right++) {
            if (!down && !right)
                continue;
            int32_t r = row + down, c = column + right;
            for (; r >= 0 && r < rows && c >= 0 && c < columns; r += down, c += right) {
                if (find->part_of[IN_ROWS][r * columns + c] == WALL)
                    break;
                each(find, (uint32_t)(r * columns + c));
            }
        }
}

static void by_rule(struct shape_find *find, uint32_t square, void (*each)(struct shape_find *find, uint32_t square))
{
    const struct shape *shape = find->shape;
    const uint64_t *attack = find->attack + (size_t)square * shape->rows;
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint64_t rest = attack[row]; rest; rest &= rest - 1)
            each(find, row * shape->columns + (uint32_t)__builtin_ctzll(rest));
}

/* Its own square, and those that a queen attacks from there. */
static void in_reach(struct shape_find *find, uint32_t square, void (*each)(struct shape_find *find, uint32_t square))
{
    (find->attack ? by_rule : along_rays)(find, square, each);
}

static void fill(struct shape_find *find, uint32_t square, bool filled)
{
    find->part[find->part_of[IN_ROWS][square]].filled = filled;
    find->part[find->part_of[IN_COLUMNS][square]].filled = filled;
}

/* On a free square. */
static void put(struct shape_find *find, uint32_t square)
{
    assert(!find->taken[square]);
    fill(find, square, true);
    in_reach(find, square, take);
    find->placed[square / 64] |= UINT64_C(1) << square % 64;
    find->standing++;
}

static void take_off(struct shape_find *find, uint32_t square)
{
    find->standing--;
    find->placed[square / 64] &= ~(UINT64_C(1) << square % 64);
    in_reach(find, square, give);
    fill(find, square, false);
}

static void in_part(struct shape_find *find, uint16_t at, void (*each)(struct shape_find *find, uint32_t square))
{
    const struct part *part = &find->part[at];
    for (uint32_t square = part->first; square <= part->last; square += part->apart)
        each(find, square);
}

/* ---- Nodes ---- */

/* The part with the fewest free squares, of several any one by the order. There is one: as long as queens are missing,
 * not all parts that may not stay empty are filled. */
static uint16_t choose_part(const struct shape_find *find)
{
    uint32_t best = UINT32_MAX;
    uint16_t chosen = WALL;
    const uint32_t from = find->chosen[IN_ROWS] ? 0 : find->in[IN_ROWS];
    const uint32_t to = find->chosen[IN_COLUMNS] ? find->parts : find->in[IN_ROWS];
    for (uint32_t i = from; i < to; i++) {
        const struct part *part = &find->part[i];
        if (part->filled || !part->free)
            continue;
        const uint32_t key = (uint32_t)part->free << 16 | (hash_mix((i * 64 + find->order) ^ find->salt) & UINT16_MAX);
        if (key < best) {
            best = key;
            chosen = (uint16_t)i;
        }
    }
    return chosen;
}

/* The free squares of a part, in the order of this beginning. */
static void list_choices(struct shape_find *find, struct level *level)
{
    const struct part *part = &find->part[level->part];
    uint16_t *choices = find->choices + level->squares;
    uint32_t keys[SHAPE_FIND_MAX_SIDE];
    for (uint32_t square = part->first; square <= part->last; square += part->apart) {
        const uint32_t key = hash_mix((square * BEGINNINGS + find->order) ^ find->salt);
        uint32_t i = level->count;
        if (find->taken[square])
            continue;
        for (; i && keys[i - 1] > key; i--) {
            choices[i] = choices[i - 1];
            keys[i] = keys[i - 1];
        }
        choices[i] = (uint16_t)square;
        keys[i] = key;
        level->count++;
    }
}

/* Opens a node, if queens are missing and there may be room for them. */
static bool open_level(struct shape_find *find)
{
    struct level *level = &find->levels[find->depth];
    if (find->standing == find->queens || find->dead[IN_ROWS] > find->slack[IN_ROWS] ||
        find->dead[IN_COLUMNS] > find->slack[IN_COLUMNS])
        return false;
    *level = (struct level){.part = choose_part(find)};
    if (level->part == WALL)
        return false;
    if (find->depth)
        level->squares = level[-1].squares + level[-1].count;
    list_choices(find, level);
    find->depth++;
    return true;
}

/* Chooses no square of the part of a node. */
static void close_part(struct shape_find *find, struct level *level)
{
    level->closed = true;
    in_part(find, level->part, take);
}

/* The next choice of the last node. False: it had none, and is gone. */
static bool next_choice(struct shape_find *find)
{
    struct level *level = &find->levels[find->depth - 1];
    const uint16_t *choices = find->choices + level->squares;
    if (level->closed)
        in_part(find, level->part, give);
    else if (level->at)
        take_off(find, choices[level->at - 1]);
    if (level->at < level->count) {
        put(find, choices[level->at++]);
        return true;
    }
    if (!level->closed && find->slack[find->part[level->part].family] > 0) {
        close_part(find, level);
        return true;
    }
    find->depth--;
    return false;
}

/* Back to before the first node, in this order. */
static void begin(struct shape_find *find, uint32_t order)
{
    while (find->depth) {
        struct level *level = &find->levels[find->depth - 1];
        if (level->closed)
            in_part(find, level->part, give);
        else if (level->at)
            take_off(find, find->choices[level->squares + level->at - 1]);
        find->depth--;
    }
    find->order = order;
    find->cost = 0;
    find->found = find->back = false;
    find->begun = true;
    find->over = find->impossible;
}

/* Goes to the next node; true: it is a placement. */
static bool step(struct shape_find *find)
{
    if (!find->back && open_level(find)) {
        (void)next_choice(find); /* a part with free squares */
    } else {
        while (find->depth && !next_choice(find))
            ;
        find->over = !find->depth;
    }
    find->back = false;
    return !find->over && find->standing == find->queens;
}

static void list_placed(const struct shape_find *find, struct nq_square *squares, uint32_t *count)
{
    *count = 0;
    for (uint32_t word = 0; word <= find->squares / 64; word++)
        for (uint64_t rest = find->placed[word]; rest; rest &= rest - 1) {
            const uint32_t square = word * 64 + (uint32_t)__builtin_ctzll(rest);
            squares[(*count)++] = (struct nq_square){square / find->shape->columns, square % find->shape->columns};
        }
}

/* Before the first node there is a placement if all of its queens were placed. */
static bool first_step(struct shape_find *find)
{
    begin(find, 0);
    return !find->over && find->standing == find->queens;
}

enum nq_status shape_find_next(struct shape_find *find, uint64_t *budget, struct nq_square *squares, uint32_t *count)
{
    const uint64_t cost = NODE_COST + find->shape->rows + find->shape->columns;
    uint64_t left = *budget > cost ? *budget : cost;
    enum nq_status status = NQ_AGAIN;
    while (status == NQ_AGAIN && left >= cost && !(find->begun && find->over)) {
        if (!find->found && find->cost > BEGINNING_COST && find->order + 1 < BEGINNINGS)
            begin(find, find->order + 1);
        left -= cost;
        find->cost += cost;
        if (find->begun ? step(find) : first_step(find)) {
            find->found = find->back = true;
            list_placed(find, squares, count);
            status = NQ_OK;
        }
    }
    *budget = *budget > cost ? left : 0;
    return status == NQ_AGAIN && find->over ? NQ_END : status;
}

/* ---- Places ---- */

uint32_t shape_find_bound(const struct shape *shape)
{
    return shape->rows * shape->columns + BEGINNINGS;
}

/* The order, and for each node the square that was chosen; `squares`: none. */
uint32_t shape_find_position(const struct shape_find *find, uint32_t *place)
{
    if (find->depth + 1 > NQ_LIST_MAX_N)
        return 0;
    place[0] = find->squares + 1 + find->order;
    for (uint32_t i = 0; i < find->depth; i++) {
        const struct level *level = &find->levels[i];
        place[i + 1] = level->closed ? find->squares : find->choices[level->squares + level->at - 1];
    }
    return find->depth + 1;
}

static bool choose(struct shape_find *find, uint32_t chosen)
{
    if (!open_level(find))
        return false;
    struct level *level = &find->levels[find->depth - 1];
    if (chosen == find->squares) {
        if (find->slack[find->part[level->part].family] == 0)
            return false;
        level->at = level->count;
        close_part(find, level);
        return true;
    }
    while (level->at < level->count && find->choices[level->squares + level->at] != chosen)
        level->at++;
    if (level->at == level->count) {
        level->at = 0;
        return false;
    }
    level->at++;
    put(find, chosen);
    return true;
}

enum nq_status shape_find_seek(struct shape_find *find, const uint32_t *place, uint32_t length)
{
    bool right = length && place[0] > find->squares && place[0] <= find->squares + BEGINNINGS;
    begin(find, right ? place[0] - find->squares - 1 : 0);
    for (uint32_t i = 1; right && i < length; i++)
        right = choose(find, place[i]);
    find->back = find->standing == find->queens;
    find->found = true; /* a page does not end before: its budget is larger than all beginnings together */
    find->over |= !right;
    return right ? NQ_OK : NQ_INVALID;
}

/* ---- Opening ---- */

static void add_part(struct shape_find *find, enum family family, uint32_t first, uint32_t last, uint32_t apart)
{
    const uint16_t at = (uint16_t)find->parts++;
    struct part *part = &find->part[at];
    *part = (struct part){.first = (uint16_t)first, .last = (uint16_t)last, .apart = (uint16_t)apart, .family = family};
    for (uint32_t square = first; square <= last; square += apart, part->free++)
        find->part_of[family][square] = at;
    find->in[family]++;
}

/* The parts of a line of so many squares. */
static void add_line(struct shape_find *find, enum family family, uint32_t first, uint32_t length, uint32_t apart)
{
    for (uint32_t from = 0, to = 0; from < length; from = to + 1) {
        for (to = from; to < length; to++)
            if (shape_is_wall(find->shape, (first + to * apart) / find->shape->columns,
                              (first + to * apart) % find->shape->columns))
                break;
        if (to > from)
            add_part(find, family, first + from * apart, first + (to - 1) * apart, apart);
    }
}

static void add_parts(struct shape_find *find)
{
    const uint32_t rows = find->shape->rows, columns = find->shape->columns;
    memset(find->part_of[IN_ROWS], 0xff, find->squares * sizeof *find->part_of[IN_ROWS]);
    for (uint32_t row = 0; row < rows; row++)
        add_line(find, IN_ROWS, row * columns, columns, 1);
    for (uint32_t column = 0; column < columns; column++)
        add_line(find, IN_COLUMNS, column, rows, columns);
    for (int family = 0; family < FAMILIES; family++)
        find->slack[family] = (int32_t)find->in[family] - (int32_t)find->queens;
    find->chosen[IN_ROWS] = find->slack[IN_ROWS] <= find->slack[IN_COLUMNS];
    find->chosen[IN_COLUMNS] = !find->chosen[IN_ROWS] || find->slack[IN_COLUMNS] == 0;
}

/* Crosses first: a queen that is placed on one has no place. */
static void set_squares(struct shape_find *find)
{
    const struct shape *shape = find->shape;
    for (uint32_t square = 0; square < find->squares; square++)
        if (find->part_of[IN_ROWS][square] != WALL &&
            shape_is_excluded(shape, square / shape->columns, square % shape->columns))
            take(find, square);
    for (uint32_t square = 0; square < find->squares; square++) {
        if (!shape_is_placed(shape, square / shape->columns, square % shape->columns))
            continue;
        find->impossible |= find->part_of[IN_ROWS][square] == WALL || find->taken[square];
        if (!find->impossible)
            put(find, square);
    }
    find->impossible |= find->standing > find->queens || find->slack[IN_ROWS] < 0 || find->slack[IN_COLUMNS] < 0;
}

/* The search fills parts as long as it can, so that the last ones stay empty, which have most squares. For any other
 * placement to come first, up to as many as may be of those that it fills are closed, whichever. */
static void close_some(struct shape_find *find)
{
    const enum family family = find->chosen[IN_ROWS] ? IN_ROWS : IN_COLUMNS;
    const uint32_t from = family == IN_ROWS ? 0 : find->in[IN_ROWS], count = find->in[family];
    struct random random = random_begin(find->salt, 0);
    uint32_t wanted = random_below(&random, (uint32_t)find->slack[family] + 1);
    find->partial = wanted;
    for (uint32_t i = 0; i < count; i++)
        if (random_below(&random, count - i) < wanted) {
            in_part(find, (uint16_t)(from + i), take);
            wanted--;
        }
}

void shape_find_renew(struct shape_find *find, uint32_t salt)
{
    find->salt = salt;
    find->parts = find->in[IN_ROWS] = find->in[IN_COLUMNS] = 0;
    find->dead[IN_ROWS] = find->dead[IN_COLUMNS] = 0;
    find->depth = find->standing = find->order = 0;
    find->cost = 0;
    find->impossible = find->partial = find->found = find->back = find->begun = find->over = false;
    memset(find->taken, 0, find->squares * sizeof *find->taken);
    memset(find->placed, 0, (find->squares / 64 + 1) * sizeof *find->placed);
    add_parts(find);
    set_squares(find);
    if (salt && !find->impossible)
        close_some(find);
}

/* A wall makes at most one part more of its row, and of its column. */
static bool take_memory(struct shape_find *find)
{
    const size_t squares = find->squares;
    size_t parts = (size_t)find->shape->rows + find->shape->columns;
    assert(squares > 0 && parts > 0);
    for (uint32_t square = 0; square < squares; square++)
        parts += shape_is_wall(find->shape, square / find->shape->columns, square % find->shape->columns) ? 2 : 0;
    for (int family = 0; family < FAMILIES; family++)
        find->part_of[family] = calloc(squares, sizeof *find->part_of[family]);
    find->taken = calloc(squares, sizeof *find->taken);
    find->part = calloc(parts, sizeof *find->part);
    find->levels = calloc(parts + 1, sizeof *find->levels);
    find->choices = calloc(2 * squares, sizeof *find->choices);
    find->placed = calloc(squares / 64 + 1, sizeof *find->placed);
    return find->part_of[IN_ROWS] && find->part_of[IN_COLUMNS] && find->taken && find->part && find->levels &&
           find->choices && find->placed;
}

/* The table of a board, without the rest of it. */
static bool take_attacks(struct shape_find *find)
{
    struct shape_board board;
    const enum nq_status status = shape_board_open(find->shape, 0, &board);
    if (status == NQ_OK) {
        find->attack = board.attack;
        board.attack = NULL;
    }
    shape_board_close(&board);
    return status == NQ_OK;
}

enum nq_status shape_find_open(const struct shape *shape, uint32_t salt, struct shape_find **out)
{
    struct shape_find *find = calloc(1, sizeof *find);
    assert(shape->least == shape->most && !shape->maximal && (rule_by_lines(shape->rule) || !shape_large(shape)));
    assert(shape->rows <= SHAPE_FIND_MAX_SIDE && shape->columns <= SHAPE_FIND_MAX_SIDE);
    if (!find)
        return NQ_NOMEM;
    find->shape = shape;
    find->squares = shape->rows * shape->columns;
    find->queens = shape->most;
    if (!take_memory(find) || (!rule_by_lines(shape->rule) && !take_attacks(find))) {
        shape_find_close(find);
        return NQ_NOMEM;
    }
    shape_find_renew(find, salt);
    *out = find;
    return NQ_OK;
}

bool shape_find_whole(const struct shape_find *find)
{
    return !find->partial;
}

void shape_find_close(struct shape_find *find)
{
    if (!find)
        return;
    for (int family = 0; family < FAMILIES; family++)
        free(find->part_of[family]);
    free(find->taken);
    free(find->part);
    free(find->levels);
    free(find->choices);
    free(find->placed);
    free(find->attack);
    free(find);
}
