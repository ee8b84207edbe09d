/* route_count.c - GET /count: how many solutions there are, computed, looked up or estimated, and which of these. A
 * count that takes longer than the client waits becomes a job. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "engine/ask/count_query.h"
#include "http/reply/request.h"
#include "http/reply/response.h"
#include "http/reply/route.h"

/* ---- Ranges of sizes ---- */

/* Replies with the counts of a range of sizes, or with a b-file: each is a question of its own, and the
 * answer is made of theirs. */

/* One size: a question, by its canonical text, or why there is none. */
struct size {
    uint32_t n;
    char *query;
    char *refusal; /* a JSON object; NULL if there is a query */
};

/* What a request keeps on the way. */
struct counts {
    uint32_t base;
    size_t count, next;
    struct size sizes[COUNT_SIZES_MAX];
    struct shared_question *asked; /* NULL: none yet */
    bool searched;                 /* one was not in the cache */
    size_t answered;
    bool passing;          /* a size has no answer for this client now: there may be one after a job */
    struct fault fault;    /* of the first size that turned out to have no answer */
    struct bytes body;     /* JSON: the counts so far. A b-file: its lines so far */
    struct bytes comments; /* of a b-file: the sizes so far by source, without the last run, */
    uint32_t first;        /* which begins here */
    char run[192];         /* and has this source; "": there are no sizes yet */
};

static void counts_free(void *kept)
{
    struct counts *counts = kept;
    for (size_t i = 0; i < counts->count; i++) {
        free(counts->sizes[i].query);
        free(counts->sizes[i].refusal);
    }
    question_unref(counts->asked);
    bytes_free(&counts->body);
    bytes_free(&counts->comments);
    free(counts);
}

static bool is_bfile(const struct value *values)
{
    return values[COUNT_FORMAT].number == COUNT_FORMAT_BFILE;
}

/* Whether these values of /count ask for that. */
static bool counts_wanted(const struct value *values)
{
    return values[COUNT_N].ranged || is_bfile(values);
}

/* ---- Reading ---- */

/* The object that stands for a size without an answer: the errors of its parameters, or what a problem has about the
 * fault that turned out. NULL: out of memory. */
static char *refusal_text(const struct counts *counts, uint32_t n, const struct validation_errors *errors,
                          const struct fault *fault)
{
    struct bytes text = {0};
    json_begin_object(&text, NULL);
    format_question(&text, n, counts->base, NULL, NULL);
    format_rank(&text, "count", RANK_UNKNOWN);
    if (errors) {
        problem_errors(&text, errors);
    } else {
        json_write_text(&text, "detail", fault->text);
        json_fault(&text, fault, PROBLEM_DIGITS);
    }
    json_end_object(&text);
    json_end_document(&text, 0);
    return bytes_take(&text);
}

/* How certain the answers are, for a HEAD, which must not wait for them: an estimate may be too dear. */
static void weigh(struct count_question *whole, const struct count_question *own)
{
    const bool computed = own->way == COUNT_COMPUTE, estimated = own->way == COUNT_ESTIMATE;
    if (computed || whole->way == COUNT_COMPUTE)
        whole->way = COUNT_COMPUTE;
    else if (estimated)
        whole->way = COUNT_ESTIMATE;
    whole->quick &= computed ? own->quick : !estimated;
}

/* Reads one size. False: out of memory. */
static bool read_size(struct counts *counts, const struct value *values, uint64_t n, struct question *whole,
                      struct validation_errors *errors)
{
    struct size *size = &counts->sizes[counts->count++];
    struct shared_question *question;
    *size = (struct size){.n = (uint32_t)n};
    if (!count_range_size(values, n, errors, &question))
        return false;
    if (errors->made) {
        size->refusal = refusal_text(counts, size->n, errors, NULL);
        return size->refusal;
    }
    weigh(&whole->count, &question->question.count);
    size->query = strdup(question->question.path);
    question_unref(question);
    return size->query;
}

/* Reads all sizes. One that is invalid makes the request so; the first that is beyond a limit does so if all are. */
static bool read_sizes(struct counts *counts, const struct value *values, struct question *whole,
                       struct validation_errors *errors)
{
    const struct value *n = &values[COUNT_N];
    const uint64_t last = n->ranged ? n->last : n->number;
    struct validation_errors first = {0};
    size_t answered = 0;
    for (uint64_t at = n->number; at <= last; at++) {
        struct validation_errors own = {0};
        if (!read_size(counts, values, at, whole, &own))
            return false;
        if (own.invalid) {
            validation_errors_add(errors, &own);
            return true;
        }
        answered += !own.made;
        if (at == n->number)
            first = own;
    }
    if (!answered)
        validation_errors_add(errors, &first);
    return true;
}

/* A route_reader for them. */
static bool counts_read(struct request *request, const struct value *values, struct validation_errors *errors)
{
    struct question *question = request_question(request);
    const size_t before = errors->made;
    if (values[COUNT_N].ranged)
        count_range_check(values, errors);
    if (errors->made > before)
        return true;
    struct counts *counts = calloc(1, sizeof *counts);
    if (!counts)
        return false;
    request_keep(request, counts, counts_free);
    counts->base = row_base(&values[COUNT_BASE]);
    question->kind = ASK_COUNT;
    question->n = (uint32_t)values[COUNT_N].number;
    question->base = counts->base;
    question->format = request_format(request);
    question->count.way = COUNT_TABLE;
    question->count.quick = true;
    return read_sizes(counts, values, question, errors);
}

/* ---- Replying ---- */

static void add_count(struct counts *counts, const char *text, size_t size)
{
    if (counts->body.size)
        bytes_text(&counts->body, ",\n");
    bytes_add(&counts->body, text, size - 1); /* without its line feed */
}

/* Adds the run that ends before the next size. */
static void end_run(struct counts *counts)
{
    if (!counts->run[0])
        return;
    const uint32_t last = counts->sizes[counts->next - 1].n;
    bytes_format(&counts->comments, "# n = %u", counts->first);
    if (last > counts->first)
        bytes_format(&counts->comments, "..%u", last);
    bytes_format(&counts->comments, ": %s\n", counts->run);
}

/* Adds a size to the comments: the runs of sizes whose counts have one source. */
static void add_source(struct counts *counts, uint32_t n, const char *source)
{
    const bool goes_on = strcmp(counts->run, source) == 0;
    if (!goes_on) {
        end_run(counts);
        counts->first = n;
    }
    (void)snprintf(counts->run, sizeof counts->run, "%s", source);
}

static void add_line(struct counts *counts, const struct answer *answer)
{
    const uint32_t n = counts->sizes[counts->next].n;
    char source[sizeof counts->run];
    json_t *json;
    if (json_read(answer->bytes, answer->size, 0, &json, NULL) != NQ_OK) {
        counts->body.failed = true; /* it is the server's own: memory is out */
        return;
    }
    const char *text = json_string_value(json_object_get(json, "count_text"));
    const char *oeis = json_string_value(json_object_get(json, "oeis"));
    const char *note = json_string_value(json_object_get(json, "note"));
    if (oeis && note && !filter_impossible(&counts->asked->question.query.filter)) /* else it is of the board alone */
        (void)snprintf(source, sizeof source, "table, OEIS %s; %s", oeis, note);
    else if (oeis)
        (void)snprintf(source, sizeof source, "table, OEIS %s", oeis);
    else
        (void)snprintf(source, sizeof source, "computed");
    bytes_format(&counts->body, "%u %s\n", n, text);
    add_source(counts, n, source);
    json_decref(json);
}

static void add_answer(struct counts *counts, const struct answer *answer, bool lines)
{
    if (lines)
        add_line(counts, answer);
    else
        add_count(counts, answer->bytes, answer->size);
    counts->answered++;
    counts->next++;
}

static void add_refusal(struct counts *counts, bool lines)
{
    const struct size *size = &counts->sizes[counts->next];
    if (lines)
        add_source(counts, size->n, "left out, no exact count is at hand");
    else
        add_count(counts, size->refusal, strlen(size->refusal));
    counts->next++;
}

static void write_bfile(struct bytes *out, const char *path, struct counts *counts)
{
    static const char *const filters[] = {"&distinct=", "&symmetry=", "&place=", "&exclude="};
    static const char *const shapes[] = {"&m=", "&queens=", "&walls=", "&maximal="};
    static const char named[] = "&method=", ruled[] = "&rules=";
    const char *method = strstr(path, named), *rule = strstr(path, ruled);
    method = method ? method + sizeof named - 1 : "auto";
    rule = rule ? rule + sizeof ruled - 1 : "";
    bool filtered = false, shaped = false;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        filtered |= strstr(path, filters[i]) != NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        shaped |= strstr(path, shapes[i]) != NULL;
    filtered |= shaped;
    bytes_format(out, "# Number of placements of %s%s%.*s%s\n",
                 shaped ? "nonattacking queens on a board of n columns" : "n nonattacking queens on an n X n board",
                 *rule ? ", by the rule " : "", (int)strcspn(rule, "&"), rule,
                 filtered ? ", with the filters of this query" : "");
    bytes_format(out, "# nqueensd %s: %s\n", NQ_VERSION, path);
    bytes_format(out, "# Method: %.*s\n", (int)strcspn(method, "&"), method);
    end_run(counts);
    bytes_add(out, counts->comments.data, counts->comments.size);
    bytes_add(out, counts->body.data, counts->body.size);
    out->failed |= counts->body.failed || counts->comments.failed;
}

static void write_json(struct bytes *out, const struct counts *counts)
{
    json_begin_object(out, NULL);
    json_write_number(out, "first", counts->sizes[0].n);
    json_write_number(out, "last", counts->sizes[counts->count - 1].n);
    json_write_number(out, "base", counts->base);
    json_begin_array(out, "counts");
    bytes_char(out, '\n');
    bytes_add(out, counts->body.data, counts->body.size);
    bytes_char(out, '\n');
    json_end_array(out);
    json_end_object(out);
    json_end_document(out, 0);
    out->failed |= counts->body.failed;
}

static enum MHD_Result send_counts(struct request *request)
{
    struct counts *counts = request->kept;
    const struct question *question = &request->question;
    struct bytes body = {0};
    if (!counts->answered)
        return reply_fault(request, PROBLEM_BEYOND_LIMIT, &counts->fault);
    if (question->format->counts)
        write_bfile(&body, question->path, counts);
    else
        write_json(&body, counts);
    struct answer *answer = answer_new(&body, question->format->media_type);
    bytes_free(&body);
    if (!answer)
        return reply_status(request, NQ_NOMEM);
    answer->complete = !question->uncacheable && !counts->passing;
    request->cache = counts->searched ? "miss" : "hit";
    return reply_answer(request, answer);
}

static enum MHD_Result step(struct request *request);

/* A size without an answer does not concern the others. */
static enum MHD_Result refused(struct request *request, const struct fault *fault)
{
    struct counts *counts = request->kept;
    struct size *size = &counts->sizes[counts->next];
    counts->searched = true;
    if (!counts->fault.text[0])
        counts->fault = *fault;
    counts->passing |= fault->why != FAULT_COMPLETED; /* that is so for everybody: it depends on the seed only */
    size->refusal = refusal_text(counts, size->n, NULL, fault);
    return size->refusal ? step(request) : reply_status(request, NQ_NOMEM);
}

static enum MHD_Result counted(struct request *request, struct answer *answer)
{
    struct counts *counts = request->kept;
    if (!answer)
        return refused(request, request->fault);
    counts->searched = true;
    add_answer(counts, answer, request->question.format->counts);
    return step(request);
}

/* Asks for the next size that is not in the cache, or sends what has been put together. */
static enum MHD_Result step(struct request *request)
{
    struct counts *counts = request->kept;
    const bool lines = request->question.format->counts;
    while (counts->next < counts->count) {
        const struct size *size = &counts->sizes[counts->next];
        if (size->refusal) {
            add_refusal(counts, lines);
            continue;
        }
        question_unref(counts->asked);
        if (count_query_parse(size->query, &counts->asked) != NQ_OK)
            return reply_status(request, NQ_NOMEM);        /* it was written here */
        struct question *asked = &counts->asked->question; /* nobody else has it yet */
        asked->principal = request->question.principal;
        memcpy(asked->trace, request->question.trace, sizeof asked->trace);
        struct answer *answer = engine_peek(request->service->engine, asked->key, &request->seen);
        if (!answer)
            return reply_found_or_refused(request, asked, counted);
        add_answer(counts, answer, lines);
        answer_unref(answer);
    }
    return send_counts(request);
}

/* A route_handler after it. */
static enum MHD_Result reply_counts(struct request *request, const struct value *values)
{
    enum MHD_Result result;
    if (values[COUNT_N].ranged) { /* all of it is quick, and no part of it is a job that the client wants */
        request->headers.respond_async = false;
        request->headers.wait = request->headers.wait ? request->headers.wait : -1;
    }
    if (!request_canonical(request, values))
        return reply_status(request, NQ_NOMEM);
    return reply_at_hand(request, &result) ? result : step(request);
}

/* ---- The route ---- */

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    if (counts_wanted(values))
        return counts_read(request, values, errors);
    count_query_read(values, errors, request_question(request));
    return true;
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    return counts_wanted(values) ? reply_counts(request, values) : reply_values(request, values);
}

const struct route route_count = {
    .asks = COUNT_FORM,
    .example = "/count?n=8",
    .summary = "Counts the solutions of a board, or the completions of a placement",
    .formats = count_formats,
    .prefer = true,
    .page = reply_count_page,
    .read = read_question,
    .handle = handle,
    .board = true,
};
