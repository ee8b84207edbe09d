/* clients.h - how much each client has under way. It knows clients by numbers, not what it is that they have. */
#ifndef HTTP_CLIENTS_H
#define HTTP_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

enum client_use { USE_CONNECTION, USE_SEARCH, CLIENT_USES };

struct clients;

struct clients *clients_new(void); /* NULL: out of memory */
void clients_free(struct clients *clients);

/* One more for a client: false, and nothing is counted, when it has `most` already, or memory is out. */
bool clients_enter(struct clients *clients, uint64_t client, enum client_use use, unsigned most);
void clients_leave(struct clients *clients, uint64_t client, enum client_use use);

/* How many a client has now. */
unsigned clients_count(struct clients *clients, uint64_t client, enum client_use use);

#endif
