/* clients.c - a hash table of those who have anything under way, and of nobody else. */
#include "http/clients.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 1024 };

struct entry {
    struct entry *next;
    uint64_t client;
    unsigned count[CLIENT_USES];
};

struct clients {
    pthread_mutex_t lock; /* guards all below; held for a few instructions only */
    struct entry *slots[SLOTS];
};

struct clients *clients_new(void)
{
    struct clients *clients = calloc(1, sizeof *clients);
    if (clients)
        pthread_mutex_init(&clients->lock, NULL);
    return clients;
}

void clients_free(struct clients *clients)
{
    if (!clients)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        for (struct entry *entry = clients->slots[i], *next; entry; entry = next) {
            next = entry->next;
            free(entry);
        }
    pthread_mutex_destroy(&clients->lock);
    free(clients);
}

/* Where a client's entry is, or would be linked in. Under the lock. */
static struct entry **find(struct clients *clients, uint64_t client)
{
    struct entry **at = &clients->slots[client % SLOTS];
    while (*at && (*at)->client != client)
        at = &(*at)->next;
    return at;
}

bool clients_enter(struct clients *clients, uint64_t client, enum client_use use, unsigned most)
{
    pthread_mutex_lock(&clients->lock);
    struct entry **at = find(clients, client);
    if (!*at && (*at = calloc(1, sizeof **at)))
        (*at)->client = client;
    const bool entered = *at && (*at)->count[use] < most;
    if (entered)
        (*at)->count[use]++;
    pthread_mutex_unlock(&clients->lock);
    return entered;
}

void clients_leave(struct clients *clients, uint64_t client, enum client_use use)
{
    pthread_mutex_lock(&clients->lock);
    struct entry **at = find(clients, client), *entry = *at;
    assert(entry && entry->count[use]);
    entry->count[use]--;
    bool idle = true;
    for (size_t i = 0; i < CLIENT_USES; i++)
        idle = idle && entry->count[i] == 0;
    if (idle) {
        *at = entry->next;
        free(entry);
    }
    pthread_mutex_unlock(&clients->lock);
}

unsigned clients_count(struct clients *clients, uint64_t client, enum client_use use)
{
    pthread_mutex_lock(&clients->lock);
    const struct entry *entry = *find(clients, client);
    const unsigned count = entry ? entry->count[use] : 0;
    pthread_mutex_unlock(&clients->lock);
    return count;
}
