/* grade.h - how hard a position is: the steps from it to its solution, the hardest of them, and how often each
 * technique is needed. It follows from the position alone. */
#ifndef PUZZLES_GRADE_H
#define PUZZLES_GRADE_H

#include <stdatomic.h>

#include "puzzles/technique.h"

/* Rows of the table of techniques, the last of them a search. */
enum { GRADE_TECHNIQUES = 8 };

struct grade {
    bool solved; /* else the steps end before: there is no solution, or more than one, or the techniques are not enough
                  */
    const struct technique *hardest;  /* NULL: no step was needed */
    uint32_t size;                    /* the largest that it had */
    uint32_t score;                   /* the sum of the weights of all steps */
    uint32_t steps[GRADE_TECHNIQUES]; /* of each technique, by its row in the table */
};

/* Adds a step. */
void grade_add(struct grade *grade, const struct finding *finding);

/* Makes the steps that the first `count` techniques find, the easiest first, until the position is solved or none finds
 * any: *position is then what has been reached. Stops soon after *stop (may be NULL), as if no step were found. */
struct grade grade_position(const struct grid *grid, struct position *position, size_t count, const atomic_bool *stop);

/* "hard", by the hardest technique; "search" if that is a search; NULL: not solved. */
const char *grade_name(const struct grade *grade);

#endif
