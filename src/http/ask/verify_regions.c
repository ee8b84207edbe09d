/* verify_regions.c - collects the regions of a body in bounded memory, and reads them once they are complete. Whether
 * they must be connected, and from which number rows count in a sentence, may come after them: faults wait until the
 * end. It knows no queens. */
#include "http/ask/verify_regions.h"

#include <inttypes.h>
#include <string.h>

#include "engine/ask/query_values.h"

/* ---- Pieces ---- */

void verify_regions_begin(struct verify_body *body)
{
    struct verify_painting *painting = &body->json.painting;
    painting->rows = painting->columns = painting->size = 0;
    painting->kind = PAINTED_NOTHING;
}

/* Rows of letters and rows of numbers do not mix. */
static bool paint_with(struct verify_body *body, enum painted kind)
{
    struct verify_painting *painting = &body->json.painting;
    if (painting->kind != PAINTED_NOTHING && painting->kind != kind)
        verify_refuse_here(body, "the rows of regions must be all strings or all lists");
    painting->kind = kind;
    return body->status == NQ_OK;
}

void verify_regions_letter(struct verify_body *body, unsigned char c)
{
    struct verify_painting *painting = &body->json.painting;
    if (!paint_with(body, PAINTED_LETTERS))
        return;
    if (painting->size == PARAM_TEXT_MAX) {
        verify_refuse(body, REFUSED_LONG, "regions", "must have at most %d characters", PARAM_TEXT_MAX);
        return;
    }
    painting->text[painting->size++] = (char)c;
}

void verify_regions_id(struct verify_body *body)
{
    struct verify_painting *painting = &body->json.painting;
    if (!paint_with(body, PAINTED_NUMBERS))
        return;
    if (body->number == UINT32_MAX)
        verify_refuse_here(body, "the number of a region must have at most nine digits");
    else if (painting->size < REGIONS_MAX_SQUARES)
        painting->ids[painting->size++] = body->number;
    painting->columns += painting->columns < UINT32_MAX;
}

void verify_regions_row(struct verify_body *body, enum painted kind)
{
    struct verify_painting *painting = &body->json.painting;
    if (kind == PAINTED_LETTERS)
        verify_regions_letter(body, '/');
    else if (painting->rows < REGIONS_MAX_N && paint_with(body, PAINTED_NUMBERS))
        painting->lengths[painting->rows] = painting->columns;
    painting->rows += painting->rows < UINT32_MAX;
    painting->columns = 0;
}

/* ---- What they say ---- */

/* Whether they may be read as regions of any connection. */
static bool read_numbers(const struct verify_painting *painting, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = painting->rows;
    *fault = (struct regions_fault){.wrong = REGIONS_SIZE, .number = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return false;
    for (uint32_t row = 0; row < n; row++)
        if (painting->lengths[row] != n) {
            *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, painting->lengths[row]};
            return false;
        }
    for (uint32_t square = 0; square < n * n; square++)
        ids[square] = painting->ids[square];
    return regions_read_ids(n, ids, true, regions, fault);
}

/* The first regions, or the same once more. */
static void take(struct verify_body *body, const struct regions *regions, const struct regions_fault *fault)
{
    struct verify_regions *taken = &body->regions;
    if (body->status != NQ_OK)
        return;
    if (!taken->given) {
        taken->given = true;
        taken->regions = *regions;
        taken->fault = *fault;
    } else if (taken->fault.wrong == REGIONS_RIGHT) {
        taken->fault = *fault;
        if (fault->wrong == REGIONS_RIGHT &&
            (regions->n != taken->regions.n ||
             memcmp(regions->of, taken->regions.of, (size_t)regions->n * regions->n) != 0))
            verify_refuse(body, REFUSED_DISAGREES, "regions", "must be the same everywhere");
    }
}

static void take_text(struct verify_body *body, const char *text, size_t size)
{
    struct regions regions = {0};
    struct regions_fault fault;
    if (regions_read(text, size, true, &regions, &fault))
        fault.wrong = REGIONS_RIGHT;
    take(body, &regions, &fault);
}

void verify_regions_take(struct verify_body *body)
{
    const struct verify_painting *painting = &body->json.painting;
    struct regions regions = {0};
    struct regions_fault fault;
    if (painting->kind == PAINTED_LETTERS) {
        take_text(body, painting->text, painting->size);
        return;
    }
    if (read_numbers(painting, &regions, &fault))
        fault.wrong = REGIONS_RIGHT;
    take(body, &regions, &fault);
}

void verify_regions_after(struct verify_body *body, const char **text, const char *label)
{
    const size_t length = strlen(label);
    if (strncmp(*text, label, length) != 0)
        return;
    const size_t size = strspn(*text + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/");
    take_text(body, *text + length, size);
    *text += length + size;
}

/* ---- At the end ---- */

static bool connected(const struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    struct regions again;
    for (uint32_t square = 0; square < regions->n * regions->n; square++)
        ids[square] = regions->of[square];
    return regions_read_ids(regions->n, ids, false, &again, fault);
}

bool verify_regions_settle(struct verify_body *body)
{
    struct verify_regions *taken = &body->regions;
    if (taken->parameter)
        take_text(body, taken->parameter, strlen(taken->parameter));
    if (body->status != NQ_OK || !taken->given)
        return body->status == NQ_OK;
    if (taken->fault.wrong != REGIONS_RIGHT || (!taken->apart && !connected(&taken->regions, &taken->fault))) {
        struct validation_errors errors = {0};
        reject_regions(&errors, "regions", &taken->fault, body->base);
        verify_fail(body, &errors);
    } else if (body->has_n && body->n != taken->regions.n) {
        verify_refuse(body, REFUSED_DISAGREES, "n", "is %" PRIu32 ", but regions has %" PRIu32 " rows; leave n out",
                      body->n, taken->regions.n);
    }
    body->n = taken->regions.n;
    body->has_n = true;
    return body->status == NQ_OK;
}
