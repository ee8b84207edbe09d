/* hint_picture.h - a position and a hint as a picture. It does not know how the hint was found. */
#ifndef ENGINE_BOARDS_HINT_PICTURE_H
#define ENGINE_BOARDS_HINT_PICTURE_H

#include "engine/ask/question.h"
#include "puzzles/technique.h"

/* What the hint is; without both, the picture has the position only. */
struct pictured_hint {
    const struct finding *finding; /* a step; NULL: none, then */
    const struct queen *queen;     /* where one belongs; NULL: none */
};

/* Appends the picture, in the format of the question; words count from its base. NQ_OK, also if `out` has failed, or
 * NQ_NOMEM. */
enum nq_status hint_picture(const struct question *question, const struct pictured_hint *hint, struct bytes *out);

#endif
