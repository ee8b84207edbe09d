/* test_config.c - tests of src/commands/config.c: defaults, environment, flags, in that order; whatever is wrong is
 * named, and the help tells every row. */
/* CI builds: address */
#include "commands/config.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/captured_log.h"

extern char **environ;

/* Reads a command line of up to eight words. Returns what was said on standard error; the caller frees. */
static char *read_words(struct config *config, const char *const *words, bool *well)
{
    char *arguments[8];
    int count = 0;
    for (; words[count]; count++) {
        assert_true(count < 8);
        arguments[count] = (char *)words[count];
    }
    memset(config, 0xa5, sizeof *config); /* every setting must be set */
    capture_begin();
    *well = config_read(config, count, arguments);
    return capture_end(NULL);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static struct config taken(const char *const *words)
{
    struct config config;
    bool well;
    OWNED(free) char *said = read_words(&config, words, &well);
    if (!well || *said)
        fail_msg("%s was refused: %s", words[0] ? words[0] : "nothing", said);
    return config;
}

/* One sentence on one line, which names the flag or variable and shows the value. */
static void refused(const char *const *words, const char *name, const char *value)
{
    struct config config;
    bool well;
    OWNED(free) char *said = read_words(&config, words, &well);
    if (well)
        fail_msg("%s %s was taken", name, value);
    assert_int_equal(strncmp(said, "nqueensd: ", 10), 0);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    if (!strstr(said, name) || !strstr(said, value))
        fail_msg("%s %s was refused with: %s", name, value, said);
}

/* No setting from outside. */
static int clean(void **state)
{
    (void)state;
    for (char **at = environ; *at;) {
        char name[128];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(*at, "="), *at);
        if (strncmp(name, "NQ_", 3) == 0 && unsetenv(name) == 0)
            at = environ;
        else
            at++;
    }
    return 0;
}

TEST_WITH(test_flags, clean, NULL)
{
    struct config config = taken(WORDS("--listen", "0.0.0.0:80", "--log=json", "--threads", "7"));
    assert_string_equal(config.listen, "0.0.0.0:80");
    assert_string_equal(config.log, "json");
    assert_int_equal(config.threads, 7);
    assert_string_equal(config.admin, "127.0.0.1:9090");
    config = taken(WORDS("--max-wait=5", "--max-wait", "6", "--admin=off"));
    assert_int_equal(config.max_wait, 6); /* the last one counts */
    assert_string_equal(config.admin, "off");
    config = taken(WORDS("--base-path=", "--kernel=a=b"));
    assert_string_equal(config.base_path, "");
    assert_string_equal(config.kernel, "a=b"); /* only the first = divides */
}

TEST_WITH(test_environment, clean, NULL)
{
    assert_int_equal(setenv("NQ_LISTEN", "[::1]:1", 1), 0);
    assert_int_equal(setenv("NQ_KEEP_ALIVE_SECONDS", "7", 1), 0);
    assert_int_equal(setenv("NQ_CACHE_BYTES", "3M", 1), 0);
    assert_int_equal(setenv("NQ_BASE_PATH", "/queens", 1), 0);
    assert_int_equal(setenv("NQ_UNKNOWN", "whatever", 1), 0);
    assert_int_equal(setenv("NQ_keep_alive_seconds", "8", 1), 0);
    struct config config = taken(WORDS());
    assert_string_equal(config.listen, "[::1]:1");
    assert_int_equal(config.keep_alive_seconds, 7);
    assert_int_equal(config.cache_bytes, 3 << 20);
    assert_string_equal(config.base_path, "/queens");
    config = taken(WORDS("--keep-alive-seconds", "9", "--listen=127.0.0.1:2")); /* flags have the last word */
    assert_int_equal(config.keep_alive_seconds, 9);
    assert_string_equal(config.listen, "127.0.0.1:2");
    assert_int_equal(config.cache_bytes, 3 << 20);
    assert_int_equal(setenv("NQ_CACHE_BYTES", "much", 1), 0);
    refused(WORDS(), "NQ_CACHE_BYTES", "much");
    assert_int_equal(setenv("NQ_CACHE_BYTES", "", 1), 0);
    refused(WORDS("--cache-bytes=1M"), "NQ_CACHE_BYTES", ""); /* wrong is wrong, though nothing hangs on it */
}

TEST_WITH(test_numbers, clean, NULL)
{
    static const char *const bad[] = {"",    "-1",  "+1", " 1",  "1 ",      "1.0", "1e3",
                                      "0x1", "one", "1K", "1,0", "1000001", "0",   "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refused(WORDS("--queue", bad[i]), "--queue", bad[i]);
        refused(WORDS("--max-streams", bad[i]), "--max-streams", bad[i]);
    }
    refused(WORDS("--queue", "0"), "from 1 to 1000000", "0");
    assert_int_equal(taken(WORDS("--queue", "1")).queue, 1);
    assert_int_equal(taken(WORDS("--queue", "1000000")).queue, 1000000);
    assert_int_equal(taken(WORDS("--drain-seconds", "0")).drain_seconds, 0);
    static const char *const shares[] = {"0", "1", "1.0", "0.25", "0.", "00.5"};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        assert_string_equal(taken(WORDS("--audit", shares[i])).audit, shares[i]);
    static const char *const not_shares[] = {"", ".5", "1.01", "-0", "1e-2", "0.2.5", "0,5", "5%", " 1", "nan"};
    for (size_t i = 0; i < sizeof not_shares / sizeof not_shares[0]; i++)
        refused(WORDS("--audit", not_shares[i]), "--audit", "a share from 0 to 1");
    assert_int_equal(taken(WORDS("--threads", "256")).threads, 256);
    assert_true(taken(WORDS("--threads", "0")).threads >= 1);
    refused(WORDS("--threads", "257"), "--threads", "257");
}

TEST_WITH(test_bytes, clean, NULL)
{
    assert_int_equal(taken(WORDS("--cache-bytes", "0")).cache_bytes, 0);
    assert_int_equal(taken(WORDS("--cache-bytes", "1000")).cache_bytes, 1000);
    assert_int_equal(taken(WORDS("--cache-bytes", "5K")).cache_bytes, 5 << 10);
    assert_int_equal(taken(WORDS("--cache-bytes", "5M")).cache_bytes, 5 << 20);
    assert_int_equal(taken(WORDS("--cache-bytes", "5G")).cache_bytes, 5UL << 30);
    assert_int_equal(taken(WORDS("--cache-bytes", "1024G")).cache_bytes, 1UL << 40);
    static const char *const bad[] = {"1025G",
                                      "64m",
                                      "64MB",
                                      "64KK",
                                      "K",
                                      "1T",
                                      "1.5G",
                                      "-1K",
                                      "18446744073709551615K",
                                      "17179869184G",
                                      "36028797018963968K"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(WORDS("--cache-bytes", bad[i]), "--cache-bytes", bad[i]);
}

TEST_WITH(test_choices, clean, NULL)
{
    assert_string_equal(taken(WORDS("--log", "text")).log, "text");
    assert_string_equal(taken(WORDS("--log", "json")).log, "json");
    static const char *const bad[] = {"", "jso", "jsonl", "JSON", "t", "ext", "|", "text|", "|json"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(WORDS("--log", bad[i]), "--log", bad[i]);
    refused(WORDS("--log", "xml"), "text|json", "xml"); /* and says what it takes */
    assert_string_equal(taken(WORDS("--nats-replicas", "3")).nats_replicas, "3");
    assert_string_equal(taken(WORDS("--nats-replicas=5")).nats_replicas, "5");
    refused(WORDS("--nats-replicas", "2"), "1|3|5", "2");
    refused(WORDS("--nats-replicas", "0"), "--nats-replicas", "0");
}

/* Two words at once are not one of them. */
TEST_WITH(test_a_list_is_no_choice, clean, NULL)
{
    refused(WORDS("--log", "text|json"), "--log", "text|json");
}

TEST_WITH(test_addresses, clean, NULL)
{
    static const char *const good[] = {
        "127.0.0.1:0", "0.0.0.0:65535",           "[::1]:8080",     "localhost:80", ":8080",
        "off",         "unix:/run/nqueensd.sock", "unix:@nqueensd", "unix:/a:b",    "systemd"};
    static const char *const bad[] = {"",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:x",
                                      "1:65536",
                                      "1:-1",
                                      "1:+1",
                                      "1: 1",
                                      "1:80 ",
                                      "1:80/",
                                      "of",
                                      "OFF",
                                      "8080",
                                      "[::1]",
                                      "1:4294967376",
                                      "1:99999999999999999999",
                                      "unix:",
                                      "unix:/",
                                      "unix:@",
                                      "unix:relative",
                                      "unix:relative:80",
                                      "UNIX:/a",
                                      "systemd:",
                                      "systemd "};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_string_equal(taken(WORDS("--admin", good[i])).admin, good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refused(WORDS("--admin", bad[i]), "--admin", bad[i]);
        refused(WORDS("--listen", bad[i]), "--listen", bad[i]);
    }
    refused(WORDS("--listen", "unix"), "unix:/path or systemd", "unix"); /* and says what it takes */
    char path[5 + 108 + 1] = "unix:/"; /* as long as the system takes, and a byte longer */
    memset(path + 6, 'p', 106);
    assert_string_equal(taken(WORDS("--listen", path)).listen, path);
    path[112] = 'p';
    refused(WORDS("--listen", path), "--listen", path);
}

TEST_WITH(test_prefixes, clean, NULL)
{
    static const char *const good[] = {"", "/queens", "/a/b/c", "/A-b_c.d~e/1", "/.a/...", "/..a"};
    static const char *const bad[] = {"/",     "queens", "/queens/",  "/a b",  "/a?b",          "/a#b",
                                      "/a\"b", "/%41",   "/\xc3\xa9", "/a<b>", "http://host/a", "/.",
                                      "/a/..", "/../a",  "/a/./b",    "/a//b"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_string_equal(taken(WORDS("--base-path", good[i])).base_path, good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(WORDS("--base-path", bad[i]), "--base-path", bad[i]);
    char path[202];
    memset(path, 'p', sizeof path);
    path[0] = '/';
    path[200] = '\0';
    assert_string_equal(taken(WORDS("--base-path", path)).base_path, path);
    path[200] = 'p';
    path[201] = '\0';
    refused(WORDS("--base-path", path), "--base-path", path);
}

/* "//host/solve" is a link to another host. */
TEST_WITH(test_a_prefix_is_no_host, clean, NULL)
{
    refused(WORDS("--base-path", "//host"), "--base-path", "//host");
}

TEST_WITH(test_what_is_not_a_flag, clean, NULL)
{
    static const char *const bad[] = {"listen",    "-listen", "--", "--=x", "--Listen",   "--liste",
                                      "--listens", "serve",   "-h", "",     "--unknown=1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(WORDS(bad[i]), "--help", bad[i]);
    refused(WORDS("--log", "text", "stray"), "--help", "stray");
    refused(WORDS("--listen"), "--listen", "needs a value");
    refused(WORDS("--log", "text", "--threads"), "--threads", "needs a value");
    refused(WORDS("--threads="), "--threads", "''");
}

static void write_file(const char *root, const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        (void)mkdir(path, 0700);
    }
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The number of threads follows the smallest of processors, affinity and quota, and names it. The machine of a test has
 * two processors or more. */
TEST_WITH(test_where_threads_come_from, clean, NULL)
{
    static const char *const files[] = {
        "proc/self/mountinfo", "proc/self/cgroup", "cg/cpu.max", "proc/self", "proc", "cg"};
    char root[] = "/tmp/nqueensd-config-XXXXXX", from[CONFIG_FROM_MAX], path[128];
    cpu_set_t all, one;
    assert_non_null(mkdtemp(root));
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    const unsigned long processors = (unsigned long)CPU_COUNT(&all);
    assert_int_equal(config_threads(root, from), processors);
    assert_null(strstr(from, "quota"));
    write_file(root, "proc/self/mountinfo", "1 1 0:1 / /cg rw - cgroup2 cgroup2 rw\n");
    write_file(root, "proc/self/cgroup", "0::/\n");
    write_file(root, "cg/cpu.max", "50000 100000\n");
    assert_int_equal(config_threads(root, from), 1);
    if (processors > 1)
        assert_non_null(strstr(from, "a CPU quota of 0.500 processors; without it "));
    write_file(root, "cg/cpu.max", "90000000 100000\n"); /* it does not make processors */
    assert_int_equal(config_threads(root, from), processors < 256 ? processors : 256);
    assert_null(strstr(from, "quota"));
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(config_threads(root, from), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    if (processors > 1)
        assert_non_null(strstr(from, "the affinity of the process, 1 of "));
    assert_non_null(strstr(taken(WORDS("--threads", "1")).threads_from, "--threads"));
    assert_null(strstr(taken(WORDS("--threads", "0")).threads_from, "--threads"));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", root, files[i]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(root), 0);
}

/* Each setting is set, and equal to another's: texts, then numbers. */
static void check_settings(const struct config *config, const struct config *other)
{
    enum { TEXTS = offsetof(struct config, threads) / sizeof(char *) };
    for (size_t i = 0; i < TEXTS; i++)
        assert_string_equal(((const char *const *)config)[i], ((const char *const *)other)[i]);
    for (const unsigned long *a = &config->threads, *b = &other->threads; (const char *)a < config->threads_from; a++) {
        assert_true(*a != 0xa5a5a5a5a5a5a5a5); /* see read_words() */
        assert_int_equal(*a, *b++);
    }
}

/* Each row: the flag, its variable, what it means, and a default that is what is taken when nothing is given. */
TEST_WITH(test_help, clean, NULL)
{
    OWNED(free) char *text = NULL;
    size_t size, rows = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    config_help(file);
    assert_int_equal(fclose(file), 0);
    for (char *line = text, *end; *line; line = end + 1, rows++) {
        char flag[32], variable[32];
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        assert_true(strlen(line) <= 120);
        assert_int_equal(sscanf(line, "  --%31s %31s", flag, variable), 2);
        assert_int_equal(strncmp(variable, "NQ_", 3), 0);
        assert_int_equal(strlen(variable), strlen(flag) + 3);
        for (size_t i = 0; flag[i]; i++)
            assert_int_equal(variable[3 + i], flag[i] == '-' ? '_' : flag[i] - 'a' + 'A');
        char *preset = strrchr(line, '(');
        assert_non_null(preset);
        assert_int_equal(end[-1], ')');
        end[-1] = '\0';
        char with[64];
        (void)snprintf(with, sizeof with, "--%s=%s", flag, preset + 1);
        const struct config plain = taken(WORDS()), said = taken(WORDS(with));
        check_settings(&plain, &said);
    }
    assert_int_equal(rows, offsetof(struct config, threads_from) / sizeof(void *)); /* one for each setting */
}
