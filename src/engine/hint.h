/* hint.h - the answer to "where next?": by how many completions have a queen on each square, however they were counted.
 */
#ifndef ENGINE_HINT_H
#define ENGINE_HINT_H

#include "base/wide.h"
#include "engine/answer.h"
#include "engine/question.h"

/* squares: n * n counts, by square. NQ_OK or NQ_NOMEM. */
enum nq_status hint_answer(const struct question *question, nq_wide completions, const nq_wide *squares,
                           struct answer **answer);

#endif
