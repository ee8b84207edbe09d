/* work.h - the command `nqueensd worker`. */
#ifndef WORK_H
#define WORK_H

/* Counts for servers until SIGTERM or SIGINT. Its exit status. */
int work_run(int count, char **arguments);

#endif
