/* subscriptions.c - a short list of holders. */
#include "engine/jobs/subscriptions.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "engine/ask/principal.h"

/* Fits every integer type that the total is converted to. */
enum { SUBSCRIPTIONS_MOST = 1000000000 };

struct holder {
    struct holder *next;
    unsigned count;
    bool joined; /* the common subscription was added; giving it back does not allow another one */
    char name[PRINCIPAL_NAME_MAX + 1];
};

static struct holder *find(const struct subscriptions *subscriptions, const char *name)
{
    struct holder *holder = subscriptions->first;
    while (holder && strcmp(holder->name, name) != 0)
        holder = holder->next;
    return holder;
}

/* The holder of a name, made if there is none. NULL: out of memory, or not a name. */
static struct holder *obtain(struct subscriptions *subscriptions, const char *name)
{
    struct holder *holder = find(subscriptions, name);
    const size_t size = strlen(name);
    if (holder || size > PRINCIPAL_NAME_MAX || !(holder = calloc(1, sizeof *holder)))
        return holder;
    memcpy(holder->name, name, size + 1);
    holder->next = subscriptions->first;
    subscriptions->first = holder;
    return holder;
}

bool subscriptions_add(struct subscriptions *subscriptions, const char *name, bool own)
{
    struct holder *holder =
        subscriptions_count(subscriptions) < SUBSCRIPTIONS_MOST ? obtain(subscriptions, name) : NULL;
    if (!holder)
        return false;
    holder->count += own || !holder->joined;
    holder->joined |= !own;
    return true;
}

bool subscriptions_has(const struct subscriptions *subscriptions, const char *name)
{
    const struct holder *holder = find(subscriptions, name);
    return holder && holder->count;
}

unsigned subscriptions_count(const struct subscriptions *subscriptions)
{
    unsigned count = 0;
    for (const struct holder *holder = subscriptions->first; holder; holder = holder->next)
        count += holder->count;
    return count;
}

enum nq_status subscriptions_remove(struct subscriptions *subscriptions, const char *name)
{
    struct holder *holder = find(subscriptions, name);
    const bool known = holder;
    if (!holder || !holder->count)
        holder = find(subscriptions, "");
    for (struct holder *at = subscriptions->first; at && !*name && !(holder && holder->count); at = at->next)
        holder = at;
    if (holder && holder->count) {
        holder->count--;
        return NQ_OK;
    }
    return known || !subscriptions_count(subscriptions) ? NQ_END : NQ_DENIED;
}

void subscriptions_clear(struct subscriptions *subscriptions)
{
    while (subscriptions->first) {
        struct holder *holder = subscriptions->first;
        subscriptions->first = holder->next;
        free(holder);
    }
}

void subscriptions_write(const struct subscriptions *subscriptions, struct bytes *record)
{
    const struct holder *anonymous = find(subscriptions, ""), *named = subscriptions->first;
    json_write_number(record, "shares", subscriptions_count(subscriptions));
    json_write_bool(record, "joined", anonymous && anonymous->joined);
    if (!named || (named == anonymous && !named->next))
        return;
    json_begin_object(record, "holders");
    for (const struct holder *holder = named; holder; holder = holder->next) {
        if (!*holder->name)
            continue;
        json_begin_object(record, holder->name);
        json_write_number(record, "shares", holder->count);
        json_write_bool(record, "joined", holder->joined);
        json_end_object(record);
    }
    json_end_object(record);
}

/* Whether a principal can have it: nothing in it that JSON would escape. */
static bool is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t size = strspn(name, letters);
    return size && size <= PRINCIPAL_NAME_MAX && !name[size];
}

enum nq_status subscriptions_read(struct subscriptions *subscriptions, const json_t *record)
{
    json_t *holders = json_object_get(record, "holders"), *member;
    uint64_t all, named = 0, count;
    const char *name;
    if (!json_whole(record, "shares", SUBSCRIPTIONS_MOST, &all))
        return NQ_INVALID;
    json_object_foreach(holders, name, member)
    {
        if (!is_name(name) || !json_whole(member, "shares", all - named, &count))
            continue;
        struct holder *holder = obtain(subscriptions, name);
        if (!holder)
            return NQ_NOMEM;
        holder->count = (unsigned)count;
        holder->joined = json_is_true(json_object_get(member, "joined"));
        named += holder->count;
    }
    struct holder *anonymous = obtain(subscriptions, "");
    if (!anonymous)
        return NQ_NOMEM;
    anonymous->count = (unsigned)(all - named);
    anonymous->joined = json_is_true(json_object_get(record, "joined"));
    return NQ_OK;
}

#ifdef CHECKS
void subscriptions_check(const struct subscriptions *subscriptions)
{
    uint64_t sum = 0;
    for (const struct holder *holder = subscriptions->first; holder; holder = holder->next) {
        assert(memchr(holder->name, '\0', sizeof holder->name));
        assert(find(subscriptions, holder->name) == holder);
        sum += holder->count;
    }
    assert(sum <= SUBSCRIPTIONS_MOST && sum == subscriptions_count(subscriptions));
}
#endif
