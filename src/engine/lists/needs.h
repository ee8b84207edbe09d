/* needs.h - what a question needs to know first, as questions of their own: who asks it asks these before, one after
 * the other, and each may be in the cache, be joined, become a job or be given up as any other question. */
#ifndef ENGINE_LISTS_NEEDS_H
#define ENGINE_LISTS_NEEDS_H

#include "engine/ask/question.h"

/* Whether a question is made of such an answer; its key and path may be missing. */
bool question_needs(const struct question *question, enum need need);

/* Adds a validation error for each that no search can find, for the board is too large. */
void question_within_reach(const struct question *question, struct validation_errors *errors);

/* The next one to be asked before it, with one reference. NQ_NONE: it lacks nothing; NQ_NOMEM. */
enum nq_status question_first(const struct question *question, struct shared_question **first);

/* Gives it the answer to that one: a reference, which question_drop() ends. False: it is the answer of a job that is
 * done, which has the count of an index only. */
bool question_supply(struct question *question, struct answer *answer);
void question_drop(struct question *question);

#endif
