/* construction_random.c - a solution drawn at random; on small boards every one as likely as any other. That takes
 * counting, which this floor does not know of: the engine draws small boards from the index, and leaves the others to
 * the local search. By another rule a search in a random order draws boards up to RULE_MAX_N. Here is only the row of
 * the table. */
#include "constructions/construction.h"

const struct construction construction_random = {
    .name = "random",
    .title = "Sosic, Gu 1994, drawn at random",
    .summary = "drawn from all solutions with equal chances up to n = 14, by local search beyond",
    .complexity = "milliseconds up to n = 14, expected O(n) beyond, O(n) memory",
    .source =
        "R. Sosic, J. Gu, Efficient local search with conflict minimization: a case study of the n-queens problem, "
        "IEEE Transactions on Knowledge and Data Engineering 6(5), 661-668 (1994); up to n = 14 this service",
    .year = 1994,
    .max_n = 10000000,
    .takes = TAKES_SEED,
    .drawn_n = RULE_MAX_N,
};
