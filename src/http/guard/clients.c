/* clients.c - a hash table of the clients that have anything under way. */
#include "http/guard/clients.h"

#include <assert.h>
#include <stdlib.h>

#include "base/lock.h"

enum { SLOTS = 1024 };

struct entry {
    struct entry *next;
    uint64_t client;
    unsigned count[CLIENT_USES];
};

struct clients {
    struct lock lock; /* guards all below; held for a few instructions only */
    struct entry *slots[SLOTS];
};

struct clients *clients_new(void)
{
    struct clients *clients = calloc(1, sizeof *clients);
    if (clients)
        lock_init(&clients->lock, LOCK_CLIENTS);
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
    lock_destroy(&clients->lock);
    free(clients);
}

/* Under the lock: the link to a client's entry, or the one that a new entry goes to. */
static struct entry **find(struct clients *clients, uint64_t client)
{
    lock_assert(&clients->lock);
    struct entry **at = &clients->slots[client % SLOTS];
    while (*at && (*at)->client != client)
        at = &(*at)->next;
    return at;
}

bool clients_enter(struct clients *clients, uint64_t client, enum client_use use, unsigned most)
{
    assert(use < CLIENT_USES);
    lock_take(&clients->lock);
    struct entry **at = find(clients, client);
    if (!*at && (*at = calloc(1, sizeof **at)))
        (*at)->client = client;
    const bool entered = *at && (*at)->count[use] < most;
    if (entered)
        (*at)->count[use]++;
    lock_release(&clients->lock);
    return entered;
}

void clients_leave(struct clients *clients, uint64_t client, enum client_use use)
{
    lock_take(&clients->lock);
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
    lock_release(&clients->lock);
}

unsigned clients_count(struct clients *clients, uint64_t client, enum client_use use)
{
    lock_take(&clients->lock);
    const struct entry *entry = *find(clients, client);
    const unsigned count = entry ? entry->count[use] : 0;
    lock_release(&clients->lock);
    return count;
}
