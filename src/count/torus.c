/* torus.c - motions of the torus, each put with those that others carry it into: g with h g h^-1, until no more are
 * found. It is enough that h goes through the symmetries and a shift by one: all motions are made of these. */
#include "count/torus.h"

#include <stdlib.h>

#include "base/grow.h"

struct listing {
    const struct rule *rule;
    uint32_t n;
    bool *had;       /* by number of a motion: it is in a class */
    uint32_t *queue; /* numbers of the motions of a class */
    uint32_t queued;
};

static uint32_t number_of(const struct motion *motion, uint32_t n)
{
    return (motion->symmetry * n + motion->down) * n + motion->right;
}

static struct motion motion_of(uint32_t number, uint32_t n)
{
    return (struct motion){(uint8_t)(number / (n * n)), (uint8_t)(number / n % n), (uint8_t)(number % n)};
}

struct square {
    uint32_t row, column;
};

/* A shift by one row down, or a symmetry; and what undoes it. */
enum { SHIFT = NQ_SYMMETRIES };
static struct motion step_of(unsigned step, uint32_t n, bool undo)
{
    static const uint8_t undone[] = {0, 3, 2, 1, 4, 5, 6, 7};
    if (step == SHIFT)
        return (struct motion){.down = (uint8_t)(undo ? n - 1 : 1)};
    return (struct motion){.symmetry = (uint8_t)(undo ? undone[step] : step)};
}

/* Where h g h^-1 carries a square. */
static struct square carry(const struct motion *motion, uint32_t n, unsigned step, struct square square)
{
    const struct motion back = step_of(step, n, true), forth = step_of(step, n, false);
    motion_apply(&back, n, &square.row, &square.column);
    motion_apply(motion, n, &square.row, &square.column);
    motion_apply(&forth, n, &square.row, &square.column);
    return square;
}

static bool agrees(const struct motion *motion, uint32_t n, struct square square, struct square to)
{
    motion_apply(motion, n, &square.row, &square.column);
    return square.row == to.row && square.column == to.column;
}

/* h g h^-1: the motion that carries three squares as it does. */
static struct motion conjugate(const struct motion *motion, uint32_t n, unsigned step)
{
    const struct square corner = {0, 0}, right = {0, 1 % n}, below = {1 % n, 0};
    const struct square to = carry(motion, n, step, corner);
    for (uint8_t symmetry = 0;; symmetry++) {
        struct square from = corner;
        square_transform(symmetry, n, &from.row, &from.column);
        const struct motion image = {symmetry, (uint8_t)((to.row + n - from.row) % n),
                                     (uint8_t)((to.column + n - from.column) % n)};
        if (symmetry == NQ_SYMMETRIES - 1 || (agrees(&image, n, right, carry(motion, n, step, right)) &&
                                              agrees(&image, n, below, carry(motion, n, step, below))))
            return image;
    }
}

static void add(struct listing *listing, const struct motion *motion)
{
    const uint32_t number = number_of(motion, listing->n);
    if (listing->had[number])
        return;
    listing->had[number] = true;
    listing->queue[listing->queued++] = number;
}

/* Returns how many motions the class of one has. */
static uint32_t fill_class(struct listing *listing, const struct motion *motion)
{
    listing->queued = 0;
    add(listing, motion);
    for (uint32_t at = 0; at < listing->queued; at++) {
        const struct motion one = motion_of(listing->queue[at], listing->n);
        for (unsigned step = 0; step <= SHIFT; step++) {
            const struct motion image = conjugate(&one, listing->n, step);
            if (step == SHIFT || listing->rule->symmetries >> step & 1)
                add(listing, &image);
        }
    }
    return listing->queued;
}

static enum nq_status list(struct listing *listing, struct torus_class **classes, size_t *count)
{
    const uint32_t shifts = listing->n * listing->n;
    size_t room = 0;
    for (uint32_t number = 0; number < NQ_SYMMETRIES * shifts; number++) {
        if (listing->had[number] || !(listing->rule->symmetries >> number / shifts & 1))
            continue;
        struct torus_class *grown = grow_array(*classes, *count, &room, sizeof *grown);
        if (!grown)
            return NQ_NOMEM;
        *classes = grown;
        const struct motion motion = motion_of(number, listing->n);
        grown[(*count)++] = (struct torus_class){.motion = motion, .motions = fill_class(listing, &motion)};
    }
    return NQ_OK;
}

enum nq_status torus_classes(const struct rule *rule, uint32_t n, struct torus_class **classes, size_t *count)
{
    const size_t motions = (size_t)NQ_SYMMETRIES * n * n;
    struct listing listing = {.rule = rule, .n = n};
    listing.had = calloc(motions, sizeof *listing.had);
    listing.queue = calloc(motions, sizeof *listing.queue);
    *classes = NULL;
    *count = 0;
    enum nq_status status = listing.had && listing.queue ? list(&listing, classes, count) : NQ_NOMEM;
    free(listing.had);
    free(listing.queue);
    if (status != NQ_OK) {
        free(*classes);
        *classes = NULL;
    }
    return status;
}
