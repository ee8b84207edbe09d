/* sqlite_file.h - the file of a store in SQLite: made, recognised, brought to the present schema and to its size. */
#ifndef STORES_SQLITE_FILE_H
#define STORES_SQLITE_FILE_H

#include "stores/sqlite.h"

/* Pages: the smallest store (an empty one has 8), and those that facts leave alone: to take one out may need some for a
 * moment. */
enum { SQLITE_SMALLEST = 32, SQLITE_SPARE = 8 };

/* Opens store->path, which is made if it does not exist; store->status holds the outcome, and store->db is NULL unless
 * that is NQ_OK. */
void sqlite_connect(struct sqlite_store *store);

/* Closes the file; what is not open is skipped. */
void sqlite_disconnect(struct sqlite_store *store);

#endif
