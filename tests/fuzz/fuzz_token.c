/* fuzz_token.c - tokens made by strangers, and cursors put where they say. The first byte is n, the rest is the text of
 * a token. Since the check in a token holds for one release only, the same bytes are also made into a token directly:
 * inputs keep their use when the release changes. */
#include <string.h>

#include "board/token.h"
#include "fuzz.h"

static const uint64_t list = UINT64_C(0x1234567890abcdef);

/* Goes to a prefix, if that is a placement, and a few steps on; each must gain ground and leave a position that another
 * cursor accepts. */
static void walk(uint32_t n, const struct token *token)
{
    struct nq_cursor *cursor = NULL, *other = NULL;
    uint32_t columns[NQ_SEARCH_MAX_N], before[NQ_SEARCH_MAX_N], after[NQ_SEARCH_MAX_N];
    enum nq_status status = nq_cursor_open(NULL, n, &cursor);
    REQUIRE(status == (n > NQ_SEARCH_MAX_N ? NQ_LIMIT : NQ_OK));
    if (status != NQ_OK)
        return;
    REQUIRE(nq_cursor_open(NULL, n, &other) == NQ_OK);
    status = nq_cursor_seek(cursor, token->prefix, token->length);
    uint32_t length = nq_cursor_position(cursor, before);
    REQUIRE(length == (status == NQ_OK ? token->length : 0));
    REQUIRE(length == 0 || memcmp(before, token->prefix, length * sizeof *before) == 0);
    for (int step = 0; step < 20; step++) {
        uint64_t budget = 64;
        status = nq_cursor_next(cursor, &budget, columns);
        if (status == NQ_END || n == 0)
            break;
        REQUIRE(status == NQ_OK || status == NQ_AGAIN);
        uint32_t now = nq_cursor_position(cursor, after);
        REQUIRE(now > 0 && now <= n);
        REQUIRE(now != length || memcmp(after, before, now * sizeof *after) != 0);
        REQUIRE(nq_cursor_seek(other, after, now) == NQ_OK);
        if (status == NQ_OK) {
            bool valid = false;
            REQUIRE(nq_verify(n, columns, &valid) == NQ_OK && valid);
            REQUIRE(now == n && memcmp(after, columns, n * sizeof *after) == 0);
        }
        length = now;
        memcpy(before, after, length * sizeof *before);
    }
    nq_cursor_close(cursor);
    nq_cursor_close(other);
}

/* What decodes must be, to the letter, what encoding makes of it. */
static void decode(uint32_t n, const char *text)
{
    struct token token;
    char again[TOKEN_TEXT_MAX];
    if (token_decode(text, list, &token) != NQ_OK)
        return;
    REQUIRE(token.length <= NQ_LIST_MAX_N);
    token_encode(&token, list, again);
    REQUIRE(strcmp(again, text) == 0);
    walk(n, &token);
}

/* A token of any bytes reads back; with one letter changed, or for another list, it does not. */
static void encode(uint32_t n, const uint8_t *data, size_t size)
{
    struct token token = {0}, back = {0};
    char text[TOKEN_TEXT_MAX];
    for (size_t i = 0; i < size && i < NQ_SEARCH_MAX_N; i++)
        token.prefix[token.length++] = data[i];
    for (size_t i = 0; i < size; i++)
        token.ordinal = token.ordinal << 8 | data[i];
    token_encode(&token, list, text);
    REQUIRE(token_decode(text, list, &back) == NQ_OK);
    REQUIRE(back.ordinal == token.ordinal && back.length == token.length);
    REQUIRE(memcmp(back.prefix, token.prefix, token.length * sizeof *token.prefix) == 0);
    REQUIRE(token_decode(text, list + 1, &back) == NQ_INVALID);
    char *letter = &text[token.ordinal % strlen(text)];
    *letter = *letter == 'A' ? 'B' : 'A';
    REQUIRE(token_decode(text, list, &back) == NQ_INVALID);
    walk(n, &token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    decode(data[0], text);
    encode(data[0], data + 1, size - 1);
    free(text);
    return 0;
}
