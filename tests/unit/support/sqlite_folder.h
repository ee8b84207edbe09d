/* sqlite_folder.h - a folder with the file of a SQLite store in it. */
#ifndef TESTS_UNIT_SUPPORT_SQLITE_FOLDER_H
#define TESTS_UNIT_SUPPORT_SQLITE_FOLDER_H

#include <sys/types.h>

#include "support/store_facts.h"

OWNER(store_close, struct store *)

/* MEGABYTE: in bytes. SKIPPED: the exit status of a process that cannot do on this machine what is tested. */
enum { MEGABYTE = 1 << 20, SKIPPED = 77 };

/* The folder, the file in it, and the name of the store for store_open(). */
extern char folder[64], path[128], spec[160];

/* A test for which the folder is made, empty, and removed. */
#define WITH_FOLDER(test) TEST_WITH(test, folder_begin, folder_end)
int folder_begin(void **state);
int folder_end(void **state);

/* Opens the store, which must succeed. */
struct store *folder_open(uint64_t capacity);

/* Bytes of the file whose name is the store's with this suffix; 0: there is none. */
off_t size_of(const char *suffix);

/* All of the file, which the caller frees; and writing it anew. */
char *read_whole(size_t *size);
void write_whole(const void *data, size_t size);

/* Makes the file by SQL, without the store. */
void make_foreign(const char *sql);

/* fork(); the new process does not outlive this one. */
pid_t fork_off(void);

#endif
