/* digest.c - by nettle. */
#include "engine/ask/digest.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

void digest_id(const char *scope, const char *text, char id[static 17])
{
    enum { SIZE = 8 };
    struct sha256_ctx context;
    uint8_t digest[SIZE];
    sha256_init(&context);
    sha256_update(&context, strlen(scope) + 1, (const uint8_t *)scope);
    sha256_update(&context, strlen(text), (const uint8_t *)text);
    sha256_digest(&context, SIZE, digest);
    for (size_t i = 0; i < SIZE; i++)
        (void)snprintf(id + 2 * i, 3, "%02x", digest[i]);
}
