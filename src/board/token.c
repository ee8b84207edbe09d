/* token.c - a place in a list as base64url. It is not signed: it contains nothing that a client cannot request anyway.
 */
#include "board/token.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/process.h"

/* Layout: version, length (a byte), ordinal (8 bytes, big-endian), a byte for each column, check (8 bytes, big-endian).
 * Of larger boards, the length and the columns have two bytes each, big-endian. */
enum { VERSION = 1, LARGE = 2, HEAD = 10, CHECK = 8, SMALL_MAX = 255, RAW_MAX = HEAD + 1 + 2 * NQ_LIST_MAX_N + CHECK };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void put64(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> (56 - 8 * i));
}

static uint64_t get64(const unsigned char *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | from[i];
    return value;
}

/* The check covers the bytes, the list and the build, so that a token is valid for these alone. */
static uint64_t check(const unsigned char *raw, size_t size, uint64_t digest)
{
    unsigned char list[8];
    put64(list, digest); /* the same on machines of either byte order */
    uint64_t hash = hash_bytes(hash_text(HASH_START, build_id), list, sizeof list);
    return hash_bytes(hash, raw, size);
}

bool token_is_end(uint64_t ordinal, uint32_t length)
{
    return length == 0 && ordinal > 0;
}

/* Whether a byte is too small for its length or a column. */
static bool is_large(const struct token *token)
{
    bool large = token->length > SMALL_MAX;
    for (uint32_t i = 0; i < token->length; i++)
        large |= token->prefix[i] > SMALL_MAX;
    return large;
}

void token_encode(const struct token *token, uint64_t digest, char text[static TOKEN_TEXT_MAX])
{
    assert(token->length <= NQ_LIST_MAX_N); /* raw and text have no more room */
    unsigned char raw[RAW_MAX + 2] = {is_large(token) ? LARGE : VERSION};
    const bool large = is_large(token);
    size_t size = 1;
    if (large)
        raw[size++] = (unsigned char)(token->length >> 8);
    raw[size++] = (unsigned char)token->length;
    put64(raw + size, token->ordinal);
    size += sizeof token->ordinal;
    for (uint32_t i = 0; i < token->length; i++) {
        if (large)
            raw[size++] = (unsigned char)(token->prefix[i] >> 8);
        raw[size++] = (unsigned char)token->prefix[i];
    }
    put64(raw + size, check(raw, size, digest));
    size += CHECK;

    size_t out = 0, letters = (size * 4 + 2) / 3;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)raw[i] << 16 | (uint32_t)raw[i + 1] << 8 | raw[i + 2];
        for (int k = 0; k < 4 && out < letters; k++)
            text[out++] = alphabet[group >> (18 - 6 * k) & 63];
    }
    text[out] = '\0';
}

enum nq_status token_decode(const char *text, uint64_t digest, struct token *token)
{
    unsigned char raw[RAW_MAX + 3];
    size_t size = 0, length = strlen(text);
    if (length >= TOKEN_TEXT_MAX)
        return NQ_INVALID;
    uint32_t group = 0;
    for (size_t i = 0; i < length; i++) {
        const char *at = strchr(alphabet, text[i]);
        if (!at)
            return NQ_INVALID;
        group = group << 6 | (uint32_t)(at - alphabet);
        if (i % 4) {
            raw[size++] = (unsigned char)(group >> (6 - 2 * (i % 4)));
        }
    }
    if (size < HEAD + CHECK)
        return NQ_INVALID;
    const bool large = raw[0] == LARGE;
    const size_t head = HEAD + large, columns = large ? (size_t)raw[1] << 8 | raw[2] : raw[1];
    if ((raw[0] != VERSION && !large) || columns > NQ_LIST_MAX_N || size != head + columns * (1 + large) + CHECK)
        return NQ_INVALID;
    if (get64(raw + size - CHECK) != check(raw, size - CHECK, digest))
        return NQ_INVALID;

    token->ordinal = get64(raw + head - sizeof token->ordinal);
    token->length = (uint32_t)columns;
    for (size_t i = 0; i < token->length; i++)
        token->prefix[i] = large ? (uint32_t)raw[head + 2 * i] << 8 | raw[head + 2 * i + 1] : raw[head + i];
    char again[TOKEN_TEXT_MAX];
    token_encode(token, digest, again); /* base64 has several spellings of the last letter; only one is accepted */
    return strcmp(text, again) ? NQ_INVALID : NQ_OK;
}

#ifdef CHECKS
void token_check(const struct token *token, uint32_t most, uint32_t below)
{
    assert(most <= NQ_LIST_MAX_N && token->length <= most);
    for (uint32_t i = 0; i < token->length; i++)
        assert(token->prefix[i] < below);
}
#endif
