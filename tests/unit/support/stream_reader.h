/* stream_reader.h - streams on a real pool and somebody who reads them, for the tests of src/engine/lists/stream.c. */
#ifndef TESTS_UNIT_SUPPORT_STREAM_READER_H
#define TESTS_UNIT_SUPPORT_STREAM_READER_H

#include "engine/lists/stream.h"
#include "support/questions.h"

struct stream_fixture {
    struct pool *pool;
    struct streams *streams;
};

void stream_fixture_begin(struct stream_fixture *fixture, unsigned threads, unsigned most, unsigned seconds);
/* Closes as the service does; every stream must have been closed. */
void stream_fixture_end(struct stream_fixture *fixture);
/* Whether no task runs or waits. */
bool stream_fixture_idle(const struct stream_fixture *fixture);

struct reader {
    struct sleeper sleeper;
    struct stream *stream;
    unsigned waits;
};

enum nq_status reader_open(struct reader *reader, const struct stream_fixture *fixture,
                           const struct question *question);
void reader_close(struct reader *reader);

/* Reads in pieces of a size until there is nothing more, and returns why. NQ_AGAIN: a wake that never came; NQ_INVALID:
 * a read of impossible size. Any thread. */
enum nq_status read_on(struct reader *reader, size_t piece, struct bytes *body);

/* Reads so many bytes, which must be there to come. */
void read_some(struct reader *reader, size_t size, struct bytes *body);

/* The whole body, from its source in one go. */
struct bytes whole_body(const struct question *question);

/* A body that was read is the whole one; or is a beginning of it, and not all. */
void assert_whole(const struct question *question, const struct bytes *body);
void assert_cut(const struct question *question, const struct bytes *body);

size_t count_lines(const struct bytes *body);

#endif
