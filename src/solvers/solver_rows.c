/* solver_rows.c - two algorithms that put one queen in each row, and the steps of a third: recursion, eight lines of
 * Python that a lesson begins with, which try every square of the next row; mrv, minimum remaining values, which fills
 * the row with the fewest free squares next, wherever it lies, and knows nothing of columns that cannot be filled any
 * more; and the plain search of solver_bitboard.c, without its oracle. The board is n x n, or one of any shape, with
 * squares that must not hold a queen and walls where lines of attack end.
 *
 * What a square attacks is a table of masks, whatever the rule and the walls are: a row's free squares are those that
 * the queens leave open. A level has the open squares of the whole board, so that nothing is put back when a queen is
 * removed. */
#include <stdlib.h>

#include "shapes/shape_board.h"
#include "solvers/solver.h"
#include "steps/listing.h"

struct rows_level {
    uint32_t row, column; /* of its queen, */
    uint64_t untried;     /* and the squares of that row that come later */
    uint64_t open[SHAPE_MAX_SIDE];
};

struct rows_machine {
    /* Of a shape, all of it. Of n x n without walls nothing but the shape, and the attacks of squares that had a queen:
     * those of all take a millisecond for n = 64, as long as 20 000 steps. */
    struct shape_board board;
    uint32_t depth; /* queens that stand: those of the levels above */
    bool chosen;    /* the row of the level at depth */
    bool listed;    /* the whole board, if that is what stands */
    uint64_t rows;  /* without a queen */
    struct rows_level level[SHAPE_MAX_SIDE];
};

static void close_rows(void *machine)
{
    struct rows_machine *rows = machine;
    shape_board_close(&rows->board);
    free(rows);
}

/* Those of a row that may be tried: none that a placed queen attacks, and where one is placed only her own; none at all
 * if two attack each other, or are placed in one row, where a wall may stand between them. */
static uint64_t squares_of(const struct shape_board *board, uint32_t row)
{
    const uint64_t placed = board->shape.placed[row];
    if (board->impossible || placed & (placed - 1))
        return 0;
    return board->open[row] & (placed ? placed : UINT64_MAX);
}

static enum nq_status open_shape(const struct shape *shape, struct shape_board *board)
{
    const enum nq_status status = shape_board_open(shape, 0, board);
    for (uint32_t row = 0; status == NQ_OK && row < shape->rows; row++)
        board->shape.allow[row] = squares_of(board, row);
    return status;
}

static enum nq_status open_square(const struct machine_settings *settings, struct shape_board *board)
{
    const size_t n = settings->n;
    *board = (struct shape_board){.attack = calloc(n * n * n, sizeof *board->attack)};
    shape_begin(&board->shape, settings->n, settings->n);
    board->shape.rule = settings->rule;
    return board->attack ? NQ_OK : NQ_NOMEM;
}

static enum nq_status open_rows(const struct machine_settings *settings, void **machine)
{
    struct rows_machine *rows = calloc(1, sizeof *rows);
    if (!rows)
        return NQ_NOMEM;
    struct shape_board *board = &rows->board;
    const enum nq_status status = settings->shape ? open_shape(settings->shape, board) : open_square(settings, board);
    if (status != NQ_OK) {
        close_rows(rows);
        return status;
    }
    rows->rows = ~UINT64_C(0) >> (64 - board->shape.rows);
    for (uint32_t row = 0; row < board->shape.rows; row++)
        rows->level[0].open[row] = board->shape.allow[row];
    *machine = rows;
    return NQ_OK;
}

static void write_board(const void *machine, uint32_t *columns)
{
    const struct rows_machine *rows = machine;
    for (uint32_t row = 0; row < rows->board.shape.rows; row++)
        columns[row] = NOWHERE;
    for (uint32_t i = 0; i < rows->depth; i++)
        columns[rows->level[i].row] = rows->level[i].column;
}

static bool is_whole(const struct rows_machine *rows)
{
    return rows->depth == rows->board.shape.rows;
}

/* What a queen on a square attacks: in its own row it attacks itself, unless that is still to be found. */
static const uint64_t *attack_of(struct rows_machine *rows, uint32_t row, uint32_t column)
{
    const struct shape *shape = &rows->board.shape;
    uint64_t *attack = rows->board.attack + (size_t)shape_square(shape, row, column) * shape->rows;
    if (attack[row])
        return attack;
    for (uint32_t other = 0; other < shape->rows; other++)
        attack[other] = other == row ? shape_row(shape) : rule_mask(shape->rule, shape->rows, row, column, other);
    return attack;
}

/* Puts the queen of the level at depth on its board. The rows from one on may be looked at below it. */
static void place(struct rows_machine *rows, uint32_t from)
{
    const struct rows_level *level = &rows->level[rows->depth++];
    rows->rows ^= UINT64_C(1) << level->row;
    rows->chosen = rows->listed = false;
    if (!is_whole(rows))
        shape_place(attack_of(rows, level->row, level->column), from, rows->board.shape.rows - 1, level->open,
                    rows->level[rows->depth].open);
}

/* Takes the last one off; its row goes on behind it. */
static void take_off(struct rows_machine *rows)
{
    rows->depth--;
    rows->rows ^= UINT64_C(1) << rows->level[rows->depth].row;
    rows->chosen = true;
}

/* Chooses the row of the level at depth, and its squares; returns what that takes. */
typedef uint32_t (*row_chooser)(struct rows_machine *rows);

static uint32_t choose_next(struct rows_machine *rows)
{
    struct rows_level *level = &rows->level[rows->depth];
    level->row = rows->depth;
    level->untried = level->open[level->row];
    return 0;
}

/* The same, with squares under attack, but not walls and other squares that hold no queen. */
static uint32_t choose_all(struct rows_machine *rows)
{
    struct rows_level *level = &rows->level[rows->depth];
    level->row = rows->depth;
    level->untried = rows->board.shape.allow[level->row];
    return 0;
}

/* The uppermost of those with the fewest free squares. Rows are looked at until one has none. */
static uint32_t choose_fewest(struct rows_machine *rows)
{
    struct rows_level *level = &rows->level[rows->depth];
    int fewest = SHAPE_MAX_SIDE + 1; /* more than a row has */
    uint32_t looked = 0;
    for (uint64_t rest = rows->rows; rest && fewest; rest &= rest - 1, looked++) {
        const uint32_t row = (uint32_t)__builtin_ctzll(rest);
        const int count = __builtin_popcountll(level->open[row]);
        if (count < fewest) {
            fewest = count;
            level->row = row;
        }
    }
    level->untried = level->open[level->row];
    return looked;
}

/* The row of the first queen that attacks a square; NOWHERE: there is none. What queens on the board attack is known.
 */
static uint32_t attacker(const struct rows_machine *rows, uint32_t row, uint32_t column)
{
    const struct shape_board *board = &rows->board;
    uint32_t by = 0;
    while (by < rows->depth &&
           !(shape_attack(board, shape_square(&board->shape, by, rows->level[by].column))[row] >> column & 1))
        by++;
    return by < rows->depth ? by : NOWHERE;
}

static enum nq_status step_by_row(struct rows_machine *rows, row_chooser choose, struct step *step)
{
    const bool whole = is_whole(rows);
    if (whole && !rows->listed) {
        rows->listed = true;
        *step = step_on_board(STEP_SOLUTION, rows->depth);
        step->settled = true;
        return NQ_OK;
    }
    const uint32_t looked = whole || rows->chosen ? 0 : choose(rows);
    struct rows_level *level = &rows->level[rows->depth];
    rows->chosen = true;
    if (!whole && level->untried) {
        level->column = (uint32_t)__builtin_ctzll(level->untried);
        level->untried &= level->untried - 1;
        const uint32_t by = choose == choose_all ? attacker(rows, level->row, level->column) : NOWHERE;
        if (by == NOWHERE)
            place(rows, choose == choose_fewest ? 0 : level->row + 1);
        *step = step_on_square(by == NOWHERE ? STEP_PLACE : STEP_REJECT, level->row, level->column, rows->depth);
        step->by = by;
    } else if (rows->depth == 0) {
        return NQ_END;
    } else {
        take_off(rows);
        level--;
        *step = step_on_square(STEP_REMOVE, level->row, level->column, rows->depth);
        step->settled = !whole; /* a solution was finished when it was listed */
    }
    step->tests = looked;
    return NQ_OK;
}

/* A search that counts the squares it tries. */
static enum nq_status step_by_square(struct rows_machine *rows, row_chooser choose, struct step *step)
{
    const enum nq_status status = step_by_row(rows, choose, step);
    if (status == NQ_OK && (step->kind == STEP_PLACE || step->kind == STEP_REJECT))
        step->tests = 1;
    return status;
}

static enum nq_status step_bitboard(void *machine, struct step *step)
{
    return step_by_square(machine, choose_next, step);
}

static enum nq_status step_recursion(void *machine, struct step *step)
{
    return step_by_square(machine, choose_all, step);
}

static enum nq_status step_mrv(void *machine, struct step *step)
{
    const enum nq_status status = step_by_row(machine, choose_fewest, step);
    step->settled = false;
    return status;
}

/* ---- Positions of the searches that go row by row ---- */

/* The queens above a row, and the one that was tried last in it. */
static uint32_t position(const void *machine, uint32_t *prefix)
{
    const struct rows_machine *rows = machine;
    const uint32_t length = rows->depth + !is_whole(rows);
    for (uint32_t row = 0; row < length; row++)
        prefix[row] = rows->level[row].column;
    return length;
}

/* Whether queens may stand there. */
static bool stands(struct rows_machine *rows, const uint32_t *prefix, uint32_t length)
{
    const struct shape *shape = &rows->board.shape;
    bool stand = length <= shape->rows;
    for (uint32_t row = 0; stand && row < length; row++) {
        stand = prefix[row] < shape->columns && shape->allow[row] >> prefix[row] & 1;
        for (uint32_t above = 0; stand && above < row; above++)
            stand = !(attack_of(rows, above, prefix[above])[row] >> prefix[row] & 1);
    }
    return stand;
}

static enum nq_status seek(struct rows_machine *rows, row_chooser choose, const uint32_t *prefix, uint32_t length)
{
    if (!stands(rows, prefix, length))
        return NQ_INVALID;
    while (rows->depth)
        take_off(rows);
    rows->chosen = false;
    while (rows->depth < length) {
        struct rows_level *level = &rows->level[rows->depth];
        (void)choose(rows);
        level->column = prefix[rows->depth];
        level->untried &= ~((UINT64_C(2) << level->column) - 1); /* columns up to this one are done */
        place(rows, level->row + 1);
    }
    if (length)
        take_off(rows);
    return NQ_OK;
}

static enum nq_status seek_bitboard(void *machine, const uint32_t *prefix, uint32_t length)
{
    return seek(machine, choose_next, prefix, length);
}

static enum nq_status seek_recursion(void *machine, const uint32_t *prefix, uint32_t length)
{
    return seek(machine, choose_all, prefix, length);
}

/* ---- The machines and the algorithms ---- */

LISTING_FILE(text_bitboard, "bitboard.py")
static const struct listing listing_bitboard = {
    .language = "Python",
    .row = "row",
    .column = NULL,
    .board = "x",
    LISTING_TEXT(text_bitboard),
    .line = {[STEP_PLACE] = 9, [STEP_SOLUTION] = 10, [STEP_REMOVE] = 13},
};

extern const struct machine_class machine_bitboard; /* of solver_bitboard.c */
const struct machine_class machine_bitboard = {
    .open = open_rows,
    .step = step_bitboard,
    .board = write_board,
    .position = position,
    .seek = seek_bitboard,
    .close = close_rows,
    .listing = &listing_bitboard,
};

LISTING_FILE(text_recursion, "recursion.py")
static const struct listing listing_recursion = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_recursion),
    .line = {[STEP_REJECT] = 3, [STEP_PLACE] = 4, [STEP_SOLUTION] = 5, [STEP_REMOVE] = 7},
};

static const struct machine_class machine_recursion = {
    .open = open_rows,
    .step = step_recursion,
    .board = write_board,
    .position = position,
    .seek = seek_recursion,
    .close = close_rows,
    .listing = &listing_recursion,
};

const struct solver solver_recursion = {
    .name = "recursion",
    .title = "Recursion",
    .summary =
        "backtracking by recursion in eight lines of Python: each call tries the squares of one row, and compares "
        "them with the queens above",
    .order = "lexicographic",
    .complexity = "one test a square, of up to n queens; O(n) memory",
    .source = "written for this service, after try() in N. Wirth, Algorithms + Data Structures = Programs, 1976",
    .year = 2026,
    .tests = "squares tested",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_ALL,
    .machine = &machine_recursion,
    .by_shape = true,
};

LISTING_FILE(text_mrv, "mrv.py")
static const struct listing listing_mrv = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_mrv),
    .line = {[STEP_PLACE] = 16, [STEP_SOLUTION] = 17, [STEP_REMOVE] = 19},
};

static const struct machine_class machine_mrv = {
    .open = open_rows,
    .step = step_mrv,
    .board = write_board,
    .close = close_rows,
    .listing = &listing_mrv,
};

const struct solver solver_mrv = {
    .name = "mrv",
    .title = "Golomb, Baumert 1965, MRV",
    .by_rule = true,
    .summary = "backtracking that fills the row with the fewest free squares next (minimum remaining values)",
    .order = "by the row with the fewest free squares, from above; squares from the left",
    .complexity = "O(n) a placement; O(n) memory",
    .source = "S. W. Golomb, L. D. Baumert, Backtrack Programming, Journal of the ACM 12 (1965), 516-524",
    .year = 1965,
    .tests = "rows whose free squares are counted",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_ALL,
    .machine = &machine_mrv,
    .by_shape = true,
};
