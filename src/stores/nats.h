/* nats.h - the connection to NATS, the meaning of its status codes, and keys as subjects. It knows neither facts nor
 * work. */
#ifndef STORES_NATS_H
#define STORES_NATS_H

#include <stdatomic.h>

#include <nats/nats.h>

#include "stores/store.h"

/* The subjects of facts, and the streams where they lie; of those that are jobs. */
#define NATS_FACTS "$KV.nqueens_"
#define NATS_STREAMS "KV_nqueens_"
#define NATS_JOBS NATS_FACTS "job."
#define NATS_JOB_STREAM NATS_STREAMS "job"

/* One connection, which any number of threads may use. It is made in the background, and again whenever it is lost;
 * meanwhile calls that need it return NQ_BROKEN at once. */
struct nats {
    natsConnection *connection;
    jsCtx *js; /* waits for an answer no longer than wait_ms */
    unsigned replicas, wait_ms;
    natsOptions *options;
    uint64_t tried;            /* clock_now(), when it was made last */
    atomic_int refusal;        /* a natsStatus: why a server refused the connection; NATS_OK: it did not */
    atomic_bool forbidden;     /* a server refused a subject to this user; the queue resets it */
    atomic_bool gap;           /* a message to us may be lost; the queue resets it */
    atomic_bool stale;         /* the files have changed since the connection was made; nats_mend() resets it */
    struct nats_options files; /* only the names of the files */
    unsigned opened;           /* connections, and those of which libnats will call nothing any more */
    atomic_uint closed;
};

enum { NATS_WAIT_MS = 2000 };

/* where: "//host:port[,nats://host:port…]" (what follows "nats:" in a URL) or URLs; tls:// in one of them: TLS for all.
 * name: of the connection in NATS's lists. NQ_OK even if there is no server yet; otherwise `error`
 * holds a sentence without a full stop: NQ_INVALID (no such URL, or a file that cannot be read) or NQ_NOMEM. */
enum nq_status nats_open(const char *where, const struct nats_options *options, const char *name, struct nats **nats,
                         char error[static STORE_ERROR_MAX]);
void nats_close(struct nats *nats);

/* Calls the function on a thread of its own, and waits for it. Threads have the name and the signal mask of the one
 * that starts them: those that the library starts here, and later ones from those, are named "nats" and block signals.
 * NATS_NO_MEMORY: there is no thread for it. */
natsStatus nats_call_quietly(natsStatus (*run)(void *context), void *context);

/* Whether there is a connection now. */
bool nats_connected(const struct nats *nats);

/* libnats gives a server up that has refused the password twice, although the password may be changed there: makes such
 * a connection anew, once a second at most. No other thread may use it meanwhile. */
void nats_mend(struct nats *nats);

/* Checks the files of the options anew, and lets nats_mend() make the connection anew by them: whoever uses it calls
 * that soon. NQ_OK; otherwise the connection stays, and `error` has a sentence as of nats_open(). Any thread. */
enum nq_status nats_reload(struct nats *nats, char error[static STORE_ERROR_MAX]);
static inline bool nats_is_stale(const struct nats *nats)
{
    return atomic_load(&nats->stale);
}

/* Whether nats_open() would accept these, as far as that can be known without a connection: NQ_OK, or as nats_open().
 */
enum nq_status nats_check_options(const char *where, const struct nats_options *options,
                                  char error[static STORE_ERROR_MAX]);

/* Why there is no connection, in a few words, without any password. */
const char *nats_reason(struct nats *nats);

/* Options of a consumer that ends with its subscription and acknowledges nothing. It sends a heartbeat so often; lost
 * messages show as gaps in their numbers. */
void nats_consumer(jsSubOptions *options, const char *stream, unsigned milliseconds);

/* The outcome of a call: NQ_OK, NQ_NONE (there is no such message, key, stream or consumer), NQ_DENIED (there is
 * another message already than the one that was expected), NQ_LIMIT (it is too large, or the stream is full), NQ_NOMEM,
 * or NQ_BROKEN: it may succeed later. */
enum nq_status nats_judge(natsStatus status, jsErrCode code);

/* Appends a key as tokens of a subject: letters, digits, '-' and '_' as they are, '#' as the '.' between tokens, every
 * other byte, and one that would leave a token empty, as "=" and two hexadecimal digits. nats_decode reads it back:
 * false if no key has such a subject. */
void nats_encode(const char *key, struct bytes *subject);
bool nats_decode(const char *subject, struct bytes *key);

/* A line of NATS's protocol, with a subject and some more in it, is at most 4096 bytes long. No fact has a longer
 * subject. */
enum { NATS_SUBJECT_MAX = 3500 };

/* What a message under a key is. Every store puts a checksum with a fact: a message without one was put there by hand
 * or by another program, and one that does not agree with its own is damaged, or of another key. Neither is a fact. */
enum fact_state { FACT_SOUND, FACT_DAMAGED, FACT_FOREIGN };
enum fact_state fact_judge(natsMsg *message, const char *key);

#endif
