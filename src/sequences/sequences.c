/* sequences.c - the table of sequences. */
#include <string.h>

#include "sequences/sequence.h"

extern const struct term_method term_queens, term_queen_classes, term_queens_half, term_queens_quarter, term_nodes,
    term_torus;

#define QUEENS "queens: rows, columns, diagonals"
#define SEMIQUEENS "toroidal semiqueens: rows, columns, diagonals of one direction, which wrap around"

const struct sequence sequences[] = {
    {"A000170", "placements of n non-attacking queens on an n X n board", QUEENS, 0, 1, 0, false, &term_queens},
    {"A002562", "placements of n non-attacking queens on an n X n board, up to rotation and reflection", QUEENS, 1, 1,
     0, false, &term_queen_classes},
    {"A003111", "complete mappings of the cyclic group Z_{2n+1}: A006717(n)/(2n+1)", SEMIQUEENS, 0, 2, 1, true,
     &term_torus},
    {"A006717", "placements of 2n+1 non-attacking semiqueens on a toroidal (2n+1) X (2n+1) board", SEMIQUEENS, 0, 2, 1,
     false, &term_torus},
    {"A032522", "placements of n non-attacking queens that a half turn leaves unchanged", QUEENS, 1, 1, 0, false,
     &term_queens_half},
    {"A033148", "placements of n non-attacking queens that a quarter turn leaves unchanged", QUEENS, 0, 1, 0, false,
     &term_queens_quarter},
    {"A319283", "nodes of the backtrack tree for n queens: placements of queens on the first 0 to n rows", QUEENS, 0, 1,
     0, false, &term_nodes},
};
const size_t sequences_count = sizeof sequences / sizeof sequences[0];

const struct sequence *sequence_find(const char *id)
{
    for (size_t i = 0; i < sequences_count; i++)
        if (strcmp(sequences[i].id, id) == 0)
            return &sequences[i];
    return NULL;
}
