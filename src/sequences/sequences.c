/* sequences.c - the table of sequences. */
#include <string.h>

#include "sequences/sequence.h"

extern const struct term_method term_queens, term_queen_classes, term_queens_half, term_queens_quarter, term_nodes,
    term_toroidal_semiqueens, term_toroidal, term_toroidal_classes, term_superqueens, term_superqueen_classes,
    term_superqueens_quarter, term_superqueens_half, term_superqueens_none, term_superqueens_p, term_superqueens_r,
    term_classes_quarter, term_classes_half, term_classes_none, term_semiqueens, term_reflecting, term_queens_2,
    term_queens_3, term_queens_4, term_queens_5, term_queens_6, term_queens_7, term_queens_8, term_maximal, term_any,
    term_levels, term_touching, term_rooks, term_torus_classes, term_torus_conflicts, term_torus_engaged,
    term_torus_components, term_torus_largest;

#define QUEENS "queens: rows, columns, diagonals"
#define SEMIQUEENS "toroidal semiqueens: rows, columns, diagonals of one direction, which wrap around"
#define TOROIDAL "toroidal queens: rows, columns, diagonals, which wrap around"
#define SUPERQUEENS "superqueens: rows, columns, diagonals, and as knights"
#define OPEN_SEMIQUEENS "semiqueens: rows, columns, diagonals of one direction"
#define REFLECTING "reflecting queens: rows, columns, diagonals, which a strip above the first row reflects"
#define TOUCHING "rows, columns, and the squares that touch"
#define ROOKS "rooks: rows, columns"
#define OF_SUPERQUEENS "placements of n non-attacking superqueens on an n X n board"
#define CLASSES OF_SUPERQUEENS ", up to rotation and reflection, "
#define SOME(k) "placements of " k " non-attacking queens on an n X n board"
#define OF_QUEENS "placements of n non-attacking queens on an n X n board, up to rotation and reflection, "

const struct sequence sequences[] = {
    {"A000142", "placements of n non-attacking rooks on an n X n board", ROOKS, 0, 1, 0, false, &term_rooks},
    {"A000170", "placements of n non-attacking queens on an n X n board", QUEENS, 0, 1, 0, false, &term_queens},
    {"A002464", "placements of n kings in n rows and columns of an n X n board that do not touch", TOUCHING, 0, 1, 0,
     false, &term_touching},
    {"A002562", "placements of n non-attacking queens on an n X n board, up to rotation and reflection", QUEENS, 1, 1,
     0, false, &term_queen_classes},
    {"A003111", "complete mappings of the cyclic group Z_{2n+1}: A006717(n)/(2n+1)", SEMIQUEENS, 0, 2, 1, true,
     &term_toroidal_semiqueens},
    {"A006717", "placements of 2n+1 non-attacking semiqueens on a toroidal (2n+1) X (2n+1) board", SEMIQUEENS, 0, 2, 1,
     false, &term_toroidal_semiqueens},
    {"A007631", "placements of n non-attacking queens below a reflecting strip", REFLECTING, 0, 1, 0, false,
     &term_reflecting},
    {"A007705", "placements of 2n+1 non-attacking queens on a toroidal (2n+1) X (2n+1) board", TOROIDAL, 0, 2, 1, false,
     &term_toroidal},
    {"A032522", "placements of n non-attacking queens that a half turn leaves unchanged", QUEENS, 1, 1, 0, false,
     &term_queens_half},
    {"A033148", "placements of n non-attacking queens that a quarter turn leaves unchanged", QUEENS, 0, 1, 0, false,
     &term_queens_quarter},
    {"A036464", SOME("2"), QUEENS, 1, 1, 0, false, &term_queens_2},
    {"A047659", SOME("3"), QUEENS, 0, 1, 0, false, &term_queens_3},
    {"A051223", "placements of n non-attacking superqueens on an n X n board", SUPERQUEENS, 1, 1, 0, false,
     &term_superqueens},
    {"A051224", "placements of n non-attacking superqueens on an n X n board, up to rotation and reflection",
     SUPERQUEENS, 1, 1, 0, false, &term_superqueen_classes},
    {"A053994",
     "placements of 2n+1 non-attacking queens on a toroidal (2n+1) X (2n+1) board, up to shift, rotation and "
     "reflection",
     TOROIDAL, 0, 2, 1, false, &term_toroidal_classes},
    {"A061994", SOME("4"), QUEENS, 1, 1, 0, false, &term_queens_4},
    {"A062164", "placements of n non-attacking queens, up to rotation, reflection and shifts on the torus", QUEENS, 1,
     1, 0, false, &term_torus_classes},
    {"A099152", "placements of n non-attacking semiqueens on an n X n board", OPEN_SEMIQUEENS, 0, 1, 0, false,
     &term_semiqueens},
    {"A108792", SOME("5"), QUEENS, 1, 1, 0, false, &term_queens_5},
    {"A146303", "placements of non-attacking queens on an n X n board, to which no queen can be added", QUEENS, 1, 1, 0,
     false, &term_maximal},
    {"A176186", SOME("6"), QUEENS, 6, 1, 0, false, &term_queens_6},
    {"A178721", SOME("7"), QUEENS, 1, 1, 0, false, &term_queens_7},
    {"A181499", "triangle, row n: placements of n non-attacking queens by the number of conflicts on the torus, 0 to n",
     QUEENS, 1, 0, 0, false, &term_torus_conflicts},
    {"A181500",
     "triangle, row n: placements of n non-attacking queens by the number of queens in conflict on the torus, 0 to n",
     QUEENS, 1, 0, 0, false, &term_torus_engaged},
    {"A181501",
     "triangle, row n: placements of n non-attacking queens by the number of connected groups in conflict on the "
     "torus, 0 to n",
     QUEENS, 1, 0, 0, false, &term_torus_components},
    {"A181502",
     "triangle, row n: placements of n non-attacking queens by the size of the largest connected group in conflict on "
     "the torus, 0 to n",
     QUEENS, 1, 0, 0, false, &term_torus_largest},
    {"A252593", SOME("8"), QUEENS, 1, 1, 0, false, &term_queens_8},
    {"A260318", OF_QUEENS "that a quarter turn leaves unchanged", QUEENS, 1, 1, 0, false, &term_classes_quarter},
    {"A260319", OF_QUEENS "that a half turn leaves unchanged, but no quarter turn", QUEENS, 1, 1, 0, false,
     &term_classes_half},
    {"A260320", OF_QUEENS "that no turn leaves unchanged, n > 1", QUEENS, 1, 1, 0, false, &term_classes_none},
    {"A269133", "triangle, row n: placements of m non-attacking queens on the m rows of an m X n board, m = 1 to n",
     QUEENS, 1, 0, 0, false, &term_levels},
    {"A287227", "placements of any number of non-attacking queens on an n X n board", QUEENS, 0, 1, 0, false,
     &term_any},
    {"A319283", "nodes of the backtrack tree for n queens: placements of queens on the first 0 to n rows", QUEENS, 0, 1,
     0, false, &term_nodes},
    {"A352661", CLASSES "that a quarter turn leaves unchanged, n > 1", SUPERQUEENS, 1, 1, 0, false,
     &term_superqueens_quarter},
    {"A352662", CLASSES "that a half turn leaves unchanged, but no quarter turn, n > 1", SUPERQUEENS, 1, 1, 0, false,
     &term_superqueens_half},
    {"A352663", CLASSES "that no turn leaves unchanged, n > 1", SUPERQUEENS, 1, 1, 0, false, &term_superqueens_none},
    {"superqueens-P", OF_SUPERQUEENS " that a half turn leaves unchanged: P(n) of A051224", SUPERQUEENS, 1, 1, 0, false,
     &term_superqueens_p},
    {"superqueens-R", OF_SUPERQUEENS " that a quarter turn leaves unchanged: R(n) of A051224", SUPERQUEENS, 1, 1, 0,
     false, &term_superqueens_r},
};
const size_t sequences_count = sizeof sequences / sizeof sequences[0];

const struct sequence *sequence_find(const char *id)
{
    for (size_t i = 0; i < sequences_count; i++)
        if (strcmp(sequences[i].id, id) == 0)
            return &sequences[i];
    return NULL;
}
