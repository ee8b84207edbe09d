/* nats.h - how this process talks to NATS: connecting, and what NATS's outcomes mean to us. It knows neither facts nor
 * work. */
#ifndef STORES_NATS_H
#define STORES_NATS_H

#include <nats/nats.h>
#include <stdatomic.h>

#include "stores/store.h"

/* The subjects of facts, and the streams where they lie; of those that are jobs. */
#define NATS_FACTS "$KV.nqueens_"
#define NATS_STREAMS "KV_nqueens_"
#define NATS_JOBS NATS_FACTS "job."
#define NATS_JOB_STREAM NATS_STREAMS "job"

/* One connection, which any number of threads may use. It is made in the background, and made again whenever it is
 * lost, for as long as it takes: until then what needs it is NQ_BROKEN at once. */
struct nats {
    natsConnection *connection;
    jsCtx *js; /* waits for an answer no longer than NATS_WAIT_MS */
    unsigned replicas;
    natsOptions *options;
    uint64_t tried;       /* clock_now(), when it was made last */
    atomic_int complaint; /* a natsStatus: why a server did not let us in, NATS_OK when it did */
    atomic_bool gap;      /* something that was sent to us may not have come; for who cares to reset */
};

enum { NATS_WAIT_MS = 2000 };

/* where: "//host:port[,nats://host:port…]" (what follows "nats:" in a URL) or URLs; tls:// for TLS. name: whose
 * connection it is, to be seen in NATS's lists. NQ_OK, though nobody may be there yet; otherwise `error` holds a
 * sentence without a full stop: NQ_INVALID (no such URL, or a file that cannot be read) or NQ_NOMEM. */
enum nq_status nats_open(const char *where, const struct nats_options *options, const char *name, struct nats **nats,
                         char error[static STORE_ERROR_MAX]);
void nats_close(struct nats *nats);

/* Whether there is a connection now. */
bool nats_connected(const struct nats *nats);

/* libnats gives a server up for good that has refused the password twice, though it may be told the right one: makes
 * such a connection anew, once a second at most. Nobody else may use it meanwhile. */
void nats_mend(struct nats *nats);

/* Why there is no connection, in a few words, without any password. */
const char *nats_reason(struct nats *nats);

/* A consumer that is gone with its subscription and acknowledges nothing: that it is there is told so often, and what
 * is lost on its way shows in the numbers of messages. */
void nats_consumer(jsSubOptions *options, const char *stream, unsigned milliseconds);

/* What a call came to: NQ_OK, NQ_NONE (there is no such message, key, stream or consumer), NQ_DENIED (there is another
 * message already than the one that was expected), NQ_LIMIT (it is too large, or the stream is full), NQ_NOMEM, or
 * NQ_BROKEN: it may succeed later. */
enum nq_status nats_judge(natsStatus status, jsErrCode code);

/* Appends a key as tokens of a subject: letters, digits, '-' and '_' as they are, '#' as the '.' between tokens, every
 * other byte, and one that would leave a token empty, as "=" and two hexadecimal digits. And the other way round: false
 * when it is none. */
void nats_encode(const char *key, struct bytes *subject);
bool nats_decode(const char *subject, struct bytes *key);

#endif
