/* network.h - connections to the one broker, which has the batches, the keys and the facts: calls that are answered
 * late, or never, though they may be carried out. */
#ifndef TESTS_SIM_NETWORK_H
#define TESTS_SIM_NETWORK_H

#include "base/status.h"
#include "sim.h"

/* How often something goes wrong that no fault of the scenario brings about. */
struct network_options {
    double lost;       /* messages that never arrive */
    double twice;      /* messages that arrive twice */
    double unanswered; /* calls that are carried out, but whose answer vanishes; acknowledgements that vanish */
    double late;       /* messages and calls that take up to late_ms */
    unsigned late_ms;
    double stale; /* readings of the store as it was up to a second ago */
};
extern struct network_options network;

void network_begin(const struct network_options *options);

/* A connection is cut until a moment, which its process notices after `unnoticed`; or holds everything back. */
void network_cut(int process, uint64_t until, uint64_t unnoticed);
void network_stall(int process, uint64_t until);

/* The process stands still until a moment, from the next time on that one of its calls is carried out. */
void network_freeze(int process, uint64_t until);
void network_renew(int process);  /* a new process */
void network_forget(int process); /* it was killed: what it has sent may still arrive */

/* The store answers nobody until then. */
void network_silence_store(uint64_t until);

/* Whether the process takes itself for connected; whether something sent now can arrive. */
bool network_connected(int process);
bool network_open(int process);
uint64_t network_epoch(int process); /* another one: what was under way is lost */

/* When a message sent now is there. */
uint64_t network_arrival(int process);

/* A call: a struct that begins so, from rpc_new(). effect is called where the broker is; nothing frees it. */
struct rpc {
    enum nq_status (*effect)(struct rpc *rpc);
    int process;
    bool store; /* it is for the store */
    uint64_t epoch;
    bool answered, given_up; /* given_up: the caller no longer waits */
    enum nq_status status;
};
void *rpc_new(size_t size);
char *rpc_text(const void *text, size_t size); /* a copy that lasts as long, with a NUL behind */

/* Its status; NQ_BROKEN: no answer came in time, or there is no connection. */
enum nq_status rpc_call(struct rpc *rpc);

#endif
