/* body_gzip.c - by zlib, into a buffer that doubles and is counted before it grows: a body of few bytes that would come
 * to many is refused at the limit. */
#include "http/ask/body_gzip.h"

#include <stdint.h>
#include <stdlib.h>
#define ZLIB_CONST /* what is read is not changed */
#include <zlib.h>

#include "base/stop.h"

enum { GZIP_BITS = 16 + MAX_WBITS, INFLATE_STATE = 48 << 10, STEP = 64 << 10 };

struct gunzip {
    z_stream stream;
    char *out;
    size_t size, capacity, most;
    bool (*hold)(void *who, size_t bytes);
    void *who;
};

/* Makes room for at least one byte more. */
static enum nq_status gunzip_grow(struct gunzip *gunzip)
{
    size_t capacity = gunzip->capacity ? 2 * gunzip->capacity : STEP;
    if (gunzip->size < gunzip->capacity)
        return NQ_OK;
    if (capacity > gunzip->most + 1) /* one byte more shows that it is too large */
        capacity = gunzip->most + 1;
    if (gunzip->hold && !gunzip->hold(gunzip->who, capacity - gunzip->capacity))
        return NQ_BUSY;
    char *out = realloc(gunzip->out, capacity);
    if (!out)
        return NQ_NOMEM;
    gunzip->out = out;
    gunzip->capacity = capacity;
    return NQ_OK;
}

/* Decodes up to STEP bytes. NQ_AGAIN: there is more. */
static enum nq_status gunzip_step(struct gunzip *gunzip)
{
    z_stream *stream = &gunzip->stream;
    const enum nq_status status = gunzip_grow(gunzip);
    if (status != NQ_OK)
        return status;
    const size_t left = gunzip->capacity - gunzip->size, room = left < STEP ? left : STEP;
    stream->next_out = (unsigned char *)gunzip->out + gunzip->size;
    stream->avail_out = (unsigned)room;
    const int result = inflate(stream, Z_NO_FLUSH);
    gunzip->size += room - stream->avail_out;
    if (gunzip->size > gunzip->most)
        return NQ_LIMIT;
    if (result == Z_STREAM_END && stream->avail_in == 0)
        return NQ_OK;
    if (result == Z_STREAM_END) /* another member follows */
        return inflateReset(stream) == Z_OK ? NQ_AGAIN : NQ_INVALID;
    if (result == Z_MEM_ERROR)
        return NQ_NOMEM;
    return result == Z_OK ? NQ_AGAIN : NQ_INVALID; /* Z_BUF_ERROR: it is cut */
}

enum nq_status body_gunzip(const char *data, size_t size, const struct gunzip_limits *limits, char **out,
                           size_t *out_size)
{
    struct gunzip gunzip = {.most = limits->most, .hold = limits->hold, .who = limits->who};
    enum nq_status status = NQ_AGAIN;
    gunzip.stream.next_in = (const unsigned char *)data;
    gunzip.stream.avail_in = (unsigned)size;
    if (limits->hold && !limits->hold(limits->who, INFLATE_STATE))
        return NQ_BUSY;
    if (inflateInit2(&gunzip.stream, GZIP_BITS) != Z_OK)
        return NQ_NOMEM;
    while (status == NQ_AGAIN)
        status = stop_wanted(limits->stop) ? NQ_CANCELLED : gunzip_step(&gunzip);
    (void)inflateEnd(&gunzip.stream);
    if (status != NQ_OK)
        free(gunzip.out);
    *out = status == NQ_OK ? gunzip.out : NULL;
    *out_size = status == NQ_OK ? gunzip.size : 0;
    return status;
}
