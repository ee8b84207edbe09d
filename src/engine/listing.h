/* listing.h - what stands around the solutions of a list, in whatever way they are found: its head, and its end with
 * the place where it goes on. */
#ifndef ENGINE_LISTING_H
#define ENGINE_LISTING_H

#include "engine/question.h"

struct listing {
    const struct question *question;
    struct list_head head;
    const struct stats *stats; /* to be told at its end, NULL: not asked for */
    bool shared;               /* an answer that many may get: links get their public prefix when it is sent */
};

void listing_begin(struct listing *listing, const struct question *question, const char *order, bool shared);

/* The list was cut after so many solutions: does anything follow? Beyond the table it may, and the next page will tell.
 */
bool listing_goes_on(const struct listing *listing, uint64_t returned);

/* Writes the end of a list of so many solutions, with the place (its ordinal is filled in) where it goes on, NULL at
 * its very end. complete: it is as long as was asked. Sets *link and *link_length to where a link stands in `out`. */
void listing_end(const struct listing *listing, struct bytes *out, uint64_t returned, bool complete,
                 struct token *place, size_t *link, size_t *link_length);

#endif
