/* healthcheck.h - `nqueensd healthcheck`: whether a server is alive, as containers ask it. */
#ifndef HEALTHCHECK_H
#define HEALTHCHECK_H

/* The command, with the flags and the environment of the server that is meant. 0: alive; 1: not, with a sentence on
 * standard error; 2: no such flag. */
int healthcheck_run(int count, char **arguments);

#endif
