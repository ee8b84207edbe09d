/* levels.h - search by levels: all placements of one row more from all of one row less, in stages. Romani's algorithms
 * 2 to 4 differ only in where their stages end. */
#ifndef SOLVERS_LEVELS_H
#define SOLVERS_LEVELS_H

#include "steps/machine.h"

/* Opens a machine that fills settings->split[0] rows, then [1], and so on, then all of them; it heeds the column too. A
 * stage takes up what the one before found, one after the other, and takes it further level by level, trying every
 * column but those that were taken when it began. The last stage ends with the first that can be completed, after all
 * of its completions. NQ_OK, or NQ_NOMEM. */
enum nq_status levels_open(const struct machine_settings *settings, void **machine);

/* The rest of the class. */
enum nq_status levels_step(void *machine, struct step *step);
void levels_board(const void *machine, uint32_t *columns);
void levels_close(void *machine);

#endif
