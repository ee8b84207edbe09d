/* test_wide.c - tests of src/base/wide.h: the digits of every number are read as they were written, and no others. */
/* CI builds: address */
#include "base/wide.h"
#include "support/tests.h"

static bool reads(const char *text, nq_wide number)
{
    nq_wide read = ~number;
    return wide_read(text, text + strlen(text), &read) && read == number;
}

TEST(test_numbers_come_back)
{
    nq_wide number = ~(nq_wide)0;
    for (; number; number -= number / 3 + 1) {
        char room[WIDE_TEXT_MAX];
        assert_true(reads(wide_text(number, room), number));
        assert_true(reads(wide_text(number - 1, room), number - 1));
    }
    assert_true(reads("0", 0));
    assert_true(reads("340282366920938463463374607431768211455", ~(nq_wide)0));
}

TEST(test_what_is_no_number)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "-1",
                                        "+1",
                                        "1 ",
                                        " 1",
                                        "0x1",
                                        "1.0",
                                        "1e3",
                                        "99999999999999999999999999999999999999999",
                                        "340282366920938463463374607431768211456",
                                        "0000000000000000000000000000000000000000"};
    nq_wide number;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(wide_read(texts[i], texts[i] + strlen(texts[i]), &number));
}
