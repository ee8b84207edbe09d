/* token.c - a place in a list as base64url. It is not signed: it says nothing a client could not ask for anyway. */
#include "board/token.h"

#include <string.h>

#include "base/hash.h"

/* Layout: version, length, ordinal (8 bytes, big-endian), a byte for each column, check (8 bytes, big-endian). */
enum { VERSION = 1, HEAD = 10, CHECK = 8, RAW_MAX = HEAD + NQ_SEARCH_MAX_N + CHECK };

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

/* The check covers the bytes, the list and the release, so that no token outlives what it was made for. */
static uint64_t check(const unsigned char *raw, size_t size, uint64_t digest)
{
    unsigned char list[8];
    put64(list, digest); /* the same on machines of either byte order */
    uint64_t hash = hash_bytes(hash_text(HASH_START, NQ_VERSION), list, sizeof list);
    return hash_bytes(hash, raw, size);
}

bool token_is_end(const struct token *token)
{
    return token->length == 0 && token->ordinal > 0;
}

void token_encode(const struct token *token, uint64_t digest, char text[static TOKEN_TEXT_MAX])
{
    unsigned char raw[RAW_MAX + 2] = {VERSION, (unsigned char)token->length};
    size_t size = HEAD;
    put64(raw + 2, token->ordinal);
    for (uint32_t i = 0; i < token->length; i++)
        raw[size++] = (unsigned char)token->prefix[i];
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
    if (size < HEAD + CHECK || raw[0] != VERSION || raw[1] > NQ_SEARCH_MAX_N || size != (size_t)HEAD + raw[1] + CHECK)
        return NQ_INVALID;
    if (get64(raw + size - CHECK) != check(raw, size - CHECK, digest))
        return NQ_INVALID;

    token->ordinal = get64(raw + 2);
    token->length = raw[1];
    for (uint32_t i = 0; i < token->length; i++)
        token->prefix[i] = raw[HEAD + i];
    char again[TOKEN_TEXT_MAX];
    token_encode(token, digest, again); /* base64 has several spellings of the last letter; only ours is taken */
    return strcmp(text, again) ? NQ_INVALID : NQ_OK;
}
