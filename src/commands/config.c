/* config.c - reads flags and environment by one table. It knows what is well-formed, not what a setting does. */
#include "commands/config.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/options.h"
#include "base/process.h"
#include "base/wide.h"
#include "commands/quota.h"
#include "http/guard/client.h"
#include "http/reply/response.h"
#include "http/wire/address.h"
#include "http/wire/headers.h"

enum { MAX_THREADS = 256 };

enum kind { TEXT, SHARE, ADDRESS, PREFIX, NETWORKS, ORIGINS, ANCESTORS, CHOICE, NUMBER, BYTES, KINDS };

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
    {"listen", ADDRESS, AT(listen), "127.0.0.1:8080", .help = "host:port (0: any free one), unix:/path or systemd"},
    {"admin", ADDRESS, AT(admin), "127.0.0.1:9090", .help = "health and metrics, in the same forms; off: none"},
    {"threads", NUMBER, AT(threads), "0", 0, MAX_THREADS,
     .help = "threads that search; 0: as processors and CPU quota allow"},
    {"kernel", TEXT, AT(kernel), "auto", .help = "counting kernel: auto or a name from /algorithms"},
    {"max-table-bytes", BYTES, AT(table_bytes), "768M", 0, 1UL << 40, .help = "memory for tables of counts"},
    {"cache-bytes", BYTES, AT(cache_bytes), "64M", 0, 1UL << 40, .help = "memory for finished answers; K, M, G"},
    {"reply-bytes", BYTES, AT(reply_bytes), "256M", 8UL << 20, 1UL << 40,
     .help = "memory for answers being sent; K, M, G"},
    {"search-bytes", BYTES, AT(search_bytes), "512M", 16UL << 20, 1UL << 40,
     .help = "memory for placements that searches keep; K, M, G"},
    {"store", TEXT, AT(store), "auto", .help = "stores results: memory, sqlite:PATH, nats://HOST, tls://HOST"},
    {"store-bytes", BYTES, AT(store_bytes), "1G", 1UL << 20, 1UL << 44, .help = "maximum size of the store; K, M, G"},
    {"nats-credentials", TEXT, AT(nats_credentials), "", .help = "file with a user's JWT and seed for NATS"},
    {"nats-ca", TEXT, AT(nats_ca), "", .help = "file of certificates to trust for NATS; none: the system's"},
    {"nats-replicas", CHOICE, AT(nats_replicas), "1", .choices = "1|3|5",
     .help = "copies of the store in NATS: 1, 3 or 5"},
    {"audit", SHARE, AT(audit), "0.01", .help = "share of the workers' results that is counted again"},
    {"lease-seconds", NUMBER, AT(lease_seconds), "3", 1, 3600,
     .help = "seconds until the batch of a silent worker goes to another"},
    {"max-jobs", NUMBER, AT(max_jobs), "100", 1, 100000, .help = "maximum number of unfinished jobs"},
    {"max-client-jobs", NUMBER, AT(max_client_jobs), "16", 1, 100000,
     .help = "unfinished jobs of one client without keys"},
    {"max-job-hours", NUMBER, AT(max_job_hours), "24", 1, 1000000, .help = "core-hours that one count may take"},
    {"api-keys", TEXT, AT(api_keys), "", .help = "file of keys, for jobs and long counts; read again on SIGHUP"},
    {"free-seconds", NUMBER, AT(free_seconds), "60", 0, 1000000000,
     .help = "core-seconds of a count without a key or a job"},
    {"queue", NUMBER, AT(queue), "256", 1, 1000000, .help = "searches that may wait for a thread"},
    {"max-connections", NUMBER, AT(max_connections), "1000", 1, 1000000,
     .help = "maximum number of client connections"},
    {"max-client-connections", NUMBER, AT(max_client_connections), "0", 0, 1000000,
     .help = "connections of one client; 0: half of all"},
    {"max-client-searches", NUMBER, AT(max_client_searches), "128", 1, 1000000,
     .help = "searches and streams of one client at once"},
    {"trusted-proxies", NETWORKS, AT(trusted_proxies), "",
     .help = "proxies trusted to name the client: 10.0.0.0/8,::1,unix"},
    {"forwarded", CHOICE, AT(forwarded), "x-forwarded-for", .choices = "x-forwarded-for|forwarded",
     .help = "header field in which proxies name the client"},
    {"cors-origin", ORIGINS, AT(cors_origin), "",
     .help = "origins whose pages may use jobs, keys: https://a.example; or *"},
    {"frame-ancestors", ANCESTORS, AT(frame_ancestors), "'self'",
     .help = "origins whose pages may embed this one: 'self', 'none', *"},
    {"max-target-bytes", BYTES, AT(max_target_bytes), "8K", 256, 12UL << 10,
     .help = "maximum length of a request target; K"},
    {"max-body-bytes", BYTES, AT(max_body_bytes), "64M", 1UL << 10, 1UL << 30,
     .help = "maximum size of a body of /verify; K, M, G"},
    {"max-streams", NUMBER, AT(max_streams), "256", 1, 1000000,
     .help = "streams of solutions at once, and as many of events"},
    {"max-wait", NUMBER, AT(max_wait), "120", 1, 86400, .help = "seconds a client may wait for an answer"},
    {"stream-seconds", NUMBER, AT(stream_seconds), "3600", 1, 604800, .help = "seconds a stream may last"},
    {"request-seconds", NUMBER, AT(request_seconds), "30", 1, 3600,
     .help = "seconds within which a request must arrive"},
    {"keep-alive-seconds", NUMBER, AT(keep_alive_seconds), "60", 1, 3600,
     .help = "seconds after which an idle connection is closed"},
    {"min-drain-rate", BYTES, AT(min_drain_rate), "1K", 0, 1UL << 40,
     .help = "bytes a second that a client must read; 0: no minimum; K, M, G"},
    {"min-drain-seconds", NUMBER, AT(min_drain_seconds), "60", 1, 3600,
     .help = "seconds over which --min-drain-rate is measured"},
    {"drain-delay", NUMBER, AT(drain_delay), "0", 0, 3600, .help = "seconds from SIGTERM until connections are closed"},
    {"drain-seconds", NUMBER, AT(drain_seconds), "5", 0, 3600, .help = "seconds that requests have to end after that"},
    {"base-path", PREFIX, AT(base_path), "", .help = "prefix of the links in replies, for example /queens"},
    {"log", CHOICE, AT(log), "text", .choices = "text|json", .help = "form of the log on standard error: text or json"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool read_number(const struct row *row, const char *text, unsigned long *number)
{
    static const char units[] = "KMG";
    const char *end = text + strlen(text);
    const char *unit = row->kind == BYTES && end > text ? strchr(units, end[-1]) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    nq_wide wide;
    if (!wide_read(text, unit ? end - 1 : end, &wide) || wide > row->most >> shift || wide << shift < row->least)
        return false;
    *number = (unsigned long)wide << shift;
    return true;
}

/* "0.25": digits, with a point or without. */
static bool is_share(const char *text)
{
    static const char digits[] = "0123456789";
    const char *rest = text + strspn(text, digits);
    return rest > text && (!*rest || (*rest == '.' && !rest[1 + strspn(rest + 1, digits)])) && strtod(text, NULL) <= 1;
}

static bool is_address(const char *text)
{
    return address_sound(text) || strcmp(text, "off") == 0;
}

static bool is_networks(const char *text)
{
    return networks_read(text, &(struct networks){0});
}

/* The kinds of text that are checked, and what they must be. */
static const struct {
    bool (*sound)(const char *text);
    const char *must;
} kinds[KINDS] = {
    [SHARE] = {.sound = is_share, .must = "a share from 0 to 1, for example 0.25"},
    [ADDRESS] = {.sound = is_address, .must = "host:port (127.0.0.1:8080), unix:/path or systemd"},
    [PREFIX] = {.sound = prefix_sound, .must = "a path, for example /queens"},
    [NETWORKS] = {.sound = is_networks, .must = "addresses and networks, for example 10.0.0.0/8,::1, or unix"},
    [ORIGINS] = {.sound = cors_sound, .must = "origins, for example https://a.example,http://b.example:8080, or *"},
    [ANCESTORS] = {.sound = ancestors_sound,
                   .must = "'self', 'none', * or origins, for example https://a.example,'self'"},
};

/* Lays a value into the config; false when it is not one. */
static bool set(struct config *config, const struct row *row, const char *text)
{
    void *at = (char *)config + row->at;
    if (row->kind == NUMBER || row->kind == BYTES)
        return read_number(row, text, at);
    if (row->kind == CHOICE ? !options_has(row->choices, '|', text)
                            : kinds[row->kind].sound && !kinds[row->kind].sound(text))
        return false;
    *(const char **)at = text;
    return true;
}

static void complain_value(const struct config *config, const struct row *row, const char *from, const char *text)
{
    char must[160];
    if (row->kind == NUMBER || row->kind == BYTES)
        (void)snprintf(must, sizeof must, "a number from %lu to %lu%s", row->least, row->most,
                       row->kind == BYTES ? ", with K, M or G for 2^10, 2^20 or 2^30" : "");
    else if (row->kind == CHOICE)
        (void)snprintf(must, sizeof must, "one of %s", row->choices);
    else
        (void)snprintf(must, sizeof must, "%s%s", kinds[row->kind].must,
                       strcmp(row->flag, "admin") == 0 ? ", or off" : "");
    config_fail(config, "%s: '%s' is not a valid value; it must be %s", from, text, must);
}

void config_fail(const struct config *config, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    struct log *log = config->json ? log_new(true) : NULL;
    va_start(args, format);
    const bool written = vasprintf(&text, format, args) >= 0;
    va_end(args);
    if (log)
        log_event(log, "fatal", written ? text : "out of memory");
    else
        fprintf(stderr, "nqueensd: %s\n", written ? text : "out of memory");
    if (log)
        log_free(log);
    if (written)
        free(text);
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

unsigned long config_threads(const char *root, char from[static CONFIG_FROM_MAX])
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned long allowed = process_processors(), quota = quota_read(root), enough = quota_processors(quota);
    unsigned long threads = allowed;
    if (quota && enough < allowed) {
        threads = enough;
        (void)snprintf(from, CONFIG_FROM_MAX, "a CPU quota of %lu.%03lu processors; without it %lu", quota / 1000,
                       quota % 1000, allowed);
    } else if (online > 0 && allowed < (unsigned long)online) {
        (void)snprintf(from, CONFIG_FROM_MAX, "the affinity of the process, %lu of %ld processors", allowed, online);
    } else {
        (void)snprintf(from, CONFIG_FROM_MAX, "the processors of the machine");
    }
    return threads > MAX_THREADS ? MAX_THREADS : threads;
}

/* Whether the log is JSON: found before anything else is read, as that may be wrong. */
static bool is_json(int count, char *const *arguments)
{
    static const char flag[] = "--log";
    const size_t size = sizeof flag - 1;
    const char *form = getenv("NQ_LOG");
    for (int i = 0; i < count; i++)
        if (strncmp(arguments[i], flag, size) == 0 && arguments[i][size] == '=')
            form = arguments[i] + size + 1;
        else if (strcmp(arguments[i], flag) == 0 && i + 1 < count)
            form = arguments[i + 1];
    return form && strcmp(form, "json") == 0;
}

bool config_read(struct config *config, int count, char *const *arguments)
{
    config->json = is_json(count, arguments);
    for (size_t i = 0; i < ROWS; i++) {
        char name[64];
        variable(&rows[i], name);
        const char *given = getenv(name);
        (void)set(config, &rows[i], rows[i].preset);
        if (given && !set(config, &rows[i], given)) {
            complain_value(config, &rows[i], name, given);
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i], *equals = strchr(argument, '=');
        const size_t size = equals ? (size_t)(equals - argument) : strlen(argument);
        const struct row *row = strncmp(argument, "--", 2) == 0 ? find(argument + 2, size - 2) : NULL;
        if (!row) {
            config_fail(config, "%s is not a flag; --help lists them", argument);
            return false;
        }
        const char *value = equals ? equals + 1 : i + 1 < count ? arguments[++i] : NULL;
        if (!value) {
            config_fail(config, "--%s needs a value", row->flag);
            return false;
        }
        if (!set(config, row, value)) {
            complain_value(config, row, argument, value);
            return false;
        }
    }
    (void)snprintf(config->threads_from, sizeof config->threads_from, "set by --threads or NQ_THREADS");
    if (config->threads == 0)
        config->threads = config_threads("", config->threads_from);
    return true;
}

/* The variable whose name is most like this one, and how far it is from it: 0: it is one. Far off (SIZE_MAX): none is
 * like it. */
static size_t find_nearest(const char *name, char nearest[static 64])
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < ROWS; i++) {
        char known[64];
        variable(&rows[i], known);
        const size_t apart = names_distance(name, known);
        if (apart > strlen(name) / 3 || apart >= least)
            continue;
        memcpy(nearest, known, sizeof known);
        least = apart;
    }
    return least;
}

void config_warn_unknown(struct log *log)
{
    for (char **at = environ; *at; at++) {
        char name[64], nearest[64], text[256];
        const size_t size = strcspn(*at, "=");
        if (strncmp(*at, "NQ_", 3) != 0 || size >= sizeof name)
            continue;
        memcpy(name, *at, size);
        name[size] = '\0';
        const size_t apart = find_nearest(name, nearest);
        if (apart == 0)
            continue;
        if (apart != SIZE_MAX)
            (void)snprintf(text, sizeof text, "%s has no effect: no setting has this name; the nearest is %s", name,
                           nearest);
        else
            (void)snprintf(text, sizeof text, "%s has no effect: no setting has this name; --help lists them", name);
        if (log)
            log_event(log, "settings", text);
        else
            fprintf(stderr, "nqueensd: warning: %s\n", text);
    }
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

const struct kernel *config_kernel(const struct config *config)
{
    const struct kernel *kernel = kernel_find(config->kernel);
    if (!kernel)
        config_fail(config, "--kernel: '%s' is not a kernel of this machine", config->kernel);
    return kernel;
}
