/* division.c - the kinds of counts, each with its units. */
#include "engine/units/division.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units/units.h"
#include "kernels/kernel.h"
#include "solvers/solver.h"
#include "statistics/visit.h"

/* ---- An index: how many solutions begin with each prefix ---- */

/* Placements between two looks at the stop flag. */
enum { GRANT = 1 << 15 };

struct selection {
    unsigned group;
    uint32_t n;
    struct index_tally *tally;
};

static void select_solution(void *context, const uint8_t *columns)
{
    const struct selection *selection = context;
    if (query_representative(selection->group, selection->n, columns))
        index_tally_add(selection->tally, columns);
}

static enum nq_status list_fast(const struct division *division, size_t unit, struct index_tally *tally,
                                const struct kernel *kernel, const atomic_bool *stop, uint64_t *nodes)
{
    uint8_t stem[INDEX_STEM_MAX];
    const uint32_t length = index_stem(division->index, unit, stem);
    const struct filter *filter = &division->question->query.filter;
    struct selection selection = {.group = division->group, .n = filter->n, .tally = tally};
    struct visit visit = {
        .filter = filter, .finder = finder_of(kernel), .stop = stop, .visit = select_solution, .context = &selection};
    const enum nq_status status = visit_below(&visit, stem, length);
    *nodes += visit.nodes;
    return status;
}

/* The cursor lists by orbits. There is only one unit. */
static enum nq_status list_orbits(const struct division *division, struct index_tally *tally, const atomic_bool *stop,
                                  uint64_t *nodes)
{
    const struct query *query = &division->question->query;
    struct nq_cursor *cursor;
    uint32_t columns[NQ_SEARCH_MAX_N];
    enum nq_status status = cursor_open(NULL, query, &cursor);
    if (status != NQ_OK)
        return status;
    while (status == NQ_OK || status == NQ_AGAIN) {
        uint64_t left = GRANT;
        uint8_t row[KERNEL_MAX_N];
        status = nq_cursor_next(cursor, &left, columns);
        for (uint32_t i = 0; status == NQ_OK && i < query->filter.n; i++)
            row[i] = (uint8_t)columns[i];
        if (status == NQ_OK)
            index_tally_add(tally, row);
        *nodes += GRANT - left;
        if (stop_wanted(stop))
            status = NQ_CANCELLED;
    }
    nq_cursor_close(cursor);
    return status == NQ_END ? NQ_OK : status;
}

/* A unit that no kernel can count. */
static enum nq_status list_unit(const struct division *division, size_t unit, const struct kernel *kernel,
                                const atomic_bool *stop, struct bytes *result, uint64_t *nodes)
{
    struct index_tally tally;
    index_tally_begin(&tally, division->index, unit, result);
    const enum nq_status status = division->question->query.symmetry == SYMMETRY_ANY
                                      ? list_fast(division, unit, &tally, kernel, stop, nodes)
                                      : list_orbits(division, &tally, stop, nodes);
    const enum nq_status ended = index_tally_end(&tally);
    return status == NQ_OK ? ended : status;
}

static enum nq_status make_of_index(const struct division *division, size_t unit, const struct kernel *kernel,
                                    const atomic_bool *stop, struct bytes *result, uint64_t *nodes)
{
    return index_listed(division->index) ? list_unit(division, unit, kernel, stop, result, nodes)
                                         : index_count(division->index, unit, kernel, stop, result, nodes);
}

static enum nq_status put_in_index(struct division *division, size_t unit, const void *result, size_t size)
{
    return index_put(division->index, unit, result, size);
}

static size_t units_of_index(const struct division *division)
{
    return index_units(division->index);
}

static void name_index(const struct division *division, struct bytes *name)
{
    index_name(division->index, name);
}

static double weight_of_index(const struct division *division, size_t unit, const atomic_bool *stop)
{
    return index_weight(division->index, unit, stop);
}

static const struct division_class of_index = {
    .units = units_of_index, .name = name_index, .weight = weight_of_index, .make = make_of_index, .put = put_in_index};

/* ---- Counts by a value: a unit's row of numbers, in decimal digits with spaces between them ---- */

static uint32_t numbers_of(const struct division *division)
{
    return division->survey ? survey_values(division->survey) : shape_plan_top(division->plan) + 1;
}

static enum nq_status make_row(const struct division *division, size_t unit, const struct kernel *kernel,
                               const atomic_bool *stop, struct bytes *result, uint64_t *nodes)
{
    nq_wide *row = calloc(numbers_of(division), sizeof *row);
    if (!row)
        return NQ_NOMEM;
    const enum nq_status status = division->survey ? survey_count(division->survey, unit, kernel, stop, row, nodes)
                                                   : shape_plan_count(division->plan, unit, stop, row, nodes);
    if (status == NQ_OK)
        wide_write_row(result, row, numbers_of(division));
    free(row);
    return status;
}

static enum nq_status put_row(struct division *division, size_t unit, const void *result, size_t size)
{
    const uint32_t numbers = numbers_of(division);
    nq_wide *row = calloc(numbers, sizeof *row);
    const char *text = result;
    (void)unit;
    if (!row)
        return NQ_NOMEM;
    bool sound = wide_read_row(text, text + size, row, numbers);
    for (uint32_t i = 0; sound && i < numbers; i++)
        sound = row[i] <= ~(nq_wide)0 - division->profile[i];
    for (uint32_t i = 0; sound && i < numbers; i++)
        division->profile[i] += row[i];
    free(row);
    return sound ? NQ_OK : NQ_INVALID;
}

/* ---- A survey: the solutions of each value of a statistic ---- */

static size_t units_of_survey(const struct division *division)
{
    return survey_units(division->survey);
}

static void name_survey(const struct division *division, struct bytes *name)
{
    survey_name(division->survey, name);
}

static double weight_of_survey(const struct division *division, size_t unit, const atomic_bool *stop)
{
    return survey_weight(division->survey, unit, stop);
}

static const struct division_class of_survey = {
    .units = units_of_survey, .name = name_survey, .weight = weight_of_survey, .make = make_row, .put = put_row};

/* ---- A shape: the placements of each number of queens ---- */

/* For each row of the board, a placement of this search takes as long as so many of the kernel's. Measured on boards of
 * 10 to 40 rows on a virtual EPYC with AVX-512, by processor time: 4 to 17. */
#define SHAPE_PLACEMENTS 10

/* Of units: results of another revision are not used. */
enum { SHAPE_REVISION = 1 };

static size_t units_of_shape(const struct division *division)
{
    return shape_plan_units(division->plan);
}

static void name_squares(const char *what, const struct shape *shape, const uint64_t *squares, struct bytes *name)
{
    bytes_format(name, " %s", what);
    for (uint32_t row = 0; row < shape->rows; row++)
        bytes_format(name, row ? ",%" PRIx64 : " %" PRIx64, squares[row]);
}

static void name_shape(const struct division *division, struct bytes *name)
{
    const struct shape *shape = &division->question->shape;
    bytes_format(name, "shape.%d %" PRIu32 "x%" PRIu32 " %s %" PRIu32 "-%" PRIu32 "%s group %x", SHAPE_REVISION,
                 shape->rows, shape->columns, shape->rule->name, shape->least, shape->most,
                 shape->maximal ? " maximal" : "", question_shape_group(division->question));
    name_squares("walls", shape, shape->walls, name);
    name_squares("allow", shape, shape->allow, name);
    name_squares("placed", shape, shape->placed, name);
}

/* Its plan has come to its end by then: there is nothing to stop. */
static double weight_of_shape(const struct division *division, size_t unit, const atomic_bool *stop)
{
    (void)stop;
    return SHAPE_PLACEMENTS * division->question->shape.rows * shape_plan_weight(division->plan, unit);
}

static const struct division_class of_shape = {
    .units = units_of_shape, .name = name_shape, .weight = weight_of_shape, .make = make_row, .put = put_row};

/* ---- Beginning and end ---- */

static enum nq_status open_shape(struct division *division, double most_placements, const atomic_bool *stop)
{
    const struct question *question = division->question;
    division->class = &of_shape;
    return shape_plan_open(&question->shape, question_shape_group(question), 0,
                           most_placements / (SHAPE_PLACEMENTS * question->shape.rows), stop, &division->plan);
}

static enum nq_status open_kind(struct division *division, double nodes_per_second, double most_placements,
                                const atomic_bool *stop)
{
    const struct question *question = division->question;
    const bool hint = question->kind == ASK_HINT; /* which counts by square */
    if (!hint && question->shape.rows)
        return open_shape(division, most_placements, stop);
    if (!hint && question->count.indexed) {
        division->class = &of_index;
        division->group = query_group(&question->query);
        return index_open(&question->query, stop, &division->index);
    }
    if (!hint && question->count.statistic) {
        division->class = &of_survey;
        return survey_open(&question->query, question->count.statistic, nodes_per_second, stop, &division->survey);
    }
    return counting_open(&question->query, stop, &division->counting);
}

enum nq_status division_open(const struct question *question, double nodes_per_second, double most_placements,
                             const atomic_bool *stop, struct division **out)
{
    struct division *division = calloc(1, sizeof *division);
    *out = NULL;
    if (!division)
        return NQ_NOMEM;
    division->question = question;
    enum nq_status status = open_kind(division, nodes_per_second, most_placements, stop);
    if (status == NQ_OK && (division->survey || division->plan) &&
        !(division->profile = calloc(numbers_of(division), sizeof *division->profile)))
        status = NQ_NOMEM;
    if (status == NQ_OK)
        *out = division;
    else
        division_close(division);
    return status;
}

void division_close(struct division *division)
{
    if (!division)
        return;
    if (division->counting)
        counting_close(division->counting);
    if (division->index && !division->index_given)
        index_close(division->index);
    if (division->survey)
        survey_close(division->survey);
    if (division->plan)
        shape_plan_close(division->plan);
    free(division->profile);
    free(division);
}

struct count_cost division_cost(struct division *division, const bool *done, double nodes_per_second,
                                const atomic_bool *stop)
{
    if (division->counting)
        return counting_cost(division->counting, done, nodes_per_second, stop);
    const size_t units = division_units(division);
    double placements = 0;
    for (size_t unit = 0; unit < units && !stop_wanted(stop); unit++)
        placements += floor(division->class->weight(division, unit, stop));
    if (units == 1)
        division->only = placements;
    return (struct count_cost){placements, placements / nodes_per_second};
}

double division_memory(const struct division *division, size_t table_bytes, unsigned threads, const atomic_bool *stop)
{
    enum { SHAPE = 4 << 20 };       /* what each square attacks, and a profile of each thread */
    enum { LEAST_COUNT = 1 << 20 }; /* a count without tables stays below: its units, and the stacks of its threads */
    if (division->index)
        return index_memory(division->index, stop);
    if (division->survey)
        return (double)survey_memory(division->survey, threads);
    if (division->plan)
        return SHAPE;
    const struct method_memory memory = counting_memory(division->counting, NULL, table_bytes);
    return fmax(memory.shared + memory.each * threads, LEAST_COUNT);
}

/* ---- Terms and units ---- */

size_t division_terms(const struct division *division)
{
    return division->class ? 1 : counting_terms(division->counting);
}

void division_name(const struct division *division, size_t term, struct bytes *name)
{
    if (division->class)
        division->class->name(division, name);
    else
        counting_name(division->counting, term, name);
}

enum nq_status division_prepare(struct division *division, const bool *done, const struct plan_source *source,
                                const atomic_bool *stop)
{
    return division->class ? NQ_OK : counting_prepare(division->counting, done, source, stop);
}

size_t division_units(const struct division *division)
{
    return division->class ? division->class->units(division) : counting_units(division->counting);
}

size_t division_first(const struct division *division, size_t term)
{
    if (division->class)
        return term ? division_units(division) : 0;
    return counting_first(division->counting, term);
}

size_t division_term(const struct division *division, size_t unit)
{
    return division->class ? 0 : counting_term(division->counting, unit);
}

double division_weight(const struct division *division, size_t unit)
{
    if (division->only > 0)
        return division->only;
    return division->class ? division->class->weight(division, unit, NULL) : counting_weight(division->counting, unit);
}

enum nq_status division_pieces(const struct division *division, size_t unit, const atomic_bool *stop, size_t *pieces)
{
    *pieces = 1;
    return division->class ? NQ_OK : counting_pieces(division->counting, unit, stop, pieces);
}

/* ---- Results ---- */

static nq_wide digest_of(const void *data, size_t size)
{
    struct sha256_ctx context;
    uint8_t digest[sizeof(nq_wide)];
    nq_wide number = 0;
    sha256_init(&context);
    sha256_update(&context, size, data);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        number = number << 8 | digest[i];
    return number;
}

static enum nq_status make_bytes(const struct division *division, size_t unit, const struct kernel *kernel,
                                 const atomic_bool *stop, struct unit_made *made)
{
    const enum nq_status status = division->class->make(division, unit, kernel, stop, &made->bytes, &made->nodes);
    if (status == NQ_OK && made->bytes.failed)
        return NQ_NOMEM;
    if (status == NQ_OK)
        made->parts = digest_of(made->bytes.data, made->bytes.size);
    return status;
}

_Static_assert((int)UNIT_WHOLE == (int)METHOD_WHOLE, "the same piece stands for a unit");

enum nq_status division_make(const struct division *division, size_t unit, size_t piece, const struct kernel *kernel,
                             const atomic_bool *stop, struct unit_made *made)
{
    struct unit_result result = {0};
    *made = (struct unit_made){.nodes = 0};
    if (division->class) {
        assert(piece == UNIT_WHOLE);
        return make_bytes(division, unit, kernel, stop, made);
    }
    const struct counting *counting = division->counting;
    const enum nq_status status = counting_count(counting, unit, piece, kernel, stop, &result);
    made->parts = result.parts;
    made->nodes = result.nodes;
    return status;
}

nq_wide division_most(const struct division *division, size_t term)
{
    return division->class ? ~(nq_wide)0 : counting_parts_most(division->counting, term);
}

void division_write(const struct division *division, const struct unit_made *made, struct bytes *value)
{
    char text[UNIT_FACT_MAX];
    if (division->class) {
        bytes_add(value, made->bytes.data, made->bytes.size);
        return;
    }
    units_fact(made->parts, made->nodes, text);
    bytes_text(value, text);
}

bool division_read(const struct division *division, size_t term, const void *value, size_t size, struct unit_made *made)
{
    *made = (struct unit_made){.nodes = 0};
    if (!division->class)
        return units_read_fact(value, size, division_most(division, term), &made->parts, &made->nodes);
    made->bytes = (struct bytes){.data = (char *)value, .size = size};
    made->parts = digest_of(value, size);
    return true;
}

enum nq_status division_put(struct division *division, size_t unit, const struct unit_made *made)
{
    return division->class ? division->class->put(division, unit, made->bytes.data, made->bytes.size) : NQ_OK;
}
