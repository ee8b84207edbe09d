/* grade.c - solves a position step by step, and adds up what was needed. */
#include "puzzles/technique.h"

#include "base/stop.h"

static size_t row_of(const struct technique *technique)
{
    size_t row = 0;
    while (techniques[row] != technique)
        row++;
    return row;
}

void grade_add(struct grade *grade, const struct finding *finding)
{
    const struct technique *by = finding->by;
    const size_t row = row_of(by);
    if (!grade->hardest || row > row_of(grade->hardest)) {
        grade->hardest = by;
        grade->size = finding->size;
    } else if (grade->hardest == by && finding->size > grade->size) {
        grade->size = finding->size;
    }
    grade->steps[row]++;
    grade->score += by->weight + by->more * finding->size;
}

struct grade grade_position(const struct grid *grid, struct position *position, size_t count, const atomic_bool *stop)
{
    struct grade grade = {0};
    struct finding finding;
    while (!position_solved(grid, position) && !stop_wanted(stop) &&
           finding_next(grid, position, count, &finding, stop)) {
        grade_add(&grade, &finding);
        finding_apply(grid, position, &finding);
    }
    grade.solved = position_solved(grid, position);
    return grade;
}

const char *grade_name(const struct grade *grade)
{
    if (!grade->solved)
        return NULL;
    if (!grade->hardest)
        return level_name(LEVEL_EASY);
    return grade->hardest->level == LEVELS ? grade->hardest->name : level_name(grade->hardest->level);
}
