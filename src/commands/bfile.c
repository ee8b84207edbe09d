/* bfile.c - `nqueensd bfile`: computes a sequence, and prints it as the OEIS takes such files. */
#include "commands/commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "sequences/compute.h"

enum { THREADS_MAX = 64 };

/* 16 GB: far more than units take. */
#define STORE_BYTES (UINT64_C(1) << 34)

/* Beyond the last index of any sequence. */
#define MISSING UINT32_MAX

struct options {
    const struct sequence *sequence;
    unsigned long from, to, threads;
    const char *store; /* NULL: none */
};

static const char usage[] =
    "nqueensd bfile SEQUENCE --to N [--from N] [--threads T] [--store FILE]\n"
    "  Computes the terms of a sequence up to index N and prints them as a b-file, \"n a(n)\" line by line.\n"
    "  --to N, --from N  the last index, and the first (that of the sequence)\n"
    "  --threads T       threads, 1 to 64 (1)\n"
    "  --store FILE      keeps terms and units of work, so that the same command continues what was interrupted: a\n"
    "                    file, or what --store of serve accepts; no other process may have it\n"
    "  SIGINT and SIGTERM end it within a second; progress is on standard error.\n\n";

static void print_sequences(FILE *to)
{
    fputs("The sequences, with the indices that can be computed:\n", to);
    for (size_t i = 0; i < sequences_count; i++)
        fprintf(to, "  %s  %u to %u  %s\n", sequences[i].id, sequences[i].first, sequence_last(&sequences[i]),
                sequences[i].what);
}

/* False, with a sentence on standard error. */
static bool read_options(struct options *options, int count, char **arguments)
{
    options->sequence = count ? sequence_find(arguments[0]) : NULL;
    if (!options->sequence) {
        const char *why =
            arguments[0] && arguments[0][0] == '-' ? ": the sequence comes first" : " is not a sequence that it knows";
        fprintf(stderr, "nqueensd bfile: %s%s\n", count ? arguments[0] : "a sequence is missing", count ? why : "");
        print_sequences(stderr);
        return false;
    }
    const unsigned long first = options->sequence->first, last = sequence_last(options->sequence);
    const struct command_option known[] = {
        {.name = "--to", .number = &options->to, .least = first, .most = last},
        {.name = "--from", .number = &options->from, .least = first, .most = last},
        {.name = "--threads", .number = &options->threads, .least = 1, .most = THREADS_MAX},
        {.name = "--store", .text = &options->store},
        {0},
    };
    options->from = first;
    options->to = MISSING;
    if (!options_read("bfile", known, count - 1, arguments + 1))
        return false;
    if (options->to != MISSING && options->from <= options->to)
        return true;
    fprintf(stderr, "nqueensd bfile: %s\n", options->to == MISSING ? "--to is missing" : "--from is above --to");
    return false;
}

static enum nq_status open_store(const char *where, struct store **store, char error[static STORE_ERROR_MAX])
{
    const struct store_options options = {.capacity = STORE_BYTES,
                                          .nats = {.credentials = "", .ca = "", .replicas = 1}};
    struct bytes spec = {0};
    if (where && !strchr(where, ':'))
        bytes_text(&spec, "sqlite:");
    bytes_text(&spec, where ? where : "memory");
    char *text = bytes_take(&spec);
    const enum nq_status status = text ? store_open(text, &options, store, error) : NQ_NOMEM;
    free(text);
    return status;
}

static atomic_bool ending;

static void end(int number)
{
    (void)number;
    atomic_store(&ending, true);
}

/* On a terminal one line that changes, else a line for each unit. */
static void print_progress(void *context, uint32_t index, size_t done, size_t units)
{
    const struct sequence *sequence = context;
    const bool terminal = isatty(STDERR_FILENO);
    fprintf(stderr, "%s%s(%u): %zu of %zu units%s", terminal ? "\r" : "", sequence->id, index, done, units,
            terminal && done < units ? "" : "\n");
}

/* What a reader needs to get the same. */
static void print_header(const struct options *options)
{
    const struct sequence *sequence = options->sequence;
    printf("# %s: %s\n", sequence->id, sequence->what);
    printf("# nqueensd " NQ_VERSION ": nqueensd bfile %s --to %lu", sequence->id, options->to);
    if (options->from > sequence->first)
        printf(" --from %lu", options->from);
    putchar('\n');
    printf("# Rule: %s\n", sequence->attacks);
    printf("# Method: %s (%s, revision %u)\n", sequence->summary, sequence->name, sequence->class->revision);
}

/* Why a term is missing. */
static void print_failure(const struct options *options, const struct compute *compute, unsigned long index,
                          enum nq_status status)
{
    char trouble[STORE_ERROR_MAX] = "";
    const char *why = nq_status_text(status);
    if (status == NQ_BROKEN)
        store_trouble(compute->store, trouble);
    if (status == NQ_CANCELLED)
        why =
            options->store ? "interrupted; the same command continues" : "interrupted; --store would keep what is done";
    if (status == NQ_INVALID)
        why = "its units do not make a number that can be right; they are deleted: try again";
    fprintf(stderr, "nqueensd bfile: %s(%lu): %s%s%s\n", options->sequence->id, index, why, *trouble ? ": " : "",
            trouble);
}

static int print_terms(const struct options *options, const struct compute *compute)
{
    print_header(options);
    for (unsigned long index = options->from; index <= options->to; index++) {
        nq_wide value = 0;
        char text[WIDE_TEXT_MAX];
        const enum nq_status status = compute_term(compute, options->sequence, (uint32_t)index, &value);
        if (status != NQ_OK) {
            print_failure(options, compute, index, status);
            return 1;
        }
        printf("%lu %s\n", index, wide_text(value, text));
        if (fflush(stdout) != 0) {
            fputs("nqueensd bfile: cannot write to standard output\n", stderr);
            return 1;
        }
    }
    return 0;
}

int bfile_run(int count, char **arguments)
{
    struct options options = {.threads = 1};
    struct store *store = NULL;
    char error[STORE_ERROR_MAX] = "out of memory";
    if (count && options_help(arguments[0])) {
        fputs(usage, stdout);
        print_sequences(stdout);
        return 0;
    }
    if (!read_options(&options, count, arguments))
        return 2;
    const enum nq_status opened = open_store(options.store, &store, error);
    if (opened != NQ_OK) {
        fprintf(stderr, "nqueensd bfile: --store: %s\n", error);
        return opened == NQ_INVALID ? 2 : 1;
    }
    const struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    const struct compute compute = {.threads = (unsigned)options.threads,
                                    .store = store,
                                    .stop = &ending,
                                    .progress = print_progress,
                                    .context = (void *)options.sequence};
    const int status = print_terms(&options, &compute);
    store_close(store);
    return status;
}
