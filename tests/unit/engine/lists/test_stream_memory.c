/* test_stream_memory.c - tests of src/engine/lists/stream.c: a stream for whose end there is no memory is cut, in
 * whatever pieces it is read, and stays cut when there is memory again. */
/* CI builds: address thread */
#include "support/failing_bytes.h"
#include "support/stream_reader.h"

/* Room for 92 solutions, and for their end. */
enum { ALL = 1 << 16 };

/* Once all solutions are made, only the end needs memory. */
static void check_no_end(const struct question *question, size_t piece)
{
    static char body[ALL + 1];
    size_t size = 0, got = 0;
    struct reader reader;
    enum nq_status status = NQ_OK;
    SCOPED(stream_fixture, fixture, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &fixture, question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    atomic_store(&bytes_failing_after, 0);
    while (size + piece <= ALL && (status = stream_read(reader.stream, body + size, piece, &got)) == NQ_OK)
        size += got;
    atomic_store(&bytes_failing_after, SIZE_MAX);
    assert_int_equal(status, NQ_NOMEM);
    assert_int_equal(got, 0);
    assert_true(size > 0);
    if (!question->compressed) {
        const struct bytes all = {.data = body, .size = size};
        assert_cut(question, &all);
        assert_int_equal(count_lines(&all), facts_term("all", 8));
    }
    assert_int_equal(stream_read(reader.stream, body, piece, &got), NQ_NOMEM);
    assert_int_equal(got, 0);
    assert_false(stream_wait(reader.stream));
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 1);
}

TEST(test_no_memory_for_the_end)
{
    static const size_t pieces[] = {1, 36, 1000, ALL / 2};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct question question = ask_solve(8, UINT64_MAX, "ndjson");
        check_no_end(&question, pieces[i]);
        question.compressed = true;
        check_no_end(&question, pieces[i]);
    }
}
