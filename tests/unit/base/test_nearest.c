/* test_nearest.c - tests of src/base/nearest.c: the distance in letters, and what a name that is none means. */
/* CI builds: address */
#include "base/nearest.h"

#include "support/facts.h"

static const char *name_of(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

static const char *const parameters[] = {"n",     "algorithm", "limit",    "offset", "format",
                                         "place", "exclude",   "distinct", "rules",  NULL};

TEST(test_distances)
{
    static const struct {
        const char *a, *b;
        size_t apart;
    } cases[] = {
        {"", "", 0},       {"", "abc", 3},           {"abc", "", 3},       {"abc", "abc", 0},
        {"abc", "abd", 1}, {"kitten", "sitting", 3}, {"limt", "limit", 1}, {"formatt", "format", 1},
        {"ab", "ba", 2},   {"flaw", "lawn", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(names_distance(cases[i].a, cases[i].b), cases[i].apart);
        assert_int_equal(names_distance(cases[i].b, cases[i].a), cases[i].apart);
    }
}

/* 63 letters are compared, 64 are not. */
TEST(test_long_names)
{
    char longest[65];
    memset(longest, 'x', sizeof longest);
    longest[63] = '\0';
    assert_int_equal(names_distance(longest, longest), 0);
    longest[63] = 'x';
    longest[64] = '\0';
    assert_int_equal(names_distance(longest, "x"), 64);
    assert_int_equal(names_distance("x", longest), 64);
    assert_null(names_nearest(longest, name_of, parameters));
}

TEST(test_nearest)
{
    static const struct {
        const char *name, *meant; /* NULL: none */
    } cases[] = {
        {"N", "n"},          {"Limit", "limit"},    {"place[]", "place"},   {"LIM-IT", "limit"}, {"size", "n"},
        {"board_size", "n"}, {"algo", "algorithm"}, {"page-size", "limit"}, {"skip", "offset"},  {"unique", "distinct"},
        {"limt", "limit"},   {"formatt", "format"}, {"exclud", "exclude"},  {"rule", "rules"},   {"", NULL},
        {"[]", NULL},        {"\xc3\xa9", NULL},    {"zzzz", NULL},         {"q", NULL},         {"letters", NULL},
        {"placement", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = names_nearest(cases[i].name, name_of, parameters);
        if (!cases[i].meant != !found || (found && strcmp(found, cases[i].meant) != 0))
            fail_msg("%s: %s", cases[i].name, found ? found : "none");
    }
}

/* An alias stands for the first of its meanings that the list has; a name of the list itself goes before. */
TEST(test_meanings)
{
    static const char *const of_methods[] = {"method", NULL}, *const of_both[] = {"method", "algorithm", NULL},
                             *const of_size[] = {"n", "size", NULL}, *const none[] = {NULL};
    assert_string_equal(names_nearest("algo", name_of, of_methods), "method");
    assert_string_equal(names_nearest("algo", name_of, of_both), "algorithm");
    assert_string_equal(names_nearest("size", name_of, of_size), "size");
    assert_null(names_nearest("algo", name_of, none));
}

/* Of several at the same distance the first; a third of the letters may be other. */
TEST(test_ties)
{
    static const char *const list[] = {"abcdex", "abcdey", NULL};
    assert_string_equal(names_nearest("abcdez", name_of, list), "abcdex");
    assert_string_equal(names_nearest("abcdzz", name_of, list), "abcdex");
    assert_null(names_nearest("abczzz", name_of, list));
}
