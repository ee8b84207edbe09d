/* fuzz_verify.c - a board of any bytes, in the shape and of the index that the first byte says, cut into pieces by the
 * next two: it must come to the same as in one piece, keep to what is allowed, and every queen must be on the board. */
#include <string.h>

#include "base/status.h"
#include "fuzz.h"
#include "http/ask/verify_body.h"
#include "rules/rule.h"

enum { HELD_MAX = 1 << 16 };

static bool hold(void *who, size_t bytes)
{
    size_t *held = who;
    if (*held + bytes > HELD_MAX)
        return false;
    *held += bytes;
    return true;
}

static void begin(struct verify_body *body, enum verify_shape shape, uint32_t wanted, size_t *held)
{
    verify_body_begin(body, shape, wanted, hold, held);
    if (shape == VERIFY_OCTETS)
        verify_board(body, 4, 1);
}

static void add(struct verify_body *body, const uint8_t *piece, size_t size)
{
    char *copy = fuzz_bytes(piece, size);
    verify_body_add(body, copy, size);
    free(copy);
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
    for (uint32_t region = 0; region < n && !body->regions.apart; region++)
        REQUIRE(regions_connected(n, regions->of, (uint8_t)region, REGIONS_MAX_SQUARES));
}

static void check(const struct verify_body *body)
{
    if (body->status != NQ_OK) {
        REQUIRE(!body->placement);
        if (body->status == NQ_BUSY || body->status == NQ_NOMEM)
            return;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct verify_body whole, cut;
    size_t held = 0, held_cut = 0;
    if (size < 3)
        return 0;
    enum { SHAPES = VERIFY_OCTETS + 1, EIGHT = 8, INDEXES = 3 }; /* "0" to "4" are the shapes, without an index */
    const enum verify_shape shape = data[0] % EIGHT % SHAPES;
    const uint32_t index = data[0] / EIGHT % INDEXES, wanted = index ? index - 1 : VERIFY_ONLY;
    const size_t steps[] = {1 + (size_t)data[1] % 64, 1 + (size_t)data[2] % 64};
    const uint8_t *text = data + 3;
    size -= 3;
    begin(&whole, shape, wanted, &held);
    add(&whole, text, size);
    (void)verify_body_end(&whole);
    check(&whole);
    begin(&cut, shape, wanted, &held_cut);
    for (size_t at = 0, turn = 0, step; at < size; at += step, turn ^= 1) {
        step = steps[turn] < size - at ? steps[turn] : size - at;
        add(&cut, text + at, step);
    }
    (void)verify_body_end(&cut);
    check_same(&whole, &cut);
    REQUIRE(held == held_cut && held <= HELD_MAX);
    verify_body_free(&whole);
    verify_body_free(&cut);
    return 0;
}
