/* answer.c - replies with a body that is complete: canonical names, entity tags, links. */
#include "http/reply/answer.h"

#include <string.h>
#include <zlib.h>

#include "base/hash.h"
#include "base/process.h"
#include "engine/ask/canonical.h"
#include "http/reply/refusal.h"
#include "http/reply/response.h"
#include "http/wire/accept.h"

/* ---- Canonical form and entity tags ---- */

static void write_etag(struct request *request, uint64_t hash)
{
    request->reply.etag[0] = '"';
    hash_hex(hash, request->reply.etag + 1);
    memcpy(request->reply.etag + ETAG_SIZE - 2, "\"", 2);
}

/* The tag is known before the body is: build, canonical query, representation and public prefix determine both. */
static void make_etag(struct request *request, const char *key)
{
    const uint64_t hash = hash_text(hash_text(HASH_START, build_id), key);
    write_etag(request, hash_text(hash, request->service->options.base_path));
}

bool request_canonical_as(struct request *request, const char *space, const char *path, const struct param *params,
                          const struct value *values)
{
    struct question *question = &request->question;
    const struct canonical names = {
        .format = question->format->name, .space = space, .path = path, .params = params, .values = values};
    if (!canonical_names(&names, &request->key, &request->path))
        return false;
    question->key = request->key;
    question->path = request->path;
    question->prefix = request->service->options.base_path;
    question->principal = request->requester.principal;
    memcpy(question->trace, request->trace.trace, sizeof question->trace);
    request->reply.drawn = question->uncacheable && question->kind != ASK_COST;
    make_etag(request, request->key);
    return true;
}

bool request_canonical(struct request *request, const struct value *values)
{
    const struct route *route = request->route;
    return request_canonical_as(request, route->path, route->path, route->params, values);
}

/* ---- Content codings ---- */

/* The quality of a coding, in thousandths; `unnamed` if no field names it. */
static int coding_quality(const struct request *request, const char *coding, int unnamed)
{
    const struct field_list *fields = &request->headers.accept_encoding;
    struct accept accept = ACCEPT_UNREAD;
    for (unsigned i = 0; i < fields->count; i++)
        accept_encoding_read(fields->at[i], coding, &accept);
    return accept.precision ? accept.quality : unnamed;
}

/* The gzip copy comes only if it is asked for, and the body itself is not preferred to it. */
static bool prefers_gzip(struct request *request)
{
    request->reply.coded = true;
    if (request->headers.accept_encoding.count == 0)
        return false;
    const int gzip = coding_quality(request, "gzip", 0);
    return gzip > 0 && gzip >= coding_quality(request, "identity", 0);
}

/* Not: pictures of points, which are compressed already; events, which come one by one; numbers of large boards, which
 * have a known length. */
bool answer_gzip_wanted(struct request *request, const char *media_type)
{
    return request->port == PORT_PUBLIC && strcmp(media_type, "image/png") != 0 &&
           strcmp(media_type, "text/event-stream") != 0 && strcmp(media_type, "application/octet-stream") != 0 &&
           prefers_gzip(request);
}

/* Another release of zlib may make another copy. */
static void tag_gzip(struct request *request)
{
    const uint64_t hash = hash_text(hash_text(HASH_START, request->reply.etag), zlibVersion());
    request->reply.gzip = true;
    write_etag(request, hash);
}

void answer_as_gzip(struct request *request, struct MHD_Response *response)
{
    tag_gzip(request);
    response_header(request, response, "Content-Encoding", "gzip");
}

static bool names_tag(const struct request *request, const char *tag)
{
    const struct field_list *fields = &request->headers.if_none_match;
    for (unsigned i = 0; i < fields->count; i++)
        if (strcmp(fields->at[i], tag) == 0 || (*tag == '"' && strstr(fields->at[i], tag)))
            return true;
    return false;
}

bool answer_not_modified(struct request *request, bool at_hand, bool gzip)
{
    const bool any = at_hand && names_tag(request, "*"), plain = names_tag(request, request->reply.etag);
    if (!gzip || request->headers.if_none_match.count == 0)
        return any || plain;
    char etag[ETAG_SIZE];
    memcpy(etag, request->reply.etag, sizeof etag);
    tag_gzip(request);
    if (any || names_tag(request, request->reply.etag))
        return true;
    request->reply.gzip = false;
    memcpy(request->reply.etag, etag, sizeof etag);
    return plain;
}

enum MHD_Result answer_send_not_modified(struct request *request, struct MHD_Response *response)
{
    response_cacheable(request, response, true);
    request->reply.bytes = 0;
    return response_send(request, MHD_HTTP_NOT_MODIFIED, response);
}

uint64_t answer_size(const struct question *question)
{
    if (question->kind != ASK_CONSTRUCT || !question->format->row_bytes)
        return MHD_SIZE_UNKNOWN;
    return question->n
               ? (question->construct.last - question->construct.first + UINT64_C(1)) * question->format->row_bytes
               : 0;
}

static void unref_answer(void *answer)
{
    answer_unref(answer);
}

struct MHD_Response *answer_response(struct request *request, struct answer *answer)
{
    const char *prefix = request->service->options.base_path;
    struct MHD_Response *response;
    if (answer->link_length && *prefix) {
        struct bytes body = {0};
        answer_write(answer, prefix, &body);
        response = response_of_bytes(request, &body);
        answer_unref(answer);
        return response;
    }
    request->reply.bytes = answer->size;
    response =
        MHD_create_response_from_buffer_with_free_callback_cls(answer->size, answer->bytes, unref_answer, answer);
    if (!response)
        answer_unref(answer);
    return response;
}

/* The value of Link; empty: nothing follows. */
static struct bytes link_of(const struct request *request, const struct answer *answer)
{
    struct bytes link = {0};
    if (!answer->link_length)
        return link;
    bytes_format(&link, "<%s", request->service->options.base_path);
    bytes_add(&link, answer->bytes + answer->link, answer->link_length);
    bytes_format(&link, ">; rel=\"%s\"", answer->relation ? answer->relation : "next");
    return link;
}

/* Of the memory of a connection: a field or a parameter, beside its bytes, and the other fields of a reply. */
enum { FIELD_MEMORY = 72, OTHER_FIELDS_MEMORY = 1 << 10 };

/* How many bytes the header fields of a request may have whose reply has such a link; 0: none. */
static size_t most_of_fields(const struct request *request, size_t link)
{
    const int fields =
        MHD_get_connection_values(request->mhd, MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND | MHD_COOKIE_KIND, NULL, NULL);
    const char *cookies = MHD_lookup_connection_value(request->mhd, MHD_HEADER_KIND, "Cookie"); /* it makes a copy */
    const size_t others = request->target_size + link + FIELD_MEMORY * (size_t)fields + OTHER_FIELDS_MEMORY +
                          (cookies ? strlen(cookies) : 0);
    return others < CONNECTION_MEMORY ? CONNECTION_MEMORY - others : 0;
}

enum MHD_Result answer_send(struct request *request, struct answer *answer, struct answer *copy)
{
    if (!request_hold(request, copy ? copy->size : answer->size)) {
        answer_unref(answer);
        answer_unref(copy);
        return reply_status(request, NQ_BUSY);
    }
    const char *media_type = answer->media_type;
    const bool keep = answer->complete, linked = answer->link_length;
    struct bytes link = link_of(request, answer);
    const size_t most = linked ? most_of_fields(request, link.size) : HEADERS_MAX;
    if (request->headers.size > most) {
        bytes_free(&link);
        answer_unref(answer);
        answer_unref(copy);
        return reply_problem(request, PROBLEM_HEADERS_TOO_LARGE,
                             "The header fields take %zu bytes; with a target and a link as long as these they may "
                             "take %zu.",
                             request->headers.size, most);
    }
    struct MHD_Response *response = answer_response(request, copy ? copy : answer);
    response_header(request, response, "Content-Type", media_type);
    if (copy) {
        answer_as_gzip(request, response);
        answer_unref(answer);
    }
    response_cacheable(request, response, keep);
    if (linked)
        response_header_of(request, response, "Link", &link);
    return response_send(request, MHD_HTTP_OK, response);
}

/* ---- Files ---- */

/* The copy that suits the client, and its tag. */
static struct MHD_Response *response_of_file(struct request *request, const struct embedded *file)
{
    request->reply.gzip = prefers_gzip(request);
    const char *begin = request->reply.gzip ? file->gzip_begin : file->begin,
               *end = request->reply.gzip ? file->gzip_end : file->end;
    const size_t size = request->reply.bytes = (size_t)(end - begin);
    write_etag(request, hash_bytes(HASH_START, begin, size));
    return MHD_create_response_from_buffer(size, (void *)begin, MHD_RESPMEM_PERSISTENT);
}

/* Sends it, or replies that the client has it. */
static enum MHD_Result send_file(struct request *request, struct MHD_Response *response, const char *media_type)
{
    if (answer_not_modified(request, true, false)) {
        request->reply.bytes = 0;
        return response_send(request, MHD_HTTP_NOT_MODIFIED, response);
    }
    response_header(request, response, "Content-Type", media_type);
    if (request->reply.gzip)
        response_header(request, response, "Content-Encoding", "gzip");
    return response_send(request, MHD_HTTP_OK, response);
}

enum MHD_Result reply_file(struct request *request, const struct embedded *file)
{
    struct MHD_Response *response = response_of_file(request, file);
    response_cacheable(request, response, true);
    return send_file(request, response, route_media_type(request->route, request->representation));
}

/* ---- The page ---- */

const char *request_language(const struct request *request, const char *const *languages)
{
    const struct field_list *fields = &request->headers.accept_language;
    const char *best = languages[0];
    int most = 0;
    for (size_t i = 0; languages[i]; i++) {
        struct accept accept = ACCEPT_UNREAD;
        for (unsigned k = 0; k < fields->count; k++)
            accept_language_read(fields->at[k], languages[i], &accept);
        if (accept.quality > most) {
            most = accept.quality;
            best = languages[i];
        }
    }
    return best;
}

enum MHD_Result reply_web(struct request *request, const struct web_file *as, const struct embedded *file)
{
    request->reply.spoken = as->language;
    struct MHD_Response *response = response_of_file(request, file);
    response_header(request, response, "Cache-Control", as->cache);
    response_header(request, response, "ETag", request->reply.etag);
    if (as->policy)
        response_header(request, response, "Content-Security-Policy", as->policy);
    response_header(request, response, "Referrer-Policy", "no-referrer");
    if (as->language)
        response_header(request, response, "Content-Language", as->language);
    return send_file(request, response, as->media_type);
}
