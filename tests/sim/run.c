/* run.c - servers, workers and those who ask, as processes of the simulation. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"
#include "broker.h"
#include "check.h"
#include "engine/ask/count_query.h"
#include "engine/cluster/coordinator.h"
#include "engine/run/work.h"
#include "engine/worker/worker.h"
#include "facts.h"
#include "network.h"

enum { ASKS = 2, SLICE_MS = 2, REST_MS = 20, SERVER_THREADS = 2 };

/* Virtual time that a run may take beside counting: when nothing goes wrong, after the last fault, and for what is left
 * to be taken away. */
enum { CALM_MS = 12000, HEALED_MS = 90000, LEFT_MS = 60000 };

struct ask {
    struct process *server;
    unsigned n;
    bool wanted, answered;
    pthread_t thread;
};

static struct process {
    int number;
    bool is_server, alive, gone; /* gone: it was told to end, and has */
    atomic_bool stop;
    struct queue *queue;
    struct store *store;
    struct worker *worker; /* while there is one */
    struct ask asks[ASKS];
    struct tools tools;
} processes[SIM_PROCESSES];

static struct scenario scenario;
static uint64_t healed_at;             /* the last fault is over */
static uint64_t away_until;            /* from then on broker and store can be reached */
static bool was_full, killed, unsaved; /* unsaved: a server had to end with facts that the store did not take */
static unsigned open_asks;
static bool ending;

static void notify(void *who, const char *event, const char *text)
{
    (void)who;
    sim_trace("log: %s: %s", event, text);
}

static void on_trouble(void *who, const char *why)
{
    (void)who;
    sim_trace("journal: %s", why ? why : "the store works");
}

static void open_connections(struct process *process)
{
    const struct nats_options options = {.replicas = 1};
    const struct store_options store = {.capacity = 1 << 30, .nats = options};
    char error[STORE_ERROR_MAX];
    if (queue_open("", &options, scenario.lease_ms, process->is_server ? QUEUE_SERVER : QUEUE_COUNTS, &process->queue,
                   error) != NQ_OK ||
        store_open("nats://simulated", &store, &process->store, error) != NQ_OK)
        abort();
}

/* ---- Who asks a server ---- */

struct carried {
    struct work *work;
    atomic_bool stop;
    const atomic_bool *server_stops;
    enum nq_status status;
};

/* A task, as a pool carries it out. */
static void *carry_out(void *arg)
{
    struct carried *carried = arg;
    enum nq_status status;
    bool rests = false;
    do {
        const struct slice slice = {.deadline = timed_in(SLICE_MS), .rests = &rests};
        if (rests)
            fiber_sleep(sim_now() + REST_MS * SIM_MS);
        rests = false;
        if (atomic_load(carried->server_stops))
            atomic_store(&carried->stop, true);
        status = atomic_load(&carried->stop) ? NQ_CANCELLED
                                             : carried->work->class->slice(carried->work, &slice, &carried->stop);
    } while (status == NQ_AGAIN);
    if (status != NQ_OK && carried->status == NQ_OK)
        carried->status = status;
    if (status != NQ_OK)
        atomic_store(&carried->stop, true);
    return NULL;
}

static enum nq_status on_answer(const struct question *question, nq_wide count, const nq_wide *squares,
                                struct answer **answer)
{
    struct bytes body = {0};
    (void)squares;
    bytes_text(&body, "{}");
    const enum nq_status status = work_answered(&body, question, answer);
    if (status == NQ_OK)
        (*answer)->count = count;
    return status;
}

static void check_answer(const struct question *question, const struct answer *answer)
{
    const unsigned n = question->n;
    const nq_wide right = check_total(n, question->count.statistic);
    sim_trace("n=%u is answered: %s", n, answer->count == right ? "right" : "wrong");
    if (answer->count != right)
        sim_violated("total", "n=%u comes to %llu, and is answered %llu", n, (unsigned long long)right,
                     (unsigned long long)answer->count);
}

static enum nq_status ask_it(struct ask *ask, const struct question *question, struct fault *fault)
{
    struct process *server = ask->server;
    struct carried *carried = calloc(1, sizeof *carried);
    struct answer *answer = NULL;
    pthread_t threads[SERVER_THREADS];
    carried->server_stops = &server->stop;
    enum nq_status status = work_count(question, &server->tools, on_answer, &server->stop, fault, &carried->work);
    if (status != NQ_OK)
        goto cleanup;
    status = carried->work->class->prepare(carried->work, &server->stop);
    if (status == NQ_OK) {
        const unsigned tasks = carried->work->tasks;
        for (unsigned i = 0; i < tasks; i++)
            (void)pthread_create(&threads[i], NULL, carry_out, carried);
        for (unsigned i = 0; i < tasks; i++)
            (void)pthread_join(threads[i], NULL);
        status = carried->status;
    }
    if (status == NQ_OK)
        status = carried->work->class->finish(carried->work, &answer);
    if (status == NQ_OK)
        check_answer(question, answer);
    if (carried->work->fault.text[0])
        *fault = carried->work->fault;
    carried->work->class->close(carried->work);
    answer_unref(answer);
cleanup:
    free(carried);
    return status;
}

static void *ask(void *arg)
{
    struct ask *ask = arg;
    struct shared_question *query;
    char path[64];
    struct fault fault = {0};
    (void)snprintf(path, sizeof path, "/count?n=%u&method=compute%s", ask->n,
                   scenario.bytes && ask->n == CHECK_N ? "&by=first-column" : "");
    if (count_query_parse(path, &query) != NQ_OK)
        abort();
    sim_trace("is asked for n=%u", ask->n);
    const enum nq_status status = ask_it(ask, &query->question, &fault);
    question_unref(query);
    if (status == NQ_OK) {
        ask->answered = true;
        open_asks--;
    } else if (status != NQ_CANCELLED || !ask->server->stop) {
        if (!was_full)
            sim_violated("failed", "n=%u: %s: %s", ask->n, nq_status_text(status), fault.text);
        ask->answered = true;
        open_asks--;
    }
    return NULL;
}

/* ---- Servers and workers ---- */

static void *serve(void *arg)
{
    struct process *process = arg;
    open_connections(process);
    struct journal *journal = journal_new(process->store, 1 << 20, on_trouble, NULL);
    const struct coordinator_options options = {.queue = process->queue,
                                                .journal = journal,
                                                .audit = scenario.audit / 1e3,
                                                .seconds_per_weight = 1e-8,
                                                .threads = SERVER_THREADS,
                                                .lease_ms = scenario.lease_ms,
                                                .notify = notify};
    struct coordinator *coordinator = coordinator_new(&options);
    process->tools = (struct tools){.threads = SERVER_THREADS,
                                    .journal = journal,
                                    .coordinator = coordinator,
                                    .nodes_per_second = 1e8,
                                    .most_core_seconds = 1e12,
                                    .lengthy_seconds = 1e-9};
    for (int i = 0; i < ASKS; i++)
        if (process->asks[i].wanted && !process->asks[i].answered)
            (void)pthread_create(&process->asks[i].thread, NULL, ask, &process->asks[i]);
        else
            process->asks[i].thread = 0;
    while (!process->stop)
        (void)fiber_wait(process, SIM_NEVER);
    for (int i = 0; i < ASKS; i++)
        if (process->asks[i].thread)
            (void)pthread_join(process->asks[i].thread, NULL);
    coordinator_stop(coordinator);
    const enum nq_status status = journal_close(journal);
    unsaved |= status != NQ_OK;
    process->tools = (struct tools){0};
    coordinator_free(coordinator);
    queue_close(process->queue);
    if (status != NQ_TIMEOUT) { /* otherwise a call has not returned, and the process ends as it is */
        journal_free(journal);
        store_close(process->store);
    }
    process->gone = true;
    return NULL;
}

static void *count(void *arg)
{
    struct process *process = arg;
    open_connections(process);
    const struct worker_options options = {.queue = process->queue,
                                           .store = process->store,
                                           .lease_ms = scenario.lease_ms,
                                           .threads = scenario.threads,
                                           .table_bytes = 1 << 20,
                                           .notify = notify};
    struct worker *worker = worker_new(&options);
    process->worker = worker;
    while (!process->stop)
        (void)fiber_wait(process, SIM_NEVER);
    const uint64_t away = away_until > sim_now() ? away_until - sim_now() : 0; /* a call may be under way as long */
    const bool ended = worker_stop(worker, clock_now() + away + 10 * SIM_SECOND);
    const bool may_wait = scenario.lost || scenario.unanswered || scenario.late;
    if (!ended && !may_wait)
        sim_violated("stuck", "a thread of worker %d does not end", process->number);
    queue_close(process->queue);
    process->worker = NULL;
    if (ended) { /* otherwise a call has not returned, and the process ends as it is */
        worker_free(worker);
        store_close(process->store);
    }
    process->gone = true;
    return NULL;
}

static void begin(size_t number)
{
    struct process *process = &processes[number];
    if (process->alive || ending)
        return;
    process->alive = true;
    process->gone = process->stop = false;
    process->tools = (struct tools){0};
    process->worker = NULL;
    network_renew((int)number);
    clock_set((int)number, sim_between(1, 1000) * SIM_SECOND,
              1 + ((double)sim_below(2 * scenario.drift + 1) - scenario.drift) / 1000);
    sim_trace("%s %zu begins", process->is_server ? "server" : "worker", number);
    (void)fiber_begin((int)number, process->is_server ? serve : count, process);
}

static void kill_process(size_t number)
{
    fiber_kill((int)number);
    broker_forget((int)number);
    network_forget((int)number);
    processes[number].alive = false;
    killed |= processes[number].is_server;
    facts_orphan((int)number);
    sim_trace("process %zu is dead", number);
}

/* It has time to end by itself. */
static void after_leaving(size_t number)
{
    if (ending)
        return;
    if (processes[number].alive && !processes[number].gone)
        sim_trace("process %zu is killed, for it does not end", number);
    if (processes[number].alive)
        kill_process(number);
}

/* ---- Faults ---- */

static void leave(int number, uint64_t until)
{
    enum { GRACE_MS = 30000 };
    processes[number].stop = true;
    fiber_wake(&processes[number], true);
    sim_at(sim_now() + GRACE_MS * SIM_MS, after_leaving, (size_t)number);
    sim_at(until + GRACE_MS * SIM_MS, begin, (size_t)number);
    if (healed_at < until + GRACE_MS * SIM_MS)
        healed_at = until + GRACE_MS * SIM_MS;
}

/* Where nothing else goes wrong. */
static void note_lost(int process)
{
    bool only = !scenario.lost && !scenario.unanswered && !scenario.late && !scenario.stale && !scenario.drift;
    for (unsigned i = 0; i < scenario.fault_count; i++)
        only = only &&
               (scenario.faults[i].kind == FAULT_KILL || scenario.faults[i].kind == FAULT_FREEZE ||
                scenario.faults[i].kind == FAULT_GONE) &&
               scenario.faults[i].process >= scenario.servers;
    if (only)
        broker_lost(process);
}

static void strike(size_t index)
{
    const struct sim_fault *fault = &scenario.faults[index];
    const int process = (int)fault->process;
    const uint64_t until = sim_now() + fault->for_ms * SIM_MS;
    char text[SCENARIO_TEXT];
    struct scenario one = {.fault_count = 1, .faults = {*fault}};
    scenario_write(&one, text);
    sim_trace("FAULT %s", strrchr(text, ' ') + 1);
    if (process >= (int)(scenario.servers + scenario.workers) || !processes[process].alive || processes[process].stop)
        return;
    switch (fault->kind) {
    case FAULT_KILL:
        note_lost(process);
        kill_process((size_t)process);
        sim_at(until, begin, (size_t)process);
        break;
    case FAULT_GONE:
        if (processes[process].is_server)
            break;
        note_lost(process);
        kill_process((size_t)process);
        break;
    case FAULT_LEAVE: leave(process, until); break;
    case FAULT_FREEZE:
        note_lost(process);
        (sim_below(2) ? network_freeze : fiber_freeze)(process, until);
        break;
    case FAULT_CUT: network_cut(process, until, 0); break;
    case FAULT_HANG: network_cut(process, until, sim_between(0, 5 * SIM_SECOND)); break;
    case FAULT_STALL: network_stall(process, until); break;
    case FAULT_BROKER:
        for (int i = 0; i < SIM_PROCESSES; i++)
            network_cut(i, until, 0);
        break;
    case FAULT_SILENT: network_silence_store(until); break;
    case FAULT_FULL:
        was_full = true;
        facts_fill(until);
        break;
    case FAULT_EVICT: facts_evict(); break;
    case FAULT_JUMP: clock_jump(process, fault->for_ms * SIM_MS); break;
    case FAULT_KINDS: break;
    }
}

/* ---- A run ---- */

static void set_up(void)
{
    const unsigned all = scenario.servers + scenario.workers;
    sim_seed(scenario.seed);
    network_begin(&(struct network_options){scenario.lost / 1e3, scenario.twice / 1e3, scenario.unanswered / 1e3,
                                            scenario.late / 1e3, scenario.late_ms, scenario.stale / 1e3});
    for (int i = 0; i < CHECK_COUNTS; i++)
        check_counts[i] = (struct check_count){scenario.terms, scenario.units, scenario.pieces, scenario.unit_ms / 1e3};
    for (unsigned i = 0; i < all; i++) {
        struct process *process = &processes[i];
        process->number = (int)i;
        process->is_server = i < scenario.servers;
        check_speed[i] = 1 - sim_below(scenario.spread + 1) / 1e3;
        for (unsigned c = 0; process->is_server && c < ASKS; c++) {
            process->asks[c] = (struct ask){process, CHECK_N + c, (scenario.asks >> (2 * i + c)) & 1, false, 0};
            open_asks += process->asks[c].wanted;
        }
        sim_at(sim_between(0, 3 * SIM_SECOND), begin, i);
    }
    for (unsigned i = 0; i < scenario.fault_count; i++) {
        const uint64_t end = (scenario.faults[i].at_ms + scenario.faults[i].for_ms) * SIM_MS;
        healed_at = healed_at > end ? healed_at : end;
        if (scenario.faults[i].kind >= FAULT_CUT && scenario.faults[i].kind <= FAULT_SILENT && away_until < end)
            away_until = end;
        sim_at(scenario.faults[i].at_ms * SIM_MS, strike, i);
    }
}

static uint64_t steps, most_steps;

#ifdef CHECKS
/* What must hold of the structures of processes between two steps. */
static void check_structures(void)
{
    for (const struct process *process = processes; process < processes + SIM_PROCESSES; process++) {
        if (process->alive && process->tools.coordinator) {
            coordinator_check(process->tools.coordinator);
            journal_check(process->tools.journal);
        }
        if (process->alive && process->worker)
            worker_check(process->worker);
    }
}
#endif

static void step(void)
{
    if (!sim_step() || ++steps > most_steps)
        sim_violated("stuck", "nothing happens any more, or too much: %llu steps", (unsigned long long)steps);
    CHECKED(check_structures());
}

/* Milliseconds that a unit may wait for broker and store: it takes some calls, each of which may go wrong. */
static unsigned trouble_ms(void)
{
    enum { CALLS = 12, LOST_MS = 3000 };
    return CALLS * (scenario.late * scenario.late_ms + (scenario.unanswered + scenario.lost) * LOST_MS) / 1000;
}

static uint64_t trouble_of_units(void)
{
    return (uint64_t)trouble_ms() * scenario.units * scenario.terms * SIM_MS;
}

/* Seconds of counting, at worst: all of it after the last fault, by one thread of the slowest. */
static double seconds_of_counting(void)
{
    double seconds = 0, slowest = 1;
    for (unsigned c = 0; c < ASKS; c++)
        for (unsigned term = 0; term < scenario.terms; term++)
            for (unsigned unit = 0; unit < scenario.units; unit++)
                seconds += check_seconds(CHECK_N + c, term, unit);
    for (unsigned i = 0; i < scenario.servers + scenario.workers; i++)
        slowest = check_speed[i] < slowest ? check_speed[i] : slowest;
    return seconds / slowest;
}

static void await_answers(void)
{
    const uint64_t took =
        (uint64_t)(seconds_of_counting() * (scenario.audit ? 2 : 1) * (double)SIM_SECOND) + trouble_of_units();
    while (open_asks) {
        step();
        const uint64_t slack = (scenario_is_calm(&scenario) ? CALM_MS : HEALED_MS) * SIM_MS;
        if (sim_now() > 3 * SIM_SECOND + healed_at + took + slack)
            sim_violated("late", "%u are not answered %llu ms after the last fault", open_asks,
                         (unsigned long long)((sim_now() - healed_at) / SIM_MS));
    }
}

static bool has_workers(void)
{
    bool some = false;
    for (unsigned i = scenario.servers; i < scenario.servers + scenario.workers; i++)
        some |= processes[i].alive && !processes[i].gone;
    return some;
}

static void await_nothing_left(void)
{
    enum { TRIES = 5 }; /* of a batch that is left: each may get lost, until its lease is over */
    const uint64_t leases = scenario.lost || scenario.unanswered ? (uint64_t)TRIES * scenario.lease_ms * SIM_MS : 0;
    const uint64_t until =
        (sim_now() > healed_at ? sim_now() : healed_at) + LEFT_MS * SIM_MS + leases + ASKS * trouble_of_units();
    char what[BROKER_WHAT], key[200];
    while (sim_now() < until &&
           (sim_now() < healed_at || !broker_is_empty(has_workers(), what) || facts_left(killed, key)))
        step();
    if (!broker_is_empty(has_workers(), what))
        sim_violated("left", "at the broker: %s", what);
    if (facts_left(killed, key) && !was_full && !unsaved)
        sim_violated("left", "in the store: %s", key);
}

static void end_all(void)
{
    const uint64_t until = sim_now() + 60 * SIM_SECOND;
    ending = true;
    for (unsigned i = 0; i < SIM_PROCESSES; i++) {
        processes[i].stop = true;
        fiber_wake(&processes[i], true);
    }
    for (unsigned i = 0; i < scenario.servers + scenario.workers; i++)
        while (processes[i].alive && !processes[i].gone) {
            step();
            if (sim_now() > until)
                sim_violated("stuck", "process %u does not end", i);
        }
}

struct run_stats run_scenario(const struct scenario *given)
{
    enum { STEPS = 6000000, STEPS_A_SECOND = 10000 }; /* there are some 4500 in a second of counting */
    scenario = *given;
    set_up();
    most_steps = STEPS + (uint64_t)(STEPS_A_SECOND * seconds_of_counting());
    await_answers();
    const uint64_t answered = sim_now();
    await_nothing_left();
    end_all();
    const uint64_t took = (uint64_t)(seconds_of_counting() * (double)SIM_SECOND), due = healed_at + took;
    return (struct run_stats){steps, answered > due ? (answered - due) / SIM_MS : 0};
}
