/* querying.h - a table of parameters of every type, and queries against it, for the tests of src/http/param.c. */
#ifndef UNIT_QUERYING_H
#define UNIT_QUERYING_H

#include "facts.h"
#include "http/param.h"

/* colour, shade and tint: red, green or blue-ish; it matters whether a tint is given. */
enum { N, LIMIT, COUNT, COLOUR, SHADE, TINT, ROWS, PLACES, FACTORS, AFTER, CURSOR, PARAMS };
extern const struct param query_rows[PARAMS + 1];

/* One query on its way. */
struct query {
    struct value values[PARAMS];
    struct complaints complaints;
};

void query_begin(struct query *query);

/* Reads bytes of exactly their size; value NULL is a name without "=". */
void query_bytes(struct query *query, const char *name, size_t name_size, const char *value, size_t value_size);
void query_text(struct query *query, const char *name, const char *value);

void assert_complains(const struct query *query, size_t at, const char *parameter, bool policy, const char *reason);

#endif
