/* fuzz_access.c - a first line as the Authorization field, the rest as a file of keys: whatever is read has names that
 * a log can take and no name twice, what is refused says in which line, and the field's key is found if and only if its
 * hash stands there. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "http/guard/keyring.h"
#include "http/wire/headers.h"

static void check_holder(const struct holder *holder)
{
    const size_t size = strnlen(holder->name, sizeof holder->name);
    REQUIRE(size > 0 && size <= PRINCIPAL_NAME_MAX);
    REQUIRE(strspn(holder->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == size);
    REQUIRE(holder->searches >= 1 && holder->hours >= 0);
}

/* With a line for the key in front the file is read and the key is that line's, or it is the file that has it already.
 */
static void check_key(const char *key, const char *text, size_t size, const struct keyring *keyring)
{
    char error[KEYRING_ERROR_MAX] = "";
    struct bytes all = {0};
    const struct holder *before = keyring_find(keyring, key, strlen(key));
    keyring_line(&all, "a-name-that-nobody-else-has", key);
    bytes_char(&all, '\n');
    bytes_add(&all, text, size);
    REQUIRE(!all.failed);
    struct keyring *more = keyring_read(all.data, all.size, error);
    if (before)
        check_holder(before);
    if (more) {
        const struct holder *holder = keyring_find(more, key, strlen(key));
        REQUIRE(!before && holder && strcmp(holder->name, "a-name-that-nobody-else-has") == 0);
        REQUIRE(keyring_count(more) == keyring_count(keyring) + 1);
    } else {
        REQUIRE(before || keyring_count(keyring) == KEYS_MAX || strstr(error, "has the name"));
    }
    free(more);
    bytes_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *key = "", *end = size ? memchr(text, '\n', size) : NULL;
    const size_t field = end ? (size_t)(end - text) : size, rest = size - field - (end ? 1 : 0);
    char error[KEYRING_ERROR_MAX] = "";
    size_t length = 0;
    if (bearer_read(text, field, &key, &length))
        REQUIRE(key >= text && key + length <= text + field);
    text += size - rest;
    struct keyring *keyring = keyring_read(text, rest, error);
    REQUIRE(keyring || strncmp(error, "line ", 5) == 0);
    if (!keyring)
        return 0;
    char *copy = strndup(key, length);
    REQUIRE(copy && keyring_count(keyring) <= KEYS_MAX);
    check_key(copy, text, rest, keyring);
    free(copy);
    free(keyring);
    return 0;
}
