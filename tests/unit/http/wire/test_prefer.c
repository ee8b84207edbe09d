/* test_prefer.c - tests of src/http/wire/headers.c: what RFC 7240 calls well-formed is followed, the rest skipped. */
/* CI builds: address */
#include "http/wire/headers.h"

#include "support/facts.h"

/* Reads a field in memory of exactly its size, so that a sanitizer sees one byte too far. */
static void read_field(const char *field, bool *async, int *wait)
{
    OWNED(free) char *copy = strdup(field);
    assert_non_null(copy);
    prefer_read(copy, async, wait);
}

static void check(const char *field, bool async, int wait)
{
    bool got_async = false;
    int got_wait = -1;
    read_field(field, &got_async, &got_wait);
    if (got_async != async || got_wait != wait)
        fail_msg("\"%s\": %s, wait %d", field, got_async ? "async" : "not async", got_wait);
}

TEST(test_respond_async)
{
    static const char *const good[] = {"respond-async",
                                       "Respond-Async",
                                       "RESPOND-ASYNC",
                                       " respond-async ",
                                       "\trespond-async\t",
                                       "respond-async,",
                                       ",respond-async",
                                       ",,, respond-async",
                                       "respond-async;foo=bar",
                                       "respond-async ; foo",
                                       "respond-async; foo=\"a,b\"",
                                       "return=minimal, respond-async",
                                       "return=minimal,respond-async,handling=lenient",
                                       "foo=\"a, b\\\", c\", respond-async"};
    static const char *const bad[] = {"",
                                      " ",
                                      ",",
                                      "respond",
                                      "respond-asyn",
                                      "respond-asyncs",
                                      "respond_async",
                                      "xrespond-async",
                                      "foo respond-async",
                                      "foo=respond-async",
                                      "foo=\"respond-async\"",
                                      "foo=\", respond-async\"",
                                      "foo=\", respond-async",
                                      "foo=\"\\\", respond-async\"",
                                      "foo;respond-async",
                                      "\"respond-async\""};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        check(good[i], true, -1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check(bad[i], false, -1);
}

TEST(test_wait)
{
    static const struct {
        const char *field;
        int wait;
    } cases[] = {
        {"wait=0", 0},
        {"wait=1", 1},
        {"wait=10", 10},
        {"wait=007", 7},
        {"Wait=10", 10},
        {"WAIT=10", 10},
        {"wait=\"10\"", 10},
        {" wait=10 ", 10},
        {"wait=10;foo", 10},
        {"wait=10 ; foo=1", 10},
        {"wait=10,", 10},
        {"foo, wait=10", 10},
        {"foo=\"wait=7, wait=8\", wait=10", 10},
        {"wait=10, wait=20", 10}, /* the first one counts */
        {"wait=x, wait=20", 20},
        {"wait", -1},
        {"wait=", -1},
        {"wait= ", -1},
        {"wait=\"\"", -1},
        {"wait=\"10", -1},
        {"wait=10\"", -1},
        {"wait=-1", -1},
        {"wait=+1", -1},
        {"wait=1.5", -1},
        {"wait=1e3", -1},
        {"wait=10 20", -1},
        {"wait=ten", -1},
        {"waits=10", -1},
        {"awaits=10", -1},
        {"await=10", -1},
        {"foo;wait=10", -1},
        {"foo wait=10", -1},
        {"wait:10", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(cases[i].field, false, cases[i].wait);
}

/* Any number of digits is a long time, never a negative one. */
TEST(test_long_waits)
{
    char field[200] = "wait=";
    for (size_t digits = 1; digits < 150; digits++) {
        bool async = false;
        int wait = -1;
        field[4 + digits] = '9';
        field[5 + digits] = '\0';
        read_field(field, &async, &wait);
        assert_true(wait > 0 && (digits < 6 || wait > 86400));
    }
}

TEST(test_both)
{
    check("respond-async, wait=10", true, 10);
    check("wait=10,respond-async", true, 10);
    check("respond-async;wait=10", true, -1);                      /* that is a parameter, not a preference */
    check("handling=lenient, wait=100, respond-async", true, 100); /* RFC 7240, 2 */
}

/* Several fields are one list: the first `wait` counts. */
TEST(test_several_fields)
{
    bool async = false;
    int wait = -1;
    read_field("foo", &async, &wait);
    read_field("wait=5", &async, &wait);
    read_field("wait=6, respond-async", &async, &wait);
    read_field("", &async, &wait);
    assert_true(async);
    assert_int_equal(wait, 5);
}

/* Any short text can be read, and sets nothing that it does not contain. */
TEST(test_all_short_fields)
{
    static const char letters[] = "w=1,; \t\"\\";
    enum { LETTERS = sizeof letters - 1, LENGTH = 5 };
    char text[LENGTH + 1];
    for (unsigned number = 0; number < LETTERS * LETTERS * LETTERS * LETTERS * LETTERS; number++) {
        unsigned rest = number;
        for (size_t i = 0; i < LENGTH; i++, rest /= LETTERS)
            text[i] = letters[rest % LETTERS];
        text[LENGTH] = '\0';
        check(text, false, -1);
    }
}
