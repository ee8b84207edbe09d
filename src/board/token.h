/* token.h - a place in a list of solutions as an opaque text for URLs. */
#ifndef BOARD_TOKEN_H
#define BOARD_TOKEN_H

#include <nqueens.h>

#include "base/lock.h"

/* A place in a list: the position of a cursor (see nqueens.h), or none if the list is read again up to the place, and
 * how many solutions of the list come before it. */
struct token {
    uint64_t ordinal;
    uint32_t length;
    uint32_t prefix[NQ_LIST_MAX_N];
};

/* The longest token: version, length (2 bytes), ordinal, columns (2 bytes each) and digest, in base64url, with the NUL.
 */
enum { TOKEN_TEXT_MAX = 4 * (1 + 2 + 8 + 2 * NQ_LIST_MAX_N + 8) / 3 + 4 };

/* Whether a place, by its ordinal and length, has solutions before it and no queen: the end of the list of n = 0, whose
 * one solution has none, and of a list without solutions when some are to be skipped. */
bool token_is_end(uint64_t ordinal, uint32_t length);

/* Writes the token as NUL-terminated base64url. digest names the list the place is in. */
void token_encode(const struct token *token, uint64_t digest, char text[static TOKEN_TEXT_MAX]);

/* Reads a token. NQ_INVALID: token_encode() does not make this text for that list. nq_cursor_seek() checks whether the
 * prefix is a placement: anyone can make tokens. */
enum nq_status token_decode(const char *text, uint64_t digest, struct token *token);

#ifdef CHECKS
/* Asserts that a place has at most so many numbers, all below a bound: those of squares or columns of its board. */
void token_check(const struct token *token, uint32_t most, uint32_t below);
#endif

#endif
