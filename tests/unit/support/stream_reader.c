/* stream_reader.c - streams and their readers; it knows of the engine what stream.h and source.h tell. */
#include "support/stream_reader.h"

#include "engine/lists/source.h"

void stream_fixture_begin(struct stream_fixture *fixture, unsigned threads, unsigned most, unsigned seconds)
{
    fixture->pool = patient_pool(threads, 4, POOL_NICE);
    fixture->streams = streams_new(fixture->pool, kernel_find("auto"), most, seconds);
    assert_non_null(fixture->streams);
}

void stream_fixture_end(struct stream_fixture *fixture)
{
    streams_close(fixture->streams);
    pool_stop(fixture->pool);
    assert_int_equal(streams_stats(fixture->streams).running, 0);
    streams_free(fixture->streams);
    pool_free(fixture->pool);
}

bool stream_fixture_idle(const struct stream_fixture *fixture)
{
    struct pool_stats stats = pool_stats(fixture->pool);
    return stats.running + stats.queued == 0;
}

enum nq_status reader_open(struct reader *reader, const struct stream_fixture *fixture, const struct question *question)
{
    reader->waits = 0;
    sleeper_begin(&reader->sleeper);
    struct shared_question *asked = shared(question);
    const enum nq_status status = stream_open(fixture->streams, asked, sleeper_wake, &reader->sleeper, &reader->stream);
    question_unref(asked);
    return status;
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

static void assert_begins(const struct question *question, const struct bytes *body, bool all)
{
    struct bytes whole = whole_body(question);
    assert_true(all ? body->size == whole.size : body->size < whole.size);
    if (body->size)
        assert_memory_equal(body->data, whole.data, body->size);
    bytes_free(&whole);
}

void assert_whole(const struct question *question, const struct bytes *body)
{
    assert_begins(question, body, true);
}

void assert_cut(const struct question *question, const struct bytes *body)
{
    assert_begins(question, body, false);
}
