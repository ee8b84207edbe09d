/* network.c - calls as two messages, each of which takes its time or is lost. */
#include "network.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 2000, CALLS = 1 << 20, CHUNK = 1 << 18 };

struct network_options network;

static struct connection {
    uint64_t cut_until, noticed_at, back_at, stalled_until, frozen_until, epoch;
    uint64_t last[2]; /* when its last call arrives, by what it is for: calls do not overtake each other */
} connections[SIM_PROCESSES];

static uint64_t store_silent_until;
static struct rpc *calls[CALLS];
static size_t call_count;

/* Memory of one run: what is under way belongs to nobody. */
static char *chunk;
static size_t chunk_left;

void network_begin(const struct network_options *options)
{
    network = *options;
}

void *rpc_new(size_t size)
{
    size = (size + 15) / 16 * 16;
    if (size > CHUNK)
        return calloc(1, size);
    if (chunk_left < size) {
        chunk = calloc(1, CHUNK);
        chunk_left = CHUNK;
        if (!chunk)
            abort();
    }
    chunk_left -= size;
    return chunk + chunk_left;
}

char *rpc_text(const void *text, size_t size)
{
    char *copy = rpc_new(size + 1);
    if (size)
        memcpy(copy, text, size);
    return copy;
}

/* ---- Connections ---- */

void network_cut(int process, uint64_t until, uint64_t unnoticed)
{
    struct connection *connection = &connections[process];
    connection->cut_until = until;
    connection->noticed_at = sim_now() + unnoticed;
    connection->back_at = connection->noticed_at < until ? until + sim_between(0, 2 * SIM_SECOND) : until;
    connection->epoch++;
}

void network_stall(int process, uint64_t until)
{
    connections[process].stalled_until = until;
}

void network_freeze(int process, uint64_t until)
{
    connections[process].frozen_until = until;
}

void network_renew(int process)
{
    const uint64_t cut_until = connections[process].cut_until, epoch = connections[process].epoch + 1;
    connections[process] = (struct connection){.cut_until = cut_until, .back_at = cut_until, .epoch = epoch};
}

void network_forget(int process)
{
    for (size_t i = 0; i < call_count; i++)
        calls[i]->given_up |= calls[i]->process == process && !calls[i]->answered;
}

void network_silence_store(uint64_t until)
{
    store_silent_until = until;
}

bool network_open(int process)
{
    return sim_now() >= connections[process].cut_until && sim_now() >= connections[process].back_at;
}

bool network_connected(int process)
{
    return network_open(process) || sim_now() < connections[process].noticed_at;
}

uint64_t network_epoch(int process)
{
    return connections[process].epoch;
}

uint64_t network_arrival(int process)
{
    uint64_t when = sim_now() + sim_between(100000, 600000);
    if (network.late > 0 && sim_chance(network.late))
        when += sim_between(0, network.late_ms * SIM_MS);
    if (when < connections[process].stalled_until)
        when = connections[process].stalled_until + sim_between(0, SIM_MS);
    return when;
}

/* ---- Calls ---- */

static void answer(size_t number)
{
    struct rpc *rpc = calls[number];
    if (rpc->epoch != network_epoch(rpc->process) || !network_open(rpc->process))
        return;
    rpc->answered = true;
    fiber_wake(rpc, true);
}

static void perform(size_t number)
{
    struct rpc *rpc = calls[number];
    if (rpc->epoch != network_epoch(rpc->process) || !network_open(rpc->process))
        return;
    if (rpc->store && sim_now() < store_silent_until) {
        sim_at(store_silent_until, perform, number); /* in order */
        return;
    }
    rpc->status = rpc->effect(rpc);
    if (sim_now() < connections[rpc->process].frozen_until)
        fiber_freeze(rpc->process, connections[rpc->process].frozen_until);
    if (!sim_chance(network.unanswered))
        sim_at(network_arrival(rpc->process), answer, number);
}

enum nq_status rpc_call(struct rpc *rpc)
{
    rpc->process = sim_process();
    rpc->epoch = network_epoch(rpc->process);
    if (!network_connected(rpc->process))
        return NQ_BROKEN;
    if (call_count == CALLS)
        sim_violated("calls", "too many calls of the broker");
    uint64_t *last = &connections[rpc->process].last[rpc->store], when = network_arrival(rpc->process);
    *last = when > *last ? when : *last;
    calls[call_count] = rpc;
    sim_at(*last, perform, call_count++);
    const uint64_t until = sim_now() + WAIT_MS * SIM_MS;
    while (!rpc->answered && fiber_wait(rpc, until))
        continue;
    rpc->given_up = !rpc->answered;
    return rpc->answered ? rpc->status : NQ_BROKEN;
}
