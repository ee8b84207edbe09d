/* test_param_query.c - tests of src/base/param.c: queries as a whole: what is missing, said twice or unknown, how
 * much is complained of, and the canonical form. */
/* CI builds: address */
#include "support/parameter_table.h"

/* The first of two counts, and the second is complained of, even when it is the same or the first was bad. */
TEST(test_duplicates)
{
    struct params query;
    query_begin(&query);
    query_text(&query, "n", "8");
    query_text(&query, "n", "9");
    assert_int_equal(query.errors.count, 1);
    assert_rejects(&query, 0, "n", false, "must be given only once");
    assert_int_equal(query.values[N].number, 8);
    query_begin(&query);
    query_text(&query, "n", "8");
    query_text(&query, "n", "8");
    assert_int_equal(query.errors.count, 1);
    query_begin(&query);
    query_text(&query, "n", "");
    query_text(&query, "n", "8");
    assert_int_equal(query.errors.count, 2);
    assert_rejects(&query, 1, "n", false, "must be given only once");
}

TEST(test_required)
{
    struct params query;
    query_begin(&query);
    params_end(&query);
    assert_int_equal(query.errors.count, 2);
    assert_rejects(&query, 0, "n", false, "is required");
    assert_rejects(&query, 1, "shade", false, "is required");
    assert_true(query.errors.invalid);
    query_begin(&query);
    query_text(&query, "n", "x"); /* given, though badly: complained of once */
    query_text(&query, "shade", "red");
    params_end(&query);
    assert_int_equal(query.errors.count, 1);
}

TEST(test_presets_and_soundness)
{
    struct params query;
    query_begin(&query);
    for (size_t i = 0; i < PARAMS; i++) {
        assert_false(query.values[i].given);
        assert_int_equal(query.values[i].sound, !query_rows[i].required);
        assert_int_equal(query.values[i].number, i == COUNT ? 100 : 0);
        assert_int_equal(query.values[i].last, 0);
        assert_null(query.values[i].token);
    }
    query_text(&query, "n", "1");
    query_text(&query, "limit", "5");
    query_text(&query, "colour", "yellow");
    query_text(&query, "cursor", "?");
    assert_false(query.values[N].sound);
    assert_true(query.values[LIMIT].sound);
    assert_false(query.values[COLOUR].sound);
    assert_false(query.values[CURSOR].sound);
}

/* A stranger's name is shown as far as it can be. */
TEST(test_unknown_names)
{
    static const char reason[] = "is not a parameter of this route";
    static const struct {
        const char *name;
        size_t size;
        const char *shown, *meant; /* NULL: nothing */
    } cases[] = {
        {"N", 1, "N", "n"},
        {"Lim-it", 6, "Lim-it", "limit"},
        {"size", 4, "size", "n"},
        {"color", 5, "color", "colour"},
        {"nn", 2, "nn", NULL},
        {"", 0, "(empty name)", NULL},
        {" n", 2, " n", "n"},
        {"n\0", 2, "n?", "n"},
        {"\r\nSet-Cookie: a", 15, "??Set-Cookie: a", NULL},
        {"\xc3\xa9\x7f\x1b[31m", 8, "????[31m", NULL},
        {"<script>\"'&", 11, "<script>\"'&", NULL},
        {"%s%n%d", 6, "%s%n%d", NULL},
        {"forty-letters-are-shown-to-the-last-one--", 40, "forty-letters-are-shown-to-the-last-one-", NULL},
        {"forty-one-letters-are-cut-after-the-fortieth", 44, "forty-one-letters-are-cut-after-the-fort...", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct params query;
        query_begin(&query);
        query_bytes(&query, cases[i].name, cases[i].size, "8", 1);
        assert_int_equal(query.errors.count, 1);
        char whole[96];
        (void)snprintf(whole, sizeof whole, "%s%s%s", reason, cases[i].meant ? "; the nearest is " : "",
                       cases[i].meant ? cases[i].meant : "");
        assert_rejects(&query, 0, cases[i].shown, false, whole);
        const struct validation_error *error = &query.errors.list[0];
        assert_ptr_equal(error->among, query_rows);
        if (!cases[i].meant)
            assert_null(error->suggestion);
        else
            assert_string_equal(error->suggestion, cases[i].meant);
        for (size_t k = 0; k < PARAMS; k++)
            assert_false(query.values[k].given);
    }
    struct params query;
    char huge[10000];
    memset(huge, 0xff, sizeof huge);
    query_begin(&query);
    query_bytes(&query, huge, sizeof huge, huge, sizeof huge);
    assert_rejects(&query, 0, "????????????????????????????????????????...", false, reason);
}

/* Names that links get from elsewhere, and nothing between two "&", ask for nothing. An empty name with a value does.
 */
TEST(test_ignored_names)
{
    struct params query;
    query_begin(&query);
    static const char *const names[] = {"_",          "fbclid",       "gclid",       "msclkid", "utm_source",
                                        "utm_medium", "utm_campaign", "utm_content", "utm_term"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        query_text(&query, names[i], "1");
        query_text(&query, names[i], NULL);
        query_text(&query, names[i], "2"); /* as often as it likes */
    }
    query_bytes(&query, "", 0, NULL, 0);
    assert_int_equal(query.errors.made, 0);
    for (size_t k = 0; k < PARAMS; k++)
        assert_false(query.values[k].given);
    static const char *const none[] = {"utm_sourc", "utm_source1", "UTM_SOURCE", "__", "fbcli"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        query_begin(&query);
        query_text(&query, none[i], "1");
        assert_int_equal(query.errors.count, 1);
        assert_string_equal(query.errors.list[0].parameter, none[i]);
    }
    query_begin(&query);
    query_bytes(&query, "", 0, "", 0);
    assert_int_equal(query.errors.count, 1);
}

/* Beyond twenty only the count stands still: whether the request is bad at all is still known, and what was refused is
 * not taken for sound. */
TEST(test_more_validation_errors_than_are_kept)
{
    struct params query;
    query_begin(&query);
    for (int i = 0; i < VALIDATION_ERRORS_MAX + 5; i++)
        reject_param(&query.errors, REFUSED_ONLY_COUNTED, "n", "is number %d", i);
    assert_int_equal(query.errors.count, VALIDATION_ERRORS_MAX);
    assert_false(query.errors.invalid);
    for (int i = 0; i < VALIDATION_ERRORS_MAX; i++) {
        char reason[32];
        (void)snprintf(reason, sizeof reason, "is number %d", i);
        assert_rejects(&query, (size_t)i, "n", true, reason);
    }
    query_text(&query, "unknown", "1");
    assert_int_equal(query.errors.count, VALIDATION_ERRORS_MAX);
    assert_null(query.errors.list[VALIDATION_ERRORS_MAX - 1].among); /* it is not written over */
    assert_true(query.errors.invalid);
    assert_rejects(&query, VALIDATION_ERRORS_MAX - 1, "n", true, "is number 19");
    query_text(&query, "n", "99");
    query_text(&query, "limit", "none");
    assert_false(query.values[N].sound);
    assert_false(query.values[LIMIT].sound);
    struct validation_errors *full = malloc(sizeof *full); /* of exactly its size */
    assert_non_null(full);
    *full = query.errors;
    reject_choice(full, "colour", query_rows[COLOUR].choices, NULL);
    assert_int_equal(full->count, VALIDATION_ERRORS_MAX);
    free(full);
}

TEST(test_long_words_are_cut)
{
    struct validation_errors errors = {0};
    char word[1000];
    memset(word, 'w', sizeof word);
    word[sizeof word - 1] = '\0';
    reject_param(&errors, REFUSED_SYNTAX, word, "%s", word);
    assert_int_equal(strlen(errors.list[0].parameter), sizeof errors.list[0].parameter - 1);
    assert_int_equal(strlen(errors.list[0].reason), sizeof errors.list[0].reason - 1);
}

/* Reads "name=value" texts, of which none may be complained of, and compares the canonical form. */
static void canonical(const char *const *texts, bool placed, const char *expected)
{
    struct params query;
    BYTES(out);
    query_begin(&query);
    for (; *texts; texts++) {
        const char *equals = strchr(*texts, '=');
        query_bytes(&query, *texts, (size_t)(equals - *texts), equals + 1, strlen(equals + 1));
    }
    assert_int_equal(query.errors.count, 0);
    bytes_text(&out, "/path");
    params_canonical(query_rows, query.values, placed, &out);
    bytes_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

TEST(test_canonical_form)
{
    static const struct {
        const char *texts[PARAMS + 1];
        bool placed;
        const char *expected;
    } cases[] = {
        {{NULL}, true, "/path"},
        {{"n=8", NULL}, true, "/path?n=8"},
        {{"cursor=abc", "rows=1-2", "n=8", NULL}, true, "/path?n=8&rows=1-2&cursor=abc"},
        {{"cursor=abc", "rows=1-2", "n=8", NULL}, false, "/path?n=8&rows=1-2"},
        {{"cursor=abc", "after=1,2", "n=8", NULL}, true, "/path?n=8&after=1,2&cursor=abc"},
        {{"after=1,2", "n=8", NULL}, false, "/path?n=8"},
        {{"cursor=abc", NULL}, false, "/path"},
        {{"cursor=abc", NULL}, true, "/path?cursor=abc"},
        {{"colour=red", "n=8", NULL}, true, "/path?n=8"},                /* the preset need not be said */
        {{"colour=green", "n=8", NULL}, true, "/path?n=8&colour=green"}, /* another one must */
        {{"shade=red", "n=8", NULL}, true, "/path?n=8&shade=red"},       /* nor one that is required */
        {{"tint=red", "n=8", NULL}, true, "/path?n=8&tint=red"},         /* nor one whose giving matters */
        {{"count=100", "n=8", NULL}, true, "/path?n=8"},                 /* likewise with numbers */
        {{"count=99", "n=8", NULL}, true, "/path?n=8&count=99"},
        {{"count=0", NULL}, true, "/path?count=0"},
        {{"limit=100", NULL}, true, "/path?limit=100"}, /* without a preset it is always said */
        {{"rows=0-0", NULL}, true, "/path?rows=0-0"},
        {{"rows=5-7", "shade=blue-ish", "colour=blue-ish", "count=7", "limit=6", "n=5", "cursor=-_", NULL},
         true,
         "/path?n=5&limit=6&count=7&colour=blue-ish&shade=blue-ish&rows=5-7&cursor=-_"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        canonical(cases[i].texts, cases[i].placed, cases[i].expected);
}
