/* test_http_access.c - tests of src/http/keyring.c and src/http/access.c: what is a file of keys and what is none,
 * whose a key is, and that a file is exchanged for another under those who look keys up. */
#include "http/access.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asking.h"
#include "base/bytes.h"

/* SHA-256 of "abc" and of "" (FIPS 180-4). */
#define HASH_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define HASH_NONE "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static struct keyring *read_text(const char *text)
{
    char error[KEYRING_ERROR_MAX] = "";
    struct keyring *keyring = keyring_read(text, strlen(text), error);
    if (!keyring)
        fail_msg("%s: %s", text, error);
    return keyring;
}

static void refused_as(const char *text, size_t size, const char *why)
{
    char error[KEYRING_ERROR_MAX] = "";
    struct keyring *keyring = keyring_read(text, size, error);
    if (keyring)
        fail_msg("it was taken: %s", text);
    if (!strstr(error, why))
        fail_msg("refused with \"%s\", not \"%s\": %s", error, why, text);
}

static void refused(const char *text, const char *why)
{
    refused_as(text, strlen(text), why);
}

static const struct holder *find(const struct keyring *keyring, const char *key)
{
    return keyring_find(keyring, key, strlen(key));
}

static void test_whose_a_key_is(void **state)
{
    (void)state;
    struct keyring *keyring = read_text("# who may\n\n  ann " HASH_ABC " jobs=3 hours=0.5 searches=7 # since May\r\n"
                                        "\tb.o-b_2\t" HASH_NONE "\n   # nobody else");
    assert_int_equal(keyring_count(keyring), 2);
    const struct holder *ann = find(keyring, "abc"), *bob = find(keyring, "");
    assert_non_null(ann);
    assert_string_equal(ann->name, "ann");
    assert_int_equal(ann->jobs, 3);
    assert_int_equal(ann->searches, 7);
    assert_true(ann->hours > 0.49 && ann->hours < 0.51);
    assert_non_null(bob);
    assert_string_equal(bob->name, "b.o-b_2");
    assert_int_equal(bob->jobs, UINT32_MAX);
    assert_int_equal(bob->searches, UINT32_MAX);
    assert_true(bob->hours > 1e300);
    static const char *const others[] = {"ab", "abd", "abcd", "ABC", " abc", "abc ", HASH_ABC};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_null(find(keyring, others[i]));
    assert_null(keyring_find(keyring, "abc\0d", 5)); /* not up to the NUL only */
    keyring_unref(keyring);
}

static void test_nobody(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "# nothing", "\n\n  \t\r\n#"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct keyring *keyring = read_text(texts[i]);
        assert_int_equal(keyring_count(keyring), 0);
        assert_null(find(keyring, ""));
        keyring_unref(keyring);
    }
    keyring_unref(NULL);
}

/* The line is named, and nothing quoted. */
static void test_what_is_no_file_of_keys(void **state)
{
    (void)state;
    static const char *const budgets[] = {"jobs",        "jobs=",        "jobs=-1",    "jobs=1.5",   "jobs=100001",
                                          "jobs=0x1",    "jobs=1,",      "searches=0", "searches=x", "searches=1000001",
                                          "hours=.5",    "hours=5.",     "hours=1e3",  "hours=inf",  "hours=1000001",
                                          "hours=1.2.3", "jobs=1jobs=2", "Jobs=1",     "minutes=5",  "jobs=1 jobs=1",
                                          "hours=nan",   "jobs =1",      "=",          "x"};
    static const char *const hashes[] = {"", "nq_secret", "ba78", HASH_ABC "0", HASH_ABC HASH_ABC, "jobs=1"};
    static const char *const names[] = {"a/b", "a=b", "\xc3\xa4", "a\"b", "123456789012345678901234567890123", "\x01"};
    char text[512];
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        (void)snprintf(text, sizeof text, "#\nann " HASH_ABC " %s\n", budgets[i]);
        refused(text, "line 2: after the hash");
    }
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
        (void)snprintf(text, sizeof text, "\n\nann %s", hashes[i]);
        refused(text, "line 3: after the name");
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(text, sizeof text, "%s " HASH_ABC, names[i]);
        refused(text, "line 1: a name");
    }
    static const char nul[] = "ann " HASH_ABC "\0";
    refused_as(nul, sizeof nul - 1, "line 1: after the name");
    refused_as("a\0b " HASH_ABC, sizeof "a\0b " HASH_ABC - 1, "line 1: a name");
    refused("ann " HASH_ABC "\n#\nbob " HASH_ABC, "line 3: has the hash of line 1");
    refused("ann " HASH_ABC "\nann " HASH_NONE, "line 2: has the name of line 1");
    refused("ann BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD\nbob " HASH_ABC, "has the hash");
}

static void test_so_many_keys(void **state)
{
    (void)state;
    struct bytes text = {0};
    char error[KEYRING_ERROR_MAX];
    for (int i = 0; i < KEYS_MAX; i++)
        bytes_format(&text, "key-%d %064x\n", i, (unsigned)i);
    struct keyring *keyring = keyring_read(text.data, text.size, error);
    assert_non_null(keyring);
    assert_int_equal(keyring_count(keyring), KEYS_MAX);
    keyring_unref(keyring);
    bytes_text(&text, "# one more\nann " HASH_ABC);
    assert_null(keyring_read(text.data, text.size, error));
    assert_string_equal(error, "line 1002: there may be 1000 keys");
    bytes_free(&text);
}

static void test_lines_are_read_back(void **state)
{
    (void)state;
    struct bytes line = {0};
    keyring_line(&line, "ann", "abc");
    assert_int_equal(line.size, strlen("ann " HASH_ABC));
    assert_memory_equal(line.data, "ann " HASH_ABC, line.size);
    bytes_free(&line);
}

static void test_bearers(void **state)
{
    (void)state;
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
        const bool bearer = keyring_bearer(cases[i].field, strlen(cases[i].field), &key, &size);
        assert_int_equal(bearer, cases[i].key != NULL);
        if (!bearer)
            continue;
        assert_int_equal(size, strlen(cases[i].key));
        assert_memory_equal(key, cases[i].key, size);
    }
}

/* ---- Files ---- */

struct folder {
    char path[64], file[128];
};

static void write_file(const struct folder *folder, const char *text, size_t size)
{
    char other[160]; /* a whole file or none: it may be being read */
    (void)snprintf(other, sizeof other, "%s.new", folder->file);
    FILE *file = fopen(other, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(other, folder->file), 0);
}

static void folder_begin(struct folder *folder, const char *text)
{
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/nqueensd-unit-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    (void)snprintf(folder->file, sizeof folder->file, "%s/keys", folder->path);
    write_file(folder, text, strlen(text));
}

static void folder_end(const struct folder *folder)
{
    (void)remove(folder->file);
    assert_int_equal(rmdir(folder->path), 0);
}

static void test_a_file_and_the_next(void **state)
{
    (void)state;
    struct folder folder;
    struct holder holder;
    char error[ACCESS_ERROR_MAX] = "";
    folder_begin(&folder, "ann " HASH_ABC "\n");
    struct access *access = access_open(folder.file, error);
    assert_non_null(access);
    assert_int_equal(access_count(access), 1);
    assert_true(access_find(access, "abc", 3, &holder));
    assert_string_equal(holder.name, "ann");
    assert_false(access_find(access, "", 0, &holder));
    const char next[] = "bob " HASH_ABC " jobs=2\neve " HASH_NONE "\n";
    write_file(&folder, next, strlen(next));
    assert_true(access_find(access, "abc", 3, &holder));
    assert_string_equal(holder.name, "ann"); /* until it is told to look */
    assert_true(access_reload(access, error));
    assert_int_equal(access_count(access), 2);
    assert_true(access_find(access, "abc", 3, &holder));
    assert_string_equal(holder.name, "bob");
    write_file(&folder, "bob\n", 4);
    assert_false(access_reload(access, error));
    assert_non_null(strstr(error, folder.file));
    assert_non_null(strstr(error, "line 1"));
    assert_int_equal(remove(folder.file), 0);
    assert_false(access_reload(access, error));
    assert_non_null(strstr(error, "No such file"));
    assert_int_equal(access_count(access), 2); /* as before */
    assert_true(access_find(access, "", 0, &holder));
    access_close(access);
    access_close(NULL);
    folder_end(&folder);
}

static void test_what_is_no_file(void **state)
{
    (void)state;
    struct folder folder;
    char error[ACCESS_ERROR_MAX] = "", pipe[160];
    folder_begin(&folder, "");
    struct access *access = access_open(folder.file, error); /* nobody has a key: that can be meant */
    assert_non_null(access);
    access_close(access);
    assert_null(access_open(folder.path, error));
    assert_non_null(strstr(error, "not a file"));
    (void)snprintf(pipe, sizeof pipe, "%s.pipe", folder.file);
    assert_int_equal(mkfifo(pipe, 0600), 0); /* which nobody ever writes to */
    assert_null(access_open(pipe, error));
    assert_non_null(strstr(error, "not a file"));
    assert_int_equal(remove(pipe), 0);
    char *blanks = malloc(KEYRING_TEXT_MAX + 1);
    assert_non_null(blanks);
    memset(blanks, '\n', KEYRING_TEXT_MAX + 1);
    write_file(&folder, blanks, KEYRING_TEXT_MAX);
    access = access_open(folder.file, error);
    assert_non_null(access);
    access_close(access);
    write_file(&folder, blanks, KEYRING_TEXT_MAX + 1);
    assert_null(access_open(folder.file, error));
    assert_non_null(strstr(error, "more than 262144 bytes"));
    free(blanks);
    folder_end(&folder);
}

struct crowd {
    struct access *access;
    atomic_bool over;
    atomic_uint found[2];
};

/* A key that all files have is found at any time, and whose it is comes from one of them. */
static void *look_up(void *context)
{
    struct crowd *crowd = context;
    while (!atomic_load(&crowd->over)) {
        struct holder holder;
        if (!access_find(crowd->access, "abc", 3, &holder))
            return context;
        const bool second = holder.jobs == 2;
        if (strcmp(holder.name, second ? "bob" : "ann") != 0)
            return context;
        atomic_fetch_add(&crowd->found[second], 1);
    }
    return NULL;
}

static void test_exchanged_under_those_who_look(void **state)
{
    (void)state;
    enum { THREADS = 3, TIMES = 50 };
    static const char *const texts[] = {"ann " HASH_ABC " jobs=1\n", "x " HASH_NONE "\nbob " HASH_ABC " jobs=2\n"};
    struct folder folder;
    pthread_t threads[THREADS];
    char error[ACCESS_ERROR_MAX];
    folder_begin(&folder, texts[0]);
    struct crowd crowd = {.access = access_open(folder.file, error)};
    assert_non_null(crowd.access);
    for (int i = 0; i < THREADS; i++)
        start(&threads[i], look_up, &crowd);
    for (unsigned i = 1; i <= TIMES; i++) {
        write_file(&folder, texts[i % 2], strlen(texts[i % 2]));
        assert_true(access_reload(crowd.access, error));
        const unsigned before = atomic_load(&crowd.found[i % 2]);
        WAIT_UNTIL(atomic_load(&crowd.found[i % 2]) > before);
    }
    atomic_store(&crowd.over, true);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    access_close(crowd.access);
    folder_end(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whose_a_key_is),
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_what_is_no_file_of_keys),
        cmocka_unit_test(test_so_many_keys),
        cmocka_unit_test(test_lines_are_read_back),
        cmocka_unit_test(test_bearers),
        cmocka_unit_test(test_a_file_and_the_next),
        cmocka_unit_test(test_what_is_no_file),
        cmocka_unit_test(test_exchanged_under_those_who_look),
    };
    return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
