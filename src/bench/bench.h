/* bench.h - the benches, each with the arguments that follow its name. They return the exit status; 2: there are no
 * such arguments, as a line on standard error says. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

int bench_count(int count, char **arguments);
int bench_join(int count, char **arguments);
int bench_puzzle(int count, char **arguments);
int bench_shape(int count, char **arguments);
int bench_solve(int count, char **arguments);

#endif
