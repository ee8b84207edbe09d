/* gzip.c - settings of zlib. */
#include "engine/run/gzip.h"

#include "engine/run/deflate.h"
#include "engine/run/work.h"

/* Of JSON, microseconds per kB on one Zen 4 core: level 6 takes 7 to 12 up to 64 kB and 27 beyond, level 4 takes 6, and
 * its copies are 6 % larger. */
enum { GOOD = 6, FAST = 4, GOOD_UP_TO = 64 << 10 };

/* zlib clears tables of up to 256 kB, which takes longer than a small body does: it gets a window of its own size. */
static int window_bits(size_t size)
{
    int bits = 9;
    while (bits < MAX_WBITS && (size_t)1 << bits < size)
        bits++;
    return bits;
}

bool gzip_begin(z_stream *z, size_t size)
{
    enum { AS_GZIP = 16, MEMORY_LEVEL = 8 };
    const int bits = window_bits(size), memory = bits - 6 < MEMORY_LEVEL ? bits - 6 : MEMORY_LEVEL;
    *z = (z_stream){0};
    return deflateInit2(z, size <= GOOD_UP_TO ? GOOD : FAST, Z_DEFLATED, AS_GZIP + bits, memory, Z_DEFAULT_STRATEGY) ==
           Z_OK;
}

static struct gzip_sum sum_of(const struct bytes *body)
{
    return (struct gzip_sum){.crc = (uint32_t)crc32_z(0, (const Bytef *)body->data, body->size), .size = body->size};
}

void gzip_add(struct gzip_sum *sum, const struct gzip_sum *block)
{
    sum->crc = (uint32_t)crc32_combine(sum->crc, block->crc, (z_off_t)block->size);
    sum->size += block->size;
}

void gzip_block(const struct bytes *body, struct bytes *out, struct gzip_sum *sum)
{
    *sum = (struct gzip_sum){0};
    if (body->size == 0)
        return;
    deflate_add(body, out);
    *sum = sum_of(body);
}

static void add_number(struct bytes *out, uint32_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        bytes_char(out, (char)(number >> 8 * i));
}

void gzip_head(struct bytes *out)
{
    /* RFC 1952: the magic number, deflate, no flags, no time, level 1, Unix */
    static const char head[] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 4, 3};
    bytes_add(out, head, sizeof head);
}

void gzip_store(const struct bytes *body, struct bytes *out, struct gzip_sum *sum)
{
    enum { MOST = 0xffff };
    *sum = sum_of(body);
    out->failed |= body->failed;
    for (size_t at = 0; at < body->size; at += MOST) {
        const size_t left = body->size - at, size = left < MOST ? left : MOST;
        bytes_char(out, 0); /* stored, not the last */
        add_number(out, (uint32_t)size, 2);
        add_number(out, ~(uint32_t)size, 2);
        bytes_add(out, body->data + at, size);
    }
}

void gzip_end(const struct gzip_sum *sum, struct bytes *out)
{
    add_number(out, 0x0003, 2); /* the last block, empty */
    add_number(out, sum->crc, 4);
    add_number(out, (uint32_t)sum->size, 4); /* modulo 2^32 */
}

/* ---- Work ---- */

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
