/* reading.h - streams on a real pool and somebody who reads them, for the tests of src/engine/stream.c. */
#ifndef UNIT_READING_H
#define UNIT_READING_H

#include "asking.h"
#include "engine/stream.h"

struct bed {
    struct pool *pool;
    struct streams *streams;
};

void bed_begin(struct bed *bed, unsigned threads, unsigned most, unsigned seconds);
/* Closes as the service does; every stream must have been closed. */
void bed_end(struct bed *bed);
/* Whether no task runs or waits. */
bool bed_idle(const struct bed *bed);

struct reader {
    struct sleeper sleeper;
    struct stream *stream;
    unsigned waits;
};

enum nq_status reader_open(struct reader *reader, const struct bed *bed, const struct question *question);
void reader_close(struct reader *reader);

/* Reads in pieces of a size until there is nothing more, and returns why. NQ_AGAIN: a wake that never came; NQ_INVALID:
 * a read of impossible size. Any thread. */
enum nq_status read_on(struct reader *reader, size_t piece, struct bytes *body);

/* Reads so many bytes, which must be there to come. */
void read_some(struct reader *reader, size_t size, struct bytes *body);

/* The whole body, from its source in one go. */
struct bytes whole_body(const struct question *question);

size_t count_lines(const struct bytes *body);
void assert_begins_with(const struct bytes *whole, const struct bytes *part);

#endif
