/* route_puzzle.c - GET /puzzle: squares with queens that leave one solution to find, or regions that do. */
#include <string.h>

#include "engine/ask/query_values.h"
#include "http/reply/route.h"
#include "puzzles/generator.h"
#include "puzzles/puzzle_code.h"

enum {
    KIND,
    N,
    ROWS,
    QUEENS,
    WALLS,
    LEVEL,
    DAILY,
    CODE,
    GENERATOR,
    CLUES,
    MINIMAL,
    SEED,
    RULES,
    SHEET,
    SOLVED,
    BASE,
    FORMAT
};

/* A day's board has so many rows unless others are asked for. */
enum { DAILY_N = 8 };

/* A page has no larger boards: they take long, and their squares would be less than 4 mm. */
enum { SHEET_MAX_N = 15 };

enum { KIND_COMPLETION, KIND_REGIONS };
PARAM_CHOICES(kinds, "completion", "regions");
PARAM_CHOICES(formats_offered, "json", "svg", "png", "text");

/* As many of them as boards without regions have. */
enum { FORMATS_WITHOUT_REGIONS = 3 };

/* Regions have a rule of their own, so that of queens is another. */
static bool rule_named(const char *rule)
{
    return rule[0];
}

#define OF_REGIONS BOND(NEEDS, IS("kind=regions"), .unless = IS("code"))
#define OF_QUEENS BONDS(BOND(EXCLUDES, IS("kind=regions")), BOND(EXCLUDES, IS("code")))

static const struct param params[] = {
    [KIND] = {.name = "kind",
              .type = PARAM_CHOICE,
              .choices = kinds,
              .summary = "queens to be completed, or a board of regions; code implies regions",
              .bonds = BONDS(BOND(EXCLUDES, IS("code"), .own = "completion"))},
    [N] = {.name = "n",
           .type = PARAM_NUMBER,
           .required = true,
           .unless = "code daily",
           .least = 1,
           .most = NQ_SEARCH_MAX_N,
           .summary = "board size; not needed with daily (then 8) and not allowed with code",
           .bonds = BONDS(BOND(EXCLUDES, IS("code")), BOND(AT_LEAST, IS("kind=regions"), .limit = GENERATOR_MIN_N),
                          BOND(AT_MOST, IS("kind=regions"), .limit = GENERATOR_MAX_N),
                          BOND(AT_MOST, IS("sheet"), .limit = SHEET_MAX_N))},
    [ROWS] = PARAM_ROWS(SHAPE_MAX_SIDE, .bonds = BONDS(BOND(EXCLUDES, IS("kind=regions")), BOND(EXCLUDES, IS("code")),
                                                       BOND(AT_MOST, IS("sheet"), .limit = SHEET_MAX_N))),
    [QUEENS] = {.name = "queens",
                .type = PARAM_NUMBER,
                .least = 1,
                .most = NQ_SEARCH_MAX_N,
                .summary = "how many queens a solution has, one number; without it as many as the shorter side has "
                           "squares",
                .bonds = OF_QUEENS},
    [WALLS] = PARAM_WALLS(.bonds = OF_QUEENS),
    [LEVEL] = {.name = "level",
               .type = PARAM_CHOICE,
               .choices = level_name,
               .summary = "what a board of regions asks of a player: the hardest technique needed is of this level",
               .bonds = BONDS(BOND(EXCLUDES, IS("code")), BOND(EXCLUDES, IS("daily")), OF_REGIONS)},
    [DAILY] = {.name = "daily",
               .type = PARAM_TEXT,
               .summary = "the board of regions of a day, such as 2026-11-23; its weekday says the level",
               .bonds = BONDS(BOND(EXCLUDES, IS("code")), OF_REGIONS)},
    [CODE] = {.name = "code", .type = PARAM_TEXT, .summary = "the board of regions that a short code names"},
    [GENERATOR] = {.name = "generator",
                   .type = PARAM_NUMBER,
                   .least = 1,
                   .most = GENERATOR_REVISION,
                   .has_preset = true,
                   .preset = GENERATOR_REVISION,
                   .summary = "the revision of the generator that makes a board of regions; not allowed with code",
                   .bonds = BONDS(BOND(EXCLUDES, IS("code")), OF_REGIONS)},
    [CLUES] = {.name = "clues",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = NQ_SEARCH_MAX_N,
               .summary = "number of queens given; without it as few as the search reaches by removing queens",
               .bonds = OF_QUEENS},
    [MINIMAL] = PARAM_FLAG(
        "minimal",
        "true: no clue can be removed without a second solution; always true without clues=", .bonds = OF_QUEENS),
    [SEED] = PARAM_SEED("of the puzzle; without it the server draws and returns one",
                        .bonds = BONDS(BOND(EXCLUDES, IS("code")), BOND(EXCLUDES, IS("daily")))),
    [RULES] = PARAM_RULES(.bonds = BONDS(BOND(EXCLUDES, IS("kind=regions"), .own_has = rule_named),
                                         BOND(EXCLUDES, IS("code"), .own_has = rule_named))),
    [SHEET] = {.name = "sheet",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = SHEET_MAX,
               .summary = "with format=svg: so many boards of successive seeds on a page to be printed",
               .bonds = BONDS(BOND(NEEDS, IS("format=svg")), BOND(EXCLUDES, IS("daily")))},
    [SOLVED] =
        PARAM_FLAG("solved", "true: pictures show the solution", .bonds = BONDS(BOND(NEEDS, IS("format=svg|png")))),
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered,
                            .bonds = BONDS(BOND(NEEDS, IS("kind=regions"), .unless = IS("code"), .own = "text"))),
    {0},
};

static bool of_regions(const struct value *values)
{
    return values[CODE].given ? !values[KIND].given || values[KIND].number == KIND_REGIONS
                              : values[KIND].number == KIND_REGIONS;
}

/* ---- Normal values ---- */

static void choose(const struct param *rows, struct value *values)
{
    if (!of_regions(values))
        shape_choose(rows, values);
}

/* Puts what a code stands for in its place. */
static void spell_out(const struct param *rows, struct value *values)
{
    struct value *code = &values[CODE];
    struct puzzle_name name = {0};
    if (!code->sound || puzzle_code_read(code->text, strlen(code->text), &name) != PUZZLE_CODE_RIGHT)
        return;
    value_preset(&rows[CODE], code);
    value_set(&values[N], name.n);
    value_set(&values[LEVEL], name.level);
    value_set(&values[SEED], name.seed);
    value_set(&values[GENERATOR], name.revision);
}

static void normalise(const struct param *rows, struct value *values)
{
    if (!values[KIND].sound)
        return;
    if (!of_regions(values)) {
        if (!values[CLUES].given)
            value_preset(&rows[MINIMAL], &values[MINIMAL]); /* every puzzle is then */
        return;
    }
    value_set(&values[KIND], KIND_REGIONS);
    if (values[CODE].given)
        spell_out(rows, values);
    else if (values[DAILY].given && !values[N].given)
        value_set(&values[N], DAILY_N);
}

/* A day and a code have theirs. */
static bool draws(const struct value *values)
{
    return !values[DAILY].given && !values[CODE].given;
}

/* ---- Clues ---- */

static void read_clues(struct question *question, const struct value *values, struct validation_errors *errors)
{
    const struct value *n = &values[N], *clues = &values[CLUES];
    const struct rule *rule = row_rule(&values[RULES]);
    uint64_t queens = n->number;
    if (shape_given(params, values)) {
        if (!shape_read(params, values, SHAPE_MAX_SIDE, errors, &question->shape))
            return;
        queens = question->shape.most;
    }
    if (rule->drawn_n && n->number > rule->drawn_n && (question->shape.rows || !rule_none(rule, (uint32_t)n->number)))
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(rule->drawn_n)),
                    "must be at most %u for a puzzle with rules=%s", rule->drawn_n, rule->name);
    if (clues->given && clues->number > queens)
        reject_with(errors, REFUSED_MORE, "clues", MEMBERS(NUMBER((unsigned)queens)),
                    "must be at most %u, the number of queens on the board", (unsigned)queens);
    question->query.filter.rule = rule;
    question->puzzle.clues = clues->given ? (uint32_t)clues->number : 0;
    question->puzzle.minimal = clues->given && values[MINIMAL].number;
}

/* ---- Regions ---- */

/* A code that is still there could not be spelt out. */
static void refuse_code(const struct value *code, struct validation_errors *errors)
{
    struct puzzle_name name;
    if (puzzle_code_read(code->text, strlen(code->text), &name) == PUZZLE_CODE_REVISION)
        reject_param(errors, REFUSED_CODE_REVISION, "code",
                     "is of a later revision of the generator than %d, the last one of this release; ask the service "
                     "that made it, or take the code of a reply",
                     GENERATOR_REVISION);
    else
        reject_param(errors, REFUSED_CODE, "code",
                     "is not the code of a board: perhaps it was mistyped; take the code of a reply");
}

static void read_day(struct question *question, const struct value *day, struct validation_errors *errors)
{
    struct puzzle_name name = {0};
    if (!puzzle_daily(day->text, strlen(day->text), &name))
        reject_param(errors, REFUSED_SYNTAX, "daily",
                     "must be a day from 1970-01-01 to 9999-12-31, year-month-day, as in 2026-11-23");
    question->puzzle.daily = true;
    question->puzzle.level = name.level;
    question->seed = name.seed;
}

static void read_regions(struct question *question, const struct value *values, struct validation_errors *errors)
{
    question->puzzle.regions = true;
    question->query.filter.rule = rules[query_regions_rule()];
    question->puzzle.generator = (uint32_t)values[GENERATOR].number;
    question->puzzle.level = (enum level)values[LEVEL].number;
    if (values[CODE].given)
        refuse_code(&values[CODE], errors);
    if (values[DAILY].given)
        read_day(question, &values[DAILY], errors);
}

/* ---- The route ---- */

/* Clues have no rows of letters. */
static size_t acceptable(const struct value *values)
{
    return of_regions(values) ? SIZE_MAX : FORMATS_WITHOUT_REGIONS;
}

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    struct question *question = request_question(request);
    question->kind = ASK_PUZZLE;
    question->base = row_base(&values[BASE]);
    question->format = request_format(request);
    question->puzzle.solved = values[SOLVED].number;
    question->seed = values[SEED].number;
    if (of_regions(values))
        read_regions(question, values, errors);
    else
        read_clues(question, values, errors);
    question->puzzle.sheet = values[SHEET].given ? (uint32_t)values[SHEET].number : 0;
    question->n = (uint32_t)values[N].number;
    return true;
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    const struct question *question = request_question(request);
    const struct rule *rule = question->query.filter.rule;
    const uint32_t n = question->n;
    return rule_none(rule, n) && !question->shape.rows ? reply_no_solution(request, n, rule)
                                                       : reply_values(request, values);
}

const struct route route_puzzle = {
    .asks.path = "/puzzle",
    .example = "/puzzle?n=8",
    .summary = "A puzzle: queens, or regions, that exactly one solution completes",
    .asks.params = params,
    .formats = formats_offered,
    .acceptable = acceptable,
    .asks.choose = choose,
    .asks.normalise = normalise,
    .asks.draws = draws,
    .read = read_question,
    .handle = handle,
    .board = true,
};
