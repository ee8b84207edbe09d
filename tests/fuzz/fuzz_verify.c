/* fuzz_verify.c - a board of any bytes, in the form and of the index that the first byte says, to be checked or asked
 * about: what is wrong can be shown, no more is held than is allowed, every queen is on the board; and read once more
 * it comes to the same. What is asked about comes to parameters that, read as a query, come to themselves. */
#include <string.h>

#include "base/json.h"
#include "base/status.h"
#include "engine/ask/query_values.h"
#include "fuzz.h"
#include "http/ask/board_values.h"
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

static const struct param rows[] = {
    PARAM_N_OR_REGIONS(0, 1000), PARAM_PLACE(),  PARAM_EXCLUDE(), PARAM_RULES(),   PARAM_REGIONS(), PARAM_APART(),
    PARAM_ROWS(SHAPE_MAX_SIDE),  PARAM_QUEENS(), PARAM_WALLS(),   PARAM_MAXIMAL(), PARAM_BASE,      {0}};

/* The canonical query of what a board says; NULL, with errors that can be shown: it says too much. */
static char *query_of(const struct verify_body *body)
{
    static struct params said;
    struct bytes text = {0};
    REQUIRE(board_values_read(body, rows, true, &said));
    for (size_t i = 0; i < said.errors.count; i++) {
        check_shown(said.errors.list[i].parameter, sizeof said.errors.list[i].parameter);
        check_shown(said.errors.list[i].reason, sizeof said.errors.list[i].reason);
    }
    if (said.errors.count)
        return NULL;
    params_canonical(rows, said.values, true, &text);
    bytes_char(&text, '\0');
    return text.data;
}

/* A query of names and values without escapes. */
static void check_query(const char *query)
{
    static struct params params, none;
    struct bytes again = {0};
    params_begin(&params, rows);
    for (const char *at = query + (*query == '?'), *end; *at; at = *end ? end + 1 : end) {
        const size_t name = strcspn(at, "=");
        end = at + strcspn(at, "&");
        params_read(&params, at, name, at + name + 1, (size_t)(end - at) - name - 1);
    }
    params_begin(&none, rows);
    board_values_add(&params, &none);
    REQUIRE(params.errors.count == 0);
    params_canonical(rows, params.values, true, &again);
    bytes_char(&again, '\0');
    REQUIRE(strcmp(query, again.data) == 0);
    bytes_free(&again);
}

static void check_values(const struct verify_body *body)
{
    char *query = body->status == NQ_OK ? query_of(body) : NULL;
    if (query)
        check_query(query);
    free(query);
}

static void check(const struct verify_body *body, bool board)
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
    REQUIRE((board || body->n <= VERIFY_MAX_N) && body->base <= 1 && rule_name(body->rule) && body->placement);
    const uint32_t height = body->has_m ? body->m : body->n;
    const bool shaped = body->has_m || body->walls.count || *body->queens || body->maximal;
    REQUIRE(board || shaped || body->placement->count <= body->n * (body->regions.regions.n ? body->n : 1));
    REQUIRE(board || (uint64_t)body->placement->count <= (uint64_t)height * body->n);
    check_regions(body);
    for (uint32_t i = 0; i < body->placement->count + body->placement->crossed; i++)
        REQUIRE(body->placement->queens[i].row < height && body->placement->queens[i].column < body->n);
    for (uint32_t i = 0; i < body->walls.count; i++)
        REQUIRE(body->walls.squares[i].row < height && body->walls.squares[i].column < body->n);
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
static size_t read_body(struct verify_body *body, const struct verify_form *form, uint32_t wanted, bool board,
                        const uint8_t *data, size_t size)
{
    size_t held = 0;
    const struct verify_asked asked = {
        .wanted = wanted, .board = board, .has_n = true, .n = 4, .base = 1, .hold = hold, .who = &held};
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
    const bool board = data[0] / EIGHT / INDEXES % 2;
    REQUIRE(verify_forms[FORMS].alias); /* or a form is not tried */
    const size_t held = read_body(&body, form, wanted, board, data + HEAD, size - HEAD);
    check(&body, board);
    REQUIRE(held == read_body(&again, form, wanted, board, data + HEAD, size - HEAD) && held <= HELD_MAX);
    check_same(&body, &again);
    if (board)
        check_values(&body);
    verify_body_free(&body);
    verify_body_free(&again);
    return 0;
}
