/* reply_stream.c - replies to a question with a stream, which ends when the client stops reading. */
#include "http/reply/answer.h"
#include "http/reply/refusal.h"
#include "http/reply/response.h"

/* A libmicrohttpd content reader. A stream that is cut must not look complete: it is shorter than its Content-Length;
 * or over HTTP/1.1 the last chunk is missing, and over HTTP/1.0, where closing is the end, the connection is reset.
 * Once the length is reached, libmicrohttpd does not call this again. */
static ssize_t read_stream(void *cls, uint64_t position, char *to, size_t size)
{
    struct request *request = cls;
    struct stream *stream = request->stream.stream;
    size_t got;
    (void)position;
    switch (stream_read(stream, to, size, &got)) {
    case NQ_OK:
        request->reply.bytes += got;
        if (request->reply.bytes == request->stream.size)
            stream_enough(stream);
        return (ssize_t)got;
    case NQ_END:
        connection_set_fragile(request->connection, false);
        return response_read(request, MHD_CONTENT_READER_END_OF_STREAM);
    case NQ_AGAIN:
        MHD_suspend_connection(request->mhd);
        if (!stream_wait(stream))
            MHD_resume_connection(request->mhd);
        return 0;
    default:
        connection_reset_if_fragile(request->connection);
        return response_read(request, MHD_CONTENT_READER_END_WITH_ERROR);
    }
}

enum MHD_Result reply_stream(struct request *request)
{
    enum MHD_Result result;
    return reply_at_hand(request, true, &result) ? result : reply_flow(request);
}

enum MHD_Result reply_flow(struct request *request)
{
    enum { BLOCK = 128 << 10 };
    struct question *question = &request->question;
    const uint64_t size = answer_size(question);
    struct stream *stream;
    request->cache = "stream";
    request->reply.weak = true;
    question->compressed = answer_gzip_wanted(request, question->format->media_type);
    if (service_draining(request->service))
        return reply_status(request, NQ_CLOSED);
    if (request->http10 && size == MHD_SIZE_UNKNOWN && !connection_can_reset(request->connection))
        return reply_problem(
            request, PROBLEM_HTTP_VERSION,
            "Over HTTP/1.0 on a unix socket a client cannot detect that a stream was cut. Use HTTP/1.1.");
    if (!request_enter(request))
        return reply_too_many(request);
    enum nq_status status = engine_stream(request->service->engine, question, request_wake, request, &stream);
    if (status != NQ_OK)
        return reply_status(request, status);
    request->task = TASK_STREAM;
    request->stream = (struct stream_task){.stream = stream, .size = size};
    if (!connection_watch(request->connection, stream_cancellable(stream), 0))
        return reply_status(request, NQ_BUSY);
    struct MHD_Response *response = MHD_create_response_from_callback(size, BLOCK, read_stream, request, NULL);
    connection_set_fragile(request->connection, request->http10);
    response_header(request, response, "Content-Type", question->format->media_type);
    response_header(request, response, "X-Accel-Buffering",
                    "no"); /* or nginx spools the whole stream for a slow client */
    if (question->compressed)
        answer_as_gzip(request, response);
    response_cacheable(request, response, !question->uncacheable);
    return response_send(request, MHD_HTTP_OK, response);
}
