/* parameter_table.h - a table of parameters of every type, and queries against it, for the tests of
 * src/base/param.c. */
#ifndef TESTS_UNIT_SUPPORT_PARAMETER_TABLE_H
#define TESTS_UNIT_SUPPORT_PARAMETER_TABLE_H

#include "base/param.h"
#include "support/facts.h"

/* colour, shade and tint: red, green or blue-ish; it matters whether a tint is given. */
enum { N, LIMIT, COUNT, COLOUR, SHADE, TINT, ROWS, PLACES, FACTORS, TEXT, BEFORE, AFTER, CURSOR, PARAMS };
extern const struct param query_rows[PARAMS + 1];

void query_begin(struct params *query);

/* Reads bytes of exactly their size; value NULL is a name without "=". */
void query_bytes(struct params *query, const char *name, size_t name_size, const char *value, size_t value_size);
void query_text(struct params *query, const char *name, const char *value);

void assert_rejects(const struct params *query, size_t at, const char *parameter, bool policy, const char *reason);

#endif
