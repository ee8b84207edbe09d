/* reading.c - streams and their readers; it knows of the engine what stream.h and source.h tell. */
#include "reading.h"

#include "engine/source.h"

void bed_begin(struct bed *bed, unsigned threads, unsigned most, unsigned seconds)
{
    bed->pool = pool_new(threads, 4, POOL_NICE, NULL);
    assert_non_null(bed->pool);
    bed->streams = streams_new(bed->pool, kernel_find("auto"), most, seconds);
    assert_non_null(bed->streams);
}

void bed_end(struct bed *bed)
{
    streams_close(bed->streams);
    pool_stop(bed->pool);
    assert_int_equal(streams_figures(bed->streams).running, 0);
    streams_free(bed->streams);
    pool_free(bed->pool);
}

bool bed_idle(const struct bed *bed)
{
    struct pool_figures figures = pool_figures(bed->pool);
    return figures.running + figures.queued == 0;
}

enum nq_status reader_open(struct reader *reader, const struct bed *bed, const struct question *question)
{
    reader->waits = 0;
    sleeper_begin(&reader->sleeper);
    return stream_open(bed->streams, question, sleeper_wake, &reader->sleeper, &reader->stream);
}

void reader_close(struct reader *reader)
{
    stream_close(reader->stream);
    sleeper_end(&reader->sleeper);
}

enum nq_status read_on(struct reader *reader, size_t piece, struct bytes *body)
{
    for (;;) {
        size_t got = SIZE_MAX;
        char *to = bytes_reserve(body, piece);
        enum nq_status status = to ? stream_read(reader->stream, to, piece, &got) : NQ_NOMEM;
        if (status == NQ_OK) {
            if (got == 0 || got > piece)
                return NQ_INVALID;
            body->size += got;
        } else if (status != NQ_AGAIN) {
            return status;
        } else if (stream_wait(reader->stream)) {
            reader->waits++;
            if (!sleeper_sleep(&reader->sleeper))
                return NQ_AGAIN;
        }
    }
}

void read_some(struct reader *reader, size_t size, struct bytes *body)
{
    while (size) {
        size_t got = 0;
        char *to = bytes_reserve(body, size);
        assert_non_null(to);
        enum nq_status status = stream_read(reader->stream, to, size, &got);
        if (status == NQ_AGAIN && stream_wait(reader->stream)) {
            reader->waits++;
            assert_true(sleeper_sleep(&reader->sleeper));
        }
        assert_true(status == NQ_OK || status == NQ_AGAIN);
        if (status == NQ_OK) {
            body->size += got;
            size -= got;
        }
    }
}

struct bytes whole_body(const struct question *question)
{
    const struct slice slice = {.deadline = UINT64_MAX};
    const atomic_bool stop = false;
    struct bytes body = {0};
    struct source *source = NULL;
    enum nq_status status = source_open(question, kernel_find("auto"), false, &source);
    assert_int_equal(status, NQ_OK);
    assert_int_equal(source->class->fill(source, &body, SIZE_MAX, &slice, &stop), NQ_END);
    source->class->close(source);
    return body;
}

size_t count_lines(const struct bytes *body)
{
    size_t count = 0;
    for (size_t i = 0; i < body->size; i++)
        count += body->data[i] == '\n';
    return count;
}

void assert_begins_with(const struct bytes *whole, const struct bytes *part)
{
    assert_true(part->size <= whole->size);
    if (part->size)
        assert_memory_equal(part->data, whole->data, part->size);
}
