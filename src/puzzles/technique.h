/* technique.h - a technique of deduction: what it concludes from the free squares of a position, and what this rests
 * on. techniques.c is the table, from easy to hard. A technique never crosses a square of a solution. It knows neither
 * how boards are made nor how they are shown. */
#ifndef PUZZLES_TECHNIQUE_H
#define PUZZLES_TECHNIQUE_H

#include <stdatomic.h>

#include "puzzles/grid.h"

/* What a board asks of a player: that of the hardest technique needed. */
enum level { LEVEL_EASY, LEVEL_MEDIUM, LEVEL_HARD, LEVEL_EXPERT, LEVELS };

/* "easy", "medium", "hard", "expert"; NULL from LEVELS on. */
const char *level_name(size_t level);

struct group {
    uint8_t kind, index;
};

/* A step: a queen, or squares that are crossed. */
struct finding {
    const struct technique *by;
    uint32_t size;  /* of `sets`: groups; of contradictions: rounds until a group is empty; else 0 */
    uint32_t queen; /* the square; GRID_NOWHERE: none */
    uint64_t cross[GRID_MAX_WORDS];
    /* What it rests on: free squares, and groups. Of `confined` and `sets` first the groups whose squares those are,
     * then as many whose other squares are crossed; of contradictions the group that a queen would leave empty. */
    uint64_t squares[GRID_MAX_WORDS];
    uint32_t groups;
    struct group group[2 * GRID_MAX_N];
};

/* One round of consequences. False: nothing has changed; or soon after *stop (may be NULL). */
typedef bool propagation(const struct grid *grid, struct position *position, const atomic_bool *stop);

struct technique {
    const char *name;
    bool sized; /* "name-size" is how a step is called */
    enum level level;
    uint32_t weight, more; /* what a step adds to a score: weight, and `more` for each of its size */
    const char *summary;
    /* It refutes a queen on the square that it crosses: see contradiction_follow(). The rounds after the queen's own;
     * NULL: there is none. */
    bool refutes;
    propagation *propagate;
    /* Finds a step, the same for the same position everywhere. False: there is none; or soon after *stop (may be NULL).
     */
    bool (*find)(const struct grid *grid, const struct position *position, struct finding *finding,
                 const atomic_bool *stop);
};

/* From easy to hard; ends with NULL. */
extern const struct technique *const techniques[];

/* How a step of a size is called: "single", "sets-2". Returns text. */
enum { FINDING_NAME_MAX = 32 };
const char *technique_name(const struct technique *technique, uint32_t size, char text[static FINDING_NAME_MAX]);
const char *finding_name(const struct finding *finding, char text[static FINDING_NAME_MAX]);

/* The step that the easiest technique finds, of the first `count` in the table. False: none of them finds one. */
bool finding_next(const struct grid *grid, const struct position *position, size_t count, struct finding *finding,
                  const atomic_bool *stop);

/* The same of any list of techniques. */
bool finding_first(const struct grid *grid, const struct position *position, const struct technique *const *list,
                   size_t count, struct finding *finding, const atomic_bool *stop);

/* Makes the step. */
void finding_apply(const struct grid *grid, struct position *position, const struct finding *finding);

/* ---- What several leaves share ---- */

/* Begins a finding without conclusions. */
void finding_begin(const struct grid *grid, struct finding *finding);

/* Adds a group, and its free squares. */
void finding_rest_on(const struct grid *grid, const struct position *position, struct finding *finding, unsigned kind,
                     uint32_t index);

/* For each group, the groups of another kind that its free squares are in, as bits; of its own kind none. */
struct touches {
    uint64_t of[GROUP_KINDS][GROUP_KINDS][GRID_MAX_N];
};

void touches_read(const struct grid *grid, const struct position *position, struct touches *touches);

/* Groups of one kind (bits) whose free squares lie in groups of another kind, as many or fewer. */
struct confinement {
    unsigned kind, into;
    uint64_t groups, targets;
};

/* Adds to `cross` the free squares of the targets that are not in the groups; where the targets are too few for one
 * queen from each group, all free squares of the groups. False: there are none. */
bool confinement_cross(const struct grid *grid, const struct position *position, const struct confinement *confinement,
                       uint64_t *cross);

/* Adds all of it to a finding. */
void confinement_found(const struct grid *grid, const struct position *position, const struct confinement *confinement,
                       struct finding *finding);

/* ---- Contradictions ---- */

/* What several techniques share that refute a square: the consequences of a queen there, round by round. It does not
 * know which techniques draw them. */

/* Looks for the square from which `propagate` comes to an empty group in the fewest rounds, two or more, and crosses
 * it. Nothing is found soon after *stop (may be
 * NULL). */
bool contradiction_find(const struct grid *grid, const struct position *position, struct finding *finding,
                        propagation *propagate, const atomic_bool *stop);

/* Follows a step of a technique that refutes, found in `position`: calls visit(cls, before, after) for each round, the
 * first of which is the queen itself; the last one leaves a group empty. */
void contradiction_follow(const struct grid *grid, const struct position *position, const struct finding *finding,
                          void (*visit)(void *cls, const struct position *before, const struct position *after),
                          void *cls);

/* One round: every queen that is alone in its group, then everything that is confined. */
propagation propagate_short;

/* ---- Grades ---- */

/* How hard a position is: the steps from it to its solution, the hardest of them, and how often each technique is
 * needed. It follows from the position alone. */

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
