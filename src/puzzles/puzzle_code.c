/* puzzle_code.c - codes and days as the names of boards. */
#include "puzzles/puzzle_code.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

enum { DIGIT_BITS = 5, DIGIT = 31, LEVEL_BITS = 2, N_BITS = 4, SHORTEST = 3 };

static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

static char check_digit(const char *text, size_t size)
{
    const uint64_t hash = hash_bytes(HASH_START, text, size);
    return digits[(hash ^ hash >> 32) & DIGIT];
}

const char *puzzle_code_write(const struct puzzle_name *name, char text[static PUZZLE_CODE_MAX])
{
    const uint64_t rest = (name->seed << LEVEL_BITS | name->level) << N_BITS | (name->n - GENERATOR_MIN_N);
    size_t size = 0;
    unsigned shift = 60;
    text[size++] = digits[name->revision & DIGIT];
    while (shift && !(rest >> shift))
        shift -= DIGIT_BITS;
    for (;; shift -= DIGIT_BITS) {
        text[size++] = digits[rest >> shift & DIGIT];
        if (!shift)
            break;
    }
    text[size] = check_digit(text, size);
    text[size + 1] = '\0';
    return text;
}

/* In lower case, and the value of each digit; false: there are others. */
static bool read_digits(const char *text, size_t size, char *lower, uint8_t *values)
{
    for (size_t i = 0; i < size; i++) {
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
        const char *at = lower[i] ? strchr(digits, lower[i]) : NULL;
        if (!at)
            return false;
        values[i] = (uint8_t)(at - digits);
    }
    return true;
}

enum puzzle_code_fault puzzle_code_read(const char *text, size_t size, struct puzzle_name *name)
{
    char lower[PUZZLE_CODE_MAX], again[PUZZLE_CODE_MAX];
    uint8_t values[PUZZLE_CODE_MAX];
    uint64_t rest = 0;
    if (size < SHORTEST || size >= PUZZLE_CODE_MAX || !read_digits(text, size, lower, values) ||
        lower[size - 1] != check_digit(lower, size - 1))
        return PUZZLE_CODE_WRONG;
    if (values[0] < 1 || values[0] > GENERATOR_REVISION)
        return PUZZLE_CODE_REVISION;
    for (size_t i = 1; i < size - 1; i++)
        rest = rest << DIGIT_BITS | values[i];
    *name = (struct puzzle_name){.revision = values[0],
                                 .n = GENERATOR_MIN_N + (uint32_t)(rest & ((1 << N_BITS) - 1)),
                                 .level = (enum level)(rest >> N_BITS & ((1 << LEVEL_BITS) - 1)),
                                 .seed = rest >> (N_BITS + LEVEL_BITS)};
    /* One name has one code: no leading zeros, and nothing that does not fit. */
    if (name->seed > PUZZLE_SEED_MAX || strlen(puzzle_code_write(name, again)) != size ||
        memcmp(again, lower, size) != 0)
        return PUZZLE_CODE_WRONG;
    return PUZZLE_CODE_RIGHT;
}

/* ---- Days ---- */

enum { DATE_SIZE = 10, FIRST_YEAR = 1970, DAYS_OF_WEEK = 7 };

static bool leap(uint32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Reads the digits of a date "yyyy-mm-dd" as one number. */
static bool read_date(const char *text, size_t size, uint32_t *number)
{
    *number = 0;
    for (size_t i = 0; i < DATE_SIZE && size == DATE_SIZE; i++) {
        const bool dash = i == 4 || i == 7;
        if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9')
            return false;
        *number = dash ? *number : *number * 10 + (uint32_t)(text[i] - '0');
    }
    return size == DATE_SIZE;
}

/* 0 is Monday (Zeller's congruence, Acta Mathematica 9, 1887: the year begins with March). */
static uint32_t weekday(uint32_t year, uint32_t month, uint32_t day)
{
    const uint32_t from_march = month < 3 ? month + 12 : month, of = month < 3 ? year - 1 : year;
    return (day + 13 * (from_march + 1) / 5 + of + of / 4 - of / 100 + of / 400 + 5) % DAYS_OF_WEEK;
}

bool puzzle_daily(const char *text, size_t size, struct puzzle_name *name)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const uint8_t levels[DAYS_OF_WEEK] = {LEVEL_EASY, LEVEL_EASY, LEVEL_MEDIUM, LEVEL_MEDIUM,
                                                 LEVEL_HARD, LEVEL_HARD, LEVEL_EXPERT};
    uint32_t date;
    if (!read_date(text, size, &date))
        return false;
    const uint32_t year = date / 10000, month = date / 100 % 100, day = date % 100;
    if (year < FIRST_YEAR || month < 1 || month > 12 || day < 1 ||
        day > days[month - 1] + (uint32_t)(month == 2 && leap(year)))
        return false;
    name->level = (enum level)levels[weekday(year, month, day)];
    name->seed = date;
    return true;
}

const char *puzzle_day_write(uint64_t seed, char text[static PUZZLE_DAY_MAX])
{
    const unsigned date = (unsigned)(seed % 100000000);
    (void)snprintf(text, PUZZLE_DAY_MAX, "%04u-%02u-%02u", date / 10000, date / 100 % 100, date % 100);
    return text;
}
