/* test_bearer.c - tests of src/http/wire/headers.c: the key in a Bearer field, and fields of other schemes. */
/* CI builds: address */
#include "http/wire/headers.h"

#include "support/facts.h"

TEST(test_schemes_and_blanks)
{
    static const struct {
        const char *field, *key; /* NULL: another scheme */
    } cases[] = {
        {"Bearer abc", "abc"},    {"bearer abc", "abc"}, {"BEARER   a b  ", "a b"}, {"Bearer", ""},
        {"Bearer  ", ""},         {"Bearerabc", NULL},   {"Basic YTpi", NULL},      {"", NULL},
        {"Bear", NULL},           {"Bearer\tabc", NULL}, {" Bearer abc", NULL},     {"Digest Bearer abc", NULL},
        {"Bearer abc,d", "abc,d"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *key = NULL;
        size_t size = 99;
        const bool bearer = bearer_read(cases[i].field, strlen(cases[i].field), &key, &size);
        assert_int_equal(bearer, cases[i].key != NULL);
        if (!bearer)
            continue;
        assert_int_equal(size, strlen(cases[i].key));
        assert_memory_equal(key, cases[i].key, size);
    }
}
