/* owners.c - an array, which is searched from its beginning: nearly always it has one or two. */
#include "engine/jobs/owners.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct owner {
    char name[PRINCIPAL_NAME_MAX + 1];
    uint64_t stamp; /* twice the moment, and 1 if it left then: the greater of two holds */
};

uint64_t moment_after(uint64_t moment)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t microseconds = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    return microseconds > moment ? microseconds : moment + 1;
}

static bool is_there(const struct owner *owner)
{
    return owner && owner->stamp % 2 == 0;
}

static uint64_t stamp_after(const struct owner *owner, bool leaves)
{
    return 2 * moment_after(owner ? owner->stamp / 2 : 0) + leaves;
}

static struct owner *find(const struct owners *owners, const char *name)
{
    for (struct owner *at = owners->list; at < owners->list + owners->count; at++)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

/* Who left first; NULL: nobody has left. */
static struct owner *first_left(const struct owners *owners)
{
    struct owner *first = NULL;
    for (struct owner *at = owners->list; at < owners->list + owners->count; at++)
        if (!is_there(at) && (!first || at->stamp < first->stamp))
            first = at;
    return first;
}

/* NQ_OK; NQ_NONE: there is no room; NQ_NOMEM. */
static enum nq_status note(struct owners *owners, const char *name, uint64_t stamp)
{
    struct owner *owner = find(owners, name);
    if (owner) {
        owner->stamp = stamp > owner->stamp ? stamp : owner->stamp;
        return NQ_OK;
    }
    if (owners->count == OWNERS_MOST) {
        owner = first_left(owners);
    } else {
        struct owner *list = realloc(owners->list, (owners->count + 1) * sizeof *list); /* most jobs have one */
        if (!list)
            return NQ_NOMEM;
        owners->list = list;
        owner = &list[owners->count++];
    }
    if (!owner)
        return NQ_NONE;
    assert(strlen(name) <= PRINCIPAL_NAME_MAX);
    memcpy(owner->name, name, strlen(name) + 1);
    owner->stamp = stamp;
    return NQ_OK;
}

enum nq_status owners_enter(struct owners *owners, const char *name, bool alone)
{
    const uint64_t stamp = stamp_after(find(owners, name), false);
    enum nq_status status = note(owners, name, stamp);
    for (size_t i = 0; alone && status != NQ_NOMEM && i < owners->count; i++)
        if (is_there(&owners->list[i]) && strcmp(owners->list[i].name, name) != 0)
            owners->list[i].stamp = stamp_after(&owners->list[i], true);
    return alone && status == NQ_NONE ? note(owners, name, stamp) : status; /* now there is room */
}

/* Names of keys begin otherwise, see principal.h. */
static bool has_key(const char *name)
{
    return *name && *name != PRINCIPAL_ADDRESS;
}

static struct owner *only(const struct owners *owners)
{
    struct owner *found = NULL;
    for (struct owner *at = owners->list; at < owners->list + owners->count; at++)
        if (is_there(at))
            found = at;
    return owners_count(owners) == 1 ? found : NULL;
}

/* Whom a client that is not there takes with it; NULL: nobody. */
static struct owner *companion(const struct owners *owners, const char *name)
{
    struct owner *nameless = find(owners, "");
    if (is_there(nameless))
        return nameless;
    return has_key(name) || (*name && find(owners, name)) ? NULL : only(owners);
}

enum nq_status owners_leave(struct owners *owners, const char *name)
{
    const struct owner *known = find(owners, name);
    struct owner *other = is_there(known) ? NULL : companion(owners, name);
    if (!known && !other && has_key(name))
        return owners_count(owners) ? NQ_DENIED : NQ_END;
    if (other)
        other->stamp = stamp_after(other, true);
    return note(owners, name, stamp_after(known, true)) == NQ_NOMEM ? NQ_NOMEM : NQ_OK;
}

bool owners_has(const struct owners *owners, const char *name)
{
    return is_there(find(owners, name));
}

unsigned owners_count(const struct owners *owners)
{
    unsigned count = 0;
    for (size_t i = 0; i < owners->count; i++)
        count += is_there(&owners->list[i]);
    return count;
}

uint64_t owners_moment(const struct owners *owners)
{
    uint64_t last = 0;
    for (size_t i = 0; i < owners->count; i++)
        last = owners->list[i].stamp > last ? owners->list[i].stamp : last;
    return last / 2;
}

bool owners_join(struct owners *owners, const struct owners *others)
{
    bool all = true;
    for (size_t i = 0; i < others->count; i++)
        all &= note(owners, others->list[i].name, others->list[i].stamp) != NQ_NOMEM;
    return all;
}

void owners_free(struct owners *owners)
{
    free(owners->list);
    *owners = (struct owners){0};
}

/* ---- As text ---- */

void owners_write(const struct owners *owners, struct bytes *record)
{
    json_write_number(record, "shares", owners_count(owners));
    json_begin_object(record, "owners");
    for (const struct owner *at = owners->list; at < owners->list + owners->count; at++)
        json_write_number(record, at->name, at->stamp);
    json_end_object(record);
}

/* Whether a principal can have it: nothing in it that JSON would escape. */
static bool is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t size = strlen(name), skip = *name == PRINCIPAL_ADDRESS;
    return size <= PRINCIPAL_NAME_MAX && strspn(name + skip, letters) == size - skip;
}

/* Of a release that counted shares: those of names, and all the others. */
static bool read_shares(struct owners *owners, const json_t *record, uint64_t all, uint64_t moment)
{
    json_t *holders = json_object_get(record, "holders"), *holder;
    const char *name;
    uint64_t count, named = 0;
    bool noted = true;
    json_object_foreach(holders, name, holder)
    {
        if (!*name || !is_name(name) || !json_whole(holder, "shares", all - named, &count))
            continue;
        named += count;
        noted &= note(owners, name, 2 * moment + !count) != NQ_NOMEM;
    }
    return noted && (all == named || note(owners, "", 2 * moment) != NQ_NOMEM);
}

enum nq_status owners_read(struct owners *owners, const json_t *record, uint64_t moment)
{
    enum { SHARES_MOST = 1000000000 };
    json_t *names = json_object_get(record, "owners"), *value;
    const char *name;
    uint64_t all, stamp;
    bool noted = true;
    if (!json_whole(record, "shares", SHARES_MOST, &all))
        return NQ_INVALID;
    json_object_foreach(names, name, value)
    {
        if (is_name(name) && json_whole(names, name, 2 * MOMENT_MOST + 1, &stamp))
            noted &= note(owners, name, stamp) != NQ_NOMEM;
    }
    return noted && (names || read_shares(owners, record, all, moment)) ? NQ_OK : NQ_NOMEM;
}

#ifdef CHECKS
void owners_check(const struct owners *owners)
{
    assert(owners->count <= OWNERS_MOST);
    for (size_t i = 0; i < owners->count; i++) {
        assert(memchr(owners->list[i].name, '\0', sizeof owners->list[i].name));
        assert(find(owners, owners->list[i].name) == &owners->list[i]);
    }
}
#endif
