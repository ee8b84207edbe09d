/* seek.h - where a list begins that skips a number of solutions, or behind a solution whose rank is to be found: by its
 * index, on the way to its first solution. */
#ifndef ENGINE_LISTS_SEEK_H
#define ENGINE_LISTS_SEEK_H

#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "kernels/kernel.h"

struct seeking;

/* Whether a question has an index that says where its list begins. */
bool seek_wanted(const struct question *question);

/* Looks that place up, if it is wanted, and puts a question that begins there in place of *question, which must outlive
 * it; *seeking, NULL at first, has it until seek_close(). NQ_OK; NQ_AGAIN: the slice is over; NQ_CANCELLED, NQ_NOMEM.
 */
enum nq_status seek_start(struct seeking **seeking, const struct question **question, const struct kernel *kernel,
                          const struct slice *slice, const atomic_bool *stop);
void seek_close(struct seeking *seeking); /* NULL: nothing */

#endif
