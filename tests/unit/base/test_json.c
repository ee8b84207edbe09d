/* test_json.c - tests of src/base/json.c when memory is out for a moment: a document is read and written whole, or
 * not at all. */
/* CI builds: address */
#include <stdlib.h>

/* The allocation of jansson's that fails, counted from 1, and no other; 0: none. */
static size_t failing_at;

static void *failing_malloc(size_t size)
{
    return failing_at && --failing_at == 0 ? NULL : malloc(size);
}

#define malloc(size) failing_malloc(size)
#include "base/json.c"
#undef malloc

#include <string.h>

#include "support/facts.h"

/* Texts longer than what jansson begins to gather them in: it grows more than once. */
static const char source[] =
    "{\"kind\":\"count\",\"n\":18,\"place\":\"1:1,3:4,5:7,7:10,9:13,11:16,13:2\",\"deep\":[[1.5,null],"
    "{\"a name of more than sixteen characters\":\"and a text of more than sixteen ones\"}]}";

TEST(test_read)
{
    for (size_t k = 1, reached = 1; reached; k++) {
        OWNED(json_decref) json_t *json = NULL;
        failing_at = k;
        const enum nq_status status = json_read(source, sizeof source - 1, 0, &json, NULL);
        reached = failing_at == 0;
        failing_at = 0;
        assert_int_equal(status, reached ? NQ_NOMEM : NQ_OK);
        assert_true(reached == !json);
        assert_true(reached || k > 20);
        OWNED(free) char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
        assert_true(!text || strcmp(text, source) == 0);
    }
}

TEST(test_read_wrong)
{
    json_error_t error = {.text = ""};
    json_t *json;
    assert_int_equal(json_read("{\"n\":", 5, 0, &json, &error), NQ_INVALID);
    assert_null(json);
    assert_true(error.text[0]);
    assert_int_equal(json_read(NULL, 0, 0, &json, &error), NQ_INVALID);
}

/* What was read is written as it was, or fails the bytes. */
TEST(test_write_value)
{
    OWNED(json_decref) json_t *json = NULL;
    assert_int_equal(json_read(source, sizeof source - 1, 0, &json, NULL), NQ_OK);
    for (size_t k = 1, reached = 1; reached; k++) {
        BYTES(out);
        failing_at = k;
        json_begin_array(&out, NULL);
        json_write_value(&out, NULL, json, 0);
        json_write_value(&out, NULL, json, 0);
        json_end_array(&out);
        reached = failing_at == 0;
        failing_at = 0;
        assert_true(reached || k > 4);
        assert_true(out.failed == (reached != 0));
        assert_true(out.failed || (out.size == 2 * sizeof source + 1 && memcmp(out.data + 1, source, 9) == 0));
    }
    BYTES(none);
    json_write_value(&none, NULL, NULL, 0);
    assert_true(none.failed);
}

/* What a fault has beside its sentence is read as it was written. */
TEST(test_faults)
{
    static const struct {
        enum refusal why;
        double numbers[2];
        const char *text, *json;
    } cases[] = {
        {FAULT_COST,
         {7200, 3600},
         "a",
         "{\"failure\":{\"code\":\"too-costly\",\"core_seconds\":7200,\"limit_core_seconds\":3600}}\n"},
        {FAULT_COST,
         {1e40, 0.25},
         "a",
         "{\"failure\":{\"code\":\"too-costly\",\"core_seconds\":1e40,\"limit_core_seconds\":0.25}}\n"},
        {FAULT_UNITS, {3}, "a", "{\"failure\":{\"code\":\"units-not-counted\",\"units\":3}}\n"},
        {FAULT_MEMORY, {0}, "a", "{\"failure\":{\"code\":\"algorithm-memory\"}}\n"},
        {UNCODED, {0}, "only a sentence", "{}\n"},
        {FAULT_COST, {1, 2}, "", "{}\n"}, /* nothing is known */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fault fault, back = {.text = "a"};
        struct bytes out = {0};
        json_t *json;
        fault_write(&fault, cases[i].why, cases[i].numbers, "%s", cases[i].text);
        json_begin_object(&out, NULL);
        json_failure(&out, &fault, 6);
        json_end_object(&out);
        json_end_document(&out, 0);
        assert_int_equal(out.size, strlen(cases[i].json));
        assert_memory_equal(out.data, cases[i].json, out.size);
        assert_int_equal(json_read(out.data, out.size, 0, &json, NULL), NQ_OK);
        json_fault_read(json_object_get(json, "failure"), &back);
        json_decref(json);
        bytes_free(&out);
        assert_int_equal(fault_coded(&back), fault_coded(&fault));
        for (int k = 0; k < REFUSAL_MEMBERS_MAX && fault_coded(&fault); k++)
            assert_true(back.numbers[k] == fault.numbers[k]);
    }
    struct fault strange = {.why = FAULT_COST, .text = "a"};
    OWNED(json_decref) json_t *json = json_pack("{s:s}", "code", "of-another-release");
    json_fault_read(json, &strange);
    assert_false(fault_coded(&strange));
}

/* ---- Within a budget ---- */

struct granted {
    size_t bytes, most;
};

static bool grant_some(void *who, size_t bytes)
{
    struct granted *granted = who;
    if (granted->bytes + bytes > granted->most)
        return false;
    granted->bytes += bytes;
    return true;
}

/* [1,1,...], which the caller frees. */
static char *ones(size_t count)
{
    char *text = calloc(1, 2 * count + 2);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + 2 * i, i ? ",1" : "[1", 2);
    text[2 * count] = ']';
    return text;
}

TEST(test_budget)
{
    enum { COUNT = 100000, EACH = 32 + 8 };
    OWNED(free) char *text = ones(COUNT);
    struct granted granted = {.most = SIZE_MAX};
    struct json_budget budget = {.hold = grant_some, .who = &granted};
    json_t *json;
    json_error_t error;
    for (int i = 0; i < 3; i++) { /* one document after the other takes no more than the first */
        assert_int_equal(json_read_within(text, strlen(text), 0, &budget, &json, &error), NQ_OK);
        assert_int_equal(json_array_size(json), COUNT);
        assert_int_equal(budget.held, granted.bytes);
        assert_in_range(granted.bytes, COUNT * EACH, COUNT * (EACH + 40));
        json_free_within(json, &budget);
    }
    for (size_t most = 0; most < granted.bytes; most += granted.bytes / 7) {
        struct granted less = {.most = most};
        budget = (struct json_budget){.hold = grant_some, .who = &less};
        assert_int_equal(json_read_within(text, strlen(text), 0, &budget, &json, &error), NQ_BUSY);
        assert_null(json);
        assert_int_equal(budget.held, less.bytes);
    }
}

TEST(test_budget_and_no_memory)
{
    struct json_budget budget = {.hold = NULL};
    json_error_t error;
    for (size_t k = 1, reached = 1; reached; k++) {
        OWNED(json_decref) json_t *json = NULL;
        failing_at = k;
        const enum nq_status status = json_read_within(source, sizeof source - 1, 0, &budget, &json, &error);
        reached = failing_at == 0;
        failing_at = 0;
        assert_int_equal(status, reached ? NQ_NOMEM : NQ_OK);
        assert_true(reached == !json);
    }
    json_t *json;
    assert_int_equal(json_read_within("[1,", 3, 0, &budget, &json, &error), NQ_INVALID);
    assert_int_equal(error.position, 3);
    assert_int_equal(json_read_within(NULL, 0, 0, &budget, &json, &error), NQ_INVALID);
}

static unsigned looks;

static void note_look(struct stop_aside *aside)
{
    (void)aside;
    looks++;
}

/* Whoever reads or frees a large document looks around all the while, and stops in its midst. */
TEST(test_budget_looks_around)
{
    enum { COUNT = 100000 };
    OWNED(free) char *text = ones(COUNT);
    atomic_bool stop = false;
    struct stop_aside aside = {.wanted = true, .step_aside = note_look};
    struct json_budget budget = {.stop = &stop};
    json_t *json;
    json_error_t error;
    stop_aside = &aside;
    looks = 0;
    assert_int_equal(json_read_within(text, strlen(text), 0, &budget, &json, &error), NQ_OK);
    assert_in_range(looks, 2 * COUNT / 1024, 2 * COUNT / 512);
    looks = 0;
    json_free_within(json, &budget);
    assert_in_range(looks, COUNT / 512, COUNT / 512 + 1);
    stop = true;
    assert_int_equal(json_read_within(text, strlen(text), 0, &budget, &json, &error), NQ_CANCELLED);
    assert_null(json);
    stop_aside = NULL;
}

static int begin(void **state)
{
    (void)state;
    json_begin();
    return 0;
}

GROUP(begin, NULL)
