/* fuzz_puzzle_code.c - codes of boards and days in any bytes. A code that is accepted is, but for capitals, the one
 * that is written; a day has its date as the seed. Any name comes back from its code. */
#include <ctype.h>
#include <string.h>

#include "fuzz.h"
#include "puzzles/generator.h"
#include "puzzles/puzzle_code.h"

static void check_code(const char *text, size_t size)
{
    struct puzzle_name name;
    char again[PUZZLE_CODE_MAX];
    if (puzzle_code_read(text, size, &name) != PUZZLE_CODE_RIGHT)
        return;
    REQUIRE(name.n >= GENERATOR_MIN_N && name.n <= GENERATOR_MAX_N && name.level < LEVELS);
    REQUIRE(strlen(puzzle_code_write(&name, again)) == size);
    for (size_t i = 0; i < size; i++)
        REQUIRE(again[i] == tolower((unsigned char)text[i]));
}

static void check_name(const uint8_t *data, size_t size)
{
    struct puzzle_name name = {.revision = GENERATOR_REVISION, .n = GENERATOR_MIN_N}, back;
    char text[PUZZLE_CODE_MAX];
    for (size_t i = 0; i < size; i++)
        name.seed = name.seed << 8 | data[i];
    name.n += (uint32_t)(name.seed >> 60);
    name.level = (enum level)(name.seed >> 58 & 3);
    name.seed &= PUZZLE_SEED_MAX;
    (void)puzzle_code_write(&name, text);
    REQUIRE(puzzle_code_read(text, strlen(text), &back) == PUZZLE_CODE_RIGHT);
    REQUIRE(back.n == name.n && back.level == name.level && back.seed == name.seed && back.revision == name.revision);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct puzzle_name day = {.n = GENERATOR_MIN_N};
    if (!size)
        return 0;
    char *text = fuzz_bytes(data, size);
    check_code(text, size);
    check_name(data, size);
    if (puzzle_daily(text, size, &day))
        REQUIRE(size == 10 && day.seed >= 19700101 && day.seed <= 99991231 && day.level < LEVELS);
    free(text);
    return 0;
}
