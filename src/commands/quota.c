/* quota.c - finds the process's control groups by /proc/self/cgroup, their mounts by /proc/self/mountinfo (both in
 * proc(5)), and reads the limits of each group from the process's own up to the root of its mount. */
#include "commands/quota.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/options.h"

enum { LINE_SIZE = 8192 };

/* A mount of control groups that limit processors. Only the first of each version counts: others show the same. */
struct mount {
    bool found;
    char root[PATH_MAX];  /* the group that is mounted */
    char point[PATH_MAX]; /* where */
};

struct groups {
    const char *root;
    struct mount mounts[2]; /* of version 1, of version 2 */
    unsigned long least;    /* thousandths of a processor; 0: no quota so far */
};

/* Opens the file `folder` and `name` below the root. NULL: there is none, or no memory. */
static FILE *open_below(const char *root, const char *folder, const char *name)
{
    struct bytes bytes = {0};
    bytes_text(&bytes, root);
    bytes_text(&bytes, folder);
    bytes_text(&bytes, name);
    char *path = bytes_take(&bytes);
    FILE *file = path ? fopen(path, "re") : NULL;
    free(path);
    return file;
}

/* Copies a path of mountinfo, in which blanks and backslashes are octal: "\040". */
static void copy_path(char to[static PATH_MAX], const char *from)
{
    size_t size = 0;
    while (*from && size < PATH_MAX - 1) {
        if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
            to[size++] = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            to[size++] = *from++;
        }
    }
    to[size] = '\0';
}

/* "30 22 0:27 ROOT POINT rw,relatime shared:1 - TYPE SOURCE OPTIONS": any number of words may stand before the "-". */
static void read_mount(struct groups *groups, char *line)
{
    enum { ROOT = 3, POINT = 4, WORDS = 5 };
    char *word[WORDS], *rest = line, *tail = strstr(line, " - ");
    if (!tail)
        return;
    *tail = '\0';
    for (int i = 0; i < WORDS; i++)
        if (!(word[i] = strtok_r(rest, " ", &rest)))
            return;
    char *next = tail + 3, *type = strtok_r(next, " ", &next);
    char *source = strtok_r(next, " ", &next), *options = strtok_r(next, " \n", &next);
    const bool second = type && strcmp(type, "cgroup2") == 0;
    if (!second && !(type && source && options && strcmp(type, "cgroup") == 0 && options_has(options, ',', "cpu")))
        return;
    struct mount *mount = &groups->mounts[second];
    if (mount->found)
        return;
    mount->found = true;
    copy_path(mount->root, word[ROOT]);
    copy_path(mount->point, word[POINT]);
}

/* A whole number of a file of a group; -1 if there is none, as "max" in version 2 and -1 in version 1 say. */
static long long read_value(const char *text)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    return end > text && value > 0 ? value : -1;
}

static void take(struct groups *groups, long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || quota > LLONG_MAX / 1000)
        return;
    const unsigned long long thousandths = (unsigned long long)quota * 1000 / (unsigned long long)period;
    const unsigned long one = thousandths < 1 ? 1 : thousandths > ULONG_MAX ? ULONG_MAX : (unsigned long)thousandths;
    if (!groups->least || one < groups->least)
        groups->least = one;
}

/* The first line of a file in the folder of a group. */
static bool read_line(const struct groups *groups, const char *folder, const char *name, char line[static 64])
{
    FILE *file = open_below(groups->root, folder, name);
    const bool read = file && fgets(line, 64, file);
    if (file)
        (void)fclose(file);
    return read;
}

static void read_group(struct groups *groups, const char *folder, bool second)
{
    char quota[64], period[64];
    if (second && read_line(groups, folder, "/cpu.max", quota)) { /* "max 100000" or "150000 100000" */
        const char *blank = strchr(quota, ' ');
        take(groups, read_value(quota), blank ? read_value(blank) : -1);
    } else if (!second && read_line(groups, folder, "/cpu.cfs_quota_us", quota) &&
               read_line(groups, folder, "/cpu.cfs_period_us", period)) {
        take(groups, read_value(quota), read_value(period));
    }
}

/* Reads a group and those above it, as far as the mount shows them. A group that is not below the mounted one, as in a
 * container that shares no namespace with it ("/../x"), has no folder here: then only the mounted group counts. */
static void read_groups(struct groups *groups, bool second, const char *group)
{
    const struct mount *mount = &groups->mounts[second];
    struct bytes path = {0};
    const size_t root = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root), point = strlen(mount->point);
    const bool below =
        strncmp(group, mount->root, root) == 0 && (group[root] == '/' || !group[root]) && strncmp(group, "/..", 3) != 0;
    if (!mount->found)
        return;
    bytes_text(&path, mount->point);
    bytes_text(&path, below ? group + root : "");
    char *folder = bytes_take(&path);
    if (!folder)
        return;
    for (char *end = folder + strlen(folder); end > folder + point; end = strrchr(folder, '/')) {
        *end = '\0';
        if (end[-1] != '/')
            read_group(groups, folder, second);
    }
    folder[point] = '\0';
    read_group(groups, folder, second);
    free(folder);
}

unsigned long quota_read(const char *root)
{
    char line[LINE_SIZE];
    struct groups *groups = calloc(1, sizeof *groups);
    FILE *mounts = open_below(root, "/proc", "/self/mountinfo"), *own = open_below(root, "/proc", "/self/cgroup");
    if (groups && mounts && own) {
        groups->root = root;
        while (fgets(line, sizeof line, mounts))
            read_mount(groups, line);
        while (fgets(line, sizeof line, own)) { /* "1:cpu,cpuacct:/group", in version 2 "0::/group" */
            char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
            if (!group)
                continue;
            *group++ = '\0';
            group[strcspn(group, "\n")] = '\0';
            const bool second = strcmp(controllers, ":") == 0;
            if (second || options_has(controllers + 1, ',', "cpu"))
                read_groups(groups, second, group);
        }
    }
    const unsigned long least = groups ? groups->least : 0;
    if (mounts)
        (void)fclose(mounts);
    if (own)
        (void)fclose(own);
    free(groups);
    return least;
}
