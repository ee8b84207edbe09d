/* main.c - the table of commands, and the choice of one. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/process.h"
#include "commands/commands.h"
#include "commands/config.h"

static int print_version(int count, char **arguments)
{
    (void)count, (void)arguments;
    printf("nqueensd %s\n", build_id);
    return 0;
}

static int print_help(int count, char **arguments);

static const struct command {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *help;
    bool has_help; /* its options are not listed here, but by its own --help */
} commands[] = {
    {.name = "serve",
     .run = serve_run,
     .help = "serve until SIGTERM; the default. --check only checks flags, environment, keys, addresses and store"},
    {.name = "worker",
     .run = work_run,
     .help = "count for servers with the same --store nats://HOST or tls://HOST; until SIGTERM"},
    {.name = "bench",
     .run = bench_run,
     .help = "measure, as ratios within one run; see bench --help",
     .has_help = true},
    {.name = "bfile",
     .run = bfile_run,
     .help = "compute a sequence of the OEIS, as a b-file; see bfile --help",
     .has_help = true},
    {.name = "units",
     .run = units_run,
     .help = "count the units of a count, or one of them, again; see units --help",
     .has_help = true},
    {.name = "healthcheck",
     .run = healthcheck_run,
     .help = "ask /healthz of the server that has these flags; exit with 0 if it is alive"},
    {.name = "new-key",
     .run = newkey_run,
     .help = "make a key: NAME [searches=N] [jobs=N] [hours=H]; print the line for --api-keys, and the key"},
    {.name = "routes", .run = routes_run, .help = "print the table of routes as JSON"},
    {.name = "--version", .run = print_version, .help = "print the version"},
    {.name = "--help", .run = print_help, .help = "print this"},
};

static int print_help(int count, char **arguments)
{
    (void)count, (void)arguments;
    puts("nqueensd [command] [flags]: an HTTP service about placements of n non-attacking queens\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        printf("  %-12s %s\n", commands[i].name, commands[i].help);
    puts("\nFlags of serve, their environment variables, and the defaults:\n");
    config_help(stdout);
    return 0;
}

int main(int count, char **arguments)
{
    const char *word = count > 1 ? arguments[1] : "serve";
    if (options_help(word))
        return print_help(0, NULL);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(word, commands[i].name) == 0) {
            if (count > 2 && arguments[2][0] == '-' && options_help(arguments[2]) && !commands[i].has_help)
                return print_help(0, NULL);
            return commands[i].run(count > 2 ? count - 2 : 0, arguments + (count > 1 ? 2 : 1));
        }
    if (word[0] == '-')
        return serve_run(count - 1, arguments + 1);
    fprintf(stderr, "nqueensd: %s is not a command; --help lists them\n", word);
    return 2;
}
