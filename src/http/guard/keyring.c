/* keyring.c - lines into rows, and keys into hashes. A hash without salt is safe because keys are long and random
 * (nqueensd new-key), so that nobody can guess them; it would not be for passwords. */
#include "http/guard/keyring.h"

#include <ctype.h>
#include <math.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { SEARCHES_MOST = 1000000, JOBS_MOST = 100000, HOURS_MOST = 1000000, NUMBER_MAX = 16 };
enum { HASH_DIGITS = 2 * SHA256_DIGEST_SIZE };

struct row {
    struct holder holder;
    uint8_t hash[SHA256_DIGEST_SIZE];
    size_t line;
};

struct keyring {
    size_t count;
    struct row rows[];
};

/* ---- Words ---- */

struct word {
    const char *text;
    size_t size;
};

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

/* Takes the next word off a line. False: none is left. */
static bool next_word(struct word *line, struct word *word)
{
    while (line->size && is_blank(*line->text)) {
        line->text++;
        line->size--;
    }
    *word = (struct word){.text = line->text};
    while (line->size && !is_blank(*line->text)) {
        line->text++;
        line->size--;
        word->size++;
    }
    return word->size && *word->text != '#';
}

static bool read_name(struct word word, char name[static PRINCIPAL_NAME_MAX + 1])
{
    for (size_t i = 0; i < word.size; i++)
        if (!isalnum((unsigned char)word.text[i]) && (!word.text[i] || !strchr("._-", word.text[i])))
            return false;
    if (word.size > PRINCIPAL_NAME_MAX)
        return false;
    memcpy(name, word.text, word.size);
    name[word.size] = '\0';
    return true;
}

static bool read_hash(struct word word, uint8_t hash[static SHA256_DIGEST_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    memset(hash, 0, SHA256_DIGEST_SIZE);
    for (size_t i = 0; i < word.size && i < HASH_DIGITS; i++) {
        const char *digit = word.text[i] ? strchr(digits, tolower((unsigned char)word.text[i])) : NULL;
        if (!digit)
            return false;
        hash[i / 2] = (uint8_t)(hash[i / 2] << 4 | (digit - digits));
    }
    return word.size == HASH_DIGITS;
}

/* Digits, with a fraction if that is allowed. */
static bool read_number(struct word word, bool fraction, double least, double most, double *number)
{
    char text[NUMBER_MAX + 1];
    size_t points = 0;
    for (size_t i = 0; i < word.size; i++) {
        points += word.text[i] == '.';
        if (!isdigit((unsigned char)word.text[i]) && (word.text[i] != '.' || i == 0 || i == word.size - 1))
            return false;
    }
    if (word.size == 0 || word.size > NUMBER_MAX || points > fraction)
        return false;
    memcpy(text, word.text, word.size);
    text[word.size] = '\0';
    *number = strtod(text, NULL);
    return *number >= least && *number <= most;
}

/* "searches=5", "jobs=0" or "hours=1.5". given: a bit for each that was read before. */
static bool read_budget(struct word word, struct holder *holder, unsigned *given)
{
    enum { SEARCHES, JOBS, HOURS, ROWS };
    static const struct {
        const char *name;
        double least, most;
    } rows[] = {[SEARCHES] = {.name = "searches=", .least = 1, .most = SEARCHES_MOST},
                [JOBS] = {.name = "jobs=", .most = JOBS_MOST},
                [HOURS] = {.name = "hours=", .most = HOURS_MOST}};
    for (size_t i = 0; i < ROWS; i++) {
        const size_t size = strlen(rows[i].name);
        double number;
        if (word.size < size || strncmp(word.text, rows[i].name, size) != 0)
            continue;
        if ((*given & 1U << i) || !read_number((struct word){word.text + size, word.size - size}, i == HOURS,
                                               rows[i].least, rows[i].most, &number))
            return false;
        *given |= 1U << i;
        if (i == HOURS)
            holder->hours = number;
        else
            *(i == JOBS ? &holder->jobs : &holder->searches) = (unsigned)number;
        return true;
    }
    return false;
}

/* ---- Lines ---- */

/* NULL, or what is wrong in a few words. */
static const char *read_row(struct word line, struct word name, struct row *row)
{
    struct word word;
    unsigned given = 0;
    row->holder = (struct holder){.searches = UINT32_MAX, .jobs = UINT32_MAX, .hours = INFINITY};
    if (!read_name(name, row->holder.name))
        return "a name has 1 to 32 letters, digits, dots, dashes and underscores";
    if (!next_word(&line, &word) || !read_hash(word, row->hash))
        return "after the name comes the SHA-256 of the key, 64 hexadecimal digits";
    while (next_word(&line, &word))
        if (!read_budget(word, &row->holder, &given))
            return "after the hash come searches=N, jobs=N and hours=H, each once and a number in bounds";
    return NULL;
}

/* What an earlier row has in common with a new one, and in which line; NULL: nothing. */
static const char *compare(const struct keyring *keyring, const struct row *row, size_t *before)
{
    for (size_t i = 0; i < keyring->count; i++) {
        *before = keyring->rows[i].line;
        if (strcmp(keyring->rows[i].holder.name, row->holder.name) == 0)
            return "has the name";
        if (memcmp(keyring->rows[i].hash, row->hash, sizeof row->hash) == 0)
            return "has the hash";
    }
    return NULL;
}

__attribute__((format(printf, 3, 4))) static struct keyring *
refuse(struct keyring *keyring, char error[static KEYRING_ERROR_MAX], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error, KEYRING_ERROR_MAX, format, args);
    va_end(args);
    free(keyring);
    return NULL;
}

struct keyring *keyring_read(const char *text, size_t size, char error[static KEYRING_ERROR_MAX])
{
    const char *end = text + size;
    size_t lines = 1, number = 1;
    for (const char *at = text; at < end; at++)
        lines += *at == '\n';
    const size_t room = lines < KEYS_MAX ? lines : KEYS_MAX;
    struct keyring *keyring = calloc(1, sizeof *keyring + room * sizeof keyring->rows[0]);
    if (!keyring)
        return refuse(NULL, error, "out of memory");
    for (const char *at = text, *stop; at < end; at = stop + 1, number++) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        struct word line = {at, (size_t)(stop - at)}, name;
        if (!next_word(&line, &name))
            continue;
        if (keyring->count == room)
            return refuse(keyring, error, "line %zu: there may be %d keys", number, KEYS_MAX);
        struct row *row = &keyring->rows[keyring->count];
        const char *wrong = read_row(line, name, row);
        if (wrong)
            return refuse(keyring, error, "line %zu: %s", number, wrong);
        size_t before = 0;
        const char *same = compare(keyring, row, &before);
        if (same)
            return refuse(keyring, error, "line %zu: %s of line %zu", number, same, before);
        row->line = number;
        keyring->count++;
    }
    return keyring;
}

size_t keyring_count(const struct keyring *keyring)
{
    return keyring->count;
}

/* ---- Keys ---- */

static void hash_key(const char *key, size_t size, uint8_t hash[static SHA256_DIGEST_SIZE])
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, size, (const uint8_t *)key);
    sha256_digest(&context, SHA256_DIGEST_SIZE, hash);
}

const struct holder *keyring_find(const struct keyring *keyring, const char *key, size_t size)
{
    uint8_t hash[SHA256_DIGEST_SIZE];
    const struct holder *found = NULL;
    hash_key(key, size, hash);
    for (size_t i = 0; i < keyring->count; i++) /* never stops early: the time must not depend on the key */
        if (memeql_sec(keyring->rows[i].hash, hash, sizeof hash))
            found = &keyring->rows[i].holder;
    return found;
}

void keyring_line(struct bytes *line, const char *name, const char *key)
{
    uint8_t hash[SHA256_DIGEST_SIZE];
    hash_key(key, strlen(key), hash);
    bytes_format(line, "%s ", name);
    for (size_t i = 0; i < sizeof hash; i++)
        bytes_format(line, "%02x", hash[i]);
}
