/* captured_log.h - what is written to standard error between two calls, and its lines. In between nothing may be
 * asserted: it would not be seen. */
#ifndef TESTS_UNIT_SUPPORT_CAPTURED_LOG_H
#define TESTS_UNIT_SUPPORT_CAPTURED_LOG_H

#include "support/facts.h"

void capture_begin(void);

/* What was written, with a NUL after it; *size may be NULL. The caller frees. */
char *capture_end(size_t *size);

/* Takes the next line off a text, without its end; NULL when there is none. A last line without an end fails the test.
 */
char *capture_line(char **text);

/* A line of JSON; fails the test when it is none. */
json_t *capture_json(const char *line);

#endif
