/* gzip_work.c - compresses an answer, some kB after the other. */
#include "engine/run/gzip.h"
#include "engine/run/work.h"

struct gzip_work {
    struct work work;
    const struct answer *answer;
    struct bytes whole; /* the answer with the prefix before its links; empty: it has none, or the prefix is */
    z_stream z;
    bool begun;
    struct bytes out;
};

/* Input between two looks at the clock, and room that output gets at a time. */
enum { PIECE = 16 << 10 };

static enum nq_status gzip_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct gzip_work *gzip = (struct gzip_work *)work;
    z_stream *z = &gzip->z;
    const size_t size = gzip->whole.size ? gzip->whole.size : gzip->answer->size;
    int result = Z_OK;
    while (result != Z_STREAM_END) {
        if (atomic_load(stop))
            return NQ_CANCELLED;
        if (clock_now() >= slice->deadline)
            return NQ_AGAIN;
        const size_t left = size - z->total_in;
        z->avail_in = (uInt)(left < PIECE ? left : PIECE);
        z->next_out = (Bytef *)bytes_reserve(&gzip->out, PIECE);
        z->avail_out = PIECE;
        if (!z->next_out)
            return NQ_NOMEM;
        result = deflate(z, left <= PIECE ? Z_FINISH : Z_NO_FLUSH);
        gzip->out.size += PIECE - z->avail_out;
    }
    return NQ_OK;
}

static enum nq_status gzip_finish(struct work *work, struct answer **answer)
{
    struct gzip_work *gzip = (struct gzip_work *)work;
    *answer = answer_new(&gzip->out, gzip->answer->media_type);
    if (!*answer)
        return NQ_NOMEM;
    (*answer)->complete = gzip->answer->complete;
    return NQ_OK;
}

static void gzip_close(struct work *work)
{
    struct gzip_work *gzip = (struct gzip_work *)work;
    if (gzip->begun)
        (void)deflateEnd(&gzip->z);
    bytes_free(&gzip->whole);
    bytes_free(&gzip->out);
    free(gzip);
}

enum nq_status work_gzip(const struct question *question, struct work **work)
{
    static const struct work_class class = {.slice = gzip_slice, .finish = gzip_finish, .close = gzip_close};
    struct gzip_work *gzip = work_new(sizeof *gzip, &class);
    if (!gzip)
        return NQ_NOMEM;
    const struct answer *answer = gzip->answer = question->gzip.answer;
    if (answer->link_length && *question->prefix)
        answer_write(answer, question->prefix, &gzip->whole);
    const size_t size = gzip->whole.size ? gzip->whole.size : answer->size;
    gzip->begun = !gzip->whole.failed && gzip_begin(&gzip->z, size);
    gzip->z.next_in = (Bytef *)(gzip->whole.size ? gzip->whole.data : (char *)answer->bytes);
    return work_opened(&gzip->work, gzip->begun ? NQ_OK : NQ_NOMEM, work);
}
