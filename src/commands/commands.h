/* commands.h - the commands of nqueensd. Each takes the words after its name, and returns the exit status: 0; 1: it
 * failed, with a sentence on standard error; 2: a word, or a file that a flag names, is wrong. */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

/* `nqueensd serve`, and the default: serves until SIGTERM or SIGINT. 1 also when facts were lost at the end. */
int serve_run(int count, char **arguments);

/* `nqueensd worker`: counts for servers until SIGTERM or SIGINT. */
int work_run(int count, char **arguments);

/* `nqueensd bench`: runs the bench that the first word names. */
int bench_run(int count, char **arguments);

/* `nqueensd bfile`: computes the sequence that the first word names, and prints its b-file. 1 also when it was
 * interrupted. */
int bfile_run(int count, char **arguments);

/* `nqueensd units`: counts the units of a board, or one of them, and prints their thirds. */
int units_run(int count, char **arguments);

/* `nqueensd healthcheck`, for containers: whether the server that has these flags and this environment is alive. */
int healthcheck_run(int count, char **arguments);

/* `nqueensd new-key`, with a name and limits as in the file of keys. Prints the line for that file on standard output,
 * and the key, which is stored nowhere, on standard error: `nqueensd new-key NAME >>FILE`. */
int newkey_run(int count, char **arguments);

/* `nqueensd routes`: prints the table of routes as JSON. */
int routes_run(int count, char **arguments);

#endif
