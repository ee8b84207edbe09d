/* sim.h - a simulation of the cluster: servers, workers, broker and store in one thread, under a virtual clock, by a
 * seed.
 *
 * The code that is tested is the product's, unchanged: engine/cluster, engine/worker, engine/journal, engine/counts and
 * stores/stores.c, linked from the same archives as everything else. What they stand on is replaced when the simulation
 * is linked:
 *
 *   time and threads   system.c (clock_gettime, nanosleep, pthread_*): every thread is a fiber of fiber.c. The
 *                      scheduler decides which one runs next, and time passes only while all of them wait.
 *   the broker         broker.c, a double of stores/queue.h. It has the
 *                      leaders' keys, and lets them lapse
 *   the store          facts.c, a double of the class store_nats in stores/store.h
 *   counting           counting.c, a double of count/counting.h: a unit takes time, and its result is a hash of its
 * name
 *
 * A scenario (scenario.c) says how many servers, workers and units there are, and what goes wrong: processes die
 * between any two calls and come back, freeze, lose their connection; messages are late, come twice or get lost;
 * acknowledgements vanish; leases lapse; clocks differ and jump; the store is slow, silent, stale or loses old facts.
 * run.c carries a scenario out and checks, after every step, what must hold whatever happens (violations are named in
 * check.h). Everything that is random is drawn from the scenario's seed: the same scenario is the same run.
 *
 *   simulate --seeds 1-10000       draws a scenario from every seed; one that fails is made as small as it can be
 * (shrink.c) and printed with its trace simulate --scenario 'LINE'     carries out one scenario with its trace, as it
 * was printed simulate --kept FILE           carries out every scenario of a file, each with many schedules: bugs that
 * were mended
 */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_MS UINT64_C(1000000)
#define SIM_SECOND (1000 * SIM_MS)
#define SIM_NEVER UINT64_MAX

/* ---- Random numbers: of this run ---- */

void sim_seed(uint64_t seed);
uint32_t sim_below(uint32_t bound);
uint64_t sim_between(uint64_t least, uint64_t most);
bool sim_chance(double probability);

/* ---- The schedule (fiber.c) ---- */

enum { SIM_PROCESSES = 16, SIM_NOBODY = -1 };

uint64_t sim_now(void); /* nanoseconds of virtual time since the run began */

/* The process of the fiber that runs; SIM_NOBODY: the scheduler. */
int sim_process(void);

/* Begins a fiber of a process; its name, a number above 0. */
size_t fiber_begin(int process, void *(*run)(void *), void *arg);
bool fiber_is_over(size_t name);

/* The calling fiber waits until a moment; or until the key is woken: false: it was not, until then. */
void fiber_sleep(uint64_t until);
bool fiber_wait(const void *key, uint64_t until);
void fiber_wake(const void *key, bool all);

/* All fibers of a process vanish where they are; or none of them runs until a moment. */
void fiber_kill(int process);
void fiber_freeze(int process, uint64_t until);

/* Calls a function between two steps of fibers. */
void sim_at(uint64_t when, void (*call)(size_t number), size_t number);

/* Goes on with whatever comes next. False: nothing will ever happen. */
bool sim_step(void);

/* ---- Clocks of processes (system.c) ---- */

void clock_set(int process, uint64_t offset, double rate);
void clock_jump(int process, uint64_t by);
uint64_t clock_global(int process, uint64_t local);

/* ---- What is told ---- */

extern bool sim_traced;
void sim_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the run: something does not hold. kind: one word, by which shrinking recognizes the same failure. */
_Noreturn void sim_violated(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
