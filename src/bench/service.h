/* service.h - lists as the service makes them, for the bench: in memory, and sent to a client. */
#ifndef BENCH_SERVICE_H
#define BENCH_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gets the bytes of a body as they come. */
struct bench_reader {
    void (*read)(void *context, const char *data, size_t size);
    void *context;
};

/* Reads the stream of all solutions of n as NDJSON, made by so many threads of a pool in this process, as fast as it
 * comes. *seconds is how long it took. False: it did not come to its end. */
bool bench_stream(uint32_t n, unsigned threads, const struct bench_reader *reader, double *seconds);

/* The same over HTTP, from a server of its own that this program is started as, without the time that takes. */
bool bench_service(uint32_t n, unsigned threads, const struct bench_reader *reader, double *seconds);

#endif
