/* check.c - looks at the files and addresses that settings name. What only a start can find out, such as a port that is
 * in use or a store that is locked, it does not know. */
#include "commands/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/guard/access.h"
#include "http/wire/address.h"

bool check_take(int *count, char **arguments)
{
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (strcmp(arguments[i], "--check") != 0)
            arguments[kept++] = arguments[i];
    const bool taken = kept < *count;
    *count = kept;
    return taken;
}

static bool check_keys(const struct config *config)
{
    char error[ACCESS_ERROR_MAX];
    struct access *access = *config->api_keys ? access_open(config->api_keys, error) : NULL;
    if (*config->api_keys && !access)
        config_fail(config, "--api-keys: %s", error);
    const bool sound = access || !*config->api_keys;
    access_close(access);
    return sound;
}

static bool check_address(const struct config *config, const char *flag, const char *where)
{
    const char *why = strcmp(where, "off") == 0 ? NULL : address_check(where);
    if (why)
        config_fail(config, "cannot listen on --%s %s: %s", flag, where, why);
    return !why;
}

static bool check_store(const struct config *config)
{
    const struct store_options options = config_store(config);
    char error[STORE_ERROR_MAX] = "out of memory";
    struct bytes path = {0};
    bytes_text(&path, "sqlite:");
    const bool preset = strcmp(config->store, "auto") == 0, has_path = preset && store_default_path(&path);
    char *spec = bytes_take(&path);
    enum nq_status status = spec ? NQ_OK : NQ_NOMEM;
    if (spec && (has_path || !preset))
        status = store_check_settings(preset ? spec : config->store, &options, error);
    if (status != NQ_OK)
        config_fail(config, "--store: %s", error);
    free(spec);
    return status == NQ_OK;
}

int check_config(const struct config *config)
{
    bool sound = config_kernel(config);
    sound &= check_keys(config);
    sound &= check_address(config, "listen", config->listen);
    sound &= check_address(config, "admin", config->admin);
    sound &= check_store(config);
    config_warn_unknown(NULL);
    if (sound)
        puts("nqueensd: the configuration is sound");
    return sound ? 0 : 2;
}
