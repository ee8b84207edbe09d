/* brief.h - which questions take less time to answer than it takes to wake a thread for them, and be woken by it. */
#ifndef ENGINE_ASK_BRIEF_H
#define ENGINE_ASK_BRIEF_H

#include "engine/ask/question.h"

/* Whether its work is opened, and most times carried out, in less than a tenth of a millisecond, and waits for nothing.
 */
bool question_brief(const struct question *question);

#endif
