/* test_units.c - tests of src/engine/units/units.c: a fact is read as it was written, to the last digit, or rejected.
 */
/* CI builds: address */
#include "engine/units/units.h"

#include "support/facts.h"

static bool read_fact(const char *text, nq_wide most, nq_wide *parts, uint64_t *nodes)
{
    OWNED(free) char *exact = malloc(strlen(text) + 1);
    assert_non_null(exact);
    memcpy(exact, text, strlen(text));
    return units_read_fact(exact, strlen(text), most, parts, nodes);
}

TEST(test_facts)
{
    static const char *const accepted[] = {"0 0", "8 1", "18446744073709551615 18446744073709551615",
                                           "18446744073709551616 7", "1267650600228229401496703205376 0"};
    static const char *const refused[] = {"",
                                          " ",
                                          "1",
                                          "1 ",
                                          " 1",
                                          "-1 1",
                                          "1 -1",
                                          "+1 1",
                                          "1 1 1",
                                          "1.5 1",
                                          "0x1 1",
                                          "1 18446744073709551616",
                                          "1 18446744073709551617",
                                          "1 340282366920938463463374607431768211455",
                                          "340282366920938463463374607431768211455 1",
                                          "170141183460469231731687303715884105727 1",
                                          "340282366920938463463374607431768211456 1"};
    nq_wide parts;
    uint64_t nodes;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        char value[UNIT_FACT_MAX];
        assert_true(read_fact(accepted[i], UNITS_THIRDS_MOST, &parts, &nodes));
        units_fact(parts, nodes, value);
        assert_string_equal(value, accepted[i]);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (read_fact(refused[i], UNITS_THIRDS_MOST, &parts, &nodes))
            fail_msg("\"%s\" was accepted", refused[i]);
}

/* Up to the bound, and no more. */
TEST(test_bounds_of_facts)
{
    nq_wide parts;
    uint64_t nodes;
    assert_true(read_fact("18446744073709551615 1", UINT64_MAX, &parts, &nodes) && parts == UINT64_MAX && nodes == 1);
    assert_false(read_fact("18446744073709551616 1", UINT64_MAX, &parts, &nodes));
    assert_true(read_fact("340282366920938463463374607431768211455 1", ~(nq_wide)0, &parts, &nodes));
    assert_true(parts == ~(nq_wide)0);
    assert_false(read_fact("340282366920938463463374607431768211456 1", ~(nq_wide)0, &parts, &nodes));
}

/* A key is read as it was written. */
TEST(test_keys)
{
    static const size_t numbers[] = {0, 7, 12, 20026};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    static const char name[] = "join n=28 & more";
    for (size_t i = 0; i < COUNT * (COUNT + 1); i++) {
        const size_t wanted = i % (COUNT + 1), part = wanted < COUNT ? numbers[wanted] : UNIT_WHOLE;
        size_t unit = 0, piece = 0;
        OWNED(free) char *key = units_key(name, numbers[i / (COUNT + 1)], part);
        assert_true(units_number(key, 20027, &unit, &piece));
        assert_int_equal(unit, numbers[i / (COUNT + 1)]);
        assert_int_equal(piece, part);
        assert_false(units_number(key, unit, &unit, &piece));
        OWNED(free) char *prefix = units_pieces_prefix(name, unit);
        assert_int_equal(strncmp(key, prefix, strlen(prefix)) == 0, part != UNIT_WHOLE);
        assert_int_equal(prefix[strlen(prefix) - 1], '#'); /* for the broker: see test_store_nats.c */
    }
}

/* What the store had is done when the rest begins. */
TEST(test_restored)
{
    ENDED_BY(units_close) struct units units = {.weight = 5};
    struct progress progress = {0};
    assert_true(units_lay(&units, 2));
    units_restore(&units, 3);
    units_begin(&units);
    units_progress(&units, &progress);
    assert_int_equal(progress.units_done, 1);
    assert_int_equal(progress.weight_done, 3);
}
