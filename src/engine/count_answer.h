/* count_answer.h - the answer to a counting question, however it was found. */
#ifndef ENGINE_COUNT_ANSWER_H
#define ENGINE_COUNT_ANSWER_H

#include "engine/answer.h"
#include "engine/question.h"

/* Completes a fact with what the question says, and makes an answer of it. NQ_OK or NQ_NOMEM. */
enum nq_status count_answer(const struct question *question, struct count_fact *fact, struct answer **answer);

#endif
