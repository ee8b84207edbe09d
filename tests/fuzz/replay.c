/* replay.c - runs a fuzz target on every file named, and every file of every folder named, without a fuzzer: a plain
 * test that prints TAP. Then, for FUZZ_SECONDS, on random mutants of them (FUZZ_SEED): blindly,
 * but with nothing to build. The input that a target does not survive lies beside it, as TARGET.input. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuzz.h"
#include "mutant.h"

static unsigned ran, failed;

/* The inputs replayed, which are then mutated. */
static struct seeds seeds;

/* Exactly as many bytes as the file has, so that a sanitizer reports any byte read beyond them. */
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
    (void)fprintf(stderr, "# %s\n", path); /* printed first, in case the target does not return */
    bool good = data && LLVMFuzzerTestOneInput(data, size) == 0;
    failed += !good;
    (void)printf("%s %u - %s\n", good ? "ok" : "not ok", ++ran, path);
    (void)fflush(stdout);
    if (good && size <= MUTANT_MAX && seeds.count < SEEDS_MAX)
        seeds.list[seeds.count++] = (struct seed){.data = data, .size = size};
    else
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

/* Writes the input being tried to a file, so that it is known after a crash. */
static bool keep(int file, const uint8_t *data, size_t size)
{
    return pwrite(file, data, size, 0) == (ssize_t)size && ftruncate(file, (off_t)size) == 0;
}

/* Tries mutants for so many seconds of CPU time. */
static void mutate(const char *target, uint64_t seconds, uint64_t seed)
{
    const uint64_t deadline =
        clock_read(CLOCK_PROCESS_CPUTIME_ID) + seconds * CLOCK_SECOND; /* the same, however busy the machine */
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.input", target);
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    uint64_t tried = 0;
    bool good = file >= 0 && seeds.count > 0;
    for (; good && clock_read(CLOCK_PROCESS_CPUTIME_ID) < deadline; tried++) {
        struct mutant mutant;
        mutant_make(&mutant, &seeds, seed, tried);
        uint8_t *data = fuzz_bytes(mutant.data, mutant.size);
        good = keep(file, data, mutant.size) && LLVMFuzzerTestOneInput(data, mutant.size) == 0;
        free(data);
    }
    failed += !good;
    (void)printf("%s %u - %llu mutants of seed %llu\n", good ? "ok" : "not ok", ++ran, (unsigned long long)tried,
                 (unsigned long long)seed);
    if (file >= 0)
        close(file);
    if (good)
        (void)unlink(path);
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : preset;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    const uint64_t seconds = setting("FUZZ_SECONDS", 0);
    if (seconds)
        mutate(argv[0], seconds, setting("FUZZ_SEED", 1));
    for (size_t i = 0; i < seeds.count; i++)
        free(seeds.list[i].data);
    (void)printf("1..%u\n", ran);
    return failed || !ran;
}
