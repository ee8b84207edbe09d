/* refusals.c - the table of reasons to refuse a parameter or a body. It knows no parameters. */
#include "base/refusals.h"

#include <stdarg.h>
#include <stdio.h>

const struct refusal_row refusals[REFUSALS] = {
    [REFUSED_UNKNOWN] = {.code = "unknown-parameter"},
    [REFUSED_TWICE] = {.code = "given-twice"},
    [REFUSED_EMPTY] = {.code = "needs-value"},
    [REFUSED_MISSING] = {.code = "required"},
    [REFUSED_SYNTAX] = {.code = "syntax"},
    [REFUSED_CHOICE] = {.code = "not-a-choice"},
    [REFUSED_LESS] = {.code = "below-minimum", .members = {"minimum"}},
    [REFUSED_MORE] = {.code = "above-maximum", .members = {"maximum"}},
    [REFUSED_LOWER_LIMIT] = {.code = "below-limit", .policy = true, .members = {"minimum"}},
    [REFUSED_UPPER_LIMIT] = {.code = "above-limit", .policy = true, .members = {"maximum"}},
    [REFUSED_LONG] = {.code = "too-many-items", .policy = true, .members = {"maximum"}},
    [REFUSED_NUMBERS] = {.code = "number-of-values", .members = {"expected"}},
    [REFUSED_FACTORS] = {.code = "not-factors", .members = {"expected"}},
    [REFUSED_REVERSED] = {.code = "range-reversed"},
    [REFUSED_REPEATED] = {.code = "square-twice", .members = {"row", "column"}},
    [REFUSED_ORDER] = {.code = "not-ascending"},
    [REFUSED_CURSOR] = {.code = "not-a-cursor"},
    [REFUSED_CODE] = {.code = "not-a-code"},
    [REFUSED_CODE_REVISION] = {.code = "code-of-other-release", .policy = true},
    [REFUSED_SQUARE] = {.code = "square-off-board", .members = {"row", "column"}},
    [REFUSED_WALL] = {.code = "square-is-wall", .members = {"row", "column"}},
    [REFUSED_OFF_BOARD] = {.code = "off-board"},
    [REFUSED_NO_SOLUTION] = {.code = "not-a-solution"},
    [REFUSED_REGIONS] = {.code = "not-regions"},
    [REFUSED_REGIONS_SQUARE] = {.code = "not-regions-square", .members = {"row", "column"}},
    [REFUSED_MALFORMED] = {.code = "malformed", .members = {"byte", "line", "column"}},
    [REFUSED_OUTSIDE] = {.code = "out-of-range", .members = {"minimum", "maximum"}},
    [REFUSED_DISAGREES] = {.code = "disagrees", .members = {"count", "expected"}},
    [REFUSED_SEVERAL] = {.code = "several-solutions", .members = {"count"}},
    [REFUSED_NO_QUEENS] = {.code = "no-queens"},
    [REFUSED_WITH] = {.code = "not-with", .members = {"with"}},
    [REFUSED_WITHOUT] = {.code = "only-with", .members = {"with"}},
    [REFUSED_VALUE_WITH] = {.code = "must-be-with", .members = {"value", "with"}},
    [REFUSED_RULE] = {.code = "not-by-rule", .policy = true, .members = {"rules"}},
    [REFUSED_ONLY_COUNTED] = {.code = "only-counted", .policy = true},
    [REFUSED_ROWS] = {.code = "too-many-rows", .policy = true},
    [REFUSED_ROWS_ESTIMATE] = {.code = "too-many-rows-estimate", .policy = true},
    [REFUSED_ROWS_WALKS] = {.code = "too-many-rows-walks", .policy = true, .members = {"walks"}},
    [REFUSED_ROWS_COMPUTE] = {.code = "too-many-rows-compute", .policy = true},
    [REFUSED_ROWS_RANGE] = {.code = "too-many-rows-range", .policy = true},
    [REFUSED_NO_TABLE] = {.code = "no-table"},
    [REFUSED_RANGE] = {.code = "one-size-only"},
    [FAULT_NO_SOLUTION] = {.code = "no-solution", .members = {"n"}},
    [FAULT_METHOD] = {.code = "method-has-none"},
    [FAULT_SETTLED] = {.code = "settled-without", .members = {"energy", "steps", "seed"}},
    [FAULT_COST] = {.code = "too-costly", .members = {"core_seconds", "limit_core_seconds"}},
    [FAULT_COST_INDEX] = {.code = "index-too-costly", .members = {"core_seconds", "limit_core_seconds"}},
    [FAULT_COST_WITHOUT_JOB] = {.code = "too-costly-without-job", .members = {"core_seconds", "limit_core_seconds"}},
    [FAULT_COST_WITHOUT_KEY] = {.code = "too-costly-without-key", .members = {"core_seconds", "limit_core_seconds"}},
    [FAULT_COST_FOR_KEY] = {.code = "too-costly-for-key", .members = {"core_seconds", "limit_core_seconds"}},
    [FAULT_COMPLETED] = {.code = "too-few-completed", .members = {"completed", "walks"}},
    [FAULT_NOT_DRAWN] = {.code = "not-drawn"},
    [FAULT_MEMORY] = {.code = "algorithm-memory"},
    [FAULT_SEARCH_BYTES] = {.code = "search-memory", .members = {"bytes", "limit_bytes", "largest_n"}},
    [FAULT_UNDECIDED] = {.code = "undecided", .members = {"placements"}},
    [FAULT_NEVER_MINIMAL] = {.code = "never-minimal"},
    [FAULT_PUZZLE] = {.code = "puzzle-not-found", .members = {"placements", "tries"}},
    [FAULT_UNITS] = {.code = "units-not-counted", .members = {"units"}},
    [FAULT_DISAGREE] = {.code = "results-disagree", .members = {"unit"}},
    [FAULT_SUM] = {.code = "impossible-sum"},
    [FAULT_NO_MEMORY] = {.code = "no-memory"},
    [FAULT_RETIRED] = {.code = "no-longer-accepted"},
};

void fault_write(struct fault *fault, enum refusal why, const double *numbers, const char *text, ...)
{
    va_list args;
    *fault = (struct fault){.why = why};
    for (size_t i = 0; i < REFUSAL_MEMBERS_MAX && refusals[why].members[i]; i++)
        fault->numbers[i] = numbers[i];
    va_start(args, text);
    (void)vsnprintf(fault->text, sizeof fault->text, text, args);
    va_end(args);
}
