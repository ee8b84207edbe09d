/* fuzz_gunzip.c - any bytes as a body of gzip: never more than is allowed, and the same twice. */
#include "fuzz.h"
#include "http/ask/body_gzip.h"

enum { MOST = 100000, HELD_MAX = 300000 };

static bool hold(void *who, size_t bytes)
{
    size_t *held = who;
    *held += bytes;
    return *held <= HELD_MAX;
}

static enum nq_status decode(const uint8_t *data, size_t size, char **out, size_t *out_size)
{
    size_t held = 0;
    const struct gunzip_limits limits = {.most = MOST, .hold = hold, .who = &held};
    void *copy = fuzz_bytes(data, size);
    const enum nq_status status = body_gunzip(copy, size, &limits, out, out_size);
    free(copy);
    REQUIRE(held <= HELD_MAX);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *out, *again;
    size_t out_size, again_size;
    const enum nq_status status = decode(data, size, &out, &out_size);
    REQUIRE(status == NQ_OK || status == NQ_INVALID || status == NQ_LIMIT);
    REQUIRE(status == decode(data, size, &again, &again_size));
    REQUIRE(out_size == again_size && out_size <= MOST);
    REQUIRE(out_size == 0 || memcmp(out, again, out_size) == 0);
    free(out);
    free(again);
    return 0;
}
