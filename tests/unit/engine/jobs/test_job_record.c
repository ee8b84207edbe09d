/* test_job_record.c - tests of src/engine/jobs/job_record.c and subscriptions.c: what is read from a store is what was
 * written, to the last number, or is rejected. */
/* CI builds: address */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "engine/ask/answer.h"
#include "engine/jobs/job_record.h"
#include "support/facts.h"

static int begin(void **state)
{
    (void)state;
    json_begin();
    return 0;
}

GROUP(begin, NULL)

static const char id[JOB_ID_SIZE] = "0123456789abcdef";

/* The record as JSON; closes it. */
static json_t *written(struct job_record *record)
{
    struct bytes text = {0};
    job_record_write(record, &text);
    assert_false(text.failed);
    json_t *json = json_loadb(text.data, text.size, 0, NULL);
    assert_non_null(json);
    bytes_free(&text);
    job_record_close(record);
    return json;
}

/* A job in some state, with every member. */
static json_t *record_of(enum job_state state)
{
    struct job_record record;
    struct bytes body = {0};
    assert_true(job_record_open(&record, "json /count?n=8", "/count?n=8&method=compute"));
    memcpy(record.id, id, sizeof id);
    assert_int_equal(job_record_subscribe(&record, "", true), NQ_OK);
    assert_int_equal(job_record_subscribe(&record, "", false), NQ_OK);
    assert_int_equal(job_record_subscribe(&record, "one", true), NQ_OK);
    assert_int_equal(job_record_subscribe(&record, "two", false), NQ_OK);
    job_record_sign(&record, "fedcba9876543210", 7);
    if (state != JOB_RUNNING)
        job_record_end(&record, state);
    if (state == JOB_DONE) {
        bytes_text(&body, "{\"count\":92}\n");
        record.result = answer_new(&body, "application/json");
        assert_non_null(record.result);
        record.last = (struct progress){.units = 5, .units_done = 5, .units_restored = 3, .nodes = 2057};
    }
    if (state == JOB_CANCELLED)
        record.last = (struct progress){
            .units = 20, .units_done = 5, .units_restored = 3, .weight = 1000, .weight_done = 260, .nodes = 2057};
    bytes_free(&body);
    return written(&record);
}

/* Reads a record, and writes it again. NULL: it was rejected. */
static json_t *again(const json_t *json)
{
    struct job_record record;
    char *text = json_dumps(json, JSON_COMPACT);
    assert_non_null(text);
    const enum nq_status status = job_record_read(&record, id, text, strlen(text));
    free(text);
    if (status != NQ_OK) {
        assert_int_equal(status, NQ_INVALID);
        return NULL;
    }
    return written(&record);
}

TEST(test_round_trip)
{
    for (enum job_state at = JOB_RUNNING; at <= JOB_CANCELLED; at++) {
        json_t *json = record_of(at), *written = again(json);
        assert_non_null(written);
        assert_true(json_equal(written, json));
        json_decref(written);
        json_decref(json);
    }
}

/* What is no id is in no record: it would stand in logs as it is. */
TEST(test_ids)
{
    static const char *const wrong[] = {
        "", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg", "0123456789ABCDEF", "\",\"state\":\"do"};
    json_t *json = record_of(JOB_DONE);
    char *text = json_dumps(json, JSON_COMPACT);
    struct job_record record;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(job_record_read(&record, wrong[i], text, strlen(text)), NQ_INVALID);
    free(text);
    json_decref(json);
}

/* How far a job was that was cancelled; without these numbers, as of a job that was done. */
TEST(test_progress)
{
    for (int all = 0; all <= 1; all++) {
        json_t *json = record_of(JOB_CANCELLED);
        struct job_record record;
        if (!all)
            for (const char *const *name = (const char *const[]){"units_done", "weight", "weight_done", NULL}; *name;
                 name++)
                assert_int_equal(json_object_del(json, *name), 0);
        char *text = json_dumps(json, JSON_COMPACT);
        assert_int_equal(job_record_read(&record, id, text, strlen(text)), NQ_OK);
        assert_int_equal(record.last.units, 20);
        assert_int_equal(record.last.units_done, all ? 5 : 20);
        assert_int_equal(record.last.units_restored, 3);
        assert_int_equal(record.last.weight, all ? 1000 : 0);
        assert_int_equal(record.last.weight_done, all ? 260 : 0);
        job_record_close(&record);
        free(text);
        json_decref(json);
    }
}

/* The result has the number that its body has, for lists that need it. */
TEST(test_count)
{
    const nq_wide large = ((nq_wide)1 << 100) + 7;
    char digits[WIDE_TEXT_MAX], body[100];
    (void)snprintf(body, sizeof body, "{\"count\":null,\"count_text\":\"%s\"}\n", wide_text(large, digits));
    const struct {
        const char *body;
        nq_wide count;
    } cases[] = {{"{\"count\":92,\"count_text\":\"92\"}\n", 92},
                 {body, large},
                 {"{\"count_text\":92}", 0},
                 {"{\"count_text\":\"9x\"}", 0},
                 {"not JSON", 0},
                 {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *json = record_of(JOB_DONE);
        struct job_record record;
        assert_int_equal(json_object_set_new(json, "body", json_string(cases[i].body)), 0);
        char *text = json_dumps(json, JSON_COMPACT);
        assert_int_equal(job_record_read(&record, id, text, strlen(text)), NQ_OK);
        assert_true(record.result->count == cases[i].count);
        assert_int_equal(record.result->size, strlen(cases[i].body));
        job_record_close(&record);
        free(text);
        json_decref(json);
    }
}

/* Nobody gets an empty result for one that is missing. */
TEST(test_done_without_a_result)
{
    json_t *json = record_of(JOB_DONE);
    assert_int_equal(json_object_set_new(json, "body", json_integer(92)), 0);
    assert_null(again(json));
    assert_int_equal(json_object_del(json, "body"), 0);
    assert_null(again(json));
    json_decref(json);
}

/* Every number in it, however deep: [parent, name of the member]. */
struct place {
    json_t *object;
    const char *name;
};
static size_t find_numbers(json_t *object, struct place *places, size_t count)
{
    const char *name;
    json_t *member;
    json_object_foreach(object, name, member)
    {
        if (json_is_integer(member))
            places[count++] = (struct place){object, name};
        if (json_is_object(member))
            count = find_numbers(member, places, count);
    }
    return count;
}

/* Whether it was accepted: then all numbers are as they stand in the record, and none is negative. Subscriptions of a
 * holder who has more than the total become anonymous. */
static bool check_accepted(json_t *json, const char *name)
{
    json_t *written = again(json);
    struct place places[32];
    if (!written)
        return false;
    const size_t count = find_numbers(written, places, 0);
    for (size_t i = 0; i < count; i++)
        if (json_integer_value(json_object_get(places[i].object, places[i].name)) < 0)
            fail_msg("%s: %s is negative", name, places[i].name);
    static const char *const totals[] = {"shares", "created", "finished", "version"};
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++)
        if (json_is_integer(json_object_get(json, totals[i])) &&
            !json_equal(json_object_get(written, totals[i]), json_object_get(json, totals[i])))
            fail_msg("%s: %s is another number", name, totals[i]);
    if (strcmp(json_string_value(json_object_get(json, "state")), "done") == 0)
        for (size_t i = 0; i < 3; i++) {
            const char *const result = (const char *const[]){"units", "restored", "nodes"}[i];
            if (!json_equal(json_object_get(written, result), json_object_get(json, result)))
                fail_msg("%s: %s is another number", name, result);
        }
    json_decref(written);
    return true;
}

TEST(test_numbers)
{
    static const char *const values[] = {"-1",
                                         "-2147483648",
                                         "-9223372036854775808",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "4294967297",
                                         "9007199254740993",
                                         "9223372036854775807",
                                         "0.5",
                                         "1e3",
                                         "\"5\"",
                                         "true",
                                         "null",
                                         "[]",
                                         "{}"};
    unsigned refused = 0;
    for (enum job_state at = JOB_RUNNING; at <= JOB_CANCELLED; at++) {
        json_t *json = record_of(at);
        struct place places[32];
        const size_t count = find_numbers(json, places, 0);
        assert_in_range(count, 8, 32);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
                json_t *kept = json_incref(json_object_get(places[i].object, places[i].name));
                json_t *value = json_loads(values[k], JSON_DECODE_ANY, NULL);
                assert_int_equal(json_object_set_new(places[i].object, places[i].name, value), 0);
                char what[100];
                (void)snprintf(what, sizeof what, "%s, %s: %s", job_state_name(at), places[i].name, values[k]);
                const bool accepted = check_accepted(json, what), top = places[i].object == json;
                if (accepted && top && (k < 3 || k > 9))
                    fail_msg("%s was accepted", what);
                refused += !accepted;
                assert_int_equal(json_object_set_new(places[i].object, places[i].name, kept), 0);
            }
        json_t *written = again(json);
        assert_true(written && json_equal(written, json));
        json_decref(written);
        json_decref(json);
    }
    assert_true(refused > 100);
}

/* An accepted record can be changed, signed and stored again, whatever its numbers are. */
TEST(test_accepted_records_can_change)
{
    static const int64_t counts[] = {0, 1, 999999990, 1000000000, INT32_MAX, UINT32_MAX, INT64_MAX};
    static const int64_t versions[] = {0, INT64_C(1) << 53, INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t k = 0; k < sizeof versions / sizeof versions[0]; k++) {
            json_t *json = record_of(JOB_RUNNING);
            struct job_record record;
            struct bytes text = {0};
            assert_int_equal(json_object_set_new(json, "shares", json_integer(counts[i])), 0);
            assert_int_equal(json_object_set_new(json, "version", json_integer(versions[k])), 0);
            json_write_value(&text, NULL, json, 0);
            json_decref(json);
            const enum nq_status status = job_record_read(&record, id, text.data, text.size);
            bytes_free(&text);
            if (status != NQ_OK)
                continue;
            for (int round = 0; round < 3; round++) {
                const uint64_t version = record.version;
                if (job_record_subscribe(&record, "", true) != NQ_OK) {
                    assert_true(counts[i] >= 1000000000);
                    break;
                }
                job_record_sign(&record, "fedcba9876543210", 8);
                job_record_write(&record, &text);
                assert_true(record.version > version && subscriptions_count(&record.subscriptions) > counts[i]);
                job_record_close(&record);
                assert_int_equal(job_record_read(&record, id, text.data, text.size), NQ_OK);
                assert_true(record.version > version && subscriptions_count(&record.subscriptions) > counts[i]);
                bytes_free(&text);
            }
            job_record_close(&record);
        }
}
