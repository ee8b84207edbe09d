/* test_accept.c - tests of src/http/wire/headers.c: which range decides, its quality, and which ranges are skipped. */
/* CI builds: address */
#include "http/wire/headers.h"

#include "support/facts.h"

struct row {
    const char *header;
    int precision, quality;
};

static void check(const struct row *rows, size_t count, void (*read)(const char *, const char *, struct accept *),
                  const char *of)
{
    for (size_t i = 0; i < count; i++) {
        struct accept accept = ACCEPT_UNREAD;
        read(rows[i].header, of, &accept);
        if (accept.precision != rows[i].precision || accept.quality != rows[i].quality)
            fail_msg("\"%s\" gives %d, %d of %s", rows[i].header, accept.precision, accept.quality, of);
    }
}
#define CHECK_AS(rows, read, of) check(rows, sizeof(rows) / sizeof(rows)[0], read, of)
#define CHECK(rows, media_type) CHECK_AS(rows, accept_read, media_type)

TEST(test_ranges)
{
    static const struct row rows[] = {
        {"application/json", 3, 1000},
        {"application/*", 2, 1000},
        {"*/*", 1, 1000},
        {"APPLICATION/JSON", 3, 1000},
        {"Application/*", 2, 1000},
        {"text/html", 0, 0},
        {"text/*", 0, 0},
        {"application/x-ndjson", 0, 0},
        {"application/jso", 0, 0},
        {"application/jsonl", 0, 0},
        {"application/", 0, 0},
        {"application", 0, 0},
        {"json", 0, 0},
        {"*/json", 0, 0},
        {"*", 1, 1000},
        {"*/", 0, 0},
        {"/*", 0, 0},
        {"/", 0, 0},
        {"application/**", 0, 0},
        {"applicatio/*", 0, 0},
        {"", 0, 0},
        {" ", 0, 0},
        {",", 0, 0},
        {";", 0, 0},
        {",,;q=1,;", 0, 0},
    };
    CHECK(rows, "application/json");
}

TEST(test_qualities)
{
    static const struct row rows[] = {
        {"application/json;q=1", 3, 1000},
        {"application/json;q=1.", 3, 1000},
        {"application/json;q=1.000", 3, 1000},
        {"application/json;q=0", 3, 0},
        {"application/json;q=0.", 3, 0},
        {"application/json;q=0.000", 3, 0},
        {"application/json;q=0.5", 3, 500},
        {"application/json;q=0.05", 3, 50},
        {"application/json;q=0.005", 3, 5},
        {"application/json;q=0.999", 3, 999},
        {"application/json;Q=0.5", 3, 500},
        {"application/json; q=0.5", 3, 500},
        {"application/json ;q=0.5", 3, 500},
        {"application/json\t;\tq=0.5\t", 3, 500},
        {"*/*;q=0.1", 1, 100},
        {"application/*;q=0.25", 2, 250},
        {"application/json;v=1;q=0.5", 3, 500},
        {"application/json;q=0.5;ext=1", 3, 500},
        {"application/json;charset=utf-8", 3, 1000},
        {"application/json;qq=0.5", 3, 1000},
        {"application/json;", 3, 1000},
        {"application/json;;;q=0.5", 3, 500},
    };
    CHECK(rows, "application/json");
}

/* A range with a malformed quality is skipped, and the others decide; it does not exclude. */
TEST(test_malformed_qualities)
{
    static const char *const bad[] = {"",    "2",    "1.1",   "1.001", "-1",   "-0.5", "+1",   ".",    "0.5x",
                                      "0.x", "1e0",  "0x1",   "01",    "00.5", "0 .5", "0. 5", "\"",   "0.5 0",
                                      "one", "\"\"", "1.00a", "10",    "0..",  "NaN",  " 1",   "\"2\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char alone[64], others[96], refused[96];
        (void)snprintf(alone, sizeof alone, "application/json;q=%s", bad[i]);
        (void)snprintf(others, sizeof others, "*/*;q=0.25,%s,text/html", alone);
        (void)snprintf(refused, sizeof refused, "*/*;q=0,%s,text/html", alone);
        const struct row rows[] = {{alone, 0, 1}, {others, 1, 250}, {refused, 1, 0}};
        if (!strchr(bad[i], '"')) /* an open quote takes in what follows */
            CHECK(rows, "application/json");
    }
}

/* What clients write that no grammar has, though there is one meaning. */
TEST(test_sloppy_qualities)
{
    static const struct row rows[] = {
        {"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", 1, 200}, /* Java before 2023 */
        {"*;q=.2", 1, 200},
        {"*/*;q=.2", 1, 200},
        {"*/*;q=0.8000", 1, 800},
        {"*/*;q=0.0001", 1, 0},
        {"*/*;q=1.0000", 1, 1000},
        {"*/*;q=\"0.5\"", 1, 500},
        {"application/json;q=.5, */*;q=.9", 3, 500},
    };
    CHECK(rows, "application/json");
}

/* The most precise range decides, wherever it is and however low its quality. */
TEST(test_precision_goes_first)
{
    static const struct row rows[] = {
        {"*/*;q=1,application/*;q=0.5,application/json;q=0.1", 3, 100},
        {"application/json;q=0.1,application/*;q=0.5,*/*;q=1", 3, 100},
        {"application/*;q=0.5, */*;q=1", 2, 500},
        {"*/*, application/json;q=0", 3, 0},
        {"application/json;q=0, */*", 3, 0},
        {"application/*;q=0, */*;q=0.9", 2, 0},
        {"text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", 1, 800},
        {"text/html;q=0.2,text/plain;q=0.3", 0, 0},
        {"application/json;q=0.2,application/json;q=0.7,application/json;q=0.4", 3, 700},
        {" ,\t, application/json;q=0.3 , ,", 3, 300},
    };
    CHECK(rows, "application/json");
}

/* A type with parameters of its own is matched without them. */
TEST(test_types_with_parameters)
{
    static const struct row rows[] = {
        {"text/plain", 3, 1000},
        {"text/plain;version=0.0.4;q=0.5", 3, 500},
        {"text/*", 2, 1000},
        {"text/plai", 0, 0},
        {"text/plainer", 0, 0},
        {"application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1", 3, 300},
    };
    CHECK(rows, "text/plain; version=0.0.4; charset=utf-8");
}

/* Several fields are one list. */
TEST(test_several_headers)
{
    struct accept accept = ACCEPT_UNREAD;
    accept_read("*/*;q=0.9", "application/json", &accept);
    accept_read("", "application/json", &accept);
    accept_read("text/html", "application/json", &accept);
    assert_int_equal(accept.precision, 1);
    assert_int_equal(accept.quality, 900);
    accept_read("application/json;q=0.2", "application/json", &accept);
    accept_read("application/*", "application/json", &accept);
    assert_int_equal(accept.precision, 3);
    assert_int_equal(accept.quality, 200);
    accept_read("application/json;q=0.4", "application/json", &accept);
    assert_int_equal(accept.quality, 400);
}

/* Commas, semicolons and more may be between quotes (RFC 9110, 5.6.4), where they end nothing. */
TEST(test_quoted_parameters)
{
    static const struct row rows[] = {
        {"application/json;profile=\"a\";q=0.5", 3, 500},
        {"application/json;profile=\"a,b\";q=0.5", 3, 500},
        {"application/json;profile=\"a;q=1;b\";q=0.5", 3, 500},
        {"application/json;profile=\"a\\\",b\";q=0", 3, 0},
        {"text/html;profile=\"application/json,application/json\"", 0, 0},
    };
    CHECK(rows, "application/json");
}

/* The result of one Accept-Language header for a language. */
TEST(test_languages)
{
    static const struct row rows[] = {
        {"it", 3, 1000},
        {"IT", 3, 1000},
        {"it-CH", 2, 1000},
        {"*", 1, 1000},
        {"ita", 0, 0},
        {"i", 0, 0},
        {"-it", 0, 0},
        {"en", 0, 0},
        {"", 0, 0},
        {"it;q=0", 3, 0},
        {"it;q=2", 0, 1},
        {"it-CH;q=0.9, it;q=0.5", 3, 500},
        {"de, it-IT;q=0.7, *;q=0.1", 2, 700},
        {"en-GB,en;q=0.9,*;q=0.25", 1, 250},
    };
    CHECK_AS(rows, accept_language_read, "it");
}

/* The result of one Accept-Encoding header for gzip. */
TEST(test_codings)
{
    static const struct row rows[] = {
        {"gzip", 3, 1000},
        {"GZip", 3, 1000},
        {"x-gzip;q=0.3", 3, 300},
        {"*", 1, 1000},
        {"*;q=0.2, gzip;q=0", 3, 0},
        {"deflate, gzip;q=0.5, br", 3, 500},
        {"gzi", 0, 0},
        {"gzipp", 0, 0},
        {"x-", 0, 0},
        {"x-x-gzip", 0, 0},
        {"identity", 0, 0},
        {"", 0, 0},
    };
    CHECK_AS(rows, accept_encoding_read, "gzip");
}
