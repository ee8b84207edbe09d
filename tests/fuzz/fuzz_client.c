/* fuzz_client.c - fields of proxies of any bytes, one a line, after a line of networks: the client found is the peer,
 * or stands in the fields; a peer that is not trusted is the client whatever it says. */
#include <string.h>

#include "fuzz.h"
#include "http/guard/client.h"

enum { LINES = 8 };

static bool same(const struct client *a, const struct client *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void check(const struct networks *trusted, const char *const *fields, size_t count, bool rfc7239)
{
    const struct client strange = {.address = {0x20, 1, 0xd, 0xb8}}, loop = {.address = {[15] = 1}};
    const struct client local = {.local = true};
    const struct client got = client_behind(trusted, loop, fields, count, rfc7239);
    char text[CLIENT_TEXT_MAX];
    client_text(&got, text);
    REQUIRE(memchr(text, '\0', sizeof text));
    if (!networks_contain(trusted, &loop))
        REQUIRE(same(&got, &loop));
    if (!networks_contain(trusted, &strange)) {
        const struct client other = client_behind(trusted, strange, fields, count, rfc7239);
        REQUIRE(same(&other, &strange));
    }
    REQUIRE(!got.local); /* no field can state this */
    if (!networks_contain(trusted, &local)) {
        const struct client other = client_behind(trusted, local, fields, count, rfc7239);
        REQUIRE(same(&other, &local));
    }
    REQUIRE(client_hash(&got, 1) == client_hash(&got, 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    const char *fields[LINES];
    size_t count = 0;
    struct networks trusted;
    const char *networks = strsep(&rest, "\n");
    while (rest && count < LINES)
        fields[count++] = strsep(&rest, "\n");
    REQUIRE(networks_read(networks, &trusted) || networks_read("::/0", &trusted));
    check(&trusted, fields, count, false);
    check(&trusted, fields, count, true);
    free(text);
    return 0;
}
