/* test_quota.c - tests of src/commands/quota.c: trees of control groups of both versions that are made up in a folder.
 */
/* CI builds: address */
#include "commands/quota.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/facts.h"

struct tree {
    char root[64];
};

static void tree_begin(struct tree *tree)
{
    (void)snprintf(tree->root, sizeof tree->root, "/tmp/nqueensd-quota-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
}

static int drop(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void tree_end(struct tree *tree)
{
    enum { DESCRIPTORS = 8 };
    assert_int_equal(nftw(tree->root, drop, DESCRIPTORS, FTW_DEPTH | FTW_PHYS), 0);
}

/* Writes a file below the root, and makes its folders. */
static void put(const struct tree *tree, const char *name, const char *text)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s%s", tree->root, name);
    for (char *at = path + strlen(tree->root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char second[] =
    "22 1 0:5 / /proc rw - proc proc rw\n"
    "30 22 0:27 / /sys/fs/cgroup rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char first[] = "30 22 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
                            "31 30 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                            "32 30 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

/* Version 2, as systemd and a container runtime without a namespace of its own set it. */
TEST(test_second_version)
{
    SCOPED(tree, tree);
    assert_int_equal(quota_read(tree.root), 0); /* nothing is there */
    put(&tree, "/proc/self/mountinfo", second);
    assert_int_equal(quota_read(tree.root), 0);
    put(&tree, "/proc/self/cgroup", "0::/system.slice/nqueensd.service\n");
    assert_int_equal(quota_read(tree.root), 0); /* no group has limits, or is to be seen */
    put(&tree, "/sys/fs/cgroup/system.slice/nqueensd.service/cpu.max", "max 100000\n");
    assert_int_equal(quota_read(tree.root), 0);
    put(&tree, "/sys/fs/cgroup/system.slice/nqueensd.service/cpu.max", "150000 100000\n");
    assert_int_equal(quota_read(tree.root), 1500);
    put(&tree, "/sys/fs/cgroup/system.slice/cpu.max", "400000 100000\n");
    assert_int_equal(quota_read(tree.root), 1500);
    put(&tree, "/sys/fs/cgroup/system.slice/cpu.max", "25000 50000\n"); /* the smallest counts, wherever it is */
    assert_int_equal(quota_read(tree.root), 500);
    put(&tree, "/sys/fs/cgroup/other.slice/cpu.max", "1000 100000\n"); /* not on the path */
    assert_int_equal(quota_read(tree.root), 500);
}

/* A container with a namespace of its own sees its group as the root; then the files of the mount itself count. */
TEST(test_namespace)
{
    SCOPED(tree, tree);
    put(&tree, "/proc/self/mountinfo", second);
    put(&tree, "/proc/self/cgroup", "0::/\n");
    put(&tree, "/sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_int_equal(quota_read(tree.root), 2000);
    put(&tree, "/proc/self/cgroup", "0::/../neighbour\n"); /* entered from outside */
    put(&tree, "/sys/neighbour/cpu.max", "1000 100000\n");
    assert_int_equal(quota_read(tree.root), 2000);
}

TEST(test_first_version)
{
    SCOPED(tree, tree);
    static const char quota[] = "/sys/fs/cgroup/cpu,cpuacct/batch/one/cpu.cfs_quota_us";
    put(&tree, "/proc/self/mountinfo", first);
    put(&tree, "/proc/self/cgroup", "3:cpuset:/elsewhere\n2:cpu,cpuacct:/batch/one\n1:name=systemd:/x\n0::/x\n");
    put(&tree, quota, "-1\n");
    assert_int_equal(quota_read(tree.root), 0);
    put(&tree, "/sys/fs/cgroup/cpu,cpuacct/batch/one/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota_read(tree.root), 0);
    put(&tree, quota, "250000\n");
    assert_int_equal(quota_read(tree.root), 2500);
    put(&tree, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
    put(&tree, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota_read(tree.root), 500);
}

/* Docker with version 1: the group of the container is mounted, and named from the root of the host. */
TEST(test_mounted_group)
{
    SCOPED(tree, tree);
    put(&tree, "/proc/self/mountinfo", "9 8 0:29 /docker/ab /sys/fs/cg\\040roup/cpu ro - cgroup cgroup rw,cpu\n");
    put(&tree, "/proc/self/cgroup", "2:cpu:/docker/ab\n");
    put(&tree, "/sys/fs/cg roup/cpu/cpu.cfs_quota_us", "300000\n");
    put(&tree, "/sys/fs/cg roup/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota_read(tree.root), 3000);
    put(&tree, "/proc/self/cgroup", "2:cpu:/docker/ab/inner\n");
    put(&tree, "/sys/fs/cg roup/cpu/inner/cpu.cfs_quota_us", "100000\n");
    put(&tree, "/sys/fs/cg roup/cpu/inner/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota_read(tree.root), 1000);
    put(&tree, "/proc/self/cgroup", "2:cpu:/docker/abc\n"); /* another group, whose name begins so */
    assert_int_equal(quota_read(tree.root), 3000);
}

/* Both at once: units of systemd in version 2, the processor in version 1. */
TEST(test_both_versions)
{
    SCOPED(tree, tree);
    put(&tree, "/proc/self/mountinfo",
        "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "40 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put(&tree, "/proc/self/cgroup", "1:cpu:/a\n0::/b\n");
    put(&tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "200000\n");
    put(&tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota_read(tree.root), 2000);
    put(&tree, "/sys/fs/cgroup/unified/b/cpu.max", "120000 100000\n");
    assert_int_equal(quota_read(tree.root), 1200);
}

/* What is no limit, in words that no kernel writes. */
TEST(test_nonsense)
{
    static const char *const bad[] = {
        "", "\n", "max\n", "100000\n", "-5 100000\n", "1000 0\n", "1000 max\n", "x y\n", "99999999999999999999 1\n"};
    SCOPED(tree, tree);
    put(&tree, "/proc/self/mountinfo", second);
    put(&tree, "/proc/self/cgroup", "nonsense\n\n:\n0::/a\n");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(&tree, "/sys/fs/cgroup/a/cpu.max", bad[i]);
        assert_int_equal(quota_read(tree.root), 0);
    }
    put(&tree, "/sys/fs/cgroup/a/cpu.max", "1 1000000\n"); /* little is not none */
    assert_int_equal(quota_read(tree.root), 1);
    put(&tree, "/proc/self/mountinfo", "30 22 0:27 /\n - cgroup2\n30 22 0:27 / - cgroup2 cgroup2 rw\n");
    assert_int_equal(quota_read(tree.root), 0);
}

TEST(test_rounding)
{
    static const unsigned long of[][2] = {{0, 0}, {1, 1}, {999, 1}, {1000, 1}, {1001, 2}, {2500, 3}, {64000, 64}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        assert_int_equal(quota_processors(of[i][0]), of[i][1]);
}
