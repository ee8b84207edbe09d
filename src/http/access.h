/* access.h - the keys in force: those of a file, exchanged for those of the file as it is now while they are looked up.
 * It knows what a file is, not what a request is. */
#ifndef HTTP_ACCESS_H
#define HTTP_ACCESS_H

#include "http/keyring.h"

enum { ACCESS_ERROR_MAX = 512 };

struct access;

/* Reads the file. NULL with a sentence that names it, and the line if it is about one. path must outlive it. */
struct access *access_open(const char *path, char error[static ACCESS_ERROR_MAX]);
void access_close(struct access *access); /* NULL: nothing */

/* Reads it again. False with a sentence: then the keys stay as they were. */
bool access_reload(struct access *access, char error[static ACCESS_ERROR_MAX]);

size_t access_count(struct access *access);

/* Whose a key is, as things stand; false: nobody's. */
bool access_find(struct access *access, const char *key, size_t size, struct holder *holder);

#endif
