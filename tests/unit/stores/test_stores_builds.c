/* test_stores_builds.c - tests of src/stores/stores.c: which builds see which facts of a store that they use in turn.
 */
/* CI builds: address */
#include <string.h>

#include "base/process.h"
#include "stores/store.h"
#include "support/sqlite_folder.h"

static const char release[] = "1.0.0", later[] = "1.1.0", commit[] = "1.0.0+g0123456789ab",
                  changed[] = "1.0.0+g0123456789ab.dirty.111111111111",
                  changed_again[] = "1.0.0+g0123456789ab.dirty.222222222222";

static void close_store(struct store **store)
{
    store_close(*store);
}
#define OPEN(store, of_build) \
    __attribute__((cleanup(close_store))) struct store *store = NULL; \
    open_as(of_build, &store)

static void open_as(const char *build, struct store **store)
{
    char error[STORE_ERROR_MAX] = "";
    if (store_open(spec, &(struct store_options){.capacity = MEGABYTE, .build = build}, store, error) != NQ_OK)
        fail_msg("%s", error);
}

static void assert_foreign(struct store *store, const char *expected)
{
    char build[BUILD_ID_MAX + 1] = "none";
    assert_int_equal(store_has_foreign(store, build), strcmp(expected, "none") != 0);
    assert_string_equal(build, expected);
}

/* What each kind of call sees and does. */
WITH_FOLDER(test_another_build_has_facts_of_its_own)
{
    {
        OPEN(store, release);
        put(store, STORE_RESULT, "n=8", "92");
        put(store, STORE_UNIT, "n=8 #1", "theirs");
        put(store, STORE_UNIT, "n=8 #2", "theirs");
        put(store, STORE_JOB, "job", "a question");
        assert_foreign(store, "none");
    }
    {
        OPEN(store, commit);
        assert_foreign(store, "");
        assert_false(has(store, STORE_RESULT, "n=8"));
        assert_lists(store, STORE_UNIT, "n=8 #", "");
        assert_lists(store, STORE_UNIT, "", "");
        assert_text(store, STORE_JOB, "job", "a question");
        const struct store_fact mine = fact(STORE_UNIT, "n=8 #1", "mine");
        assert_int_equal(store_swap(store, &mine, NULL, 0), NQ_OK);
        assert_int_equal(store_swap(store, &mine, NULL, 0), NQ_AGAIN);
        const struct store_fact also = fact(STORE_UNIT, "n=8 #2", "mine");
        assert_int_equal(store_swap(store, &also, "theirs", 6), NQ_AGAIN);
        assert_int_equal(store_swap(store, &also, NULL, 0), NQ_OK);
        put(store, STORE_RESULT, "n=8", "93");
        assert_text(store, STORE_RESULT, "n=8", "93");
        assert_lists(store, STORE_UNIT, "n=8 #", "n=8 #1=mine;n=8 #2=mine;");
        assert_int_equal(store_delete_prefix(store, STORE_UNIT, "n=8 #"), NQ_OK);
        assert_lists(store, STORE_UNIT, "", "");
        put(store, STORE_JOB, "job", "the same question");
    }
    {
        OPEN(store, release);
        assert_foreign(store, commit);
        assert_text(store, STORE_RESULT, "n=8", "92");
        assert_lists(store, STORE_RESULT, "", "n=8=92;");
        assert_lists(store, STORE_UNIT, "n=8 #", "n=8 #1=theirs;n=8 #2=theirs;");
        assert_text(store, STORE_JOB, "job", "the same question");
    }
}

/* Releases trust each other's; what is built between them trusts nobody's but its own. */
WITH_FOLDER(test_whom_a_build_trusts)
{
    static const char *const builds[] = {release, commit, changed, changed_again};
    enum { BUILDS = sizeof builds / sizeof builds[0] };
    for (int i = 0; i < BUILDS; i++) {
        OPEN(store, builds[i]);
        assert_false(has(store, STORE_RESULT, "n=8"));
        put(store, STORE_RESULT, "n=8", builds[i]);
        put(store, STORE_RESULT, "n=9", NULL); /* of nobody else */
        assert_int_equal(store_put(store, NULL, 0), NQ_OK);
    }
    for (int i = 0; i < BUILDS; i++) {
        OPEN(store, builds[i]);
        assert_text(store, STORE_RESULT, "n=8", builds[i]);
        assert_foreign(store, i == 0 ? commit : "");
    }
    OPEN(store, later);
    assert_text(store, STORE_RESULT, "n=8", release);
    put(store, STORE_RESULT, "n=8", later);
    assert_int_equal(store_stats(store).facts, BUILDS);
}

/* Only of units, and only in the order in which keys come. */
WITH_FOLDER(test_foreign_facts_are_found)
{
    {
        OPEN(store, changed);
        assert_foreign(store, "none");
        put(store, STORE_JOB, "job", "a question");
        put(store, STORE_UNIT, "zzz #1", "1");
        put(store, STORE_UNIT, "aaa #1", "1");
        assert_foreign(store, "none");
    }
    OPEN(store, changed_again);
    put(store, STORE_RESULT, "aaa", "1");
    put(store, STORE_UNIT, "aaa #1", "1");
    assert_foreign(store, changed);
    store_close(store);
    store = NULL;
    open_as(changed, &store);
    assert_foreign(store, changed_again);
}

/* This program's own build is that of the release, without a word from anybody. */
WITH_FOLDER(test_own_build)
{
    {
        OPEN(store, NULL);
        put(store, STORE_RESULT, "n=8", "92");
    }
    OPEN(store, build_id);
    assert_true(build_is_release(build_id));
    assert_text(store, STORE_RESULT, "n=8", "92");
}
