/* built_columns.h - what the tests of src/constructions share: which methods claim a board, and what they build. */
#ifndef TESTS_UNIT_SUPPORT_BUILT_COLUMNS_H
#define TESTS_UNIT_SUPPORT_BUILT_COLUMNS_H

#include "constructions/construction.h"
#include "support/facts.h"

OWNER(nq_construction_close, struct nq_construction *)

/* Those that this floor can open. */
bool opens(const struct construction *method);

/* Whether a method builds such boards, or boards of that size with its defaults and any seed. */
bool claims(const struct construction *method, const struct construction_settings *settings);
bool claims_size(const struct construction *method, uint32_t n);

/* Worked at in slices of so many placements. */
struct nq_construction *open_with(const struct construction *method, const struct construction_settings *settings,
                                  uint64_t slice);

/* All n columns; the caller frees. */
uint32_t *build_with(const struct construction *method, const struct construction_settings *settings, uint64_t slice);

/* Fails the test unless it builds a solution. */
void check_solution(const struct construction *method, const struct construction_settings *settings);

/* The rows in pieces of random lengths, empty ones among them; then each row alone, from the last to the first. */
void check_pieces(const struct construction *method, const struct construction_settings *settings, uint64_t *dice);

#endif
