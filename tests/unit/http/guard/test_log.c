/* test_log.c - tests of src/http/guard/log.c: one line for each request and event, whatever clients send. */
/* CI builds: address */
#include "http/guard/log.h"

#include "support/captured_log.h"

/* Targets that try to end the line, the string or the terminal. */
static const char *const hostile[] = {
    "/solve?n=8",
    "",
    "\"",
    "\\",
    "\\\"",
    "/\",\"status\":200,\"x\":\"",
    "/a\nb",
    "/a\r\n2026-01-01T00:00:00.000Z GET \"/forged\" 200",
    "/\x1b[2J\x1b[31m",
    "/\x7f\x01\x1f\t\b\f\v",
    "/\xc3\xa9\xe2\x99\x9b\xf0\x9f\x91\x91",
    "/\xff\xfe\xc0\x80\xed\xa0\x80",
    "/\\u0041\\n",
    "/%00%0a%22",
    "/'<>&$`;|",
};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static struct log_request request_of(const char *target)
{
    return (struct log_request){
        .client = "192.0.2.7",
        .trace = "",
        .job = "",
        .id = "id-1",
        .method = "GET",
        .route = "/solve",
        .target = target,
        .cache = "miss",
        .status = 200,
        .bytes = UINT64_C(12345678901),
        .nanoseconds = UINT64_C(1234567890),
    };
}

static struct log *new_log(bool json)
{
    struct log *log = log_new(json);
    assert_non_null(log);
    return log;
}

static const char *word(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    if (!text)
        fail_msg("no \"%s\"", key);
    return text;
}

/* "2026-11-21T01:38:00.123Z" */
static void assert_time(const char *text, size_t size)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    assert_int_equal(size, strlen(shape));
    for (size_t i = 0; i < size; i++)
        assert_true(shape[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i]);
}

/* Each byte of the target as the log shows it in JSON: what is not printable ASCII is a code of its own. */
static void assert_shows(const char *shown, const char *target)
{
    for (; *target; target++) {
        const unsigned char byte = (unsigned char)*target;
        if (byte < 0x80) {
            assert_int_equal((unsigned char)*shown++, byte);
        } else { /* U+0080 to U+00ff in UTF-8 */
            assert_int_equal((unsigned char)*shown++, 0xc0 | byte >> 6);
            assert_int_equal((unsigned char)*shown++, 0x80 | (byte & 0x3f));
        }
    }
    assert_int_equal(*shown, '\0');
}

/* The next line of what was captured, all of printable ASCII. */
static const char *next_line(char **rest)
{
    const char *line = capture_line(rest);
    assert_non_null(line);
    for (const char *at = line; *at; at++)
        assert_true(*at >= ' ' && *at <= '~');
    return line;
}

/* A line of request_of(target) in JSON. */
static void check_json(const char *line, const char *target)
{
    OWNED(json_decref) json_t *json = capture_json(line);
    assert_time(word(json, "time"), strlen(word(json, "time")));
    assert_string_equal(word(json, "event"), "request");
    assert_string_equal(word(json, "id"), "id-1");
    assert_string_equal(word(json, "method"), "GET");
    assert_string_equal(word(json, "route"), "/solve");
    assert_string_equal(word(json, "cache"), "miss");
    assert_int_equal(facts_get(json, "status"), 200);
    assert_int_equal(facts_get(json, "bytes"), UINT64_C(12345678901));
    assert_true(json_real_value(json_object_get(json, "seconds")) == 1.234567);
    assert_shows(word(json, "target"), target);
}

/* The same in text, where the target is quoted as JSON is. */
static void check_text(const char *line, const char *target)
{
    static const char *const parts[] = {" id-1", " GET", " /solve", " 200", " 12345678901", " 1.234567", " miss"};
    assert_time(line, strcspn(line, " "));
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        assert_non_null(strstr(line, parts[k]));
    const char *quote = strchr(line, '"'), *end = strrchr(line, '"');
    assert_true(quote && end > quote);
    OWNED(json_decref) json_t *json = json_loadb(quote, (size_t)(end - quote) + 1, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    assert_shows(json_string_value(json), target);
}

/* One line each, in either form. Events are libmicrohttpd's messages, which may contain anything, too. */
TEST(test_requests_and_events)
{
    for (int json = 0; json < 2; json++) {
        struct log *log = new_log(json);
        capture_begin();
        for (int i = 0; i < HOSTILE; i++) {
            const struct log_request request = request_of(hostile[i]);
            log_request(log, &request);
            log_event(log, "libmicrohttpd", hostile[i]);
        }
        log_free(log);
        char *text = capture_end(NULL), *rest = text;
        for (int i = 0; i < HOSTILE; i++) {
            (json ? check_json : check_text)(next_line(&rest), hostile[i]);
            assert_non_null(strstr(next_line(&rest), "libmicrohttpd"));
        }
        assert_null(capture_line(&rest));
        free(text);
    }
}

/* Fields that only some lines have have their names in text, too. */
TEST(test_optional_fields)
{
    struct log_request plain = request_of("/plain"), full = request_of("/full");
    const struct job_news begun = {
        .id = "78f747491b34a98c", .path = "/count?n=16", .what = "begun", .why = "", .trace = "t1"};
    const struct job_news failed = {.id = "78f747491b34a98c",
                                    .path = "/count?n=16",
                                    .what = "failed",
                                    .why = "no \"memory\"\n",
                                    .trace = "",
                                    .over = true,
                                    .nanoseconds = UINT64_C(2500000000),
                                    .cost = {.nodes = 7, .nanoseconds = UINT64_C(3000000000)}};
    static const char *const tails[2][4] = {
        {" miss 192.0.2.7", " wait=0.001500 cpu=0.004567 nodes=123 job=78f747491b34a98c trace=t1 span=s1 parent=p1",
         " job 78f747491b34a98c begun \"/count?n=16\" trace=t1",
         " failed \"/count?n=16\" seconds=2.500000 cpu=3.000000 nodes=7 why=\"no \\\"memory\\\"\\u000a\""},
        {"\"client\":\"192.0.2.7\"}",
         ",\"wait\":0.001500,\"cpu\":0.004567,\"nodes\":123,\"job\":\"78f747491b34a98c\",\"trace\":\"t1\",\"span\":"
         "\"s1\","
         "\"parent\":\"p1\"}",
         "\"event\":\"job\",\"id\":\"78f747491b34a98c\",\"state\":\"begun\",\"query\":\"/"
         "count?n=16\",\"trace\":\"t1\"}",
         "\"state\":\"failed\",\"query\":\"/"
         "count?n=16\",\"seconds\":2.500000,\"cpu\":3.000000,\"nodes\":7,\"why\":\"no "
         "\\\"memory\\\"\\u000a\"}"},
    };
    full.searched = true;
    full.waited = 1500000;
    full.cost = (struct cost){.nodes = 123, .nanoseconds = 4567000};
    full.job = "78f747491b34a98c";
    full.trace = "t1";
    full.span = "s1";
    full.parent = "p1";
    for (int json = 0; json < 2; json++) {
        struct log *log = new_log(json);
        capture_begin();
        log_request(log, &plain);
        log_request(log, &full);
        log_job(log, &begun);
        log_job(log, &failed);
        log_free(log);
        char *text = capture_end(NULL), *rest = text;
        for (int i = 0; i < 4; i++) {
            const char *line = capture_line(&rest), *tail = tails[json][i];
            assert_non_null(line);
            assert_true(strlen(line) > strlen(tail));
            assert_string_equal(line + strlen(line) - strlen(tail), tail);
            if (json)
                json_decref(capture_json(line));
        }
        assert_null(capture_line(&rest));
        free(text);
    }
}

/* Lines of requests wait for a flush; events are written at once, with all lines before them. */
TEST(test_flushing)
{
    const struct log_request request = request_of("/first");
    struct log *log = new_log(true);
    capture_begin();
    log_flush(log);
    log_request(log, &request);
    OWNED(free) char *before = capture_end(NULL);
    capture_begin();
    log_event(log, "stopping", "SIGTERM \"now\"\n");
    char *after = capture_end(NULL), *rest = after;
    log_free(log);
    assert_string_equal(before, "");
    json_t *json = capture_json(capture_line(&rest));
    assert_string_equal(word(json, "target"), "/first");
    json_decref(json);
    json = capture_json(capture_line(&rest));
    assert_string_equal(word(json, "event"), "stopping");
    assert_string_equal(word(json, "text"), "SIGTERM \"now\"\n");
    assert_time(word(json, "time"), strlen(word(json, "time")));
    json_decref(json);
    assert_null(capture_line(&rest));
    free(after);
}

TEST(test_listening)
{
    static const char *const admins[] = {"127.0.0.1:9090", ""};
    for (int i = 0; i < 2; i++) {
        struct log *json_log = new_log(true), *text_log = new_log(false);
        capture_begin();
        log_listening(json_log, "[::1]:8080", admins[i]);
        log_listening(text_log, "[::1]:8080", admins[i]);
        char *text = capture_end(NULL), *rest = text;
        log_free(json_log);
        log_free(text_log);
        json_t *json = capture_json(capture_line(&rest));
        assert_string_equal(word(json, "event"), "listening");
        assert_string_equal(word(json, "address"), "[::1]:8080");
        assert_string_equal(word(json, "admin"), *admins[i] ? admins[i] : "off");
        json_decref(json);
        const char *line = capture_line(&rest);
        assert_time(line, strcspn(line, " "));
        assert_non_null(strstr(line, "listening on http://[::1]:8080 "));
        assert_null(capture_line(&rest));
        free(text);
    }
}
