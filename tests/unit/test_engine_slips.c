/* test_engine_slips.c - tests of src/engine/slips.c: what is written is read again, and nothing else is. Memory that
 * fails is failing.h's. */
#include "failing.h"

#include <string.h>

/* Where slips, and jansson for them, find memory, but for a copy of a text. */
#include "../../src/base/bytes.c"
#include "../../src/base/json.c"

#undef malloc

#include "engine/slips.h"
#include "facts.h"

enum { ROUNDS = 1000 };

/* Of every slip the bytes of a text in exactly their size, so that a sanitizer sees the first one too far. */
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

/* ---- Each reader in the same words; what is read goes at once ---- */

static enum nq_status read_work(const char *text, size_t size)
{
    struct work_slip slip;
    const enum nq_status status = work_slip_read(&slip, text, size);
    if (status == NQ_OK)
        work_slip_free(&slip);
    assert_null(slip.query); /* nothing is left of one that was not read, either */
    assert_int_equal(slip.terms, 0);
    return status;
}

static enum nq_status read_batch(const char *text, size_t size)
{
    struct batch_slip slip;
    return batch_slip_read(&slip, text, size);
}

static enum nq_status read_a_report(const char *text, size_t size)
{
    struct report_slip slip;
    return report_slip_read(&slip, text, size);
}

static enum nq_status read_worker(const char *text, size_t size)
{
    struct worker_slip slip;
    return worker_slip_read(&slip, text, size);
}

typedef enum nq_status (*reader)(const char *text, size_t size);

static void expect(reader read_slip, const char *text, enum nq_status status)
{
    struct text exact = exactly(text, strlen(text));
    if (read_slip(exact.data, exact.size) != status)
        fail_msg("%s: not %s", text, nq_status_text(status));
    free(exact.data);
}

/* No part of a text from its beginning is a slip, but for one that lacks the line feed. */
static void refuse_parts(reader read_slip, const struct text *whole)
{
    assert_int_equal(read_slip(whole->data, whole->size), NQ_OK);
    assert_int_equal(read_slip(whole->data, whole->size - 1), NQ_OK);
    for (size_t size = 0; size + 1 < whole->size; size++) {
        struct text part = exactly(whole->data, size);
        if (read_slip(part.data, part.size) != NQ_INVALID)
            fail_msg("the first %zu bytes were taken for all: %.*s", size, (int)whole->size, whole->data);
        free(part.data);
    }
}

/* ---- What is drawn: often as large, or as small, as can be ---- */

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
    const size_t size = facts_below(dice, 3) ? facts_below(dice, QUEUE_ID_MAX + 1) : QUEUE_ID_MAX;
    for (size_t i = 0; i < size; i++)
        id[i] = "0123456789abcdefXYZ"[facts_below(dice, 19)];
    id[size] = '\0';
}

/* Texts of any size, with what JSON has to quote. */
static void roll_text(uint64_t *dice, char text[static 400])
{
    const size_t size = facts_below(dice, 4) ? facts_below(dice, 40) : facts_below(dice, 400);
    for (size_t i = 0; i < size; i++)
        text[i] =
            facts_below(dice, 4) ? (char)(' ' + facts_below(dice, 95)) : "\\\"/\n\t\x01\x7f&="[facts_below(dice, 9)];
    text[size] = '\0';
}

/* ---- What is written is read again ---- */

static void assert_same_progress(const struct progress *one, const struct progress *other)
{
    assert_int_equal(one->weight, other->weight);
    assert_int_equal(one->weight_done, other->weight_done);
    assert_int_equal(one->weight_restored, other->weight_restored);
    assert_int_equal(one->units, other->units);
    assert_int_equal(one->units_done, other->units_done);
    assert_int_equal(one->units_restored, other->units_restored);
    assert_int_equal(one->nodes, other->nodes);
}

static struct text write_work(const struct work_slip *slip)
{
    struct bytes bytes = {0};
    work_slip_write(slip, &bytes);
    return text_of(&bytes);
}

static void test_works(void **state)
{
    (void)state;
    uint64_t dice = 1;
    for (int round = 0; round < ROUNDS; round++) {
        char query[400], names[SLIP_TERMS_MAX][400];
        struct work_slip slip = {.query = query, .terms = facts_below(&dice, SLIP_TERMS_MAX + 1)}, again;
        roll_text(&dice, query);
        for (size_t i = 0; i < slip.terms; i++) {
            roll_text(&dice, names[i]);
            slip.term[i] = (struct slip_term){(uint32_t)roll(&dice, UINT32_MAX), names[i]};
        }
        slip.progress = (struct progress){.weight = roll(&dice, INT64_MAX),
                                          .weight_done = roll(&dice, INT64_MAX),
                                          .weight_restored = roll(&dice, INT64_MAX),
                                          .units = roll(&dice, INT64_MAX),
                                          .units_done = roll(&dice, INT64_MAX),
                                          .units_restored = roll(&dice, INT64_MAX),
                                          .nodes = roll(&dice, INT64_MAX)};
        struct text text = write_work(&slip);
        memset(&again, 0xa5, sizeof again);
        assert_int_equal(work_slip_read(&again, text.data, text.size), NQ_OK);
        assert_string_equal(again.query, query);
        assert_int_equal(again.terms, slip.terms);
        for (size_t i = 0; i < slip.terms; i++) {
            assert_int_equal(again.term[i].term, slip.term[i].term);
            assert_string_equal(again.term[i].name, names[i]);
        }
        assert_same_progress(&again.progress, &slip.progress);
        work_slip_free(&again);
        if (round < 30)
            refuse_parts(read_work, &text);
        free(text.data);
    }
}

static struct text write_batch(const struct batch_slip *slip)
{
    struct bytes bytes = {0};
    batch_slip_write(slip, &bytes);
    return text_of(&bytes);
}

static struct slip_place roll_place(uint64_t *dice, bool whole)
{
    const uint32_t term = (uint32_t)roll(dice, UINT32_MAX), unit = (uint32_t)roll(dice, UINT32_MAX);
    return (struct slip_place){term, unit, whole ? UNIT_WHOLE : (uint32_t)roll(dice, UNIT_WHOLE - 1)};
}

static void test_batches(void **state)
{
    (void)state;
    uint64_t dice = 2;
    for (int round = 0; round < ROUNDS; round++) {
        struct batch_slip slip = {.runs = facts_below(&dice, SLIP_RUNS_MAX + 1)}, again;
        roll_id(&dice, slip.not_for);
        for (size_t i = 0; i < slip.runs; i++) {
            struct slip_run *run = &slip.run[i];
            const bool whole = facts_below(&dice, 2);
            run->from = roll_place(&dice, whole);
            const uint32_t most = whole ? UINT32_MAX - run->from.unit : UNIT_WHOLE - run->from.piece;
            run->count = (uint32_t)roll(&dice, UINT32_MAX);
            if (run->count > most)
                run->count = most;
            if (!run->count)
                continue;
            const struct slip_place last = slip_place(run, run->count - 1);
            assert_int_equal(last.term, run->from.term);
            assert_int_equal(last.unit, run->from.unit + (whole ? run->count - 1 : 0));
            assert_int_equal(last.piece, run->from.piece + (whole ? 0 : run->count - 1));
        }
        struct text text = write_batch(&slip);
        memset(&again, 0xa5, sizeof again);
        assert_int_equal(batch_slip_read(&again, text.data, text.size), NQ_OK);
        assert_string_equal(again.not_for, slip.not_for);
        assert_int_equal(again.runs, slip.runs);
        assert_memory_equal(again.run, slip.run, slip.runs * sizeof slip.run[0]);
        if (round < 30)
            refuse_parts(read_batch, &text);
        free(text.data);
    }
}

static struct text write_report(const struct report_slip *slip)
{
    struct bytes bytes = {0};
    report_slip_write(slip, &bytes);
    return text_of(&bytes);
}

static void test_reports(void **state)
{
    (void)state;
    static const double seconds[] = {0, 1e-9, 0.1, 12345.678901234567, 1e300};
    uint64_t dice = 3;
    for (int round = 0; round < ROUNDS; round++) {
        struct report_slip slip = {.report = (enum slip_report)facts_below(&dice, SLIP_DIFFERS + 1),
                                   .place = roll_place(&dice, facts_below(&dice, 2)),
                                   .parts = roll(&dice, UINT64_MAX),
                                   .nodes = roll(&dice, UINT64_MAX),
                                   .seconds = seconds[facts_below(&dice, 5)]},
                           again;
        roll_id(&dice, slip.worker);
        struct text text = write_report(&slip);
        memset(&again, 0xa5, sizeof again);
        assert_int_equal(report_slip_read(&again, text.data, text.size), NQ_OK);
        assert_string_equal(again.worker, slip.worker);
        assert_int_equal(again.report, slip.report);
        assert_memory_equal(&again.place, &slip.place, sizeof slip.place);
        assert_true(again.parts == slip.parts && again.nodes == slip.nodes);
        assert_true(again.seconds == slip.seconds);
        if (round < 30)
            refuse_parts(read_a_report, &text);
        free(text.data);
    }
}

static struct text write_worker(const struct worker_slip *slip)
{
    struct bytes bytes = {0};
    worker_slip_write(slip, &bytes);
    return text_of(&bytes);
}

static void test_workers(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads <= 4096; threads++) {
        const struct worker_slip slip = {.threads = threads};
        struct worker_slip again = {.threads = 77777};
        struct text text = write_worker(&slip);
        assert_int_equal(worker_slip_read(&again, text.data, text.size), NQ_OK);
        assert_int_equal(again.threads, threads);
        if (threads % 1365 == 0)
            refuse_parts(read_worker, &text);
        free(text.data);
    }
}

/* ---- What is odd is refused ---- */

/* None of these is any slip. */
static void test_no_slips(void **state)
{
    (void)state;
    static const reader readers[] = {read_work, read_batch, read_a_report, read_worker};
    static const char *const texts[] = {"",
                                        " ",
                                        "null",
                                        "true",
                                        "7",
                                        "\"text\"",
                                        "[]",
                                        "{}",
                                        "[{}]",
                                        "{",
                                        "{]",
                                        "{\"a\":1}",
                                        "{\"a\":}",
                                        "{\"a\"}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "{}{}",
                                        "{},",
                                        "nul",
                                        "\xff",
                                        "{\"\xff\":1}",
                                        "{\"a\":1,}",
                                        "{\"a\":1e999}",
                                        "{\"a\":99999999999999999999}",
                                        "{\"a\":\"\\u0000\"}",
                                        "{\"a\":1,\"a\":1}"};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
            expect(readers[i], texts[j], NQ_INVALID);
        assert_int_equal(readers[i](NULL, 0), NQ_INVALID);
        assert_int_equal(readers[i]("{}\0{}", 5), NQ_INVALID);
    }
}

/* As many brackets as one likes: the stack is not the sender's. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEEP = 1 << 20 };
    struct text text = {.data = malloc(DEEP), .size = DEEP};
    assert_non_null(text.data);
    memset(text.data, '[', DEEP);
    memcpy(text.data, "{\"runs\":", 8);
    assert_int_equal(read_batch(text.data, text.size), NQ_INVALID);
    assert_int_equal(read_work(text.data, text.size), NQ_INVALID);
    free(text.data);
}

/* A slip in which one member is replaced: by nothing, or by a value as JSON. */
static char *with(const struct text *whole, const char *member, const char *value)
{
    json_t *json = json_loadb(whole->data, whole->size, 0, NULL);
    assert_non_null(json);
    assert_non_null(json_object_get(json, member));
    if (value) {
        json_t *other = json_loads(value, JSON_DECODE_ANY, NULL);
        assert_non_null(other);
        assert_int_equal(json_object_set_new(json, member, other), 0);
    } else {
        assert_int_equal(json_object_del(json, member), 0);
    }
    char *text = json_dumps(json, JSON_COMPACT);
    assert_non_null(text);
    json_decref(json);
    return text;
}

static void expect_with(reader read_slip, const struct text *whole, const char *member, const char *value,
                        enum nq_status status)
{
    char *text = with(whole, member, value);
    expect(read_slip, text, status);
    free(text);
}

/* Every member is missing once, and once of every type that there is but its own. */
static void refuse_types(reader read_slip, const struct text *whole)
{
    static const char *const values[] = {NULL, "null", "true", "false", "-1", "0.5", "1e3", "\"\"", "\"-1\"", "{}"};
    static const char *const lists[] = {"[]", "[1]", "[[]]", "[{}]"};
    json_t *json = json_loadb(whole->data, whole->size, 0, NULL);
    const char *name;
    json_t *member;
    json_object_foreach(json, name, member)
    {
        const bool free_text = strcmp(name, "query") == 0 || strcmp(name, "worker") == 0 || strcmp(name, "not") == 0;
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            const bool text = values[i] && values[i][0] == '"';
            const bool real = values[i] && (strcmp(values[i], "0.5") == 0 || strcmp(values[i], "1e3") == 0);
            const bool fits = (free_text && text) || (json_is_real(member) && real);
            expect_with(read_slip, whole, name, values[i], fits ? NQ_OK : NQ_INVALID);
        }
        for (size_t i = json_is_array(member); i < sizeof lists / sizeof lists[0]; i++)
            expect_with(read_slip, whole, name, lists[i], NQ_INVALID);
    }
    json_decref(json);
}

/* One member twice. */
static void refuse_doubles(reader read_slip, const struct text *whole)
{
    struct bytes twice = {0};
    bytes_add(&twice, whole->data, whole->size - 2); /* "}\n" */
    bytes_char(&twice, ',');
    bytes_add(&twice, whole->data + 1, whole->size - 1);
    assert_false(twice.failed);
    assert_int_equal(read_slip(twice.data, twice.size), NQ_INVALID);
    bytes_free(&twice);
}

static const struct work_slip plain_work = {
    .query = (char *)"/count?n=16", .terms = 2, .term = {{0, (char *)"one"}, {3, (char *)"other"}}};

static struct text sound_work(void)
{
    return write_work(&plain_work);
}

static void test_odd_works(void **state)
{
    (void)state;
    static const char *const terms[] = {
        "[{\"term\":1}]",
        "[{\"name\":\"a\"}]",
        "[{\"term\":-1,\"name\":\"a\"}]",
        "[{\"term\":4294967296,\"name\":\"a\"}]",
        "[{\"term\":1.0,\"name\":\"a\"}]",
        "[{\"term\":\"1\",\"name\":\"a\"}]",
        "[{\"term\":1,\"name\":7}]",
        "[{\"term\":1,\"name\":null}]",
        "[{\"term\":1,\"name\":\"a\"},{}]",
        "[{\"term\":1,\"name\":\"a\"},[1,\"a\"]]",
        "{\"0\":{\"term\":1,\"name\":\"a\"}}",
    };
    struct text whole = sound_work();
    refuse_types(read_work, &whole);
    refuse_doubles(read_work, &whole);
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        expect_with(read_work, &whole, "terms", terms[i], NQ_INVALID);
    expect_with(read_work, &whole, "terms", "[{\"term\":4294967295,\"name\":\"\"}]", NQ_OK);
    expect_with(read_work, &whole, "version", "\"0.0.0\"", NQ_INVALID);
    expect_with(read_work, &whole, "version", "\"" NQ_VERSION ".1\"", NQ_INVALID);
    expect_with(read_work, &whole, "version", "\"" NQ_VERSION "\"", NQ_OK);
    expect_with(read_work, &whole, "nodes", "9223372036854775807", NQ_OK);
    struct bytes many = {0};
    bytes_char(&many, '[');
    for (int i = 0; i < SLIP_TERMS_MAX; i++)
        bytes_text(&many, i ? ",{\"term\":1,\"name\":\"a\"}" : "{\"term\":1,\"name\":\"a\"}");
    bytes_text(&many, "]");
    bytes_char(&many, '\0');
    expect_with(read_work, &whole, "terms", many.data, NQ_OK);
    many.size -= 2;
    bytes_text(&many, ",{\"term\":1,\"name\":\"a\"}]");
    bytes_char(&many, '\0');
    expect_with(read_work, &whole, "terms", many.data, NQ_INVALID);
    bytes_free(&many);
    free(whole.data);
}

static struct text sound_batch(void)
{
    const struct batch_slip slip = {
        .not_for = "0123456789abcdef", .runs = 2, .run = {{{0, 1, UNIT_WHOLE}, 2}, {{3, 4, 6}, 5}}};
    return write_batch(&slip);
}

static void test_odd_batches(void **state)
{
    (void)state;
    static const char *const runs[] = {"[[0,1]]",
                                       "[[0,1,-2]]",
                                       "[[0,-1,2]]",
                                       "[[-1,1,2]]",
                                       "[[0,1,2.0]]",
                                       "[[0,1,\"2\"]]",
                                       "[[0,1,null]]",
                                       "[[0,1,[2]]]",
                                       "[[0,1,2,3,4]]",
                                       "[[0,1,2,-3]]",
                                       "[[0,1,2,1048574]]",
                                       "[[0,1,0,4294967295]]",
                                       "[[0,1,4294967295,4294967295]]",
                                       "[[0,1,2],[]]",
                                       "[[0,1,2],0]",
                                       "[0,1,2]",
                                       "[{\"0\":0,\"1\":1,\"2\":2}]",
                                       "[[4294967296,0,1]]",
                                       "[[0,4294967296,1]]",
                                       "[[0,0,4294967296]]",
                                       "[[0,9223372036854775807,9223372036854775807]]",
                                       "[[0,4294967295,1]]",
                                       "[[0,1,4294967295]]",
                                       "[[0,2147483648,2147483648]]"};
    struct text whole = sound_batch();
    refuse_types(read_batch, &whole);
    refuse_doubles(read_batch, &whole);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        expect_with(read_batch, &whole, "runs", runs[i], NQ_INVALID);
    expect_with(read_batch, &whole, "runs", "[]", NQ_OK);
    expect_with(read_batch, &whole, "runs", "[[4294967295,4294967295,0]]", NQ_OK);
    expect_with(read_batch, &whole, "runs", "[[0,4294967294,1]]", NQ_OK);
    expect_with(read_batch, &whole, "runs", "[[0,1,2,1048573]]", NQ_OK);
    expect_with(read_batch, &whole, "not", "\"0123456789012345678901234567890123456789\"", NQ_OK);
    expect_with(read_batch, &whole, "not", "\"01234567890123456789012345678901234567890\"", NQ_INVALID);
    struct bytes many = {0};
    bytes_char(&many, '[');
    for (int i = 0; i < SLIP_RUNS_MAX; i++)
        bytes_text(&many, i ? ",[0,1,2]" : "[0,1,2]");
    bytes_text(&many, "]");
    bytes_char(&many, '\0');
    expect_with(read_batch, &whole, "runs", many.data, NQ_OK);
    many.size -= 2;
    bytes_text(&many, ",[0,1,2]]");
    bytes_char(&many, '\0');
    expect_with(read_batch, &whole, "runs", many.data, NQ_INVALID);
    bytes_free(&many);
    free(whole.data);
}

static struct text sound_report(void)
{
    const struct report_slip slip = {
        .worker = "0123456789abcdef", .place.piece = UNIT_WHOLE, .parts = 5, .nodes = 6, .seconds = 0.25};
    return write_report(&slip);
}

static void test_odd_reports(void **state)
{
    (void)state;
    static const char *const digits[] = {"\"18446744073709551616\"",
                                         "\"340282366920938463463374607431768211456\"",
                                         "\"99999999999999999999999999999999999999999999999999999999999999999\"",
                                         "\"+1\"",
                                         "\" 1\"",
                                         "\"1 \"",
                                         "\"0x1\"",
                                         "\"1.0\"",
                                         "\"1e3\"",
                                         "5"};
    struct text whole = sound_report();
    refuse_types(read_a_report, &whole);
    refuse_doubles(read_a_report, &whole);
    for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++) {
        expect_with(read_a_report, &whole, "parts", digits[i], NQ_INVALID);
        expect_with(read_a_report, &whole, "nodes", digits[i], NQ_INVALID);
    }
    expect_with(read_a_report, &whole, "parts", "\"18446744073709551615\"", NQ_OK);
    expect_with(read_a_report, &whole, "term", "4294967296", NQ_INVALID);
    expect_with(read_a_report, &whole, "unit", "4294967296", NQ_INVALID);
    expect_with(read_a_report, &whole, "unit", "4294967295", NQ_OK);
    expect_with(read_a_report, &whole, "report", "\"count\"", NQ_INVALID);
    expect_with(read_a_report, &whole, "report", "\"counted \"", NQ_INVALID);
    expect_with(read_a_report, &whole, "report", "\"checked\"", NQ_OK);
    expect_with(read_a_report, &whole, "seconds", "-0.5", NQ_INVALID);
    expect_with(read_a_report, &whole, "seconds", "3", NQ_OK);
    expect_with(read_a_report, &whole, "worker", "\"01234567890123456789012345678901234567890\"", NQ_INVALID);
    free(whole.data);
    whole = write_report(&(struct report_slip){.worker = "0", .place.piece = 7});
    expect_with(read_a_report, &whole, "piece", "0", NQ_OK);
    expect_with(read_a_report, &whole, "piece", "1048574", NQ_OK);
    expect_with(read_a_report, &whole, "piece", "1048575", NQ_INVALID);
    expect_with(read_a_report, &whole, "piece", "4294967296", NQ_INVALID);
    expect_with(read_a_report, &whole, "piece", "-1", NQ_INVALID);
    expect_with(read_a_report, &whole, "piece", "null", NQ_INVALID);
    free(whole.data);
}

static void test_odd_workers(void **state)
{
    (void)state;
    struct text whole = write_worker(&(struct worker_slip){.threads = 8});
    refuse_types(read_worker, &whole);
    refuse_doubles(read_worker, &whole);
    expect_with(read_worker, &whole, "threads", "4097", NQ_INVALID);
    expect_with(read_worker, &whole, "threads", "4294967296", NQ_INVALID);
    expect_with(read_worker, &whole, "threads", "9223372036854775807", NQ_INVALID);
    free(whole.data);
}

/* ---- Memory fails ---- */

/* The k-th allocation and all later ones fail: it is said so, until enough succeed. */
static void starve_reader(reader read_slip, struct text whole)
{
    enum nq_status status = NQ_NOMEM;
    size_t after = 0;
    for (; status != NQ_OK; after++) {
        assert_true(after < 10000);
        atomic_store(&failing_after, after);
        status = read_slip(whole.data, whole.size);
        atomic_store(&failing_after, SIZE_MAX);
        assert_true(status == NQ_OK || status == NQ_NOMEM);
    }
    assert_true(after > 1);
    free(whole.data);
}

static void write_any(int slip, struct bytes *bytes)
{
    static const struct batch_slip batch = {
        .not_for = "a", .runs = 2, .run = {{{0, 1, UNIT_WHOLE}, 2}, {{3, 4, 6}, 5}}};
    static const struct report_slip report = {.worker = "a", .parts = 5, .nodes = 6, .seconds = 0.25};
    static const struct worker_slip worker = {.threads = 4};
    switch (slip) {
    case 0: work_slip_write(&plain_work, bytes); break;
    case 1: batch_slip_write(&batch, bytes); break;
    case 2: report_slip_write(&report, bytes); break;
    default: worker_slip_write(&worker, bytes); break;
    }
}

static void starve_writer(int slip)
{
    bool failed = true;
    size_t after = 0;
    for (; failed; after++) {
        struct bytes bytes = {0};
        assert_true(after < 10000);
        atomic_store(&failing_after, after);
        write_any(slip, &bytes);
        atomic_store(&failing_after, SIZE_MAX);
        failed = bytes.failed;
        if (!failed) {
            struct text text = text_of(&bytes); /* all of it */
            refuse_parts(((const reader[]){read_work, read_batch, read_a_report, read_worker})[slip], &text);
            free(text.data);
        }
        bytes_free(&bytes);
    }
    assert_true(after > 1);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    json_begin();
    starve_reader(read_work, sound_work());
    starve_reader(read_batch, sound_batch());
    starve_reader(read_a_report, sound_report());
    starve_reader(read_worker, write_worker(&(struct worker_slip){.threads = 8}));
    for (int slip = 0; slip < 4; slip++)
        starve_writer(slip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_works),       cmocka_unit_test(test_batches),       cmocka_unit_test(test_reports),
        cmocka_unit_test(test_workers),     cmocka_unit_test(test_no_slips),      cmocka_unit_test(test_deep),
        cmocka_unit_test(test_odd_works),   cmocka_unit_test(test_odd_batches),   cmocka_unit_test(test_odd_reports),
        cmocka_unit_test(test_odd_workers), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
