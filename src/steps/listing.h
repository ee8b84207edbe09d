/* listing.h - the program that a machine is: readers are shown its file, byte for byte, and can run it. In
 * tests/http/listings.test.js an interpreter or a compiler does, and must print the machine's list, and come to the
 * line of each step with the variables that the step has. */
#ifndef STEPS_LISTING_H
#define STEPS_LISTING_H

#include "steps/embed.h"
#include "steps/machine.h"

/* It asks for n, and then for the other parameters in the order of the machine's settings; rows and columns count from
 * 1. */
struct listing {
    const char *language;
    const char *row, *column, *board; /* what it calls the square and the queens; NULL: it has no name */
    const char *begin, *end;          /* its lines, each ended */
    uint8_t line[STEP_MOVE + 1]; /* by kind of step: the line that does it, from 1 on; 0: the machine makes no such step
                                  */
};

/* Declares the symbols of a file in src/solvers/listings. */
#define LISTING_FILE(symbol, file) EMBED_ONE(symbol, "src/solvers/listings/" file)

/* Its members begin and end. */
#define LISTING_TEXT(symbol) .begin = symbol##_begin, .end = symbol##_end

#endif
