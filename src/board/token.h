/* token.h - a place in a list of solutions as an opaque word for URLs. */
#ifndef BOARD_TOKEN_H
#define BOARD_TOKEN_H

#include <nqueens.h>

/* A place in a list: the position of a cursor (see nqueens.h) and how many solutions of the list stand before it. */
struct token {
    uint64_t ordinal;
    uint32_t length;
    uint32_t prefix[NQ_SEARCH_MAX_N];
};

/* The longest token: version, length, ordinal, 64 columns and digest, in base64url, with the NUL. */
enum { TOKEN_TEXT_MAX = 4 * (1 + 1 + 8 + NQ_SEARCH_MAX_N + 8) / 3 + 4 };

/* Whether a place has solutions before it and no queen: the end of the list of n = 0, whose one solution has none, and
 * of a list without solutions when some are to be skipped. */
bool token_is_end(const struct token *token);

/* Writes the token as NUL-terminated base64url. digest names the list the place is in. */
void token_encode(const struct token *token, uint64_t digest, char text[static TOKEN_TEXT_MAX]);

/* Reads a token; NQ_INVALID unless it is, to the letter, what token_encode makes for that list. Whether the prefix is a
 * placement is for nq_cursor_seek to say: a stranger can make tokens too. */
enum nq_status token_decode(const char *text, uint64_t digest, struct token *token);

#endif
