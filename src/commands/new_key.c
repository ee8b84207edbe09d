/* new_key.c - draws a key, and prints its line for the file of keys. It knows no file and no server. */
#include "commands/commands.h"

#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bytes.h"
#include "http/guard/keyring.h"

/* As many as the hash has: too many to try. */
enum { RANDOM_BYTES = 32 };

#define PREFIX "nq_" /* lets scanners for leaked secrets recognise it */

enum { KEY_SIZE = sizeof PREFIX + BASE64_ENCODE_RAW_LENGTH(RANDOM_BYTES) };

/* False: the system has no random bytes. */
static bool draw(char key[static KEY_SIZE])
{
    uint8_t random[RANDOM_BYTES];
    struct base64_encode_ctx context;
    char *at = key + sizeof PREFIX - 1;
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    memcpy(key, PREFIX, sizeof PREFIX);
    base64url_encode_init(&context);
    at += base64_encode_update(&context, at, sizeof random, random);
    at += base64_encode_final(&context, at);
    while (at[-1] == '=') /* the padding is not needed */
        at--;
    *at = '\0';
    return true;
}

int newkey_run(int count, char **arguments)
{
    char key[KEY_SIZE], error[KEYRING_ERROR_MAX] = "out of memory";
    struct bytes line = {0};
    int result = 1;
    if (!draw(key)) {
        fprintf(stderr, "nqueensd: new-key: there are no random numbers\n");
        return 1;
    }
    keyring_line(&line, count ? arguments[0] : "", key);
    for (int i = 1; i < count; i++)
        bytes_format(&line, " %s", arguments[i]);
    struct keyring *keyring = line.failed ? NULL : keyring_read(line.data, line.size, error);
    if (!keyring || keyring_count(keyring) != 1) {
        result = 2;
        fprintf(stderr, "nqueensd: new-key: %s; new-key NAME [searches=N] [jobs=N] [hours=H]\n",
                keyring ? "a name is missing" : error);
    } else if (printf("%.*s\n", (int)line.size, line.data) > 0 && fflush(stdout) == 0) {
        fprintf(stderr, "%s\n", key); /* only when its line has been written */
        result = 0;
    }
    free(keyring);
    bytes_free(&line);
    return result;
}
