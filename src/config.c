/* config.c - reads flags and environment by one table. It knows what is well-formed, not what a setting does. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/address.h"
#include "http/client.h"
#include "http/cors.h"

enum kind { SHARE, TEXT, ADDRESS, PREFIX, NETWORKS, ORIGINS, CHOICE, NUMBER, BYTES };

struct row {
    const char *flag; /* without the dashes */
    enum kind kind;
    size_t at; /* in struct config */
    const char *preset;
    unsigned long least, most; /* numbers */
    const char *choices;       /* "a|b" */
    const char *help;
};

#define AT(field) offsetof(struct config, field)

static const struct row rows[] = {
    {"listen", ADDRESS, AT(listen), "127.0.0.1:8080", .help = "host:port, unix:/path or systemd; port 0 picks one"},
    {"admin", ADDRESS, AT(admin), "127.0.0.1:9090", .help = "health and metrics, likewise; off: none"},
    {"threads", NUMBER, AT(threads), "0", 0, 256, .help = "threads that search; 0: one for each processor"},
    {"kernel", TEXT, AT(kernel), "auto", .help = "counting kernel: auto or a name from /algorithms"},
    {"max-table-bytes", BYTES, AT(table_bytes), "768M", 0, 1UL << 40, .help = "memory for tables of counts"},
    {"cache-bytes", BYTES, AT(cache_bytes), "64M", 0, 1UL << 40, .help = "memory for finished answers; K, M, G"},
    {"reply-bytes", BYTES, AT(reply_bytes), "256M", 8UL << 20, 1UL << 40,
     .help = "memory for answers being sent; K, M, G"},
    {"store", TEXT, AT(store), "auto", .help = "keeps results: auto, memory, sqlite:PATH or nats://HOST,..."},
    {"store-bytes", BYTES, AT(store_bytes), "1G", 1UL << 20, 1UL << 44, .help = "the most the store may take; K, M, G"},
    {"nats-credentials", TEXT, AT(nats_credentials), "", .help = "file of a user's JWT and seed for NATS"},
    {"nats-ca", TEXT, AT(nats_ca), "", .help = "certificates to trust NATS by; none: the system's"},
    {"nats-replicas", CHOICE, AT(nats_replicas), "1", .choices = "1|3|5",
     .help = "copies that NATS keeps of the store"},
    {"audit", SHARE, AT(audit), "0.01", .help = "share of what workers count that is counted again"},
    {"lease-seconds", NUMBER, AT(lease_seconds), "30", 1, 3600,
     .help = "seconds for a worker's batch, if nothing is heard of it"},
    {"max-jobs", NUMBER, AT(max_jobs), "100", 1, 100000, .help = "jobs that are not over"},
    {"max-job-hours", NUMBER, AT(max_job_hours), "100", 1, 1000000, .help = "hours of one core a count may take"},
    {"api-keys", TEXT, AT(api_keys), "", .help = "file of keys: who has one may have jobs; read again on SIGHUP"},
    {"free-seconds", NUMBER, AT(free_seconds), "60", 0, 1000000000,
     .help = "seconds of one core a count may take without a key"},
    {"queue", NUMBER, AT(queue), "256", 1, 1000000, .help = "searches that may wait for a thread"},
    {"max-connections", NUMBER, AT(max_connections), "1000", 1, 1000000, .help = "client connections at once"},
    {"max-client-connections", NUMBER, AT(max_client_connections), "500", 1, 1000000,
     .help = "connections of one client at once"},
    {"max-client-searches", NUMBER, AT(max_client_searches), "128", 1, 1000000,
     .help = "searches and streams of one client at once"},
    {"trusted-proxies", NETWORKS, AT(trusted_proxies), "", .help = "proxies believed in who asks: 10.0.0.0/8,::1,unix"},
    {"forwarded", CHOICE, AT(forwarded), "x-forwarded-for", .choices = "x-forwarded-for|forwarded",
     .help = "the header field in which they do"},
    {"cors-origin", ORIGINS, AT(cors_origin), "",
     .help = "origins whose pages may read replies, as https://a.example; or *"},
    {"max-target-bytes", BYTES, AT(max_target_bytes), "8K", 256, 12UL << 10, .help = "the longest request target; K"},
    {"max-body-bytes", BYTES, AT(max_body_bytes), "64M", 1UL << 10, 1UL << 30,
     .help = "the largest body, a board to be verified; K, M, G"},
    {"max-streams", NUMBER, AT(max_streams), "256", 1, 1000000, .help = "streams of solutions at once, and of events"},
    {"max-wait", NUMBER, AT(max_wait), "120", 1, 86400, .help = "seconds a client may wait for an answer"},
    {"stream-seconds", NUMBER, AT(stream_seconds), "3600", 1, 604800, .help = "seconds a stream may last"},
    {"request-seconds", NUMBER, AT(request_seconds), "30", 1, 3600, .help = "seconds for a request to arrive"},
    {"keep-alive-seconds", NUMBER, AT(keep_alive_seconds), "60", 1, 3600,
     .help = "seconds without any traffic on a connection"},
    {"min-drain-rate", BYTES, AT(min_drain_rate), "1K", 0, 1UL << 40,
     .help = "bytes a second a client must take; 0: any; K, M, G"},
    {"min-drain-seconds", NUMBER, AT(min_drain_seconds), "60", 1, 3600, .help = "seconds over which it is to"},
    {"drain-seconds", NUMBER, AT(drain_seconds), "5", 0, 3600, .help = "seconds for requests to end after SIGTERM"},
    {"base-path", PREFIX, AT(base_path), "", .help = "public prefix that links carry, as /queens"},
    {"log", CHOICE, AT(log), "text", .choices = "text|json", .help = "form of the log on standard error"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* One of "a|b|c". */
static bool is_choice(const char *choices, const char *text)
{
    const size_t size = strcspn(text, "|");
    if (text[size])
        return false;
    for (const char *at = choices; size; at++) {
        if (strncmp(at, text, size) == 0 && (at[size] == '|' || at[size] == '\0'))
            return true;
        at = strchr(at, '|');
        if (!at)
            break;
    }
    return false;
}

static bool read_number(const struct row *row, const char *text, unsigned long *number)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoul(text, &end, 10);
    if (errno)
        return false;
    static const char units[] = "KMG";
    const char *unit = row->kind == BYTES && *end ? strchr(units, *end) : NULL;
    if (unit) {
        const unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (*number > ~0UL >> shift)
            return false;
        *number <<= shift;
        end++;
    }
    return *end == '\0' && *number >= row->least && *number <= row->most;
}

/* "" or "/a/b" of harmless letters, without a slash at the end. */
static bool is_prefix(const char *text)
{
    const size_t size = strlen(text);
    if (size && (text[0] != '/' || text[size - 1] == '/' || size > 200 || strstr(text, "//")))
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("/-._~", *text))
            return false;
    return true;
}

/* "0.25": digits, with a point or without. */
static bool is_share(const char *text)
{
    const size_t digits = strspn(text, "0123456789."), whole = strspn(text, "0123456789");
    return whole && !text[digits] && strspn(text + whole, ".") <= 1 && !strchr(text + whole + !!text[whole], '.') &&
           strtod(text, NULL) <= 1;
}

/* Lays a value into the config; false when it is not one. */
static bool set(struct config *config, const struct row *row, const char *text)
{
    void *at = (char *)config + row->at;
    switch (row->kind) {
    case NUMBER:
    case BYTES: return read_number(row, text, at);
    case CHOICE:
        if (!is_choice(row->choices, text))
            return false;
        break;
    case ADDRESS:
        if (!address_sound(text) && strcmp(text, "off") != 0)
            return false;
        break;
    case PREFIX:
        if (!is_prefix(text))
            return false;
        break;
    case NETWORKS:
        if (!networks_read(text, &(struct networks){0}))
            return false;
        break;
    case ORIGINS:
        if (!cors_sound(text))
            return false;
        break;
    case SHARE:
        if (!is_share(text))
            return false;
        break;
    case TEXT: break;
    }
    *(const char **)at = text;
    return true;
}

static void complain_value(const struct row *row, const char *from, const char *text)
{
    fprintf(stderr, "nqueensd: %s: '%s' is not a value for it; ", from, text);
    switch (row->kind) {
    case NUMBER:
    case BYTES:
        fprintf(stderr, "it takes a number from %lu to %lu%s\n", row->least, row->most,
                row->kind == BYTES ? ", with K, M or G for 2^10, 2^20 or 2^30" : "");
        break;
    case CHOICE: fprintf(stderr, "it takes %s\n", row->choices); break;
    case ADDRESS:
        fprintf(stderr, "it takes host:port, as 127.0.0.1:8080, unix:/path or systemd%s\n",
                strcmp(row->flag, "admin") == 0 ? ", or off" : "");
        break;
    case PREFIX: fprintf(stderr, "it takes a path, as /queens\n"); break;
    case NETWORKS: fprintf(stderr, "it takes addresses and networks, as 10.0.0.0/8,::1, and unix\n"); break;
    case ORIGINS: fprintf(stderr, "it takes origins, as https://a.example,http://b.example:8080, or *\n"); break;
    case SHARE: fprintf(stderr, "it takes a share from 0 to 1, as 0.25\n"); break;
    case TEXT: fprintf(stderr, "%s\n", row->help); break;
    }
}

/* "listen" as NQ_LISTEN, "max-wait" as NQ_MAX_WAIT. */
static void variable(const struct row *row, char name[static 64])
{
    size_t i = 0;
    memcpy(name, "NQ_", 3);
    for (; row->flag[i] && i < 60; i++)
        name[3 + i] = (char)(row->flag[i] == '-' ? '_' : toupper((unsigned char)row->flag[i]));
    name[3 + i] = '\0';
}

static const struct row *find(const char *flag, size_t size)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].flag) == size && strncmp(rows[i].flag, flag, size) == 0)
            return &rows[i];
    return NULL;
}

bool config_read(struct config *config, int count, char *const *arguments)
{
    for (size_t i = 0; i < ROWS; i++) {
        char name[64];
        variable(&rows[i], name);
        const char *given = getenv(name);
        (void)set(config, &rows[i], rows[i].preset);
        if (given && !set(config, &rows[i], given)) {
            complain_value(&rows[i], name, given);
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i], *equals = strchr(argument, '=');
        const size_t size = equals ? (size_t)(equals - argument) : strlen(argument);
        const struct row *row = strncmp(argument, "--", 2) == 0 ? find(argument + 2, size - 2) : NULL;
        if (!row) {
            fprintf(stderr, "nqueensd: %s is not a flag; --help lists them\n", argument);
            return false;
        }
        const char *value = equals ? equals + 1 : i + 1 < count ? arguments[++i] : NULL;
        if (!value) {
            fprintf(stderr, "nqueensd: --%s needs a value\n", row->flag);
            return false;
        }
        if (!set(config, row, value)) {
            complain_value(row, argument, value);
            return false;
        }
    }
    if (config->threads == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        config->threads = online < 1 ? 1 : online > 256 ? 256 : (unsigned long)online;
    }
    return true;
}

void config_help(FILE *to)
{
    for (size_t i = 0; i < ROWS; i++) {
        char name[64];
        variable(&rows[i], name);
        fprintf(to, "  --%-22s %-25s %s (%s)\n", rows[i].flag, name, rows[i].help, rows[i].preset);
    }
}

struct store_options config_store(const struct config *config)
{
    return (struct store_options){
        .capacity = config->store_bytes,
        .nats = {.credentials = config->nats_credentials,
                 .ca = config->nats_ca,
                 .replicas = (unsigned)strtoul(config->nats_replicas, NULL, 10)},
    };
}
