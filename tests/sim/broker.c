/* broker.c - a double of stores/queue.h, after what NATS JetStream does: a work queue with one consumer for all works,
 * a bucket of the leaders' keys, and messages to all who listen. */
#include "broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "network.h"
#include "stores/queue.h"

enum { WORKS = 8, QUEUES = 256 };

struct message {
    struct message *next;
    uint64_t when;
    enum queue_topic topic;
    char id[QUEUE_ID_MAX + 1];
    size_t size;
    char text[];
};

struct queue {
    int process;
    bool open;
    enum queue_role role;
    unsigned lease_ms;
    char self[17];
    struct message *inbox;        /* by time */
    uint64_t last[SIM_PROCESSES]; /* when the last message of a publisher comes: they do not overtake */
    uint64_t idle_since;          /* its process has no batch, and asks for one */
};

struct batch {
    struct batch *next;
    uint64_t number;
    struct shelf *shelf;
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
    struct batch_lease {
        uint64_t number;
        unsigned deliveries;
        char *text;
    } got;
};

/* A work: who has its key. */
static struct shelf {
    char id[QUEUE_ID_MAX + 1];
    uint64_t revision, written;
    char *text; /* of the note; NULL: nobody has it */
    const struct queue *of;
} works[WORKS];

/* Of all works. */
static bool consumer;
static unsigned consumer_lease_ms;
static struct batch *batches; /* in order */
static struct fetch *fetches; /* the oldest first */

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
    if (!*shelf->id)
        (void)snprintf(shelf->id, sizeof shelf->id, "%s", id);
    return shelf;
}

/* ---- Opening ---- */

enum nq_status queue_open(const char *where, const struct nats_options *options, unsigned lease_ms,
                          enum queue_role role, struct queue **out, char error[static STORE_ERROR_MAX])
{
    (void)where, (void)options, (void)error;
    if (queue_count == QUEUES)
        sim_violated("queues", "too many queues");
    struct queue *queue = &queues[queue_count++];
    *queue = (struct queue){.process = sim_process(), .open = true, .role = role, .lease_ms = lease_ms};
    process_draw_id(queue->self);
    *out = queue;
    return NQ_OK;
}

void queue_close(struct queue *queue)
{
    if (queue)
        queue->open = false;
}

void broker_forget(int process)
{
    for (size_t i = 0; i < queue_count; i++)
        if (queues[i].process == process)
            queues[i].open = false;
}

bool queue_connected(struct queue *queue)
{
    return network_connected(queue->process);
}

bool queue_forbidden(struct queue *queue)
{
    (void)queue;
    return false;
}

const char *queue_self(const struct queue *queue)
{
    return queue->self;
}

void queue_watch_jobs(struct queue *queue, queue_on_job on_job, void *who)
{
    (void)queue, (void)on_job, (void)who;
}

/* ---- Messages ---- */

static void deliver(struct queue *to, int from, enum queue_topic topic, const char *id, const char *text)
{
    const size_t size = strlen(text);
    struct message *message = malloc(sizeof *message + size), **at = &to->inbox;
    if (!message)
        abort();
    uint64_t when = network_arrival(from), other = network_arrival(to->process);
    when = when > other ? when : other;
    if (when < to->last[from])
        when = to->last[from];
    to->last[from] = when;
    message->when = when;
    message->topic = topic;
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
    if (topic != QUEUE_WORKER)
        sim_trace("%s %s", topic == QUEUE_REPORT ? "reports" : "asks for an audit:", text);
    for (size_t i = 0; i < queue_count; i++) {
        struct queue *to = &queues[i];
        const bool listens = topic == QUEUE_AUDIT ? strcmp(to->self, id) == 0 : to->role == QUEUE_SERVER;
        if (!to->open || !listens || !network_open(to->process) || sim_chance(network.lost))
            continue;
        deliver(to, queue->process, topic, id, text);
        if (sim_chance(network.twice))
            deliver(to, queue->process, topic, id, text);
    }
    return NQ_OK;
}

static bool receive_one(struct queue *queue, struct queue_message *received)
{
    struct message *message = queue->inbox;
    if (!message || message->when > sim_now())
        return false;
    queue->inbox = message->next;
    received->topic = message->topic;
    memcpy(received->id, message->id, sizeof received->id);
    bytes_add(&received->text, message->text, message->size);
    free(message);
    return true;
}

enum nq_status queue_poll(struct queue *queue, struct queue_message *received)
{
    return receive_one(queue, received) ? NQ_OK : NQ_TIMEOUT;
}

void queue_tend(struct queue *queue, unsigned milliseconds)
{
    (void)queue;
    fiber_sleep(sim_now() + milliseconds * SIM_MS);
}

enum nq_status queue_receive(struct queue *queue, unsigned milliseconds, struct queue_message *received)
{
    const uint64_t until = sim_now() + milliseconds * SIM_MS;
    bool got = receive_one(queue, received);
    while (!got && sim_now() < until) {
        const struct message *first = queue->inbox;
        (void)fiber_wait(queue, first && first->when < until ? first->when : until);
        got = receive_one(queue, received);
    }
    return got ? NQ_OK : NQ_TIMEOUT;
}

/* ---- The leaders' keys ---- */

struct key_rpc {
    struct rpc rpc;
    struct shelf *shelf;
    const struct queue *queue;
    char *text;
    uint64_t revision;
    enum { WRITE, READ, DELETE } verb;
};

static bool is_led(const struct shelf *shelf)
{
    return shelf->text && sim_now() - shelf->written <= LEADER_KEPT_MS * SIM_MS;
}

static enum nq_status do_key(struct rpc *rpc)
{
    struct key_rpc *call = (struct key_rpc *)rpc;
    struct shelf *shelf = call->shelf;
    const bool led = is_led(shelf), ours = shelf->of == call->queue;
    if (call->verb == READ) {
        call->text = ours || !led ? NULL : shelf->text;
        call->revision = led && ours ? shelf->revision : 0;
        return !led ? NQ_NONE : ours ? NQ_OK : NQ_DENIED;
    }
    if (call->verb == WRITE && (call->revision ? !led || shelf->revision != call->revision : led))
        return NQ_DENIED;
    if (!led || call->verb == DELETE)
        sim_trace("broker: %s leads %s, process %d", call->verb == DELETE ? "nobody" : call->queue->self, shelf->id,
                  rpc->process);
    shelf->text = call->verb == DELETE ? NULL : call->text;
    shelf->of = call->queue;
    shelf->revision = call->revision = ++numbers;
    shelf->written = sim_now();
    return NQ_OK;
}

static enum nq_status key_call(const struct queue *queue, const char *id, int verb, const char *text,
                               uint64_t *revision, char **read)
{
    struct key_rpc *call = rpc_new(sizeof *call);
    call->rpc.effect = do_key;
    call->shelf = find(id);
    call->queue = queue;
    call->verb = verb;
    call->text = text ? rpc_text(text, strlen(text)) : NULL;
    call->revision = *revision;
    const enum nq_status status = rpc_call(&call->rpc);
    if (status == NQ_OK)
        *revision = call->revision;
    if (read)
        *read = call->text;
    return status;
}

static bool write_key(const struct queue *queue, const char *id, const char *note, struct leader *leader)
{
    const uint64_t now = clock_now();
    uint64_t none = 0;
    if (leader->revision && key_call(queue, id, WRITE, note, &leader->revision, NULL) == NQ_OK)
        return leader->since = now, true;
    if (key_call(queue, id, WRITE, note, &none, NULL) != NQ_OK)
        return false;
    *leader = (struct leader){none, now};
    return true;
}

enum nq_status queue_lead(struct queue *queue, const char *id, const char *note, struct leader *leader,
                          struct bytes *theirs)
{
    enum nq_status status = network_connected(queue->process) ? NQ_OK : NQ_BROKEN;
    for (int i = 0; i < 2 && status == NQ_OK; i++) {
        char *read = NULL;
        if (write_key(queue, id, note, leader))
            return NQ_OK;
        leader->revision = 0;
        status = key_call(queue, id, READ, NULL, &leader->revision, &read);
        if (status == NQ_DENIED && theirs)
            bytes_text(theirs, read);
    }
    return status == NQ_DENIED || (status == NQ_OK && leader_is_sure(leader)) ? status : NQ_BROKEN;
}

/* Who is sure to lead must have the key. */
static void check_leads(const struct queue *queue, const char *id, const char *what)
{
    const struct shelf *shelf = find(id);
    if (!is_led(shelf) || shelf->of != queue)
        sim_violated("usurped", "process %d %s a batch of %s, whose key it has lost", queue->process, what, id);
}

/* ---- Batches, where the broker is ---- */

static void serve(size_t nothing);

/* What a worker had that is lost goes to one that has nothing to do within five seconds, if nothing else is wrong. */
static void check_handed_over(const struct batch *batch, const struct fetch *fetch)
{
    enum { LEASE_MS = 3000, HANDED_OVER_MS = 5000 };
    const uint64_t idle = fetch->queue->idle_since, since = batch->lost_at > idle ? batch->lost_at : idle;
    if (batch->lost_at && idle && consumer_lease_ms <= LEASE_MS && sim_now() - since > HANDED_OVER_MS * SIM_MS)
        sim_violated("late", "batch %llu of a lost worker comes to an idle one after %llu ms",
                     (unsigned long long)batch->number, (unsigned long long)((sim_now() - since) / SIM_MS));
}

void broker_lost(int process)
{
    for (struct batch *batch = batches; batch; batch = batch->next)
        if (batch->deliveries && batch->holder == process && batch->until > sim_now())
            batch->lost_at = sim_now();
}

static void hand_out(struct batch *batch, struct fetch *fetch)
{
    check_handed_over(batch, fetch);
    batch->lost_at = 0;
    batch->holder = fetch->queue->process;
    fetch->queue->idle_since = 0;
    batch->deliveries++;
    batch->until = sim_now() + consumer_lease_ms * SIM_MS;
    fetch->got = (struct batch_lease){batch->number, batch->deliveries, batch->text};
    sim_trace("broker: batch %llu of %s to process %d, delivery %u", (unsigned long long)batch->number,
              batch->shelf->id, fetch->queue->process, batch->deliveries);
    sim_at(batch->until + 1, serve, 0);
    fiber_wake(fetch, true);
}

/* Batches that are ready or whose lease is over go to those who wait. */
static void serve(size_t nothing)
{
    struct batch *batch = batches;
    (void)nothing;
    while (consumer && batch && fetches) {
        struct fetch *fetch = fetches;
        if (fetch->expires <= sim_now() || !fetch->queue->open ||
            fetch->epoch != network_epoch(fetch->queue->process)) {
            fetches = fetch->next;
            continue;
        }
        if (batch->until <= sim_now()) {
            fetches = fetch->next;
            hand_out(batch, fetch);
        }
        batch = batch->next;
    }
}

static struct batch **find_batch(uint64_t number)
{
    struct batch **at = &batches;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

struct batch_rpc {
    struct rpc rpc;
    struct shelf *shelf; /* NULL: the call is about all works */
    unsigned lease_ms;
    char *text;
    struct queue_depth depth;
};

static enum nq_status do_make_consumer(struct rpc *rpc)
{
    consumer = true;
    consumer_lease_ms = ((struct batch_rpc *)rpc)->lease_ms;
    serve(0);
    return NQ_OK;
}

static enum nq_status do_post(struct rpc *rpc)
{
    struct batch_rpc *call = (struct batch_rpc *)rpc;
    struct batch *batch = rpc_new(sizeof *batch), **at = &batches;
    *batch = (struct batch){.number = ++numbers, .shelf = call->shelf, .text = call->text};
    while (*at)
        at = &(*at)->next;
    *at = batch;
    sim_trace("broker: batch %llu of %s posted by process %d: %s", (unsigned long long)batch->number, call->shelf->id,
              rpc->process, call->text);
    serve(0);
    return NQ_OK;
}

static enum nq_status do_depth(struct rpc *rpc)
{
    struct batch_rpc *call = (struct batch_rpc *)rpc;
    for (const struct batch *batch = batches; batch; batch = batch->next) {
        call->depth.ready += !batch->deliveries;
        call->depth.leased += batch->deliveries > 0;
    }
    return consumer ? NQ_OK : NQ_NONE;
}

static enum nq_status do_find(struct rpc *rpc)
{
    const struct batch *batch = batches;
    while (batch && batch->shelf != ((struct batch_rpc *)rpc)->shelf)
        batch = batch->next;
    return batch ? NQ_OK : NQ_NONE;
}

static enum nq_status do_delete(struct rpc *rpc)
{
    for (struct batch **at = &batches; *at;)
        if ((*at)->shelf == ((struct batch_rpc *)rpc)->shelf)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    sim_trace("broker: batches of %s are deleted by process %d", ((struct batch_rpc *)rpc)->shelf->id, rpc->process);
    return NQ_OK;
}

/* ---- Batches, as a process sees them ---- */

static struct batch_rpc *batch_call(struct queue *queue, const char *id, enum nq_status (*effect)(struct rpc *))
{
    struct batch_rpc *call = rpc_new(sizeof *call);
    call->rpc.effect = effect;
    call->shelf = id ? find(id) : NULL;
    call->lease_ms = queue->lease_ms;
    return call;
}

enum nq_status queue_prepare(struct queue *queue)
{
    return rpc_call(&batch_call(queue, NULL, do_make_consumer)->rpc);
}

enum nq_status queue_post(struct queue *queue, const char *id, const char *text)
{
    struct batch_rpc *call = batch_call(queue, id, do_post);
    check_leads(queue, id, "posts");
    call->text = rpc_text(text, strlen(text));
    return rpc_call(&call->rpc);
}

enum nq_status queue_delete(struct queue *queue, const char *id)
{
    check_leads(queue, id, "deletes");
    return rpc_call(&batch_call(queue, id, do_delete)->rpc);
}

enum nq_status queue_has(struct queue *queue, const char *id)
{
    return rpc_call(&batch_call(queue, id, do_find)->rpc);
}

enum nq_status queue_depth(struct queue *queue, struct queue_depth *depth)
{
    struct batch_rpc *call = batch_call(queue, NULL, do_depth);
    const enum nq_status status = rpc_call(&call->rpc);
    *depth = call->depth;
    return status;
}

enum nq_status queue_finish(struct queue *queue, const char *id, struct leader *leader)
{
    enum nq_status status = queue_lead(queue, id, "", leader, NULL);
    if (status == NQ_OK)
        status = rpc_call(&batch_call(queue, id, do_delete)->rpc);
    if (status == NQ_OK)
        status = key_call(queue, id, DELETE, NULL, &leader->revision, NULL);
    leader->revision = 0;
    return status;
}

/* ---- Batches, as a worker takes them ---- */

struct batch_source {
    struct queue *queue;
};

struct lease {
    struct queue *queue;
    struct batch_lease batch;
};

struct batch_source *batch_source_new(struct queue *queue)
{
    struct batch_source *source = calloc(1, sizeof *source);
    if (source)
        source->queue = queue;
    return source;
}

void batch_source_free(struct batch_source *source)
{
    free(source);
}

struct fetch_rpc {
    struct rpc rpc;
    struct fetch *fetch;
};

static enum nq_status do_fetch(struct rpc *rpc)
{
    struct fetch **at = &fetches;
    if (!consumer)
        return NQ_NONE;
    while (*at)
        at = &(*at)->next;
    *at = ((struct fetch_rpc *)rpc)->fetch;
    serve(0);
    return NQ_OK;
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
    call->fetch = fetch;
    const enum nq_status status = rpc_call(&call->rpc);
    if (status != NQ_OK)
        return status;
    while (!fetch->got.number && sim_now() < until)
        (void)fiber_wait(fetch, until);
    const bool arrives = network_open(queue->process) && fetch->epoch == network_epoch(queue->process);
    if (!fetch->got.number || !arrives || sim_chance(network.lost))
        return NQ_TIMEOUT;
    struct lease *lease = calloc(1, sizeof *lease);
    if (!lease)
        return NQ_NOMEM;
    *lease = (struct lease){queue, fetch->got};
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
    struct batch **at = find_batch(lease->batch.number);
    return network_open(lease->queue->process) && *at && !sim_chance(network.unanswered) ? at : NULL;
}

enum nq_status lease_renew(struct lease *lease)
{
    struct batch **at = reach(lease);
    if (at)
        (*at)->until = sim_now() + consumer_lease_ms * SIM_MS;
    if (at)
        sim_at((*at)->until + 1, serve, 0);
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
    sim_at(sim_now() + milliseconds * SIM_MS + 1, serve, 0);
    free(lease);
    return NQ_OK;
}

/* ---- For what must hold ---- */

bool broker_is_empty(bool workers, char what[static BROKER_WHAT])
{
    if (workers && batches)
        (void)snprintf(what, BROKER_WHAT, "%.40s has batches", batches->shelf->id);
    for (struct shelf *shelf = works; shelf < works + WORKS && *shelf->id; shelf++)
        if (is_led(shelf)) {
            (void)snprintf(what, BROKER_WHAT, "%.40s has a leader", shelf->id);
            return false;
        }
    return !workers || !batches;
}
