/* puzzle_code.h - names of generated boards: a short code that brings one back for ever, and the board of a day. It
 * knows neither boards nor clocks. */
#ifndef PUZZLES_PUZZLE_CODE_H
#define PUZZLES_PUZZLE_CODE_H

#include "board/regions.h"
#include "puzzles/technique.h"

/* The newest revision; all from 1 on are made. A change of what any seed gives is a new revision; codes of the old ones
 * must go on working. */
enum { GENERATOR_REVISION = 2 };

/* n = 4 has two placements, mirror images of each other: of its 62741 boards 11760 have one solution, and none of these
 * needs more than `common-attack`. */
enum { GENERATOR_MIN_N = 5, GENERATOR_MAX_N = REGIONS_MAX_N };

/* Seeds are exact in JSON. */
#define PUZZLE_SEED_MAX ((UINT64_C(1) << 53) - 1)

/* What a board follows from. */
struct puzzle_name {
    uint32_t revision, n; /* of the generator; GENERATOR_MIN_N to GENERATOR_MAX_N */
    enum level level;
    uint64_t seed; /* PUZZLE_SEED_MAX at most */
};

/* With the NUL. */
enum { PUZZLE_CODE_MAX = 16 };

/* Writes the code: 3 to 14 digits of base 32 (0-9 and a-z without i, l, o and u): the revision, the rest of the name,
 * and a check digit. Returns text. */
const char *puzzle_code_write(const struct puzzle_name *name, char text[static PUZZLE_CODE_MAX]);

enum puzzle_code_fault {
    PUZZLE_CODE_RIGHT,
    PUZZLE_CODE_WRONG,   /* no code: perhaps mistyped */
    PUZZLE_CODE_REVISION /* a code of a revision that this release does not have */
};

/* Reads a code; capitals are accepted. */
enum puzzle_code_fault puzzle_code_read(const char *text, size_t size, struct puzzle_name *name);

/* The level and seed of a day, "2026-11-23", from the year 1970 to 9999: Monday and Tuesday are easy, Wednesday and
 * Thursday medium, Friday and Saturday hard, Sunday is for experts. False: there is no such day. The rest of the name
 * stays. */
bool puzzle_daily(const char *text, size_t size, struct puzzle_name *name);

/* The day of such a seed, with the NUL. Returns text. */
enum { PUZZLE_DAY_MAX = 11 };
const char *puzzle_day_write(uint64_t seed, char text[static PUZZLE_DAY_MAX]);

#endif
