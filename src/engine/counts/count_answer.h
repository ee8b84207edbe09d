/* count_answer.h - the answer to a counting question, however it was found. */
#ifndef ENGINE_COUNTS_COUNT_ANSWER_H
#define ENGINE_COUNTS_COUNT_ANSWER_H

#include "engine/ask/answer.h"
#include "engine/ask/question.h"
#include "engine/units/division.h"

/* Completes a fact from the question and makes an answer of it. NQ_OK or NQ_NOMEM. */
enum nq_status count_answer(const struct question *question, struct count_fact *fact, struct answer **answer);

/* A work_answer: the count itself. */
enum nq_status count_answer_computed(const struct question *question, nq_wide count, const nq_wide *squares,
                                     struct answer **answer);

/* The answer of a division whose results are bytes, when every unit was put. An index goes with the answer, which must
 * outlive the division. NQ_OK or NQ_NOMEM. */
enum nq_status count_answer_division(struct division *division, struct answer **answer);

#endif
