/* fuzz_verify.c - a board of any bytes, in the form and of the index that the first byte says: what is wrong can be
 * shown, no more is held than is allowed, every queen is on the board; and read once more it comes to the same. */
#include <string.h>

#include "base/json.h"
#include "base/status.h"
#include "fuzz.h"
#include "http/ask/verify_body.h"
#include "rules/rule.h"

enum { HELD_MAX = 1 << 17 };

static bool hold(void *who, size_t bytes)
{
    size_t *held = who;
    if (*held + bytes > HELD_MAX)
        return false;
    *held += bytes;
    return true;
}

static void check_shown(const char *text, size_t room)
{
    const char *end = memchr(text, '\0', room);
    REQUIRE(end && end > text);
    for (; text < end; text++)
        REQUIRE(*text >= ' ' && *text <= '~');
}

static void check_regions(const struct verify_body *body)
{
    const struct regions *regions = &body->regions.regions;
    const uint32_t n = regions->n;
    REQUIRE(n ? body->regions.given && n == body->n && n >= REGIONS_MIN_N && n <= REGIONS_MAX_N : !body->regions.given);
    for (uint32_t square = 0; square < n * n; square++)
        REQUIRE(regions->of[square] < n);
    for (uint32_t region = 0; region < n && body->regions.connected; region++)
        REQUIRE(regions_connected(n, regions->of, (uint8_t)region, REGIONS_MAX_SQUARES));
}

static void check(const struct verify_body *body)
{
    if (body->status != NQ_OK) {
        REQUIRE(!body->placement);
        if (body->status == NQ_BUSY)
            return;
        REQUIRE(body->status == NQ_INVALID || body->status == NQ_LIMIT);
        check_shown(body->error.parameter, sizeof body->error.parameter);
        check_shown(body->error.reason, sizeof body->error.reason);
        return;
    }
    REQUIRE(body->n <= VERIFY_MAX_N && body->base <= 1 && rule_name(body->rule));
    REQUIRE(body->placement && body->placement->count <= body->n * (body->regions.regions.n ? body->n : 1));
    check_regions(body);
    for (uint32_t i = 0; i < body->placement->count; i++)
        REQUIRE(body->placement->queens[i].row < body->n && body->placement->queens[i].column < body->n);
}

static void check_same(const struct verify_body *a, const struct verify_body *b)
{
    REQUIRE(a->status == b->status);
    REQUIRE(strcmp(a->error.parameter, b->error.parameter) == 0 && strcmp(a->error.reason, b->error.reason) == 0);
    if (a->status != NQ_OK)
        return;
    REQUIRE(a->ruled == b->ruled && a->rule == b->rule);
    REQUIRE(a->n == b->n && a->base == b->base && a->placement->count == b->placement->count);
    REQUIRE(a->regions.regions.n == b->regions.regions.n);
    REQUIRE(memcmp(a->regions.regions.of, b->regions.regions.of, sizeof a->regions.regions.of) == 0);
    REQUIRE(memcmp(a->placement->queens, b->placement->queens, a->placement->count * sizeof(struct queen)) == 0);
}

/* The bytes stand alone: a sanitizer sees the first one too far. */
static size_t read_body(struct verify_body *body, const struct verify_form *form, uint32_t wanted, const uint8_t *data,
                        size_t size)
{
    size_t held = 0;
    const struct verify_asked asked = {.wanted = wanted, .has_n = true, .n = 4, .base = 1, .hold = hold, .who = &held};
    char *copy = fuzz_bytes(data, size);
    (void)verify_body_read(body, form, &asked, copy, size);
    free(copy);
    return held;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { FORMS = 5, EIGHT = 8, INDEXES = 3, HEAD = 3 }; /* "0" to "4" are the forms, without an index */
    struct verify_body body, again;
    if (size < HEAD)
        return 0;
    json_begin();
    const struct verify_form *form = &verify_forms[data[0] % EIGHT % FORMS];
    const uint32_t index = data[0] / EIGHT % INDEXES, wanted = index ? index - 1 : VERIFY_ONLY;
    REQUIRE(verify_forms[FORMS].alias); /* or a form is not tried */
    const size_t held = read_body(&body, form, wanted, data + HEAD, size - HEAD);
    check(&body);
    REQUIRE(held == read_body(&again, form, wanted, data + HEAD, size - HEAD) && held <= HELD_MAX);
    check_same(&body, &again);
    verify_body_free(&body);
    verify_body_free(&again);
    return 0;
}
