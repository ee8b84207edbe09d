/* capture.h - what is written to standard error between two calls. In between nothing may be asserted: it would not be
 * seen. */
#ifndef UNIT_CAPTURE_H
#define UNIT_CAPTURE_H

#include "facts.h"

void capture_begin(void);

/* What was written, with a NUL after it; *size may be NULL. The caller frees. */
char *capture_end(size_t *size);

#endif
