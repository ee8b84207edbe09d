/* bench.c - `nqueensd bench`: the table of benches. */
#include "commands/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "bench/bench.h"

struct bench {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *help;
};

/* The first is the default. */
static const struct bench benches[] = {
    {.name = "count",
     .run = bench_count,
     .help =
         "nqueensd bench [count] [--n N] [--rules RULE] [--rounds R] [--threads T] [--only NAME] [--format "
         "table|json]\n"
         "  count  Q(N) by the textbook recursion, the classic eightfold solver and every method with every kernel, "
         "in turns\n"
         "         (N = 14, R = 5); with T > 1 also the best kernel on T threads; ratios are to the first row\n"
         "         by a RULE: the same recursion by that rule, and the method for rules with every kernel\n"},
    {.name = "join",
     .run = bench_join,
     .help =
         "nqueensd bench join [--n N] [--sample K] [--seconds S] [--split W] [--threads T] [--tables M] [--format "
         "table|json]\n"
         "  join   memory and core-seconds of Q(N) by joining quadrants, estimated from K units drawn by weight\n"
         "         (N = 20, K = 20), without tables of more than M megabytes (1024); none is begun after S seconds of\n"
         "         CPU time, and units of more weight than W are split into pieces, of which one is counted\n"},
    {.name = "puzzle",
     .run = bench_puzzle,
     .help =
         "nqueensd bench puzzle [--seeds S] [--rounds R] [--format table|json]\n"
         "  puzzle boards of regions: solved and graded, counted in R rounds (5), and generated from S seeds (20);\n"
         "         made: seeds that came to a board; soon: within ten times the aim\n"},
    {.name = "shape",
     .run = bench_shape,
     .help = "nqueensd bench shape [--n N] [--rounds R] [--format table|json]\n"
             "  shape  placements of any number of queens on N x N (N = 10, R = 5) by a recursion over squares and by "
             "by=queens,\n"
             "         of 4 on 40 x 40 and 8 on 12 x 12, and two million listed, in turns; ratios are of placements a "
             "second\n"},
    {.name = "solve",
     .run = bench_solve,
     .help = "nqueensd bench solve [--n N] [--rounds R] [--threads T] [--only NAME] [--format table|json]\n"
             "  solve  every solution of N in order, to memory and as NDJSON, by the textbook recursion and printf, by "
             "the\n"
             "         cursor and by the lister with every finder, in turns (N = 12, R = 5)\n"},
};

enum { BENCHES = sizeof benches / sizeof benches[0] };

int bench_run(int count, char **arguments)
{
    const struct bench *bench = benches;
    if (count > 0 && options_help(arguments[0])) {
        for (size_t i = 0; i < BENCHES; i++)
            fputs(benches[i].help, stdout);
        return 0;
    }
    for (size_t i = 0; i < BENCHES && count > 0; i++)
        if (strcmp(arguments[0], benches[i].name) == 0) {
            bench = &benches[i];
            arguments++;
            count--;
            break;
        }
    if (count > 0 && options_help(arguments[0])) {
        fputs(bench->help, stdout);
        return 0;
    }
    const int status = bench->run(count, arguments);
    if (status == 2)
        fputs(bench->help, stderr);
    return status;
}
