/* keyring.h - an immutable set of keys: their hashes, and the limits of their holders. It knows no file, and sees a key
 * only to look it up. */
#ifndef HTTP_GUARD_KEYRING_H
#define HTTP_GUARD_KEYRING_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/ask/principal.h"

enum { KEYS_MAX = 1000, KEYRING_TEXT_MAX = 256 << 10, KEYRING_ERROR_MAX = 128 };

/* The holder of a key. A limit that is not given has the largest value of its type: the limits for everybody apply. */
struct holder {
    char name[PRINCIPAL_NAME_MAX + 1];
    unsigned searches, jobs; /* at once */
    double hours;            /* of one core, for one count */
};

struct keyring;

/* Reads lines "NAME SHA256 [searches=N] [jobs=N] [hours=H]"; blank lines and what follows # are skipped. NULL with an
 * error that names the line and never quotes it: it may have a key where the hash belongs. The caller frees it with
 * free(). */
struct keyring *keyring_read(const char *text, size_t size, char error[static KEYRING_ERROR_MAX]);

size_t keyring_count(const struct keyring *keyring);

/* The holder of a key; NULL: it is unknown. The time this takes does not depend on the key. */
const struct holder *keyring_find(const struct keyring *keyring, const char *key, size_t size);

/* Appends "NAME SHA256", the line of the file for a key, without a line feed. */
struct bytes;
void keyring_line(struct bytes *line, const char *name, const char *key);

#endif
