/* fuzz_prefer.c - header fields Prefer of any bytes, one a line: seconds are never negative once they are set, the
 * first that are set stay, and fields after one another say what they say alone. */
#include <string.h>

#include "fuzz.h"
#include "http/wire/headers.h"

static void check_field(const char *field, bool *async, int *wait)
{
    bool alone_async = false, async_before = *async;
    int alone_wait = -1, wait_before = *wait;
    prefer_read(field, &alone_async, &alone_wait);
    prefer_read(field, async, wait);
    REQUIRE(alone_wait >= -1);
    REQUIRE(*async == (async_before || alone_async));
    REQUIRE(*wait == (wait_before >= 0 ? wait_before : alone_wait));
    REQUIRE(!alone_async || strlen(field) >= strlen("respond-async"));
    REQUIRE(alone_wait < 0 || strchr(field, '='));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = text + size;
    bool async = false;
    int wait = -1;
    while (text < end) {
        const char *feed = memchr(text, '\n', (size_t)(end - text)), *stop = feed ? feed : end;
        char *field = fuzz_text(text, (size_t)(stop - text));
        check_field(field, &async, &wait);
        free(field);
        text = feed ? feed + 1 : end;
    }
    return 0;
}
