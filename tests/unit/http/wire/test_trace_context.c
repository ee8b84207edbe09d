/* test_trace_context.c - tests of src/http/wire/headers.c: it accepts as traceparent what W3C Trace Context does,
 * and nothing else. */
/* CI builds: address */
#include "http/wire/headers.h"

#include "support/facts.h"

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"
#define LONG_TAIL "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"

TEST(test_sound)
{
    static const struct {
        const char *text;
        bool sampled;
    } rows[] = {
        {"00-" TRACE "-" PARENT "-00", false},
        {"00-" TRACE "-" PARENT "-00 \t ", false}, /* blanks behind a field's value are not part of it */
        {"00-" TRACE "-" PARENT "-01", true},
        {"00-" TRACE "-" PARENT "-02", false}, /* of the flags only the lowest bit is known */
        {"00-" TRACE "-" PARENT "-ff", true},
        {"00-" TRACE "-" PARENT "-fe", false},
        {"01-" TRACE "-" PARENT "-01", true}, /* later versions, as far as they begin like this one */
        {"cc-" TRACE "-" PARENT "-01-what-the-future-will-be-like", true},
        {"fe-" TRACE "-" PARENT "-00-", false},
        {"0f-" TRACE "-" PARENT "-03-" LONG_TAIL, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct trace_context context;
        char reply[TRACE_RESPONSE_SIZE];
        trace_read(&context, rows[i].text, i);
        if (strcmp(context.trace, TRACE) != 0)
            fail_msg("%s: \"%s\"", rows[i].text, context.trace);
        assert_string_equal(context.parent, PARENT);
        assert_int_equal(context.sampled, rows[i].sampled);
        assert_int_equal(strspn(context.span, "0123456789abcdef"), SPAN_ID_SIZE - 1);
        assert_string_not_equal(context.span, "0000000000000000");
        trace_respond(&context, reply);
        assert_int_equal(strlen(reply), TRACE_RESPONSE_SIZE - 1);
        assert_memory_equal(reply, "00-" TRACE "-", 36);
        assert_memory_equal(reply + 36, context.span, SPAN_ID_SIZE - 1);
        assert_string_equal(reply + 52, rows[i].sampled ? "-01" : "-00");
    }
}

TEST(test_malformed)
{
    static const char *const rows[] = {
        NULL,
        "",
        "-",
        "00",
        "00-",
        TRACE,
        "ff-" TRACE "-" PARENT "-01", /* this version is forbidden */
        "ff-" TRACE "-" PARENT "-01-and-more",
        "00-" TRACE "-" PARENT "-01-", /* the first version has this length */
        "00-" TRACE "-" PARENT "-01.",
        "00-" TRACE "-" PARENT "-01-what-the-future-will-be-like",
        "cc-" TRACE "-" PARENT "-01.what-the-future-will-be-like", /* any version continues after a dash */
        "cc-" TRACE "-" PARENT "-01a",
        "0-" TRACE "-" PARENT "-01", /* fields too short, too long, or of other letters */
        "000-" TRACE "-" PARENT "-01",
        ".0-" TRACE "-" PARENT "-01",
        "0.-" TRACE "-" PARENT "-01",
        "0A-" TRACE "-" PARENT "-01",
        "00-" TRACE "0-" PARENT "-01",
        "00-0af7651916cd43dd8448eb211c80319-" PARENT "-01",
        "00-.af7651916cd43dd8448eb211c80319c-" PARENT "-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01",
        "00-00000000000000000000000000000000-" PARENT "-01", /* none */
        "00-" TRACE "-" PARENT "0-01",
        "00-" TRACE "-b7ad6b716920333-01",
        "00-" TRACE "-.7ad6b7169203331-01",
        "00-" TRACE "-B7AD6B7169203331-01",
        "00-" TRACE "-0000000000000000-01",
        "00-" TRACE "-" PARENT "-1",
        "00-" TRACE "-" PARENT "-001",
        "00-" TRACE "-" PARENT "-.1",
        "00-" TRACE "-" PARENT "-0.",
        "00-" TRACE "-" PARENT "-0G",
        "00-" TRACE "-" PARENT "-",
        "00-" TRACE "-" PARENT,
        "00-" TRACE "-",
        "00_" TRACE "_" PARENT "_01",
        " 00-" TRACE "-" PARENT "-01", /* libmicrohttpd removes leading blanks */
        "00-" TRACE "-" PARENT "-01 -",
        "00-" TRACE "-" PARENT "-01,00-" TRACE "-" PARENT "-01",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct trace_context context;
        memset(&context, 'x', sizeof context);
        trace_read(&context, rows[i], i);
        if (context.trace[0] || context.parent[0] || context.span[0])
            fail_msg("taken: %s", rows[i]);
    }
}

/* Every request has a span of its own, also within one trace. */
TEST(test_spans)
{
    enum { COUNT = 1000 };
    static struct trace_context contexts[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        trace_read(&contexts[i], "00-" TRACE "-" PARENT "-01", i);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(contexts[i].span, contexts[k].span);
}
