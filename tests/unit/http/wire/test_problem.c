/* test_problem.c - tests of src/http/wire/problem.c: every row of the table, every status it stands for, and the
 * JSON.
 */
/* CI builds: address */
#include "http/wire/problem.h"

#include "support/facts.h"
#include "support/parameter_table.h"

enum { PROBLEMS = PROBLEM_CLIENT_LEFT + 1 };

static json_t *write_json(enum problem problem, const char *detail, const struct validation_errors *errors)
{
    struct bytes body = {0};
    problem_write(&body, problem, detail, errors ? &(struct problem_facts){.errors = errors} : NULL);
    assert_false(body.failed);
    assert_true(body.size > 1);
    assert_int_equal(body.data[body.size - 1], '\n');
    assert_null(memchr(body.data, '\n', body.size - 1)); /* one line */
    json_error_t error;
    json_t *json = json_loadb(body.data, body.size, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s", error.text);
    bytes_free(&body);
    return json;
}

static const char *text(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));
    assert_non_null(value);
    return value;
}

TEST(test_every_problem)
{
    static const char prefix[] = "urn:nqueensd:problem:";
    for (int i = 0; i < PROBLEMS; i++) {
        const struct problem_row *row = problem_row((enum problem)i);
        json_t *json = write_json((enum problem)i, "A detail with \"quotes\", \\ and\n a line feed.", NULL);
        assert_int_equal(json_object_size(json), 4);
        assert_int_equal(strncmp(text(json, "type"), prefix, strlen(prefix)), 0);
        assert_string_equal(text(json, "type") + strlen(prefix), row->slug);
        assert_string_equal(text(json, "title"), row->title);
        assert_int_equal(facts_get(json, "status"), row->status);
        assert_string_equal(text(json, "detail"), "A detail with \"quotes\", \\ and\n a line feed.");
        json_decref(json);
    }
}

/* Rows are valid HTTP, and no two have the same slug or title. */
TEST(test_rows)
{
    for (int i = 0; i < PROBLEMS; i++) {
        const struct problem_row *row = problem_row((enum problem)i);
        assert_true(row->status >= 400 && row->status <= 599);
        assert_true(strlen(row->slug) > 0);
        assert_int_equal(strspn(row->slug, "abcdefghijklmnopqrstuvwxyz-"), strlen(row->slug));
        assert_true(row->title[0] >= 'A' && row->title[0] <= 'Z');
        if (row->retry_after) { /* seconds, and only where waiting helps */
            assert_true(row->status == 429 || row->status == 503);
            assert_true(strlen(row->retry_after) > 0);
            assert_int_equal(strspn(row->retry_after, "0123456789"), strlen(row->retry_after));
        }
        assert_int_equal(row->status == 401, row->challenge && strncmp(row->challenge, "Bearer ", 7) == 0);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(row->slug, problem_row((enum problem)k)->slug);
            assert_string_not_equal(row->title, problem_row((enum problem)k)->title);
        }
    }
}

TEST(test_status_of_each)
{
    static const struct {
        enum problem problem;
        unsigned status;
        bool close; /* the rest of what arrives may be anything */
    } cases[] = {
        {PROBLEM_BAD_REQUEST, 400, true},         {PROBLEM_INVALID_PARAMETER, 400, false},
        {PROBLEM_KEY_NEEDED, 401, false},         {PROBLEM_KEY_UNKNOWN, 401, false},
        {PROBLEM_FORBIDDEN, 403, false},          {PROBLEM_NOT_FOUND, 404, false},
        {PROBLEM_METHOD_NOT_ALLOWED, 405, false}, {PROBLEM_NOT_ACCEPTABLE, 406, false},
        {PROBLEM_REQUEST_TIMEOUT, 408, true},     {PROBLEM_BODY_TOO_LARGE, 413, true},
        {PROBLEM_URI_TOO_LONG, 414, true},        {PROBLEM_MEDIA_TYPE, 415, false},
        {PROBLEM_BEYOND_LIMIT, 422, false},       {PROBLEM_NO_SOLUTION, 422, false},
        {PROBLEM_TOO_MANY, 429, false},           {PROBLEM_HEADERS_TOO_LARGE, 431, true},
        {PROBLEM_INTERNAL, 500, false},           {PROBLEM_METHOD_UNKNOWN, 501, true},
        {PROBLEM_HTTP_VERSION, 505, false},       {PROBLEM_BUSY, 503, false},
        {PROBLEM_TOO_SLOW, 503, false},           {PROBLEM_OUT_OF_MEMORY, 503, false},
        {PROBLEM_STORE_UNREAD, 503, false},       {PROBLEM_SHUTTING_DOWN, 503, true},
        {PROBLEM_CLIENT_LEFT, 503, true},
    };
    assert_int_equal(sizeof cases / sizeof cases[0], PROBLEMS);
    for (int i = 0; i < PROBLEMS; i++) {
        assert_int_equal(cases[i].problem, i);
        assert_int_equal(problem_row(cases[i].problem)->status, cases[i].status);
        assert_int_equal(problem_row(cases[i].problem)->close, cases[i].close);
    }
    static const enum problem passing[] = {PROBLEM_BUSY, PROBLEM_TOO_SLOW, PROBLEM_OUT_OF_MEMORY,
                                           PROBLEM_SHUTTING_DOWN};
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++)
        assert_non_null(problem_row(passing[i])->retry_after);
}

TEST(test_problem_of_status)
{
    static const struct {
        enum nq_status status;
        enum problem problem;
    } cases[] = {
        {NQ_OK, PROBLEM_INTERNAL},
        {NQ_END, PROBLEM_INTERNAL},
        {NQ_AGAIN, PROBLEM_INTERNAL},
        {NQ_INVALID, PROBLEM_INVALID_PARAMETER},
        {NQ_LIMIT, PROBLEM_BEYOND_LIMIT},
        {NQ_NONE, PROBLEM_NO_SOLUTION},
        {NQ_NOMEM, PROBLEM_OUT_OF_MEMORY},
        {NQ_CANCELLED, PROBLEM_CLIENT_LEFT},
        {NQ_BUSY, PROBLEM_BUSY},
        {NQ_TIMEOUT, PROBLEM_TOO_SLOW},
        {NQ_CLOSED, PROBLEM_SHUTTING_DOWN},
        {NQ_BROKEN, PROBLEM_INTERNAL},
        {NQ_DENIED, PROBLEM_FORBIDDEN},
        {NQ_QUOTA, PROBLEM_TOO_MANY},
    };
    assert_int_equal(sizeof cases / sizeof cases[0], NQ_QUOTA + 1);
    for (int i = 0; i <= (int)NQ_QUOTA; i++) {
        assert_int_equal(cases[i].status, i);
        assert_int_equal(problem_of(cases[i].status), cases[i].problem);
    }
    assert_int_equal(problem_of((enum nq_status)(NQ_QUOTA + 1)), PROBLEM_INTERNAL);
}

TEST(test_validation_errors)
{
    struct validation_errors errors = {0};
    json_t *json = write_json(PROBLEM_INVALID_PARAMETER, "Nothing.", &errors);
    assert_null(json_object_get(json, "errors"));
    json_decref(json);
    for (int i = 0; i < VALIDATION_ERRORS_MAX + 3; i++)
        reject_param(&errors, i % 2 ? REFUSED_ONLY_COUNTED : REFUSED_SYNTAX, i ? "limit" : "<\"\\>",
                     "is bad, for the %d. time", i);
    json = write_json(PROBLEM_INVALID_PARAMETER, "Several.", &errors);
    assert_int_equal(json_object_size(json), 5);
    const json_t *members = json_object_get(json, "errors");
    assert_int_equal(json_array_size(members), VALIDATION_ERRORS_MAX);
    for (size_t i = 0; i < VALIDATION_ERRORS_MAX; i++) {
        const json_t *error = json_array_get(members, i);
        char reason[64];
        (void)snprintf(reason, sizeof reason, "is bad, for the %zu. time", i);
        assert_int_equal(json_object_size(error), 3);
        assert_string_equal(text(error, "code"), i % 2 ? "only-counted" : "syntax");
        assert_string_equal(text(error, "parameter"), i ? "limit" : "<\"\\>");
        assert_string_equal(text(error, "reason"), reason);
    }
    json_decref(json);
}

/* What may be given stands in the order of the table: words of a choice, or names of parameters; beside them what is
 * meant. */
TEST(test_choices_and_suggestion)
{
    struct params query;
    query_begin(&query);
    query_text(&query, "LIMIT", "1");
    query_text(&query, "colour", "purple");
    query_text(&query, "zzzzzz", "1");
    json_t *json = write_json(PROBLEM_INVALID_PARAMETER, "Several.", &query.errors);
    const json_t *members = json_object_get(json, "errors"), *named = json_array_get(members, 0),
                 *chosen = json_array_get(members, 1), *other = json_array_get(members, 2);
    assert_int_equal(json_array_size(members), 3);
    assert_string_equal(text(named, "suggestion"), "limit");
    const json_t *names = json_object_get(named, "choices"), *words = json_object_get(chosen, "choices");
    assert_int_equal(json_array_size(names), PARAMS);
    for (size_t i = 0; i < PARAMS; i++)
        assert_string_equal(json_string_value(json_array_get(names, i)), query_rows[i].name);
    assert_int_equal(json_array_size(words), 3);
    assert_string_equal(json_string_value(json_array_get(words, 2)), "blue-ish");
    assert_null(json_object_get(chosen, "suggestion"));
    assert_null(json_object_get(other, "suggestion"));
    assert_int_equal(json_array_size(json_object_get(other, "choices")), PARAMS);
    json_decref(json);
}

/* The target that a wrong path means is a member of the problem itself. */
TEST(test_suggested_target)
{
    BYTES(body);
    problem_write(&body, PROBLEM_NOT_FOUND, "Not here.", &(struct problem_facts){.suggestion = "/solve?n=8"});
    json_t *json = json_loadb(body.data, body.size, JSON_REJECT_DUPLICATES, NULL);
    assert_int_equal(json_object_size(json), 5);
    assert_string_equal(text(json, "suggestion"), "/solve?n=8");
    json_decref(json);
}

/* A text that JSON cannot have fails the whole body, which is then not sent. */
TEST(test_invalid_utf8)
{
    BYTES(body);
    struct validation_errors errors = {0};
    reject_param(&errors, REFUSED_SYNTAX, "n", "is bad");
    problem_write(&body, PROBLEM_INTERNAL, "\xff\xfe", &(struct problem_facts){.errors = &errors});
    assert_true(body.failed);
}

/* It appends. */
TEST(test_append)
{
    BYTES(body);
    bytes_text(&body, "before ");
    problem_write(&body, PROBLEM_NOT_FOUND, "There is nothing.", NULL);
    assert_memory_equal(body.data, "before {\"", 9);
}

/* A limit of 0 is a limit, too: a key may have no jobs. */
TEST(test_limits)
{
    for (uint64_t maximum = 0; maximum < 2; maximum++) {
        BYTES(body);
        problem_write(&body, PROBLEM_TOO_MANY, "No more.",
                      &(struct problem_facts){.limited = true, .maximum = maximum, .quota = "jobs"});
        json_t *json = json_loadb(body.data, body.size, JSON_REJECT_DUPLICATES, NULL);
        assert_int_equal(json_object_size(json), 6);
        assert_int_equal(facts_get(json, "maximum"), maximum);
        assert_string_equal(text(json, "quota"), "jobs");
        json_decref(json);
    }
}
