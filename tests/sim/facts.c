/* facts.c - a double of the store in NATS: facts by kind and key. */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "network.h"

enum { FACTS = 4096, STALE_MS = 1000 };

struct state {
    uint64_t when;
    const char *value; /* NULL: none */
    size_t size;
};

static struct fact {
    enum store_kind kind;
    char *key;
    struct state now, before;
    int writer;
    bool late; /* its writer no longer waited, or was killed: before this arrived, or after the count had a result */
} facts[FACTS];
static size_t fact_count;
static uint64_t full_until;

void facts_fill(uint64_t until)
{
    full_until = until;
}

static void change(struct fact *fact, const char *value, size_t size)
{
    fact->before = fact->now;
    fact->now = (struct state){sim_now(), value, size};
}

/* A third of the units, the oldest first. */
void facts_evict(void)
{
    for (size_t i = 0; i < fact_count / 3; i++)
        if (facts[i].kind == STORE_UNIT && facts[i].now.value)
            change(&facts[i], NULL, 0);
    sim_trace("store: old units are given up");
}

static struct fact *find(enum store_kind kind, const char *key, bool add)
{
    for (size_t i = 0; i < fact_count; i++)
        if (facts[i].kind == kind && strcmp(facts[i].key, key) == 0)
            return &facts[i];
    if (!add)
        return NULL;
    if (fact_count == FACTS)
        sim_violated("facts", "too many facts");
    facts[fact_count] = (struct fact){.kind = kind, .key = rpc_text(key, strlen(key))};
    return &facts[fact_count++];
}

/* NULL: none is stored. */
static const struct fact *result_of(const struct fact *unit)
{
    char name[200];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(unit->key, " "), unit->key);
    const struct fact *result = find(STORE_RESULT, name, false);
    return result && result->now.value ? result : NULL;
}

void facts_orphan(int process)
{
    for (size_t i = 0; i < fact_count; i++) {
        const struct fact *unit = &facts[i], *result = unit->kind == STORE_UNIT ? result_of(unit) : NULL;
        facts[i].late |= result && (unit->writer == process || result->writer == process);
    }
}

size_t facts_left(bool killed, char key[static 200])
{
    size_t count = 0;
    *key = '\0';
    for (size_t i = 0; i < fact_count; i++) {
        const struct fact *unit = &facts[i], *result = unit->kind == STORE_UNIT ? result_of(unit) : NULL;
        const bool is_left = result ? !result->late : !killed;
        if (strncmp(unit->key, "bytes-", 6) == 0) /* they stay: nothing takes their place */
            continue;
        if (unit->kind == STORE_UNIT && unit->now.value && !unit->late && is_left && !count++)
            (void)snprintf(key, 200, "%s", unit->key);
    }
    return count;
}

/* What is read: now and then what was there a moment ago. */
static const struct state *seen(const struct fact *fact)
{
    const bool stale = sim_now() - fact->now.when < STALE_MS * SIM_MS && sim_chance(network.stale);
    return stale ? &fact->before : &fact->now;
}

/* ---- Where the store is ---- */

struct fact_rpc {
    struct rpc rpc;
    enum { PUT, SWAP, GET, EACH, DELETE_PREFIX, CHECK } verb;
    enum store_kind kind;
    char *key, *value; /* value: as written, or as read */
    size_t size;
    const char *former; /* NULL: none */
    size_t former_size;
    struct found {
        struct found *next;
        const char *key, *value;
        size_t size;
    } * found; /* in the order of strcmp */
};

static enum nq_status write_fact(struct fact_rpc *call)
{
    struct fact *fact = find(call->kind, call->key, true);
    const struct bytes now = {.data = (char *)fact->now.value, .size = fact->now.size};
    if (call->verb == SWAP && !store_is_former(fact->now.value ? &now : NULL, call->former, call->former_size))
        return NQ_AGAIN;
    if (sim_now() < full_until)
        return NQ_LIMIT;
    if (call->value)
        check_fact(call->kind, call->key, call->value, call->size);
    change(fact, call->value, call->size);
    fact->writer = call->rpc.process;
    fact->late = call->rpc.given_up;
    sim_trace("store: %s = %s, from process %d", call->key, call->value ? call->value : "nothing", call->rpc.process);
    return NQ_OK;
}

static enum nq_status read_fact(struct fact_rpc *call)
{
    const struct fact *fact = find(call->kind, call->key, false);
    const struct state *state = fact ? seen(fact) : NULL;
    if (!state || !state->value)
        return NQ_NONE;
    call->value = (char *)state->value;
    call->size = state->size;
    return NQ_OK;
}

static enum nq_status read_all(struct fact_rpc *call)
{
    for (size_t i = 0; i < fact_count; i++) {
        const struct state *state = seen(&facts[i]);
        if (facts[i].kind != call->kind || strncmp(facts[i].key, call->key, strlen(call->key)) != 0 || !state->value)
            continue;
        struct found *found = rpc_new(sizeof *found), **at = &call->found;
        while (*at && strcmp((*at)->key, facts[i].key) < 0)
            at = &(*at)->next;
        *found = (struct found){*at, facts[i].key, state->value, state->size};
        *at = found;
    }
    return NQ_OK;
}

static enum nq_status delete_all(struct fact_rpc *call)
{
    for (size_t i = 0; i < fact_count; i++)
        if (facts[i].kind == call->kind && facts[i].now.value &&
            strncmp(facts[i].key, call->key, strlen(call->key)) == 0)
            change(&facts[i], NULL, 0);
    sim_trace("store: %s* is deleted by process %d", call->key, call->rpc.process);
    return NQ_OK;
}

static enum nq_status perform(struct rpc *rpc)
{
    struct fact_rpc *call = (struct fact_rpc *)rpc;
    switch (call->verb) {
    case PUT:
    case SWAP: return write_fact(call);
    case GET: return read_fact(call);
    case EACH: return read_all(call);
    case DELETE_PREFIX: return delete_all(call);
    case CHECK: break;
    }
    return NQ_OK;
}

/* ---- As a process sees it: a struct store_class ---- */

static struct fact_rpc *ask(int verb, enum store_kind kind, const char *key)
{
    struct fact_rpc *call = rpc_new(sizeof *call);
    call->rpc.effect = perform;
    call->rpc.store = true;
    call->verb = verb;
    call->kind = kind;
    call->key = rpc_text(key, strlen(key));
    return call;
}

static enum nq_status write_it(int verb, const struct store_fact *fact, const void *former, size_t size)
{
    struct fact_rpc *call = ask(verb, fact->kind, fact->key);
    call->value = fact->value ? rpc_text(fact->value, fact->size) : NULL;
    call->size = fact->size;
    call->former = former ? rpc_text(former, size) : NULL;
    call->former_size = size;
    return rpc_call(&call->rpc);
}

static enum nq_status sim_open(const char *where, const struct store_options *options, void **self,
                               char error[static STORE_ERROR_MAX])
{
    (void)where, (void)options, (void)error;
    *self = facts;
    return NQ_OK;
}

static enum nq_status sim_put(void *self, const struct store_fact *list, size_t count)
{
    enum nq_status status = NQ_OK;
    (void)self;
    for (size_t i = 0; status == NQ_OK && i < count; i++)
        status = write_it(PUT, &list[i], NULL, 0);
    return status;
}

static enum nq_status sim_swap(void *self, const struct store_fact *fact, const void *former, size_t size)
{
    (void)self;
    return write_it(SWAP, fact, former, size);
}

static enum nq_status sim_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    struct fact_rpc *call = ask(GET, kind, key);
    (void)self;
    const enum nq_status status = rpc_call(&call->rpc);
    if (status == NQ_OK)
        bytes_add(value, call->value, call->size);
    return status;
}

static enum nq_status sim_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context)
{
    struct fact_rpc *call = ask(EACH, kind, prefix);
    (void)self;
    const enum nq_status status = rpc_call(&call->rpc);
    for (const struct found *at = status == NQ_OK ? call->found : NULL; at; at = at->next)
        if (!visit(context, at->key, at->value, at->size))
            break;
    return status;
}

static enum nq_status sim_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    (void)self;
    return rpc_call(&ask(DELETE_PREFIX, kind, prefix)->rpc);
}

static enum nq_status sim_check(void *self, bool all)
{
    (void)self, (void)all;
    return rpc_call(&ask(CHECK, STORE_JOB, "")->rpc);
}

static struct store_stats sim_stats(const void *self)
{
    (void)self;
    return (struct store_stats){.facts = fact_count};
}

static const char *sim_trouble(const void *self)
{
    (void)self;
    return "it does not answer";
}

static void sim_close(void *self)
{
    (void)self;
}

const struct store_class store_nats = {
    .name = "nats",
    .where = "//HOST:PORT[,URL...]",
    .also = "tls",
    .open = sim_open,
    .put = sim_put,
    .swap = sim_swap,
    .get = sim_get,
    .each = sim_each,
    .delete_prefix = sim_delete_prefix,
    .check = sim_check,
    .stats = sim_stats,
    .trouble = sim_trouble,
    .close = sim_close,
};
