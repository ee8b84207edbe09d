/* board_values.h - a board that was read from a body, as values of a route's parameters: those that its address would
 * have. It knows no requests. */
#ifndef HTTP_ASK_BOARD_VALUES_H
#define HTTP_ASK_BOARD_VALUES_H

#include "base/param.h"
#include "http/ask/verify_parts.h"

/* Reads what a board says - n, base, rules, regions, apart, m, queens, walls, maximal, place and exclude - as a query
 * with these rows would be read, with its validation errors, and one more for each that has no row. squares false: all
 * but place and exclude. False: out of memory. */
bool board_values_read(const struct verify_body *body, const struct param *rows, bool squares, struct params *said);

/* Adds that to what a query says, before params_end(); the values borrow from `said`. Adds validation errors: those of
 * `said`, and one for each parameter of which both say something else. */
void board_values_add(struct params *query, const struct params *said);

#endif
