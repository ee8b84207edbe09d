/* test_stores_names.c - tests of src/stores/stores.c: how stores are named, and what an error contains of a name. */
/* CI builds: address thread */
#include "stores/store.h"

#include <stdlib.h>

#include "support/tests.h"

enum { MEGABYTE = 1 << 20 };

TEST(test_names)
{
    static const char *const wrong[] = {"",      "nats",   "nats:",   "natss:x", "memory:", "memory:x", "tls",
                                        "memor", "sqlite", "sqlite:", ":x",      "Memory",  "tls:",     "tlss:x"};
    const struct store_options options = {.capacity = MEGABYTE};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[STORE_ERROR_MAX] = "", expected[STORE_ERROR_MAX];
        struct store *store;
        assert_int_equal(store_open(wrong[i], &options, &store, error), NQ_INVALID);
        (void)snprintf(expected, sizeof expected,
                       "'%s' is not a store; use memory or sqlite:PATH or nats://HOST:PORT[,URL...] or "
                       "tls://HOST:PORT[,URL...]",
                       wrong[i]);
        assert_string_equal(error, expected);
    }
    store_close(NULL);
}

TEST(test_urls_of_the_broker)
{
    static const struct {
        const char *spec, *where;
    } known[] = {{"nats://127.0.0.1:1", "//127.0.0.1:1"},
                 {"tls://127.0.0.1:1", "tls://127.0.0.1:1"},
                 {"nats:tls://127.0.0.1:1", "tls://127.0.0.1:1"},
                 {"nats:nats://127.0.0.1:1,tls://u:p@127.0.0.1:2", "nats://127.0.0.1:1,tls://u:p@127.0.0.1:2"},
                 {"tls://u:p@127.0.0.1:1,nats://127.0.0.1:2", "tls://u:p@127.0.0.1:1,nats://127.0.0.1:2"}};
    const struct store_options options = {.capacity = MEGABYTE, .nats.replicas = 1};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char error[STORE_ERROR_MAX] = "";
        struct store *store;
        assert_string_equal(store_broker(known[i].spec), known[i].where);
        assert_int_equal(store_open(known[i].spec, &options, &store, error), NQ_OK);
        assert_true(store_is_remote(store));
        store_close(store);
    }
    static const char *const none[] = {"memory", "auto", "sqlite:tls://x", "tlss://x", "tls"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_null(store_broker(none[i]));
}

TEST(test_errors_contain_no_password)
{
    static const char *const wrong[] = {
        "natss://user:secret@host",     "nats://user:secret@",      "nats://user:secret@host:port",
        "nats:http://user:secret@host", "nats:user:secret@host",    "nats://host,//user:secret@,//other",
        "nats://user:secret@host,x",    "tls:user:secret@host",     "tls://user:secret@",
        "tls:tls://user:secret@host",   "tls://user:secret@host,x",
    };
    const struct store_options options = {.capacity = MEGABYTE};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[STORE_ERROR_MAX] = "";
        struct store *store;
        assert_int_equal(store_open(wrong[i], &options, &store, error), NQ_INVALID);
        assert_true(strlen(error) > 10);
        assert_null(strstr(error, "secret"));
    }
}

static void assert_default(const char *state_home, const char *home, const char *expected)
{
    struct bytes path = {0};
    state_home ? setenv("XDG_STATE_HOME", state_home, 1) : unsetenv("XDG_STATE_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    assert_int_equal(store_default_path(&path), expected != NULL);
    char *text = bytes_take(&path);
    assert_string_equal(text, expected ? expected : "");
    free(text);
}

TEST(test_default_path)
{
    assert_default("/var/x", "/home/q", "/var/x/nqueensd/nqueensd.db");
    assert_default("/var/x", NULL, "/var/x/nqueensd/nqueensd.db");
    assert_default(NULL, "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("", "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("relative", "/home/q", "/home/q/.local/state/nqueensd/nqueensd.db");
    assert_default("relative", "relative", NULL);
    assert_default(NULL, "", NULL);
    assert_default(NULL, NULL, NULL);
}
