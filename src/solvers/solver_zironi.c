/* solver_zironi.c - column by column, with vectors of the free rows and diagonals, and only solutions that are new
 * under rotation and reflection. By Prof. Zironi of the University of Modena for a course on computing machines, told
 * in KULT Underground (Otto regine). The names are those of the listing; the numbering is from 0, here only; its column
 * ic is our row. It knows no solution but the one it stands at: the original kept all it had printed, in ten places
 * where twelve come, and compared the eight images of the next one with each. The first of a class in this order is the
 * least of its images, so that a solution is new exactly if no image of it comes before it, and nothing has to be kept.
 */
#include <stdlib.h>

#include "board/query.h"
#include "solvers/solver.h"
#include "steps/listing.h"

/* Where the call of prova(ic) is: at the squares of its loop, at the printing, or back from below. */
enum next { LOOK, PRINT, FREE };

struct zironi {
    uint32_t n;
    uint32_t ic, ir; /* the call in work, and the square it looks at next */
    enum next next;
    bool printed;             /* what stands */
    uint8_t r[MACHINE_MAX_N]; /* by call: where its queen stands; the ir that it goes on from */
    /* 1 if free: ir, ir - ic + n - 1, ir + ic */
    uint8_t lr[MACHINE_MAX_N], ldp[2 * MACHINE_MAX_N - 1], lds[2 * MACHINE_MAX_N - 1];
};

static void set_free(struct zironi *zironi, uint32_t ic, uint32_t ir, uint8_t free)
{
    zironi->lr[ir] = zironi->ldp[ir + zironi->n - 1 - ic] = zironi->lds[ir + ic] = free;
}

static void begin(struct zironi *zironi, uint32_t n)
{
    *zironi = (struct zironi){.n = n, .next = LOOK};
    for (uint32_t ic = 0; ic < n; ic++)
        for (uint32_t ir = 0; ir < n; ir++)
            set_free(zironi, ic, ir, 1);
}

static void zironi_begin(const struct machine_settings *settings, void *machine)
{
    struct zironi *zironi = machine;
    begin(zironi, settings->n);
}

static bool is_free(const struct zironi *zironi, uint32_t ic, uint32_t ir)
{
    return zironi->lr[ir] && zironi->ldp[ir + zironi->n - 1 - ic] && zironi->lds[ir + ic];
}

/* The call whose queen attacks a square that is not free, by what the listing asks for first: row, diagonals. */
static uint32_t attacker(const struct zironi *zironi, uint32_t ic, uint32_t ir)
{
    const bool row = !zironi->lr[ir], main = !zironi->ldp[ir + zironi->n - 1 - ic];
    for (uint32_t by = 0; by < ic; by++) {
        const uint32_t r = zironi->r[by];
        if (row ? r == ir : main ? r + ic == ir + by : r + by == ir + ic)
            return by;
    }
    return NOWHERE;
}

static void look(struct zironi *zironi, struct step *step)
{
    const uint32_t ic = zironi->ic, ir = zironi->ir++;
    const bool free = is_free(zironi, ic, ir);
    *step = step_on_square(free ? STEP_PLACE : STEP_REJECT, ic, ir, ic + free);
    step->tests = 1;
    if (!free) {
        step->by = attacker(zironi, ic, ir);
        return;
    }
    zironi->r[ic] = (uint8_t)ir;
    set_free(zironi, ic, ir, 0);
    if (ic + 1 < zironi->n) { /* prova(ic + 1) */
        zironi->ic++;
        zironi->ir = 0;
    } else {
        zironi->next = PRINT;
    }
}

static void print(struct zironi *zironi, struct step *step)
{
    *step = step_on_board(STEP_SOLUTION, zironi->n);
    step->settled = true;
    zironi->next = FREE;
    zironi->printed = true;
}

/* The queen of the call in work is taken off. After a printed solution that finishes nothing that was not. */
static void take_off(struct zironi *zironi, struct step *step)
{
    const uint32_t ic = zironi->ic, ir = zironi->r[ic];
    *step = step_on_square(STEP_REMOVE, ic, ir, ic);
    step->settled = !zironi->printed;
    set_free(zironi, ic, ir, 1);
    zironi->ir = ir + 1;
    zironi->next = LOOK;
    zironi->printed = false;
}

static enum nq_status zironi_step(void *machine, struct step *step)
{
    struct zironi *zironi = machine;
    if (zironi->next == PRINT && query_representative(SYMMETRIES_ALL, zironi->n, zironi->r)) {
        print(zironi, step);
    } else if (zironi->next == LOOK && zironi->ir < zironi->n) {
        look(zironi, step);
    } else if (zironi->next == LOOK && zironi->ic == 0) {
        return NQ_END;
    } else {
        zironi->ic -= zironi->next == LOOK; /* this call returns */
        take_off(zironi, step);
    }
    return NQ_OK;
}

static void zironi_board(const void *machine, uint32_t *columns)
{
    const struct zironi *zironi = machine;
    for (uint32_t ic = 0; ic < zironi->n; ic++)
        columns[ic] = ic < zironi->ic + (zironi->next != LOOK) ? zironi->r[ic] : NOWHERE;
}

/* The queens of the calls above the one in work, and the square of its last queen. */
static uint32_t zironi_position(const void *machine, uint32_t *prefix)
{
    const struct zironi *zironi = machine;
    for (uint32_t ic = 0; ic <= zironi->ic; ic++)
        prefix[ic] = zironi->r[ic];
    return zironi->ic + 1;
}

/* Whole solutions need not be new ones: it also stops after one that is not. */
static enum nq_status zironi_seek(void *machine, const uint32_t *prefix, uint32_t length)
{
    struct zironi *zironi = machine, moved;
    begin(&moved, zironi->n);
    if (length > moved.n)
        return NQ_INVALID;
    for (uint32_t ic = 0; ic < length; ic++) {
        if (prefix[ic] >= moved.n || !is_free(&moved, ic, prefix[ic]))
            return NQ_INVALID;
        moved.ic = ic;
        moved.r[ic] = (uint8_t)prefix[ic];
        moved.ir = prefix[ic] + 1; /* which is looked at next */
        if (ic + 1 < length)
            set_free(&moved, ic, prefix[ic], 0);
    }
    *zironi = moved;
    return NQ_OK;
}

LISTING_FILE(text_zironi, "zironi.c.txt")
static const struct listing listing = {
    .language = "C",
    .row = "ic",
    .column = "ir",
    .board = "r",
    LISTING_TEXT(text_zironi),
    .line = {[STEP_REJECT] = 30, [STEP_PLACE] = 31, [STEP_SOLUTION] = 33, [STEP_REMOVE] = 34},
};

static const struct machine_class machine_zironi = {
    .size = sizeof(struct zironi),
    .begin = zironi_begin,
    .step = zironi_step,
    .board = zironi_board,
    .position = zironi_position,
    .seek = zironi_seek,
    .close = free,
    .listing = &listing,
};

const struct solver solver_zironi = {
    .name = "zironi",
    .title = "Zironi 1994, C",
    .summary = "backtracking column by column with vectors of free rows and diagonals; lists a solution only if it is "
               "not a rotation or reflection of an earlier one",
    .order = "lexicographic",
    .complexity = "one test a square, and the eight images of each solution; O(n) memory",
    .source = "Prof. Zironi, University of Modena; told in KULT Underground, Otto regine, undated (the magazine began "
              "in 1994)",
    .year = 1994,
    .tests = "squares tested",
    .errata =
        "The listing stores the solutions it prints in an array of 10, but there are 12: the last two are written "
        "behind its end. Here none is stored: a solution is new if none of its images comes before it.",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_FUNDAMENTAL,
    .machine = &machine_zironi,
};
