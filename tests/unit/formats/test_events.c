/* test_events.c - tests of src/formats/format_events.c: ids of events as text, and back. */
/* CI builds: address */
#include "formats/format.h"
#include "support/facts.h"

TEST(test_ids)
{
    static const struct {
        const char *text;
        struct event_id id;
    } good[] = {
        {"0", {.step = 0}},
        {"17", {.step = 17}},
        {"999999999999999999", {.step = UINT64_C(999999999999999999)}},
        {"0-0", {.step = 0, .seeded = true}},
        {"12-9007199254740991", {.step = 12, .seeded = true, .seed = (UINT64_C(1) << 53) - 1}},
    };
    static const char *const bad[] = {"",
                                      EVENT_ID_END,
                                      "-",
                                      "1-",
                                      "-1",
                                      "01",
                                      "1-01",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1x",
                                      "0x1",
                                      "1.0",
                                      "1-2-3",
                                      "--",
                                      "1--2",
                                      "1000000000000000000"};
    struct event_id id;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(event_id_read(good[i].text, &id));
        assert_int_equal(id.step, good[i].id.step);
        assert_int_equal(id.seeded, good[i].id.seeded);
        assert_int_equal(id.seed, good[i].id.seed);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (event_id_read(bad[i], &id))
            fail_msg("%s was read", bad[i]);
}
