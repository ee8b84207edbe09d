/* test_job_record.c - tests of src/engine/jobs/job_record.c and owners.c: what is read from a store is what was
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
    for (const char *const *name = (const char *const[]){"", "one", "two", "@0123456789abcdef", NULL}; *name; name++)
        assert_int_equal(job_record_enter(&record, *name), NQ_OK);
    for (const char *const *name = (const char *const[]){"one", "", "two", NULL}; *name && state == JOB_CANCELLED;
         name++)
        assert_int_equal(job_record_leave(&record, *name), NQ_OK);
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
        OWNED(json_decref) json_t *json = record_of(at), *written = again(json);
        assert_non_null(written);
        assert_true(json_equal(written, json));
    }
}

/* What is no id is in no record: it would stand in logs as it is. */
TEST(test_ids)
{
    static const char *const wrong[] = {
        "", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg", "0123456789ABCDEF", "\",\"state\":\"do"};
    OWNED(json_decref) json_t *json = record_of(JOB_DONE);
    OWNED(free) char *text = json_dumps(json, JSON_COMPACT);
    struct job_record record;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(job_record_read(&record, wrong[i], text, strlen(text)), NQ_INVALID);
}

/* How far a job was that was cancelled; without these numbers, as of a job that was done. */
TEST(test_progress)
{
    for (int all = 0; all <= 1; all++) {
        OWNED(json_decref) json_t *json = record_of(JOB_CANCELLED);
        struct job_record record;
        if (!all)
            for (const char *const *name = (const char *const[]){"units_done", "weight", "weight_done", NULL}; *name;
                 name++)
                assert_int_equal(json_object_del(json, *name), 0);
        OWNED(free) char *text = json_dumps(json, JSON_COMPACT);
        assert_int_equal(job_record_read(&record, id, text, strlen(text)), NQ_OK);
        assert_int_equal(record.last.units, 20);
        assert_int_equal(record.last.units_done, all ? 5 : 20);
        assert_int_equal(record.last.units_restored, 3);
        assert_int_equal(record.last.weight, all ? 1000 : 0);
        assert_int_equal(record.last.weight_done, all ? 260 : 0);
        job_record_close(&record);
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
        OWNED(json_decref) json_t *json = record_of(JOB_DONE);
        struct job_record record;
        assert_int_equal(json_object_set_new(json, "body", json_string(cases[i].body)), 0);
        OWNED(free) char *text = json_dumps(json, JSON_COMPACT);
        assert_int_equal(job_record_read(&record, id, text, strlen(text)), NQ_OK);
        assert_true(record.result->count == cases[i].count);
        assert_int_equal(record.result->size, strlen(cases[i].body));
        job_record_close(&record);
    }
}

/* What makes no sense is rejected: nobody gets an empty result for one that is missing. Holders of an earlier release
 * that make no sense are not known, and anybody may cancel for them. */
TEST(test_texts)
{
#define OURS "{\"release\":\"" NQ_VERSION "\",\"key\":\"a\",\"path\":\"/count?a\","
#define HOLDERS "{\"key\":\"a\",\"path\":\"/count?a\",\"state\":\"running\",\"shares\":2,\"holders\":"
#define DIGITS "0123456789012345678901234567890123456789012345678901234567890123456789"
    static const struct {
        const char *text;
        enum nq_status status;
        enum job_state state;
        unsigned owners;
    } rows[] = {
        {"", NQ_INVALID, 0, 0},
        {"{}", NQ_INVALID, 0, 0},
        {"[]", NQ_INVALID, 0, 0},
        {"null", NQ_INVALID, 0, 0},
        {"7", NQ_INVALID, 0, 0},
        {"\"\"", NQ_INVALID, 0, 0},
        {"{", NQ_INVALID, 0, 0},
        {"\xff\xfe", NQ_INVALID, 0, 0},
        {"{\"key\":\"a\"}", NQ_INVALID, 0, 0},
        {"{\"path\":\"/count?a\",\"state\":\"running\"}", NQ_INVALID, 0, 0},
        {"{\"key\":7,\"path\":\"/count?a\",\"state\":\"running\"}", NQ_INVALID, 0, 0},
        {"{\"key\":\"a\",\"path\":[],\"state\":\"running\"}", NQ_INVALID, 0, 0},
        {"{\"key\":\"a\",\"path\":\"/count?a\",\"state\":\"running\"}", NQ_OK, JOB_RUNNING, 1},
        {"{\"key\":\"a\",\"path\":\"/count?a\",\"state\":\"failed\"}", NQ_INVALID, 0, 0},
        {OURS "\"shares\":1}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"\"}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"Done\"}", NQ_INVALID, 0, 0},
        {OURS "\"state\":7}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"done\"}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"done\",\"body\":7}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"done\",\"body\":\"\",\"why\":7}", NQ_OK, JOB_DONE, 0},
        {OURS "\"state\":\"done\",\"body\":\"\",\"units\":\"x\"}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"done\",\"body\":\"\",\"nodes\":-1}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"done\",\"body\":\"\",\"shares\":-1}", NQ_INVALID, 0, 0},
        {OURS "\"state\":\"failed\",\"why\":\"" DIGITS DIGITS DIGITS DIGITS "\"}", NQ_OK, JOB_FAILED, 0},
        {OURS "\"state\":\"failed\",\"why\":\"a\",\"failure\":{\"code\":\"no-such\",\"units\":1}}", NQ_OK, JOB_FAILED,
         0},
        {OURS "\"state\":\"failed\",\"why\":\"a\",\"failure\":{\"code\":\"too-costly\"}}", NQ_OK, JOB_FAILED, 0},
        {OURS "\"state\":\"cancelled\",\"created\":9223372036854775807}", NQ_INVALID, 0, 0},
        {HOLDERS "7}", NQ_OK, JOB_RUNNING, 1},
        {HOLDERS "[]}", NQ_OK, JOB_RUNNING, 1},
        {HOLDERS "{\"\":{\"shares\":1}}}", NQ_OK, JOB_RUNNING, 1},
        {HOLDERS "{\"ann\":{\"shares\":3}}}", NQ_OK, JOB_RUNNING, 1},
        {HOLDERS "{\"ann\":{\"shares\":-1}}}", NQ_OK, JOB_RUNNING, 1},
        {HOLDERS "{\"ann\":1}}", NQ_OK, JOB_RUNNING, 1},
        {HOLDERS "{\"\\\"ann\\\"\":{\"shares\":1}}}", NQ_OK, JOB_RUNNING, 1},
        {HOLDERS "{\"a name of more letters than a name has\":{\"shares\":1}}}", NQ_OK, JOB_RUNNING, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct job_record record;
        const enum nq_status status = job_record_read(&record, id, rows[i].text, strlen(rows[i].text));
        if (status != rows[i].status)
            fail_msg("%s: %d", rows[i].text, (int)status);
        if (status != NQ_OK)
            continue;
        assert_int_equal(record.state, rows[i].state);
        assert_int_equal(owners_count(&record.owners), rows[i].owners);
        assert_true(memchr(record.fault.text, '\0', sizeof record.fault.text));
        assert_int_equal(record.fault.why, strstr(rows[i].text, "too-costly") ? FAULT_COST : UNCODED);
        assert_int_equal(record.result != NULL, record.state == JOB_DONE);
        if (record.state == JOB_RUNNING) {
            assert_int_equal(job_record_leave(&record, "eve"), NQ_OK);
            assert_int_equal(record.state, JOB_CANCELLED);
        }
        job_record_close(&record);
    }
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

/* Whether it was accepted: then all numbers are as they stand in the record, and none is negative. What an
 * owner cannot have makes it none. */
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
    static const char *const totals[] = {"created", "finished"};
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
        OWNED(json_decref) json_t *json = record_of(at);
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
                if (accepted && top && (k < 3 || k > 9) &&
                    strcmp(places[i].name, "version") != 0) /* for other releases */
                    fail_msg("%s was accepted", what);
                refused += !accepted;
                assert_int_equal(json_object_set_new(places[i].object, places[i].name, kept), 0);
            }
        OWNED(json_decref) json_t *written = again(json);
        assert_true(written && json_equal(written, json));
    }
    assert_in_range(refused, 61, 100000);
}

/* ---- How copies are joined ---- */

enum { COPIES = 3, STEPS = 60 };

static void copy(const struct job_record *record, struct job_record *out)
{
    BYTES(text);
    job_record_write(record, &text);
    assert_int_equal(job_record_read(out, id, text.data, text.size), NQ_OK);
}

static void join(struct job_record *record, const struct job_record *other)
{
    struct job_record taken;
    copy(other, &taken);
    assert_int_equal(job_record_join(record, &taken, false), NQ_OK);
    job_record_close(&taken);
}

static void assert_same(const struct job_record *record, const struct job_record *other)
{
    struct job_record left, right;
    copy(record, &left);
    copy(other, &right);
    OWNED(json_decref) json_t *one = written(&left), *two = written(&right);
    assert_true(json_equal(one, two));
}

/* Something happens to a copy; the date of an end is its number, as all of this takes no second. */
static void happen(struct job_record *record, uint64_t *dice, int number)
{
    static const char *const names[] = {"ann", "bob", "cal"};
    const char *name = names[facts_below(dice, 3)];
    struct bytes body = {0};
    switch (facts_below(dice, 9)) {
    case 0:
    case 1:
    case 2: assert_int_equal(job_record_enter(record, name), NQ_OK); return;
    case 3:
    case 4:
    case 5: (void)job_record_leave(record, name); return;
    case 6:
        if (job_state_over(record->state))
            return;
        job_record_end(record, JOB_FAILED);
        fault_write(&record->fault, UNCODED, NULL, "why %d", number);
        record->finished = number;
        return;
    default:
        if (job_state_over(record->state) || facts_below(dice, 20))
            return;
        job_record_end(record, JOB_DONE);
        bytes_text(&body, "{\"count\":92}\n");
        record->result = answer_new(&body, "application/json");
        bytes_free(&body);
        record->finished = number;
        return;
    }
}

/* Copies are changed here and there, and joined with what is stored now and then, and again: at the end, when each has
 * met what is stored, all are the same, and everybody is there whose last change was to come. */
TEST(test_copies_come_together)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct job_record stored, copies[COPIES];
        uint64_t dice = seed;
        assert_true(job_record_open(&stored, "json /count?n=8", "/count?n=8&method=compute"));
        memcpy(stored.id, id, sizeof id);
        assert_int_equal(job_record_enter(&stored, "ann"), NQ_OK);
        for (int i = 0; i < COPIES; i++)
            copy(&stored, &copies[i]);
        for (int step = 1; step <= STEPS; step++) {
            struct job_record *record = &copies[facts_below(&dice, COPIES)];
            happen(record, &dice, step);
            if (facts_below(&dice, 3) ==
                0) { /* what a server does that writes: the store's record becomes the copy's */
                join(record, &stored);
                job_record_close(&stored);
                copy(record, &stored);
            } else if (facts_below(&dice, 4) ==
                       0) { /* it receives what another one has written, or a copy that is old */
                join(record, &copies[facts_below(&dice, COPIES)]);
            }
        }
        for (int i = 0; i < COPIES; i++) {
            join(&copies[i], &stored);
            job_record_close(&stored);
            copy(&copies[i], &stored);
        }
        for (int i = 0; i < COPIES; i++) {
            join(&copies[i], &stored);
            const enum job_state end = copies[i].state;
            assert_int_equal(end, stored.state);
            assert_int_equal(owners_count(&copies[i].owners), owners_count(&stored.owners));
            assert_int_equal(end == JOB_CANCELLED,
                             owners_count(&stored.owners) == 0 && !stored.result && end != JOB_FAILED);
            if (end != JOB_CANCELLED) /* when it was cancelled each process says for itself */
                assert_same(&copies[i], &stored);
            join(&copies[i], &stored); /* once more: nothing changes */
            if (end != JOB_CANCELLED)
                assert_same(&copies[i], &stored);
        }
        for (int i = 0; i < COPIES; i++)
            job_record_close(&copies[i]);
        job_record_close(&stored);
    }
}

/* Beyond so many clients those who left first are forgotten, and then who comes is not noted; it has an end, too. */
TEST(test_more_owners_than_are_noted)
{
    struct job_record record;
    char name[16];
    assert_true(job_record_open(&record, "json /count?n=8", "/count?n=8&method=compute"));
    memcpy(record.id, id, sizeof id);
    for (int i = 0; i < OWNERS_MOST; i++) {
        (void)snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(job_record_enter(&record, name), NQ_OK);
    }
    assert_int_equal(job_record_enter(&record, "late"), NQ_NONE);
    assert_int_equal(job_record_leave(&record, "late"), NQ_DENIED);
    assert_int_equal(job_record_leave(&record, "n7"), NQ_OK);
    assert_int_equal(job_record_leave(&record, "n8"), NQ_OK);
    assert_int_equal(job_record_enter(&record, "late"), NQ_OK);
    assert_int_equal(owners_count(&record.owners), OWNERS_MOST - 1);
    assert_int_equal(job_record_leave(&record, "n8"), NQ_OK);     /* once more */
    assert_int_equal(job_record_leave(&record, "n7"), NQ_DENIED); /* forgotten */
    struct job_record other;
    copy(&record, &other);
    assert_int_equal(owners_count(&other.owners), OWNERS_MOST - 1);
    job_record_end(&record, JOB_FAILED);
    assert_int_equal(job_record_enter(&record, "anew"), NQ_OK); /* alone */
    assert_int_equal(owners_count(&record.owners), 1);
    join(&other, &record);
    assert_int_equal(owners_count(&other.owners), 1);
    job_record_close(&other);
    job_record_close(&record);
}
