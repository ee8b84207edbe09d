/* keyring.h - a set of keys that does not change: hashes, and what their holders may have. It knows no file, and never
 * sees a key but to look it up. */
#ifndef HTTP_KEYRING_H
#define HTTP_KEYRING_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/asker.h"

enum { KEYS_MAX = 1000, KEYRING_TEXT_MAX = 256 << 10, KEYRING_ERROR_MAX = 128 };

/* Whose key it is. What is not said of it is as large as the field can tell: what limits everybody limits them. */
struct holder {
    char name[ASKER_NAME_MAX + 1];
    unsigned searches, jobs; /* at once */
    double hours;            /* of one core, for one count */
};

struct keyring;

/* Reads lines "NAME SHA256 [searches=N] [jobs=N] [hours=H]"; blank ones and what follows # mean nothing. NULL with an
 * error that names the line, and quotes nothing: somebody may have put a key where its hash belongs. */
struct keyring *keyring_read(const char *text, size_t size, char error[static KEYRING_ERROR_MAX]);
struct keyring *keyring_ref(struct keyring *keyring);
void keyring_unref(struct keyring *keyring); /* NULL: nothing */

size_t keyring_count(const struct keyring *keyring);

/* Whose a key is; NULL: nobody's. How long that takes says nothing about any key. */
const struct holder *keyring_find(const struct keyring *keyring, const char *key, size_t size);

/* Appends to line "NAME SHA256", the line that stands for a key, without an end. */
struct bytes;
void keyring_line(struct bytes *line, const char *name, const char *key);

/* The key in an Authorization field, which lasts as long as that; false for any scheme but Bearer. */
bool keyring_bearer(const char *field, size_t size, const char **key, size_t *key_size);

#endif
