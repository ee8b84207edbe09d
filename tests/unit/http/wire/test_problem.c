/* test_problem.c - tests of src/http/wire/problem.c: every row of the table, every status it stands for, and whole
 * lines. */
/* CI builds: address */
#include "http/wire/problem.h"

#include "support/facts.h"
#include "support/parameter_table.h"

enum { PROBLEMS = PROBLEM_CLIENT_LEFT + 1 };

/* The whole line of a problem. */
static void check(enum problem problem, const char *detail, const struct problem_facts *facts, const char *line)
{
    BYTES(body);
    problem_write(&body, problem, detail, facts);
    bytes_char(&body, '\0');
    assert_false(body.failed);
    assert_string_equal(body.data, line);
}

#define INVALID(detail) \
    "{\"type\":\"urn:nqueensd:problem:invalid-parameter\",\"title\":\"Invalid " \
    "parameter\",\"status\":400,\"detail\":\"" detail "\""

TEST(test_every_problem)
{
    for (int i = 0; i < PROBLEMS; i++) {
        const struct problem_row *row = problem_row((enum problem)i);
        char line[400];
        (void)snprintf(line, sizeof line,
                       "{\"type\":\"urn:nqueensd:problem:%s\",\"title\":\"%s\",\"status\":%u,"
                       "\"detail\":\"A detail with \\\"quotes\\\", \\\\ and\\n a line feed.\"}\n",
                       row->slug, row->title, row->status);
        check((enum problem)i, "A detail with \"quotes\", \\ and\n a line feed.", NULL, line);
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
    const struct problem_facts facts = {.errors = &errors};
    BYTES(line);
    check(PROBLEM_INVALID_PARAMETER, "Nothing.", &facts, INVALID("Nothing.") "}\n");
    bytes_text(&line, INVALID("Several.") ",\"errors\":[");
    for (int i = 0; i < VALIDATION_ERRORS_MAX + 3; i++) {
        reject_param(&errors, i % 2 ? REFUSED_ONLY_COUNTED : REFUSED_SYNTAX, i ? "limit" : "<\"\\>",
                     "is bad, for the %d. time", i);
        if (i < VALIDATION_ERRORS_MAX)
            bytes_format(&line, "%s{\"parameter\":\"%s\",\"code\":\"%s\",\"reason\":\"is bad, for the %d. time\"}",
                         i ? "," : "", i ? "limit" : "<\\\"\\\\>", i % 2 ? "only-counted" : "syntax", i);
    }
    bytes_text(&line, "]}\n");
    bytes_char(&line, '\0');
    check(PROBLEM_INVALID_PARAMETER, "Several.", &facts, line.data);
}

/* What may be given stands in the order of the table: words of a choice, or names of parameters; beside them what is
 * meant. */
TEST(test_choices_and_suggestion)
{
#define NAMES \
    "\"choices\":[\"n\",\"limit\",\"count\",\"colour\",\"shade\",\"tint\",\"rows\",\"places\",\"factors\",\"text\"," \
    "\"before\",\"after\",\"cursor\"]"
    struct params query;
    query_begin(&query);
    query_text(&query, "LIMIT", "1");
    query_text(&query, "colour", "purple");
    query_text(&query, "zzzzzz", "1");
    static const char line[] = INVALID(
        "Several.") ",\"errors\":["
                    "{\"parameter\":\"LIMIT\",\"code\":\"unknown-parameter\","
                    "\"reason\":\"is not a parameter of this route; the nearest is limit\"," NAMES
                    ",\"suggestion\":\"limit\"},"
                    "{\"parameter\":\"colour\",\"code\":\"not-a-choice\","
                    "\"reason\":\"must be one of red, green, blue-ish\",\"choices\":[\"red\",\"green\",\"blue-ish\"]},"
                    "{\"parameter\":\"zzzzzz\",\"code\":\"unknown-parameter\","
                    "\"reason\":\"is not a parameter of this route\"," NAMES "}]}\n";
    check(PROBLEM_INVALID_PARAMETER, "Several.", &(struct problem_facts){.errors = &query.errors}, line);
}

/* The target that a wrong path means is a member of the problem itself. A limit of 0 is a limit, too: a key may have no
 * jobs. */
TEST(test_facts)
{
#define TOO_MANY(maximum) \
    "{\"type\":\"urn:nqueensd:problem:too-many-requests\",\"title\":\"Too many requests\",\"status\":429," \
    "\"detail\":\"No more.\",\"quota\":\"jobs\",\"maximum\":" maximum "}\n"
    check(PROBLEM_NOT_FOUND, "Not here.", &(struct problem_facts){.suggestion = "/solve?n=8"},
          "{\"type\":\"urn:nqueensd:problem:not-found\",\"title\":\"Not found\",\"status\":404,"
          "\"detail\":\"Not here.\",\"suggestion\":\"/solve?n=8\"}\n");
    check(PROBLEM_TOO_MANY, "No more.", &(struct problem_facts){.limited = true, .maximum = 0, .quota = "jobs"},
          TOO_MANY("0"));
    check(PROBLEM_TOO_MANY, "No more.", &(struct problem_facts){.limited = true, .maximum = 1, .quota = "jobs"},
          TOO_MANY("1"));
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
