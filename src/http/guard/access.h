/* access.h - the keys in force: those of a file, which can be read again while keys are looked up. It knows a file, no
 * requests. */
#ifndef HTTP_GUARD_ACCESS_H
#define HTTP_GUARD_ACCESS_H

#include "http/guard/keyring.h"

enum { ACCESS_ERROR_MAX = 512 };

struct access;

/* Reads the file. NULL with a sentence that names the file, and the line that is wrong. path must outlive the result.
 */
struct access *access_open(const char *path, char error[static ACCESS_ERROR_MAX]);
void access_close(struct access *access); /* NULL: nothing */

/* Reads the file again. False with a sentence: the keys stay as they were. */
bool access_reload(struct access *access, char error[static ACCESS_ERROR_MAX]);

size_t access_count(struct access *access);

/* The holder of a key in force; false: it is unknown. */
bool access_find(struct access *access, const char *key, size_t size, struct holder *holder);

#endif
