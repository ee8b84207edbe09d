/* solver_dancing_links.c - the board as an exact cover: each row and each column has one queen, each diagonal at most
 * one. What a queen rules out is unlinked from doubly linked lists, and links itself back in when she goes. After
 * D. Knuth, Dancing Links (2000), and his programs for it, DANCE and QUEENS: item by item, link by link and in the same
 * order. Items are what he calls columns of the matrix there, options its rows: here those are of the board. The dance
 * itself knows nothing of queens. */
#include <stdlib.h>

#include "solvers/solver.h"
#include "steps/listing.h"

enum {
    SECONDARY = 2 * (2 * MACHINE_MAX_N - 3), /* diagonals; those of one square need not be minded */
    ITEMS = 2 * MACHINE_MAX_N + SECONDARY,
    NODES = 1 + ITEMS + 4 * MACHINE_MAX_N * MACHINE_MAX_N,
    ROOT = 0, /* of the list of rows and columns without a queen */
};

/* The head of an item's list, or one option in the list of one of its items. Numbers are indexes of nodes. */
struct node {
    uint16_t left, right; /* of a head: other items to be covered; of an option: its other items; both in a circle */
    uint16_t up, down;    /* the options of an item, in a circle with its head */
    uint16_t item;
    uint16_t count;      /* of a head: its options */
    uint8_t row, column; /* of an option */
};

enum next { CHOOSE_ITEM, TRY_OPTION, TAKE_BACK, FINISHED };

struct dancing {
    uint32_t n, nodes;
    enum next next;
    uint32_t depth;                 /* queens that stand */
    uint32_t updates;               /* links taken out since the last step: what Knuth counts */
    uint16_t option;                /* is tried next */
    uint16_t chosen[MACHINE_MAX_N]; /* by depth: the option, in the list of the item that was chosen */
    struct node node[NODES];
};

/* ---- Laying out ---- */

/* A head; linked to others only if it has to be covered. */
static uint16_t add_item(struct dancing *dancing, bool primary)
{
    const uint16_t item = (uint16_t)dancing->nodes++;
    struct node *node = dancing->node;
    node[item] = (struct node){.left = item, .right = item, .up = item, .down = item, .item = item};
    if (primary) {
        node[item].left = node[ROOT].left;
        node[item].right = ROOT;
        node[node[ROOT].left].right = item;
        node[ROOT].left = item;
    }
    return item;
}

/* At the bottom of each item's list. */
static void add_option(struct dancing *dancing, const uint16_t *items, uint32_t count, uint32_t row, uint32_t column)
{
    struct node *node = dancing->node;
    const uint32_t first = dancing->nodes;
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t at = (uint16_t)dancing->nodes++;
        struct node *head = &node[items[i]];
        node[at] = (struct node){.left = (uint16_t)(first + (i + count - 1) % count),
                                 .right = (uint16_t)(first + (i + 1) % count),
                                 .up = head->up,
                                 .down = items[i],
                                 .item = items[i],
                                 .row = (uint8_t)row,
                                 .column = (uint8_t)column};
        node[head->up].down = at;
        head->up = at;
        head->count++;
    }
}

/* Rows and columns from the middle outwards, by turns, which Knuth calls organ-pipe order: of items with as few
 * options, those in the middle rule out more. */
static void lay_out(struct dancing *dancing)
{
    const uint32_t n = dancing->n, last = 2 * n - 2;
    uint16_t rows[MACHINE_MAX_N], columns[MACHINE_MAX_N];
    uint16_t sums[2 * MACHINE_MAX_N] = {0}, differences[2 * MACHINE_MAX_N] = {0}; /* 0: of one square */

    (void)add_item(dancing, false); /* ROOT comes first */
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t line = (i % 2 ? n - 1 - i : n + i) / 2;
        rows[line] = add_item(dancing, true);
        columns[line] = add_item(dancing, true);
    }
    for (uint32_t i = 1; i < last; i++) {
        sums[i] = add_item(dancing, false);
        differences[i] = add_item(dancing, false);
    }
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            uint16_t items[4] = {rows[row], columns[column]};
            uint32_t count = 2;
            if (sums[row + column])
                items[count++] = sums[row + column];
            if (differences[n - 1 - row + column])
                items[count++] = differences[n - 1 - row + column];
            add_option(dancing, items, count, row, column);
        }
}

/* ---- The dance ---- */

/* Takes an item off the list of those to be covered, and its options off the lists of all others. */
static void cover(struct dancing *dancing, uint16_t item)
{
    struct node *node = dancing->node;
    node[node[item].left].right = node[item].right;
    node[node[item].right].left = node[item].left;
    dancing->updates++;
    for (uint16_t option = node[item].down; option != item; option = node[option].down)
        for (uint16_t at = node[option].right; at != option; at = node[at].right) {
            node[node[at].up].down = node[at].down;
            node[node[at].down].up = node[at].up;
            node[node[at].item].count--;
            dancing->updates++;
        }
}

/* The very reverse, in reverse order. */
static void uncover(struct dancing *dancing, uint16_t item)
{
    struct node *node = dancing->node;
    for (uint16_t option = node[item].up; option != item; option = node[option].up)
        for (uint16_t at = node[option].left; at != option; at = node[at].left) {
            node[node[at].up].down = node[node[at].down].up = at;
            node[node[at].item].count++;
        }
    node[node[item].left].right = node[node[item].right].left = item;
}

/* The first of those with the fewest options. */
static uint16_t smallest(const struct dancing *dancing)
{
    const struct node *node = dancing->node;
    uint16_t best = node[ROOT].right;
    for (uint16_t item = best; item != ROOT; item = node[item].right)
        if (node[item].count < node[best].count)
            best = item;
    return best;
}

/* About the square of an option; ROOT: about the whole board. */
static struct step step_of(struct dancing *dancing, enum step_kind kind, uint16_t option)
{
    const struct node *node = &dancing->node[option];
    struct step step = option == ROOT ? step_on_board(kind, dancing->depth)
                                      : step_on_square(kind, node->row, node->column, dancing->depth);
    step.tests = dancing->updates;
    dancing->updates = 0;
    return step;
}

static struct step place(struct dancing *dancing)
{
    const uint16_t option = dancing->option;
    const struct node *node = dancing->node;
    dancing->chosen[dancing->depth++] = option;
    for (uint16_t at = node[option].right; at != option; at = node[at].right)
        cover(dancing, node[at].item);
    dancing->next = CHOOSE_ITEM;
    return step_of(dancing, STEP_PLACE, option);
}

static struct step take_back(struct dancing *dancing)
{
    const uint16_t option = dancing->chosen[--dancing->depth];
    const struct node *node = dancing->node;
    for (uint16_t at = node[option].left; at != option; at = node[at].left)
        uncover(dancing, node[at].item);
    dancing->option = node[option].down;
    dancing->next = TRY_OPTION;
    return step_of(dancing, STEP_REMOVE, option);
}

static enum nq_status dancing_step(void *machine, struct step *step)
{
    struct dancing *dancing = machine;
    const struct node *node = dancing->node;
    if (dancing->next == CHOOSE_ITEM && node[ROOT].right == ROOT) {
        dancing->next = TAKE_BACK;
        *step = step_of(dancing, STEP_SOLUTION, ROOT);
        return NQ_OK;
    }
    if (dancing->next == CHOOSE_ITEM) {
        const uint16_t item = smallest(dancing);
        cover(dancing, item);
        dancing->option = node[item].down;
        dancing->next = TRY_OPTION;
    }
    if (dancing->next == TRY_OPTION && dancing->option == node[dancing->option].item) { /* they have all been tried */
        uncover(dancing, dancing->option);
        dancing->next = dancing->depth ? TAKE_BACK : FINISHED;
    }
    if (dancing->next == FINISHED)
        return NQ_END;
    *step = dancing->next == TRY_OPTION ? place(dancing) : take_back(dancing);
    return NQ_OK;
}

static void dancing_begin(const struct machine_settings *settings, void *machine)
{
    struct dancing *dancing = machine;
    dancing->n = settings->n;
    lay_out(dancing);
}

static void dancing_board(const void *machine, uint32_t *columns)
{
    const struct dancing *dancing = machine;
    for (uint32_t row = 0; row < dancing->n; row++)
        columns[row] = NOWHERE;
    for (uint32_t i = 0; i < dancing->depth; i++) {
        const struct node *option = &dancing->node[dancing->chosen[i]];
        columns[option->row] = option->column;
    }
}

LISTING_FILE(text_dancing_links, "dancing-links.py")
static const struct listing listing = {
    .language = "Python",
    .row = "row",
    .column = "col",
    .board = "x",
    LISTING_TEXT(text_dancing_links),
    .line = {[STEP_PLACE] = 46, [STEP_SOLUTION] = 47, [STEP_REMOVE] = 49},
};

static const struct machine_class machine_dancing_links = {
    .size = sizeof(struct dancing),
    .begin = dancing_begin,
    .step = dancing_step,
    .board = dancing_board,
    .close = free,
    .listing = &listing,
};

const struct solver solver_dancing_links = {
    .name = "dancing-links",
    .title = "Knuth 2000, Dancing Links",
    .summary = "exact cover on doubly linked lists that undo their own removals: the row or column with the fewest "
               "free squares next; rows and columns in organ-pipe order",
    .order = "by row or column with the fewest free squares, from the middle outwards; squares from the left or top",
    .complexity = "O(n) links a placement; O(n^2) memory",
    .source = "D. E. Knuth, Dancing Links, in: Millennial Perspectives in Computer Science, 187-214; arXiv:cs/0011047",
    .year = 2000,
    .tests = "links removed from lists, which Knuth counts as updates",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_ALL,
    .machine = &machine_dancing_links,
};
