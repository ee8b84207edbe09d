/* shares.c - a short list of holders. */
#include "engine/shares.h"

#include <stdlib.h>
#include <string.h>

#include "engine/asker.h"

struct share {
    struct share *next;
    unsigned count;
    bool joined; /* one of them is the one for asking without wanting any */
    char name[ASKER_NAME_MAX + 1];
};

static struct share *find(const struct shares *shares, const char *name)
{
    struct share *share = shares->first;
    while (share && strcmp(share->name, name) != 0)
        share = share->next;
    return share;
}

/* The share of a name, made if there is none. NULL: out of memory, or no name. */
static struct share *obtain(struct shares *shares, const char *name)
{
    struct share *share = find(shares, name);
    const size_t size = strlen(name);
    if (share || size > ASKER_NAME_MAX || !(share = calloc(1, sizeof *share)))
        return share;
    memcpy(share->name, name, size + 1);
    share->next = shares->first;
    shares->first = share;
    return share;
}

bool shares_add(struct shares *shares, const char *name, bool own)
{
    struct share *share = obtain(shares, name);
    if (!share)
        return false;
    share->count += own || !share->joined;
    share->joined |= !own;
    return true;
}

bool shares_any(const struct shares *shares, const char *name)
{
    const struct share *share = find(shares, name);
    return share && share->count;
}

unsigned shares_count(const struct shares *shares)
{
    unsigned count = 0;
    for (const struct share *share = shares->first; share; share = share->next)
        count += share->count;
    return count;
}

enum nq_status shares_return(struct shares *shares, const char *name)
{
    struct share *share = find(shares, name);
    const bool held = share;
    if (!share || !share->count)
        share = find(shares, "");
    for (struct share *at = shares->first; at && !*name && !(share && share->count); at = at->next)
        share = at;
    if (share && share->count) {
        share->count--;
        return NQ_OK;
    }
    return held || !shares_count(shares) ? NQ_END : NQ_DENIED;
}

void shares_clear(struct shares *shares)
{
    while (shares->first) {
        struct share *share = shares->first;
        shares->first = share->next;
        free(share);
    }
}

bool shares_write(const struct shares *shares, json_t *record)
{
    json_t *holders = json_object();
    bool joined = false, written = true;
    for (const struct share *share = shares->first; share; share = share->next) {
        if (!*share->name)
            joined = share->joined;
        else if (json_object_set_new(
                     holders, share->name,
                     json_pack("{s:i, s:b}", "shares", (int)share->count, "joined", (int)share->joined)) != 0)
            written = false;
    }
    written = written && json_object_set_new(record, "shares", json_integer((int)shares_count(shares))) == 0 &&
              json_object_set_new(record, "joined", json_boolean(joined)) == 0 &&
              (!json_object_size(holders) || json_object_set(record, "holders", holders) == 0);
    json_decref(holders);
    return written;
}

bool shares_read(struct shares *shares, const json_t *record)
{
    const unsigned all = (unsigned)json_integer_value(json_object_get(record, "shares"));
    json_t *holders = json_object_get(record, "holders"), *holder;
    unsigned named = 0;
    const char *name;
    json_object_foreach(holders, name, holder)
    {
        const json_int_t count = json_integer_value(json_object_get(holder, "shares"));
        if (!*name || strlen(name) > ASKER_NAME_MAX || count < 0 || count > all - named)
            continue;
        struct share *share = obtain(shares, name);
        if (!share)
            return false;
        share->count = (unsigned)count;
        share->joined = json_is_true(json_object_get(holder, "joined"));
        named += share->count;
    }
    struct share *rest = obtain(shares, "");
    if (!rest)
        return false;
    rest->count = all - named;
    rest->joined = json_is_true(json_object_get(record, "joined"));
    return true;
}
