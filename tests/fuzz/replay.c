/* replay.c - runs a fuzz target on every file named, and every file of every folder named, without a fuzzer: a plain
 * test that tells its results as TAP. */
#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned ran, failed;

/* Exactly as many bytes as the file has, so that a sanitizer sees the first one too far. */
static uint8_t *read_all(const char *path, size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    if (!file)
        return NULL;
    if (fstat(fileno(file), &info) == 0 && (data = malloc(info.st_size ? (size_t)info.st_size : 1))) {
        *size = fread(data, 1, (size_t)info.st_size, file);
        if (*size != (size_t)info.st_size) {
            free(data);
            data = NULL;
        }
    }
    (void)fclose(file);
    return data;
}

static void run_file(const char *path)
{
    size_t size = 0;
    uint8_t *data = read_all(path, &size);
    (void)fprintf(stderr, "# %s\n", path); /* should the target not come back */
    bool good = data && LLVMFuzzerTestOneInput(data, size) == 0;
    failed += !good;
    (void)printf("%s %u - %s\n", good ? "ok" : "not ok", ++ran, path);
    (void)fflush(stdout);
    free(data);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run(const char *path)
{
    struct stat info;
    struct dirent **entries;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        run_file(path);
        return;
    }
    int count = scandir(path, &entries, visible, alphasort);
    for (int i = 0; i < count; i++) {
        char inside[4096];
        (void)snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        run(inside);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    (void)printf("1..%u\n", ran);
    return failed || !ran;
}
