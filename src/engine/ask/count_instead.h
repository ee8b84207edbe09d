/* count_instead.h - what to ask instead of a count that is too costly: advice that works when it is followed. */
#ifndef ENGINE_ASK_COUNT_INSTEAD_H
#define ENGINE_ASK_COUNT_INSTEAD_H

#include "engine/ask/question.h"

/* Whether an estimate takes minutes. n is at most FILTER_MAX_N. */
bool count_walks_long(const struct filter *filter);

/* The table, or an estimate that is quick, as a sentence that follows others; "": there is neither. Static. */
const char *count_instead(const struct question *question);

#endif
