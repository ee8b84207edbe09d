/* broker.c - a double of stores/queue.h, after what NATS JetStream does: a work queue with a consumer for each work, a
 * bucket of claims, and messages to all who listen. */
#include "broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "network.h"
#include "stores/queue.h"

enum { WORKS = 8, QUEUES = 256, CLAIM_KEPT_MS = 12000 };

struct message {
    struct message *next;
    uint64_t when, epoch; /* of its publisher's connection and of the listener's, in one sum */
    char id[QUEUE_ID_MAX + 1];
    size_t size;
    char text[];
};

struct queue {
    int process;
    bool open;
    bool listen[QUEUE_TOPICS];
    unsigned lease_ms;
    char owner[CLAIM_OWNER + 1];
    struct message *inbox[QUEUE_TOPICS]; /* by time */
    uint64_t last[SIM_PROCESSES];        /* when the last message of a publisher comes: they do not overtake */
    uint64_t idle_since;                 /* its process has no batch, and asks for one */
};

struct batch {
    struct batch *next;
    uint64_t number;
    unsigned deliveries; /* 0: ready */
    uint64_t until;      /* of the lease */
    int holder;
    uint64_t lost_at; /* its holder died or froze; 0: it did not */
    char *text;
};

struct fetch {
    struct fetch *next;
    struct queue *queue;
    uint64_t expires, epoch;
    bool ended;
    struct batch_lease {
        uint64_t number;
        unsigned deliveries;
        char *text;
    } got;
};

static struct shelf {
    char id[QUEUE_ID_MAX + 1];
    bool consumer;
    unsigned lease_ms;
    struct batch *batches; /* in order */
    struct fetch *fetches; /* the oldest first */
    struct {
        uint64_t revision, written;
        char *text;
    } claim;
    int maker;     /* of the consumer, */
    bool orphaned; /* who has died: the broker forgets what is there after an hour */
    /* Who posted last, and who before: for what must hold. */
    int poster, former;
    uint64_t taken_over;
} works[WORKS];

static struct queue queues[QUEUES];
static size_t queue_count;
static uint64_t numbers;

static struct shelf *find(const char *id)
{
    struct shelf *shelf = works;
    while (shelf < works + WORKS && *shelf->id && strcmp(shelf->id, id) != 0)
        shelf++;
    if (shelf == works + WORKS)
        sim_violated("works", "more works than there are counts");
    if (!*shelf->id) {
        (void)snprintf(shelf->id, sizeof shelf->id, "%s", id);
        shelf->poster = shelf->former = SIM_NOBODY;
    }
    return shelf;
}

/* ---- Opening ---- */

enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms,
                          const bool listen[static QUEUE_TOPICS], struct queue **out,
                          char error[static STORE_ERROR_MAX])
{
    (void)where, (void)options, (void)error;
    if (queue_count == QUEUES)
        sim_violated("queues", "too many queues");
    struct queue *queue = &queues[queue_count++];
    *queue = (struct queue){.process = sim_process(), .open = true, .lease_ms = lease_ms};
    memcpy(queue->listen, listen, sizeof queue->listen);
    process_draw_id(queue->owner);
    *out = queue;
    return NQ_OK;
}

void queue_close(struct queue *queue)
{
    for (int i = 0; queue && i < WORKS && !network_connected(queue->process); i++)
        works[i].orphaned |= works[i].maker == queue->process; /* it cannot clean up */
    if (queue)
        queue->open = false;
}

void broker_forget(int process)
{
    bool was_open = false;
    for (size_t i = 0; i < queue_count; i++)
        if (queues[i].process == process) {
            was_open |= queues[i].open;
            queues[i].open = false;
        }
    for (int i = 0; i < WORKS; i++)
        works[i].orphaned |= was_open && works[i].maker == process;
}

bool queue_connected(struct queue *queue)
{
    return network_connected(queue->process);
}

void queue_watch_jobs(struct queue *queue, queue_on_job on_job, void *who)
{
    (void)queue, (void)on_job, (void)who;
}

void queue_unwatch_jobs(struct queue *queue)
{
    (void)queue;
}

/* ---- Messages ---- */

static uint64_t epochs(int one, int other)
{
    return network_epoch(one) + network_epoch(other);
}

static void deliver(struct queue *to, int from, enum queue_topic topic, const char *id, const char *text)
{
    const size_t size = strlen(text);
    struct message *message = malloc(sizeof *message + size), **at = &to->inbox[topic];
    if (!message)
        abort();
    uint64_t when = network_arrival(from), other = network_arrival(to->process);
    when = when > other ? when : other;
    if (when < to->last[from])
        when = to->last[from];
    to->last[from] = when;
    message->when = when;
    message->epoch = epochs(from, to->process);
    message->size = size;
    (void)snprintf(message->id, sizeof message->id, "%s", id);
    memcpy(message->text, text, size);
    while (*at && (*at)->when <= when)
        at = &(*at)->next;
    message->next = *at;
    *at = message;
    fiber_wake(to, true);
}

enum nq_status queue_publish(struct queue *queue, enum queue_topic topic, const char *id, const char *text)
{
    if (!network_connected(queue->process))
        return NQ_BROKEN;
    if (!network_open(queue->process))
        return NQ_OK;
    if (topic == QUEUE_REPORT)
        sim_trace("reports %s", text);
    for (size_t i = 0; i < queue_count; i++) {
        struct queue *to = &queues[i];
        if (!to->open || !to->listen[topic] || !network_open(to->process) || sim_chance(network.lost))
            continue;
        deliver(to, queue->process, topic, id, text);
        if (sim_chance(network.twice))
            deliver(to, queue->process, topic, id, text);
    }
    return NQ_OK;
}

static bool receive_one(struct queue *queue, enum queue_topic topic, struct queue_message *received)
{
    struct message *message = queue->inbox[topic];
    if (!message || message->when > sim_now())
        return false;
    queue->inbox[topic] = message->next;
    received->topic = topic;
    memcpy(received->id, message->id, sizeof received->id);
    bytes_add(&received->text, message->text, message->size);
    free(message);
    return true;
}

/* As the real one: it waits for the last topic only. */
enum nq_status queue_receive(struct queue *queue, unsigned milliseconds, struct queue_message *received)
{
    const uint64_t until = sim_now() + milliseconds * SIM_MS;
    int last = QUEUE_TOPICS - 1;
    while (last > 0 && !queue->listen[last])
        last--;
    for (int topic = 0; topic <= last; topic++)
        if (queue->listen[topic] && receive_one(queue, (enum queue_topic)topic, received))
            return NQ_OK;
    while (sim_now() < until) {
        const struct message *first = queue->inbox[last];
        (void)fiber_wait(queue, first && first->when < until ? first->when : until);
        if (receive_one(queue, (enum queue_topic)last, received))
            return NQ_OK;
    }
    return NQ_TIMEOUT;
}

/* ---- Claims ---- */

struct claim_rpc {
    struct rpc rpc;
    struct shelf *shelf;
    char *text;
    uint64_t revision;
    enum { CREATE, UPDATE, READ, DELETE } verb;
};

static bool is_claimed(const struct shelf *shelf)
{
    return shelf->claim.text && sim_now() - shelf->claim.written <= CLAIM_KEPT_MS * SIM_MS;
}

static enum nq_status do_claim(struct rpc *rpc)
{
    struct claim_rpc *call = (struct claim_rpc *)rpc;
    struct shelf *shelf = call->shelf;
    const bool claimed = is_claimed(shelf);
    if (call->verb == READ) {
        call->text = claimed ? shelf->claim.text : NULL;
        call->revision = shelf->claim.revision;
        return claimed ? NQ_OK : NQ_NONE;
    }
    if (call->verb == CREATE ? claimed : call->verb == UPDATE && shelf->claim.revision != call->revision)
        return NQ_DENIED;
    if (!claimed || call->verb == DELETE || strncmp(shelf->claim.text, call->text, CLAIM_OWNER) != 0)
        sim_trace("broker: claim of %s is %.16s's, process %d", shelf->id, call->verb == DELETE ? "nobody" : call->text,
                  rpc->process);
    shelf->claim.text = call->verb == DELETE ? NULL : call->text;
    shelf->claim.revision = call->revision = ++numbers;
    shelf->claim.written = sim_now();
    return NQ_OK;
}

static enum nq_status claim_call(const char *id, int verb, const char *text, uint64_t *revision, char **read)
{
    struct claim_rpc *call = rpc_new(sizeof *call);
    call->rpc.effect = do_claim;
    call->shelf = find(id);
    call->verb = verb;
    call->text = text ? rpc_text(text, strlen(text)) : NULL;
    call->revision = revision ? *revision : 0;
    const enum nq_status status = rpc_call(&call->rpc);
    if (status == NQ_OK && revision)
        *revision = call->revision;
    if (status == NQ_OK && read)
        *read = call->text;
    return status;
}

static bool create(void *id, const char *text, uint64_t *revision)
{
    return claim_call(id, CREATE, text, revision, NULL) == NQ_OK;
}

static bool update(void *id, const char *text, uint64_t *revision)
{
    return claim_call(id, UPDATE, text, revision, NULL) == NQ_OK;
}

static enum nq_status read_claim(void *id, struct bytes *text, uint64_t *revision)
{
    char *read = NULL;
    const enum nq_status status = claim_call(id, READ, NULL, revision, &read);
    if (status == NQ_OK)
        bytes_text(text, read);
    return status;
}

enum nq_status queue_claim(struct queue *queue, const char *id, const char *note, struct claim *claim,
                           struct bytes *theirs)
{
    const struct claim_cell cell = {.self = (char *)id, .create = create, .update = update, .read = read_claim};
    const enum nq_status status =
        network_connected(queue->process) ? claim_take(&cell, queue->owner, note, claim, theirs) : NQ_BROKEN;
    return status == NQ_NONE ? NQ_BROKEN : status;
}

/* ---- Batches, where the broker is ---- */

static void serve(size_t number);

/* What a worker had that is lost goes to one that has nothing to do within five seconds, if nothing else is wrong. */
static void check_handed_over(const struct shelf *shelf, const struct batch *batch, const struct fetch *fetch)
{
    enum { LEASE_MS = 3000, HANDED_OVER_MS = 5000 };
    const uint64_t idle = fetch->queue->idle_since, since = batch->lost_at > idle ? batch->lost_at : idle;
    if (batch->lost_at && idle && shelf->lease_ms <= LEASE_MS && sim_now() - since > HANDED_OVER_MS * SIM_MS)
        sim_violated("late", "batch %llu of a lost worker comes to an idle one after %llu ms",
                     (unsigned long long)batch->number, (unsigned long long)((sim_now() - since) / SIM_MS));
}

void broker_lost(int process)
{
    for (struct shelf *shelf = works; shelf < works + WORKS; shelf++)
        for (struct batch *batch = shelf->batches; batch; batch = batch->next)
            if (batch->deliveries && batch->holder == process && batch->until > sim_now())
                batch->lost_at = sim_now();
}

static void hand_out(struct shelf *shelf, struct batch *batch, struct fetch *fetch)
{
    check_handed_over(shelf, batch, fetch);
    batch->lost_at = 0;
    batch->holder = fetch->queue->process;
    fetch->queue->idle_since = 0;
    batch->deliveries++;
    batch->until = sim_now() + shelf->lease_ms * SIM_MS;
    fetch->got = (struct batch_lease){batch->number, batch->deliveries, batch->text};
    sim_trace("broker: batch %llu of %s to process %d, delivery %u", (unsigned long long)batch->number, shelf->id,
              fetch->queue->process, batch->deliveries);
    sim_at(batch->until + 1, serve, (size_t)(shelf - works));
    fiber_wake(fetch, true);
}

/* Batches that are ready or whose lease is over go to those who wait. */
static void serve(size_t number)
{
    struct shelf *shelf = &works[number];
    struct batch *batch = shelf->batches;
    while (shelf->consumer && batch && shelf->fetches) {
        struct fetch *fetch = shelf->fetches;
        if (fetch->expires <= sim_now() || !fetch->queue->open ||
            fetch->epoch != network_epoch(fetch->queue->process)) {
            shelf->fetches = fetch->next;
            continue;
        }
        if (batch->until <= sim_now()) {
            shelf->fetches = fetch->next;
            hand_out(shelf, batch, fetch);
        }
        batch = batch->next;
    }
}

static struct batch **find_batch(struct shelf *shelf, uint64_t number)
{
    struct batch **at = &shelf->batches;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

struct batch_rpc {
    struct rpc rpc;
    struct shelf *shelf;
    unsigned lease_ms;
    char *text;
    struct queue_depth depth;
};

static enum nq_status do_delete_consumer(struct rpc *rpc)
{
    struct shelf *shelf = ((struct batch_rpc *)rpc)->shelf;
    shelf->consumer = false;
    for (struct fetch *fetch = shelf->fetches; fetch; fetch = fetch->next) {
        fetch->ended = true;
        fiber_wake(fetch, true);
    }
    shelf->fetches = NULL;
    return NQ_OK;
}

static enum nq_status do_purge(struct rpc *rpc)
{
    struct shelf *shelf = ((struct batch_rpc *)rpc)->shelf;
    shelf->batches = NULL;
    sim_trace("broker: batches of %s are withdrawn by process %d", shelf->id, rpc->process);
    return NQ_OK;
}

static enum nq_status do_make_consumer(struct rpc *rpc)
{
    struct batch_rpc *call = (struct batch_rpc *)rpc;
    if (!call->shelf->consumer)
        for (struct batch *batch = call->shelf->batches; batch; batch = batch->next)
            batch->deliveries = 0, batch->until = 0;
    call->shelf->consumer = true;
    call->shelf->maker = rpc->process;
    call->shelf->orphaned = false;
    call->shelf->lease_ms = call->lease_ms;
    serve((size_t)(call->shelf - works));
    return NQ_OK;
}

/* After another one has posted, who led before may post what was under way, but not go on. */
static void check_poster(struct shelf *shelf, int process)
{
    enum { GRACE_MS = 4000 };
    if (process == shelf->poster)
        return;
    if (process == shelf->former && sim_now() - shelf->taken_over > GRACE_MS * SIM_MS && is_claimed(shelf) &&
        strncmp(shelf->claim.text, broker_owner(process), CLAIM_OWNER) != 0)
        sim_violated("leaders", "process %d posts batches of %s though process %d has taken it over %llu ms ago",
                     process, shelf->id, shelf->poster, (unsigned long long)((sim_now() - shelf->taken_over) / SIM_MS));
    if (is_claimed(shelf) && strncmp(shelf->claim.text, broker_owner(process), CLAIM_OWNER) == 0) {
        shelf->former = shelf->poster;
        shelf->poster = process;
        shelf->taken_over = sim_now();
    }
}

static enum nq_status do_post(struct rpc *rpc)
{
    struct batch_rpc *call = (struct batch_rpc *)rpc;
    struct batch *batch = rpc_new(sizeof *batch), **at = &call->shelf->batches;
    check_poster(call->shelf, rpc->process);
    *batch = (struct batch){.number = ++numbers, .text = call->text};
    while (*at)
        at = &(*at)->next;
    *at = batch;
    sim_trace("broker: batch %llu of %s posted by process %d: %s", (unsigned long long)batch->number, call->shelf->id,
              rpc->process, call->text);
    serve((size_t)(call->shelf - works));
    return NQ_OK;
}

static enum nq_status do_depth(struct rpc *rpc)
{
    struct batch_rpc *call = (struct batch_rpc *)rpc;
    for (const struct batch *batch = call->shelf->batches; batch; batch = batch->next) {
        call->depth.ready += !batch->deliveries;
        call->depth.leased += batch->deliveries > 0;
    }
    return call->shelf->consumer ? NQ_OK : NQ_NONE;
}

/* ---- Batches, as a process sees them ---- */

static enum nq_status batch_call(struct queue *queue, const char *id, enum nq_status (*effect)(struct rpc *),
                                 const char *text, struct queue_depth *depth)
{
    struct batch_rpc *call = rpc_new(sizeof *call);
    call->rpc.effect = effect;
    call->shelf = find(id);
    call->lease_ms = queue->lease_ms;
    call->text = text ? rpc_text(text, strlen(text)) : NULL;
    const enum nq_status status = rpc_call(&call->rpc);
    if (depth)
        *depth = call->depth;
    return status;
}

static enum nq_status remove_all(struct queue *queue, const char *id)
{
    const enum nq_status status = batch_call(queue, id, do_delete_consumer, NULL, NULL);
    return status == NQ_OK ? batch_call(queue, id, do_purge, NULL, NULL) : status;
}

enum nq_status queue_clear(struct queue *queue, const char *id)
{
    const enum nq_status status = remove_all(queue, id);
    return status == NQ_OK ? batch_call(queue, id, do_make_consumer, NULL, NULL) : status;
}

enum nq_status queue_post(struct queue *queue, const char *id, const char *text)
{
    return batch_call(queue, id, do_post, text, NULL);
}

enum nq_status queue_depth(struct queue *queue, const char *id, struct queue_depth *depth)
{
    return batch_call(queue, id, do_depth, NULL, depth);
}

enum nq_status queue_finish(struct queue *queue, const char *id)
{
    struct claim claim = {0};
    enum nq_status status = queue_claim(queue, id, "", &claim, NULL);
    if (status == NQ_OK)
        status = remove_all(queue, id);
    return status == NQ_OK ? claim_call(id, DELETE, NULL, NULL, NULL) : status;
}

/* ---- Batches, as a worker takes them ---- */

struct batch_source {
    struct queue *queue;
    char id[QUEUE_ID_MAX + 1];
};

struct lease {
    struct queue *queue;
    struct shelf *shelf;
    struct batch_lease batch;
};

enum nq_status batch_source_open(struct queue *queue, const char *id, struct batch_source **out)
{
    struct queue_depth depth;
    const enum nq_status status = queue_depth(queue, id, &depth);
    struct batch_source *source = status == NQ_OK ? calloc(1, sizeof *source) : NULL;
    if (!source)
        return status == NQ_OK ? NQ_NOMEM : status;
    source->queue = queue;
    (void)snprintf(source->id, sizeof source->id, "%s", id);
    *out = source;
    return NQ_OK;
}

void batch_source_close(struct batch_source *source)
{
    free(source);
}

struct fetch_rpc {
    struct rpc rpc;
    struct shelf *shelf;
    struct fetch *fetch;
};

static enum nq_status do_fetch(struct rpc *rpc)
{
    struct fetch_rpc *call = (struct fetch_rpc *)rpc;
    struct fetch **at = &call->shelf->fetches;
    while (*at)
        at = &(*at)->next;
    *at = call->fetch;
    serve((size_t)(call->shelf - works));
    return NQ_OK;
}

static enum nq_status fault(struct batch_source *source, enum nq_status status)
{
    struct queue_depth depth;
    return queue_depth(source->queue, source->id, &depth) == NQ_NONE ? NQ_NONE : status;
}

enum nq_status batch_source_take(struct batch_source *source, unsigned milliseconds, struct lease **out)
{
    struct queue *queue = source->queue;
    const uint64_t until = sim_now() + milliseconds * SIM_MS;
    if (!network_connected(queue->process))
        return NQ_BROKEN;
    struct fetch *fetch = rpc_new(sizeof *fetch);
    struct fetch_rpc *call = rpc_new(sizeof *call);
    *fetch = (struct fetch){.queue = queue, .expires = until, .epoch = network_epoch(queue->process)};
    if (!queue->idle_since)
        queue->idle_since = sim_now();
    call->rpc.effect = do_fetch;
    call->shelf = find(source->id);
    call->fetch = fetch;
    if (rpc_call(&call->rpc) != NQ_OK)
        return fault(source, NQ_BROKEN);
    while (!fetch->got.number && !fetch->ended && sim_now() < until)
        (void)fiber_wait(fetch, until);
    const bool arrives = network_open(queue->process) && fetch->epoch == network_epoch(queue->process);
    if (!fetch->got.number || !arrives || sim_chance(network.lost))
        return fault(source, fetch->ended ? NQ_BROKEN : NQ_TIMEOUT);
    struct lease *lease = calloc(1, sizeof *lease);
    if (!lease)
        return NQ_NOMEM;
    *lease = (struct lease){queue, call->shelf, fetch->got};
    *out = lease;
    return NQ_OK;
}

void lease_text(const struct lease *lease, struct bytes *text)
{
    bytes_text(text, lease->batch.text);
}

unsigned lease_deliveries(const struct lease *lease)
{
    return lease->batch.deliveries;
}

/* The batch at the broker, if what is said about it now arrives there. */
static struct batch **reach(const struct lease *lease)
{
    struct batch **at = find_batch(lease->shelf, lease->batch.number);
    return network_open(lease->queue->process) && lease->shelf->consumer && *at && !sim_chance(network.unanswered)
               ? at
               : NULL;
}

enum nq_status lease_renew(struct lease *lease)
{
    struct batch **at = reach(lease);
    if (at)
        (*at)->until = sim_now() + lease->shelf->lease_ms * SIM_MS;
    if (at)
        sim_at((*at)->until + 1, serve, (size_t)(lease->shelf - works));
    return NQ_OK;
}

enum nq_status lease_done(struct lease *lease)
{
    struct batch **at = reach(lease);
    sim_trace("batch %llu is done%s", (unsigned long long)lease->batch.number, at ? "" : ", which gets lost");
    if (at)
        *at = (*at)->next;
    free(lease);
    return NQ_OK;
}

enum nq_status lease_return(struct lease *lease, unsigned milliseconds)
{
    struct batch **at = reach(lease);
    sim_trace("batch %llu is returned for %u ms%s", (unsigned long long)lease->batch.number, milliseconds,
              at ? "" : ", which gets lost");
    if (at)
        (*at)->until = sim_now() + milliseconds * SIM_MS;
    sim_at(sim_now() + milliseconds * SIM_MS + 1, serve, (size_t)(lease->shelf - works));
    free(lease);
    return NQ_OK;
}

/* ---- For what must hold ---- */

const char *broker_owner(int process)
{
    const char *owner = "";
    for (size_t i = 0; i < queue_count; i++)
        if (queues[i].process == process && queues[i].open)
            owner = queues[i].owner;
    return owner;
}

bool broker_is_empty(char what[static BROKER_WHAT])
{
    for (const struct shelf *shelf = works; shelf < works + WORKS && *shelf->id; shelf++) {
        (void)snprintf(what, BROKER_WHAT, "%.40s has%s%s%s", shelf->id, shelf->batches ? " batches" : "",
                       shelf->consumer ? " a consumer" : "", is_claimed(shelf) ? " a claim" : "");
        if (((shelf->batches || shelf->consumer) && !shelf->orphaned) || is_claimed(shelf))
            return false;
    }
    return true;
}
