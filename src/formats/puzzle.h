/* puzzle.h - puzzles as JSON: queens to be completed, or a board of regions. It knows neither how they are made nor who
 * plays. */
#ifndef FORMATS_PUZZLE_H
#define FORMATS_PUZZLE_H

#include "board/conflicts.h"
#include "puzzles/puzzle_code.h"
#include "puzzles/technique.h"
#include "shapes/shape.h"

/* Where the path of the solution stands in what was written, behind the public prefix. */
struct puzzle_links {
    size_t solution, solution_length;
};

/* Clues that have one completion. */
struct clue_puzzle {
    const char *prefix; /* the public one, of links */
    uint32_t n, base;
    const char *rules;         /* NULL: that of queens */
    const struct shape *shape; /* the board; NULL: n x n, with n queens */
    uint64_t seed;
    const struct queen *clues;
    size_t count;
    bool minimal;
    const char *level; /* of its difficulty, which a shape does not have, with the grade, */
    const struct grade *grade;
    uint32_t forced; /* and the queens that the search found without a choice */
};

/* Appends one JSON object and a line feed. */
struct puzzle_links puzzle_write_clues(struct bytes *out, const struct clue_puzzle *puzzle);

/* A generated board of regions with one solution. */
struct region_puzzle {
    const char *prefix; /* the public one, of links */
    uint32_t base;
    const struct puzzle_name *name;
    bool daily; /* its seed is a day */
    const struct regions *regions;
    const struct grade *grade;
};

struct puzzle_links puzzle_write_regions(struct bytes *out, const struct region_puzzle *puzzle);

/* Appends the members of a grade: the hardest technique, null if no step was needed; the score; and the steps of each
 * technique that was needed: "hardest":"sets-2","score":31,"techniques":{"single":8}. */
void puzzle_write_grade(struct bytes *out, const struct grade *grade);

#endif
