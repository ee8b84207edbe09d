/* statistics.c - the table of statistics. */
#include "statistics/statistic.h"

#include <string.h>

extern const struct statistic statistic_first_column, statistic_fixed_points, statistic_displacement,
    statistic_torus_conflicts, statistic_torus_engaged, statistic_torus_components, statistic_torus_largest,
    statistic_torus_class;

const struct statistic *const statistics[] = {
    &statistic_first_column,  &statistic_fixed_points,     &statistic_displacement,  &statistic_torus_conflicts,
    &statistic_torus_engaged, &statistic_torus_components, &statistic_torus_largest, &statistic_torus_class,
};
const size_t statistics_count = sizeof statistics / sizeof statistics[0];

const struct statistic *statistic_find(const char *name)
{
    for (size_t i = 0; i < statistics_count; i++)
        if (strcmp(statistics[i]->name, name) == 0)
            return statistics[i];
    return NULL;
}
