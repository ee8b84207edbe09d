/* hint_words.h - hints as sentences, in the languages of the explorer: the only place that has them. It knows neither
 * how steps are found nor how they are sent. */
#ifndef FORMATS_HINT_WORDS_H
#define FORMATS_HINT_WORDS_H

#include "base/bytes.h"
#include "puzzles/technique.h"

/* "en", "it", "ru"; NULL after the last. Everything below takes such a number. */
const char *hint_language(size_t language);

/* Appends how a step is called: "Set of 2". Sentences and names hold nothing that JSON would escape. */
void hint_title(struct bytes *out, const struct finding *finding, size_t language);

/* Appends what a step rests on and what follows: one to three sentences. Rows and columns are numbered from base on. */
void hint_why(struct bytes *out, const struct grid *grid, uint32_t base, const struct finding *finding,
              size_t language);

/* Why a queen is suggested where no technique is asked. */
enum hint_reason { REASON_LAST_IN_ROW, REASON_LAST_IN_COLUMN, REASON_ALWAYS, REASON_MOST, HINT_REASONS };

/* "last-in-row": stable, unlike the sentence. */
const char *hint_reason_code(enum hint_reason reason);

/* Appends it as a sentence; `line` is the number of the row or column. */
void hint_reason(struct bytes *out, enum hint_reason reason, uint32_t line, size_t language);

#endif
