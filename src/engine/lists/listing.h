/* listing.h - a list of solutions as text, in whatever way they are found: its head, the solutions, and its end with
 * the place where it goes on. With a format that draws, the solution's picture is all of it. */
#ifndef ENGINE_LISTS_LISTING_H
#define ENGINE_LISTS_LISTING_H

#include "engine/ask/question.h"

struct listing {
    const struct question *question;
    struct list_head head;
    struct regions shown;           /* the board's, as it is shown, */
    char regions[REGIONS_TEXT_MAX]; /* and as text of the head, if it has any */
    const struct stats *stats;      /* written at its end; NULL: not asked for */
    uint64_t placements;            /* of its search, for struct completion */
    bool shared;                    /* an answer that many may get: links get their public prefix when it is sent */
    bool begun;                     /* the head is written */
};

void listing_begin(struct listing *listing, const struct question *question, const char *order, bool shared);

/* Appends the head, once. */
void listing_head(struct listing *listing, struct bytes *out);

/* Appends a solution, of which `index` others are in the list before. NQ_OK, or why it cannot be drawn. */
enum nq_status listing_solution(const struct listing *listing, struct bytes *out, const uint32_t *columns,
                                uint64_t index, uint64_t rank, const atomic_bool *stop);

/* The same of a placement on a board of any shape. */
enum nq_status listing_placement(const struct listing *listing, struct bytes *out, const struct nq_square *squares,
                                 uint32_t count, uint64_t index, const atomic_bool *stop);

/* The list was cut after so many solutions: does anything follow? If the total is not known it may. */
bool listing_goes_on(const struct listing *listing, uint64_t returned);

/* Where a link stands in a body; length 0: there is none. */
struct listing_link {
    size_t at, length;
};

/* Writes the end of a list of so many solutions, with the place (its ordinal is filled in) where it goes on, NULL at
 * its very end. complete: it is as long as was asked. */
struct listing_link listing_end(const struct listing *listing, struct bytes *out, uint64_t returned, bool complete,
                                struct token *place);

#endif
