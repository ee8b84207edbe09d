/* construction_neural.c - what a neural network settles on: only the row of the table, and the machine that does it
 * all. */
#include "constructions/construction.h"
#include "constructions/neural.h"

const struct construction construction_neural = {
    .name = "neural",
    .summary = "a maximum neural network that settles on a solution",
    .complexity = "O(n) an update and O(n) memory, no bound on their number",
    .source =
        "A maximum neural network approach for N-queens problems, Biological Cybernetics 76 "
        "(1997); after J. Freeman, A neural network solution to the n-queens problem, The Mathematica Journal (1993)",
    .year = 1997,
    .max_n = NEURAL_MAX_N,
    .takes = TAKES_SEED,
    .machine = &machine_neural,
    .machine_max_n = NEURAL_MAX_N,
};
