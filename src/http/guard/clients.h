/* clients.h - how many connections and searches each client has under way. It knows clients by numbers. */
#ifndef HTTP_GUARD_CLIENTS_H
#define HTTP_GUARD_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

enum client_use { USE_CONNECTION, USE_SEARCH, CLIENT_USES };

struct clients;

struct clients *clients_new(void); /* NULL: out of memory */
void clients_free(struct clients *clients);

/* Counts one more for a client. False, and nothing is counted: the client has `most` already, or memory is out. */
bool clients_enter(struct clients *clients, uint64_t client, enum client_use use, unsigned most);
void clients_leave(struct clients *clients, uint64_t client, enum client_use use);

unsigned clients_count(struct clients *clients, uint64_t client, enum client_use use);

#endif
