/* fuzz_event_id.c - ids of events of any bytes: one that is read is written as the same text. */
#include <inttypes.h>
#include <string.h>

#include "formats/format.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct event_id id;
    char *text = fuzz_text(data, size), again[64];
    if (event_id_read(text, &id)) {
        int length = snprintf(again, sizeof again, "%" PRIu64, id.step);
        if (id.seeded)
            (void)snprintf(again + length, sizeof again - (size_t)length, "-%" PRIu64, id.seed);
        REQUIRE(strcmp(text, again) == 0);
        REQUIRE(strcmp(text, EVENT_ID_END) != 0);
    }
    free(text);
    return 0;
}
