/* test_messages.c - tests of src/engine/cluster/messages.c: a message that is written is read again, and every other
 * text is rejected; also when memory fails. */
/* CI builds: address */
#include "support/failing_memory.h"

#include <string.h>

/* This allocates for jansson, except for copies of texts. */
#include "../../src/base/json.c"

#undef malloc

#include "engine/cluster/messages.h"
#include "support/facts.h"
#include "support/failing_bytes.h"
#include "support/sanitizer.h"

enum { ROUNDS = SANITIZED ? 100 : 300 };

/* Memory of exactly the text's size, so that a sanitizer finds a read beyond it. */
struct text {
    char *data;
    size_t size;
};

static struct text text_of(struct bytes *bytes)
{
    struct text text = {.size = bytes->size};
    assert_false(bytes->failed);
    assert_true(text.size > 1 && bytes->data[text.size - 1] == '\n');
    text.data = malloc(text.size);
    assert_non_null(text.data);
    memcpy(text.data, bytes->data, text.size);
    bytes_free(bytes);
    return text;
}

static struct text exactly(const char *literal, size_t size)
{
    struct text text = {.data = malloc(size ? size : 1), .size = size};
    assert_non_null(text.data);
    memcpy(text.data, literal, size);
    return text;
}

/* ---- Readers and writers with one signature each ---- */

static enum nq_status read_progress(const char *text, size_t size)
{
    struct progress progress;
    return progress_read(&progress, text, size);
}

static struct text write_progress(const struct progress *progress)
{
    struct bytes bytes = {0};
    progress_write(progress, &bytes);
    return text_of(&bytes);
}

static enum nq_status read_batch(const char *text, size_t size)
{
    struct batch_message message;
    const enum nq_status status = batch_message_read(&message, text, size);
    assert_true(status == NQ_OK || (!message.query && !message.name));
    batch_message_free(&message);
    return status;
}

#define WRITER(kind) \
    static struct text write_##kind(const struct kind##_message *message) \
    { \
        struct bytes bytes = {0}; \
        kind##_message_write(message, &bytes); \
        return text_of(&bytes); \
    }
#define READER(kind) \
    static enum nq_status read_##kind(const char *text, size_t size) \
    { \
        struct kind##_message message; \
        return kind##_message_read(&message, text, size); \
    }
WRITER(batch)
WRITER(report)
WRITER(worker)
READER(report)
READER(worker)

typedef enum nq_status (*reader)(const char *text, size_t size);

/* What a reader does not set is a one: jansson's code of memory that was out. */
__attribute__((noinline)) static void dirty_stack(void)
{
    volatile char dirt[4096];
    for (size_t i = 0; i < sizeof dirt; i++)
        dirt[i] = json_error_out_of_memory;
}

/* Reads each line. */
static void expect_each(reader read_message, const char *lines, enum nq_status status)
{
    for (const char *line = lines, *end; line; line = *end ? end + 1 : NULL) {
        end = strchrnul(line, '\n');
        struct text exact = exactly(line, (size_t)(end - line));
        dirty_stack();
        if (read_message(exact.data, exact.size) != status)
            fail_msg("%.*s: not %s", (int)exact.size, line, nq_status_text(status));
        free(exact.data);
    }
}

/* No beginning of a text is a message, except without the line feed. */
static void reject_parts(reader read_message, const struct text *whole)
{
    assert_int_equal(read_message(whole->data, whole->size), NQ_OK);
    assert_int_equal(read_message(whole->data, whole->size - 1), NQ_OK);
    for (size_t size = 0; size + 1 < whole->size; size++) {
        struct text part = exactly(whole->data, size);
        if (read_message(part.data, part.size) != NQ_INVALID)
            fail_msg("the first %zu bytes were accepted: %.*s", size, (int)whole->size, whole->data);
        free(part.data);
    }
}

/* ---- Random values, often the largest or the smallest ---- */

static uint64_t roll(uint64_t *dice, uint64_t most)
{
    switch (facts_below(dice, 5)) {
    case 0: return 0;
    case 1: return most;
    case 2: return most - facts_below(dice, 3);
    case 3: return facts_below(dice, 100) % (most + (most != UINT64_MAX));
    default: return facts_random(dice) & most; /* most is 2^k - 1 */
    }
}

static void roll_id(uint64_t *dice, char id[static QUEUE_ID_MAX + 1])
{
    const size_t size = facts_below(dice, 3) ? 1 + facts_below(dice, QUEUE_ID_MAX) : QUEUE_ID_MAX;
    for (size_t i = 0; i < size; i++)
        id[i] = "0123456789abcdefXYZ"[facts_below(dice, 19)];
    id[size] = '\0';
}

/* Texts of any size, with characters that JSON quotes. */
static void roll_text(uint64_t *dice, char text[static 400])
{
    const size_t size = facts_below(dice, 4) ? facts_below(dice, 40) : facts_below(dice, 400);
    for (size_t i = 0; i < size; i++)
        text[i] =
            facts_below(dice, 4) ? (char)(' ' + facts_below(dice, 95)) : "\\\"/\n\t\x01\x7f&="[facts_below(dice, 9)];
    text[size] = '\0';
}

/* ---- Round trips ---- */

/* No more is done than there is, and no more restored than is done. */
static struct progress cut(struct progress progress)
{
    if (progress.weight_done > progress.weight)
        progress.weight_done = progress.weight;
    if (progress.weight_restored > progress.weight_done)
        progress.weight_restored = progress.weight_done;
    if (progress.units_done > progress.units)
        progress.units_done = progress.units;
    if (progress.units_restored > progress.units_done)
        progress.units_restored = progress.units_done;
    return progress;
}

TEST(test_progress)
{
    uint64_t dice = 1;
    for (int round = 0; round < ROUNDS; round++) {
        const struct progress progress = {.weight = roll(&dice, INT64_MAX),
                                          .weight_done = roll(&dice, INT64_MAX),
                                          .weight_restored = roll(&dice, INT64_MAX),
                                          .units = roll(&dice, INT64_MAX),
                                          .units_done = roll(&dice, INT64_MAX),
                                          .units_restored = roll(&dice, INT64_MAX),
                                          .nodes = roll(&dice, INT64_MAX),
                                          .seconds = (double)roll(&dice, 1000000000) / 7},
                              expected = cut(progress);
        struct progress again;
        struct text text = write_progress(&progress);
        memset(&again, 0xa5, sizeof again);
        assert_int_equal(progress_read(&again, text.data, text.size), NQ_OK);
        assert_memory_equal(&again, &expected, sizeof expected);
        if (round < 30)
            reject_parts(read_progress, &text);
        free(text.data);
    }
}

static struct message_place roll_place(uint64_t *dice, bool whole)
{
    const uint32_t term = (uint32_t)roll(dice, UINT32_MAX), unit = (uint32_t)roll(dice, UINT32_MAX);
    return (struct message_place){term, unit, whole ? UNIT_WHOLE : (uint32_t)roll(dice, UNIT_WHOLE - 1)};
}

TEST(test_batches)
{
    uint64_t dice = 2;
    for (int round = 0; round < ROUNDS; round++) {
        char query[400], name[400];
        struct batch_message message = {.query = query, .name = name, .runs = 1 + facts_below(&dice, MESSAGE_RUNS_MAX)},
                             again;
        const uint32_t term = (uint32_t)roll(&dice, UINT32_MAX);
        roll_text(&dice, query);
        roll_text(&dice, name);
        for (size_t i = 0; i < message.runs; i++) {
            struct message_run *run = &message.run[i];
            const bool whole = facts_below(&dice, 2);
            run->from = roll_place(&dice, whole);
            run->from.term = term;
            const uint32_t most = whole ? UINT32_MAX - run->from.unit : UNIT_WHOLE - run->from.piece;
            run->count = (uint32_t)roll(&dice, UINT32_MAX);
            if (run->count > most)
                run->count = most;
            if (!run->count)
                continue;
            const struct message_place last = message_place(run, run->count - 1);
            assert_int_equal(last.term, term);
            assert_int_equal(last.unit, run->from.unit + (whole ? run->count - 1 : 0));
            assert_int_equal(last.piece, run->from.piece + (whole ? 0 : run->count - 1));
        }
        struct text text = write_batch(&message);
        memset(&again, 0xa5, sizeof again);
        assert_int_equal(batch_message_read(&again, text.data, text.size), NQ_OK);
        assert_string_equal(again.query, query);
        assert_string_equal(again.name, name);
        assert_int_equal(again.runs, message.runs);
        assert_memory_equal(again.run, message.run, message.runs * sizeof message.run[0]);
        batch_message_free(&again);
        if (round < 30)
            reject_parts(read_batch, &text);
        free(text.data);
    }
}

TEST(test_reports)
{
    static const double seconds[] = {0, 1e-9, 0.1, 12345.678901234567, 1e300};
    uint64_t dice = 3;
    for (int round = 0; round < ROUNDS; round++) {
        struct report_message message = {.report = (enum message_report)facts_below(&dice, MESSAGE_CHECKED + 1),
                                         .place = roll_place(&dice, facts_below(&dice, 2)),
                                         .parts = roll(&dice, UINT64_MAX),
                                         .nodes = roll(&dice, UINT64_MAX),
                                         .seconds = seconds[facts_below(&dice, 5)]},
                              again;
        roll_id(&dice, message.worker);
        struct text text = write_report(&message);
        memset(&again, 0xa5, sizeof again);
        assert_int_equal(report_message_read(&again, text.data, text.size), NQ_OK);
        assert_string_equal(again.worker, message.worker);
        assert_int_equal(again.report, message.report);
        assert_memory_equal(&again.place, &message.place, sizeof message.place);
        assert_true(again.parts == message.parts && again.nodes == message.nodes);
        assert_true(again.seconds == message.seconds);
        if (round < 30)
            reject_parts(read_report, &text);
        free(text.data);
    }
}

TEST(test_workers)
{
    for (uint32_t threads = 0; threads <= 4096; threads++) {
        const struct worker_message message = {.threads = threads};
        struct worker_message again = {.threads = 77777};
        struct text text = write_worker(&message);
        assert_int_equal(worker_message_read(&again, text.data, text.size), NQ_OK);
        assert_int_equal(again.threads, threads);
        assert_string_equal(again.release, NQ_VERSION);
        if (threads % 1365 == 0)
            reject_parts(read_worker, &text);
        free(text.data);
    }
}

/* ---- Rejected texts ---- */

TEST(test_other_texts)
{
    static const reader readers[] = {read_progress, read_batch, read_report, read_worker};
    static const char texts[] =
        "\n \nnull\ntrue\n7\n\"text\"\n[]\n{}\n[{}]\n{\n{]\n{\"a\":1}\n{\"a\":}\n{\"a\"}\n{a:1}\n{'a':1}\n"
        "{}{}\n{},\nnul\n\xff\n{\"\xff\":1}\n{\"a\":1,}\n{\"a\":1e999}\n{\"a\":99999999999999999999}\n"
        "{\"a\":\"\\u0000\"}\n{\"a\":1,\"a\":1}";
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        expect_each(readers[i], texts, NQ_INVALID);
        assert_int_equal(readers[i](NULL, 0), NQ_INVALID);
        assert_int_equal(readers[i]("{}\0{}", 5), NQ_INVALID);
    }
}

/* The parser's stack is limited. */
TEST(test_deep)
{
    enum { DEEP = 1 << 20 };
    struct text text = {.data = malloc(DEEP), .size = DEEP};
    assert_non_null(text.data);
    memset(text.data, '[', DEEP);
    memcpy(text.data, "{\"runs\":", 8);
    assert_int_equal(read_batch(text.data, text.size), NQ_INVALID);
    assert_int_equal(read_progress(text.data, text.size), NQ_INVALID);
    free(text.data);
}

/* Reads a message in which one member is replaced: by each line as JSON, or by nothing. */
static void expect_with(reader read_message, const struct text *whole, const char *member, const char *lines,
                        enum nq_status status)
{
    OWNED(json_decref) json_t *json = json_loadb(whole->data, whole->size, 0, NULL);
    assert_non_null(json_object_get(json, member));
    for (const char *line = lines ? lines : "", *end; line; line = *end ? end + 1 : NULL) {
        end = strchrnul(line, '\n');
        json_t *value = json_loadb(line, (size_t)(end - line), JSON_DECODE_ANY, NULL);
        assert_true(!lines || value);
        assert_int_equal(value ? json_object_set_new(json, member, value) : json_object_del(json, member), 0);
        OWNED(free) char *text = json_dumps(json, JSON_COMPACT);
        assert_non_null(text);
        expect_each(read_message, text, status);
    }
}

/* An array may have so many elements and no more. */
static void expect_most(reader read_message, const struct text *whole, const char *member, const char *element,
                        int most)
{
    BYTES(many);
    for (int i = 0; i <= most; i++) {
        bytes_format(&many, "%c%s", i ? ',' : '[', element);
        if (i + 1 < most)
            continue;
        bytes_text(&many, "]");
        bytes_char(&many, '\0');
        expect_with(read_message, whole, member, many.data, i < most ? NQ_OK : NQ_INVALID);
        many.size -= 2;
    }
}

/* Each member is missing, or of another type; one is there twice. */
static void reject_odd(reader read_message, const struct text *whole)
{
    json_t *json = json_loadb(whole->data, whole->size, 0, NULL), *member;
    const char *name;
    json_object_foreach(json, name, member)
    {
        const bool version = strcmp(name, "version") == 0;
        const bool any_text = strcmp(name, "query") == 0 || strcmp(name, "name") == 0;
        expect_with(read_message, whole, name, NULL, version && read_message == read_worker ? NQ_OK : NQ_INVALID);
        expect_with(read_message, whole, name, "null\ntrue\nfalse\n-1\n{}\n[1]\n[[]]\n[{}]", NQ_INVALID);
        expect_with(read_message, whole, name, "0.5\n1e3", json_is_real(member) ? NQ_OK : NQ_INVALID);
        expect_with(read_message, whole, name, "\"\"", any_text ? NQ_OK : NQ_INVALID);
        expect_with(read_message, whole, name, "\"-1\"", version || any_text ? NQ_OK : NQ_INVALID);
        if (!json_is_array(member))
            expect_with(read_message, whole, name, "[]", NQ_INVALID);
    }
    json_decref(json);
    BYTES(twice);
    bytes_add(&twice, whole->data, whole->size - 2); /* "}\n" */
    bytes_char(&twice, ',');
    bytes_add(&twice, whole->data + 1, whole->size - 1);
    assert_false(twice.failed);
    assert_int_equal(read_message(twice.data, twice.size), NQ_INVALID);
}

static const struct progress plain_progress = {.weight = 7, .units = 3, .units_done = 2, .seconds = 0.25};
static const struct batch_message plain_batch = {
    .query = (char *)"/count?n=16", .name = (char *)"one", .runs = 2, .run = {{{3, 1, UNIT_WHOLE}, 2}, {{3, 4, 6}, 5}}};
static const struct report_message plain_report = {
    .worker = "0123456789abcdef", .place.piece = UNIT_WHOLE, .parts = 5, .nodes = 6, .seconds = 0.25};
static const struct worker_message plain_worker = {.threads = 8};

TEST(test_odd_progress)
{
    static const char odd[] = "[]\n[1,2,3,4,5,6,7]\n[1,2,3,4,5,6,7,8,9]\n[-1,2,3,4,5,6,7,8]\n[1,2,3,4,5,6,-7,8]\n"
                              "[1,2,3,4,5,6,7,-8]\n[1,2,3,4,5,6,7,1e13]\n[1.0,2,3,4,5,6,7,8]\n[1,2,3,4,5,6,\"7\",8]\n"
                              "[1,2,3,4,5,6,7,null]\n[9223372036854775808,2,3,4,5,6,7,8]\n[[1,2,3,4,5,6,7,8]]";
    expect_each(read_progress, odd, NQ_INVALID);
    expect_each(read_progress, "[0,0,0,0,0,0,0,0]\n[1,2,3,4,5,6,9223372036854775807,1e12]", NQ_OK);
}

TEST(test_odd_batches)
{
    static const char runs[] =
        "[[1,1]]\n[[0,1,-2]]\n[[0,-1,2]]\n[[-1,1,2]]\n[[0,1,2.0]]\n[[0,1,\"2\"]]\n[[0,1,null]]\n[[0,1,[2]]]\n"
        "[[0,1,2,3]]\n[[0,1048576,1]]\n[[0,3,1048573]]\n[[4294967296,0,1]]\n[[0,0,4294967296]]\n[[0,1,2],[]]\n"
        "[[0,1,2],0]\n[0,1,2]\n[{\"0\":0,\"1\":1,\"2\":2}]\n[[9223372036854775807,0,9223372036854775807]]\n"
        "[[4294967295,1048575,1]]\n[[1,1048575,4294967295]]\n[[2147483648,1048575,2147483648]]\n[]";
    struct text whole = write_batch(&plain_batch);
    reject_odd(read_batch, &whole);
    expect_with(read_batch, &whole, "runs", runs, NQ_INVALID);
    expect_with(read_batch, &whole, "runs",
                "[[4294967295,1048575,0]]\n[[4294967294,1048575,1]]\n[[0,2,1048573]]\n[[4294967295,0,1]]", NQ_OK);
    expect_with(read_batch, &whole, "term", "4294967296", NQ_INVALID);
    expect_with(read_batch, &whole, "term", "4294967295", NQ_OK);
    expect_most(read_batch, &whole, "runs", "[0,1,2]", MESSAGE_RUNS_MAX);
    free(whole.data);
}

TEST(test_odd_reports)
{
    static const char digits[] =
        "\"340282366920938463463374607431768211456\"\n"
        "\"99999999999999999999999999999999999999999999999999999999999999999\"\n\"+1\"\n\" 1\"\n\"1 \"\n"
        "\"0x1\"\n\"1.0\"\n\"1e3\"\n5";
    struct text whole = write_report(&plain_report);
    reject_odd(read_report, &whole);
    expect_with(read_report, &whole, "parts", digits, NQ_INVALID);
    expect_with(read_report, &whole, "nodes", digits, NQ_INVALID);
    expect_with(read_report, &whole, "parts", "\"340282366920938463463374607431768211455\"", NQ_OK);
    expect_with(read_report, &whole, "nodes", "\"18446744073709551616\"", NQ_INVALID);
    expect_with(read_report, &whole, "nodes", "\"18446744073709551615\"", NQ_OK);
    expect_with(read_report, &whole, "place",
                "[1,2]\n[1,2,3,4]\n[4294967296,2,3]\n[1,4294967296,3]\n[1,2,1048576]\n[1,2,-1]\n[1,2,null]\n[1,2.0,3]",
                NQ_INVALID);
    expect_with(read_report, &whole, "place", "[4294967295,4294967295,1048575]\n[0,0,0]", NQ_OK);
    expect_with(read_report, &whole, "report", "\"count\"\n\"counted \"\n\"differs\"", NQ_INVALID);
    expect_with(read_report, &whole, "report", "\"checked\"", NQ_OK);
    expect_with(read_report, &whole, "seconds", "-0.5", NQ_INVALID);
    expect_with(read_report, &whole, "seconds", "3", NQ_OK);
    expect_with(
        read_report, &whole, "worker",
        "\"01234567890123456789012345678901234567890\"\n\"\"\n\"a b\"\n\"a-b\"\n\"a\\\"b\"\n\"a\\nb\"\n\"\\u00e4\"",
        NQ_INVALID);
    expect_with(read_report, &whole, "worker", "\"0123456789012345678901234567890123456789\"\n\"Zz9\"", NQ_OK);
    free(whole.data);
}

TEST(test_odd_workers)
{
    struct text whole = write_worker(&plain_worker);
    reject_odd(read_worker, &whole);
    expect_with(read_worker, &whole, "threads", "4097\n4294967296\n9223372036854775807", NQ_INVALID);
    free(whole.data);
}

/* ---- Memory fails ---- */

/* The k-th allocation and all later ones fail, for each k: of jansson, or of what is written. */
static void starve_reader(reader read_message, struct text whole)
{
    enum nq_status status = NQ_NOMEM;
    size_t after = 0;
    for (; status != NQ_OK; after++) {
        assert_true(after < 10000);
        atomic_store(&failing_after, after);
        status = read_message(whole.data, whole.size);
        atomic_store(&failing_after, SIZE_MAX);
        assert_true(status == NQ_OK || status == NQ_NOMEM);
    }
    assert_true(after > 1);
    free(whole.data);
}

static void write_any(int message, struct bytes *bytes)
{
    switch (message) {
    case 0: progress_write(&plain_progress, bytes); break;
    case 1: batch_message_write(&plain_batch, bytes); break;
    case 2: report_message_write(&plain_report, bytes); break;
    default: worker_message_write(&plain_worker, bytes); break;
    }
}

static void starve_writer(int message)
{
    bool failed = true;
    size_t after = 0;
    for (; failed; after++) {
        BYTES(bytes);
        assert_true(after < 10000);
        atomic_store(&bytes_failing_after, after);
        write_any(message, &bytes);
        atomic_store(&bytes_failing_after, SIZE_MAX);
        failed = bytes.failed;
        if (!failed) {
            struct text text = text_of(&bytes); /* all of it */
            reject_parts(((const reader[]){read_progress, read_batch, read_report, read_worker})[message], &text);
            free(text.data);
        }
    }
    assert_true(after > 1);
}

TEST(test_out_of_memory)
{
    json_begin();
    starve_reader(read_progress, write_progress(&plain_progress));
    starve_reader(read_batch, write_batch(&plain_batch));
    starve_reader(read_report, write_report(&plain_report));
    starve_reader(read_worker, write_worker(&plain_worker));
    for (int message = 0; message < 4; message++)
        starve_writer(message);
}
