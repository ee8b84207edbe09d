/* client.c - reads addresses from sockets, settings and the fields that proxies write. */
#include "http/guard/client.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/hash.h"
#include "base/lock.h"

/* ---- Pace ---- */

/* False: nothing is unread, or the kernel has no counters. What counts as read is what the client's system has
 * acknowledged: it does so only while there is room in the client's buffer. */
static bool read_counters(int descriptor, uint64_t *taken, uint64_t *unread)
{
    int unacknowledged;
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (ioctl(descriptor, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged <= 0)
        return false;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked)
        return false;
    *taken = info.tcpi_bytes_acked;
    *unread = (uint64_t)unacknowledged;
    return true;
}

bool pace_too_slow(struct pace *pace, int descriptor, const struct pace_limit *limit, uint64_t now)
{
    uint64_t taken, unread;
    if (!read_counters(descriptor, &taken, &unread)) {
        pace->since = 0;
        return false;
    }
    const bool waits = pace->since && taken < pace->all;
    if (waits && now - pace->since < limit->nanoseconds)
        return false;
    const bool slow = waits && taken - pace->taken < limit->bytes;
    *pace = (struct pace){.since = now, .taken = taken, .all = taken + unread};
    return slow;
}

/* ---- Clients ---- */

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

/* ---- Client ---- */

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static bool is_mapped(const struct client *client)
{
    return memcmp(client->address, mapped, sizeof mapped) == 0;
}

static void set_v4(struct client *client, const void *address)
{
    memcpy(client->address, mapped, sizeof mapped);
    memcpy(client->address + sizeof mapped, address, 4);
}

/* An address of either kind and nothing else. */
static bool read_address(const char *text, size_t size, struct client *client)
{
    char copy[CLIENT_TEXT_MAX];
    struct in_addr v4;
    if (size == 0 || size >= sizeof copy || memchr(text, '\0', size))
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    client->local = false;
    if (inet_pton(AF_INET, copy, &v4) == 1) {
        set_v4(client, &v4);
        return true;
    }
    return inet_pton(AF_INET6, copy, client->address) == 1;
}

/* "a/8", "a" or "unix". */
static bool read_network(const char *text, size_t size, struct client *client, unsigned *bits)
{
    static const char word[] = "unix";
    if (size == sizeof word - 1 && memcmp(text, word, size) == 0) {
        *client = (struct client){.local = true};
        *bits = 0;
        return true;
    }
    const char *slash = memchr(text, '/', size);
    const size_t length = slash ? (size_t)(slash - text) : size;
    if (!read_address(text, length, client))
        return false;
    const unsigned whole = is_mapped(client) ? 32 : 128;
    unsigned long given = whole;
    if (slash) {
        char digits[4] = "";
        const size_t count = size - length - 1;
        if (count == 0 || count > 3)
            return false;
        memcpy(digits, slash + 1, count);
        if (strspn(digits, "0123456789") != count)
            return false;
        given = strtoul(digits, NULL, 10);
    }
    *bits = (unsigned)given + 128 - whole;
    return given <= whole;
}

bool networks_read(const char *text, struct networks *networks)
{
    networks->count = 0;
    while (*text) {
        const size_t size = strcspn(text, ",");
        if (networks->count == NETWORKS_MAX ||
            !read_network(text, size, &networks->list[networks->count].client, &networks->list[networks->count].bits))
            return false;
        networks->count++;
        if (text[size] == ',' && !text[size + 1])
            return false;
        text += size + (text[size] == ',');
    }
    return true;
}

static bool within(const struct client *client, const struct client *network, unsigned bits)
{
    const unsigned bytes = bits / 8, rest = bits % 8;
    if (client->local != network->local || memcmp(client->address, network->address, bytes) != 0)
        return false;
    return rest == 0 || ((client->address[bytes] ^ network->address[bytes]) >> (8 - rest)) == 0;
}

bool networks_contain(const struct networks *networks, const struct client *client)
{
    for (size_t i = 0; i < networks->count; i++)
        if (within(client, &networks->list[i].client, networks->list[i].bits))
            return true;
    return false;
}

struct client client_of(const struct sockaddr *address)
{
    struct client client = {.local = address && address->sa_family == AF_UNIX};
    if (address && address->sa_family == AF_INET)
        set_v4(&client, &((const struct sockaddr_in *)(const void *)address)->sin_addr);
    else if (address && address->sa_family == AF_INET6)
        memcpy(client.address, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
    return client;
}

/* ---- Fields of proxies ---- */

/* A part of a field. */
struct span {
    const char *text;
    size_t size;
};

static struct span trim(struct span span)
{
    while (span.size && isspace((unsigned char)*span.text)) {
        span.text++;
        span.size--;
    }
    while (span.size && isspace((unsigned char)span.text[span.size - 1]))
        span.size--;
    return span;
}

/* The last part of a field before `end`, after a separator; moves `end` to that. quotes: it is none between quotes. */
static struct span last_part(const char *field, const char **end, char separator, bool quotes)
{
    const char *begin = field;
    bool quoted = false;
    for (const char *at = field; at < *end; at++) {
        if (*at == '"')
            quoted = quotes && !quoted;
        else if (*at == separator && !quoted)
            begin = at + 1;
    }
    const struct span part = {begin, (size_t)(*end - begin)};
    *end = begin > field ? begin - 1 : NULL;
    return trim(part);
}

/* An address with or without a port: a, a:1, [b]:1, "[b]:1", and b as it stands in X-Forwarded-For. */
static bool read_node(struct span node, struct client *client)
{
    if (node.size >= 2 && node.text[0] == '"' && node.text[node.size - 1] == '"')
        node = (struct span){node.text + 1, node.size - 2};
    if (node.size && node.text[0] == '[') {
        const char *close = memchr(node.text, ']', node.size);
        return close && read_address(node.text + 1, (size_t)(close - node.text) - 1, client);
    }
    const char *colon = memchr(node.text, ':', node.size);
    if (colon && !memchr(colon + 1, ':', node.size - (size_t)(colon + 1 - node.text)))
        node.size = (size_t)(colon - node.text);
    return read_address(node.text, node.size, client);
}

/* The node of an entry of Forwarded: the value of its parameter "for". */
static struct span for_of(struct span hop)
{
    const char *end = hop.text + hop.size;
    while (end) {
        const struct span pair = last_part(hop.text, &end, ';', true);
        if (pair.size > 4 && strncasecmp(pair.text, "for=", 4) == 0)
            return (struct span){pair.text + 4, pair.size - 4};
    }
    return (struct span){hop.text, 0};
}

struct client client_behind(const struct networks *trusted, struct client client, const char *const *fields,
                            size_t count, bool rfc7239)
{
    for (unsigned hops = 0; count-- > 0;) {
        const char *end = fields[count] + strlen(fields[count]);
        for (; end; hops++) {
            struct span hop = last_part(fields[count], &end, ',', rfc7239);
            struct client before;
            if (rfc7239)
                hop = for_of(hop);
            if (hops == HOPS_MAX || !networks_contain(trusted, &client) || !read_node(hop, &before))
                return client;
            client = before;
        }
    }
    return client;
}

uint64_t client_hash(const struct client *client, uint64_t salt)
{
    const size_t size = is_mapped(client) ? sizeof client->address : 8;
    salt += client->local;
    return hash_bytes(hash_bytes(HASH_START, &salt, sizeof salt), client->address, size);
}

/* Ten times as fast as inet_ntop(): every request has its line in the log. */
static void v4_text(const uint8_t *address, char *at)
{
    for (int i = 0; i < 4; i++) {
        if (i)
            *at++ = '.';
        if (address[i] >= 100)
            *at++ = (char)('0' + address[i] / 100);
        if (address[i] >= 10)
            *at++ = (char)('0' + address[i] / 10 % 10);
        *at++ = (char)('0' + address[i] % 10);
    }
    *at = '\0';
}

void client_text(const struct client *client, char text[static CLIENT_TEXT_MAX])
{
    static const struct client unknown;
    if (client->local)
        memcpy(text, "unix", sizeof "unix");
    else if (is_mapped(client))
        v4_text(client->address + sizeof mapped, text);
    else if (memcmp(client, &unknown, sizeof unknown) == 0 ||
             !inet_ntop(AF_INET6, client->address, text, CLIENT_TEXT_MAX))
        memcpy(text, "unknown", sizeof "unknown");
}
