/* test_access.c - tests of src/http/guard/keyring.c and src/http/guard/access.c: which text is a file of keys, whose a
 * key is, and that the file can be read again while keys are looked up. */
/* CI builds: address thread */
#include "http/guard/access.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/questions.h"

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
        fail_msg("it was accepted: %s", text);
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

TEST(test_holders_of_keys)
{
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
    assert_null(keyring_find(keyring, "abc\0d", 5)); /* the NUL does not end it */
    free(keyring);
}

TEST(test_files_without_keys)
{
    static const char *const texts[] = {"", "\n", "# nothing", "\n\n  \t\r\n#"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        OWNED(free) struct keyring *keyring = read_text(texts[i]);
        assert_int_equal(keyring_count(keyring), 0);
        assert_null(find(keyring, ""));
    }
}

/* The error names the line and quotes nothing of it. */
TEST(test_malformed_files)
{
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

TEST(test_most_keys)
{
    BYTES(text);
    char error[KEYRING_ERROR_MAX];
    for (int i = 0; i < KEYS_MAX; i++)
        bytes_format(&text, "key-%d %064x\n", i, (unsigned)i);
    struct keyring *keyring = keyring_read(text.data, text.size, error);
    assert_non_null(keyring);
    assert_int_equal(keyring_count(keyring), KEYS_MAX);
    free(keyring);
    bytes_text(&text, "# one more\nann " HASH_ABC);
    assert_null(keyring_read(text.data, text.size, error));
    assert_string_equal(error, "line 1002: there may be 1000 keys");
}

/* ---- Files ---- */

struct folder {
    char path[64], file[128];
};

static void write_file(const struct folder *folder, const char *text, size_t size)
{
    char other[160]; /* replaced at once: another thread may be reading it */
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

TEST(test_unreadable_files)
{
    char error[ACCESS_ERROR_MAX] = "", pipe[160];
    SCOPED(folder, folder, "");
    struct access *access = access_open(folder.file, error); /* no keys: that may be meant */
    assert_non_null(access);
    access_close(access);
    assert_null(access_open(folder.path, error));
    assert_non_null(strstr(error, "not a file"));
    (void)snprintf(pipe, sizeof pipe, "%s.pipe", folder.file);
    assert_int_equal(mkfifo(pipe, 0600), 0); /* no process writes to it */
    assert_null(access_open(pipe, error));
    assert_non_null(strstr(error, "not a file"));
    assert_int_equal(remove(pipe), 0);
    OWNED(free) char *blanks = malloc(KEYRING_TEXT_MAX + 1);
    assert_non_null(blanks);
    memset(blanks, '\n', KEYRING_TEXT_MAX + 1);
    write_file(&folder, blanks, KEYRING_TEXT_MAX);
    access = access_open(folder.file, error);
    assert_non_null(access);
    access_close(access);
    write_file(&folder, blanks, KEYRING_TEXT_MAX + 1);
    assert_null(access_open(folder.file, error));
    assert_non_null(strstr(error, "more than 262144 bytes"));
}

struct look_ups {
    struct access *access;
    atomic_bool over;
    atomic_uint found[2];
};

/* A key that is in both files is always found, with the holder of one of them. */
static void *look_up(void *context)
{
    struct look_ups *look_ups = context;
    while (!atomic_load(&look_ups->over)) {
        struct holder holder;
        if (!access_find(look_ups->access, "abc", 3, &holder))
            return context;
        const bool second = holder.jobs == 2;
        if (strcmp(holder.name, second ? "bob" : "ann") != 0)
            return context;
        atomic_fetch_add(&look_ups->found[second], 1);
    }
    return NULL;
}

TEST(test_reload_during_look_ups)
{
    enum { THREADS = 3, TIMES = 50 };
    static const char *const texts[] = {"ann " HASH_ABC " jobs=1\n", "x " HASH_NONE "\nbob " HASH_ABC " jobs=2\n"};
    pthread_t threads[THREADS];
    char error[ACCESS_ERROR_MAX];
    SCOPED(folder, folder, texts[0]);
    struct look_ups look_ups = {.access = access_open(folder.file, error)};
    assert_non_null(look_ups.access);
    for (int i = 0; i < THREADS; i++)
        start(&threads[i], look_up, &look_ups);
    for (unsigned i = 1; i <= TIMES; i++) {
        write_file(&folder, texts[i % 2], strlen(texts[i % 2]));
        assert_true(access_reload(look_ups.access, error));
        const unsigned before = atomic_load(&look_ups.found[i % 2]);
        WAIT_UNTIL(atomic_load(&look_ups.found[i % 2]) > before);
    }
    atomic_store(&look_ups.over, true);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    access_close(look_ups.access);
}
