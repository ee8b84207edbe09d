/* regions.c - what a painted board must be, whatever form it came in. */
#include "board/regions.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

void regions_fault_text(const struct regions_fault *fault, uint32_t base, struct bytes *out)
{
    const uint32_t row = fault->row + base, column = fault->column + base, n = fault->n, number = fault->number;
    switch (fault->wrong) {
    case REGIONS_RIGHT: return;
    case REGIONS_SIZE:
        bytes_format(out, "The board has %" PRIu32 " rows; there must be %d to %d.", number, REGIONS_MIN_N,
                     REGIONS_MAX_N);
        return;
    case REGIONS_ROW:
        bytes_format(out, "Row %" PRIu32 " has %" PRIu32 " squares; a board of %" PRIu32 " rows needs %" PRIu32 ".",
                     row, number, n, n);
        return;
    case REGIONS_LETTER:
        bytes_format(out, "Row %" PRIu32 ", column %" PRIu32 " is no letter; write one letter (a-z, A-Z) per square.",
                     row, column);
        return;
    case REGIONS_NONE:
        bytes_format(out, "Row %" PRIu32 ", column %" PRIu32 " is in no region; every square needs one.", row, column);
        return;
    case REGIONS_FEW:
        bytes_format(out, "The board has %" PRIu32 " regions; %" PRIu32 " rows need %" PRIu32 ".", number, n, n);
        return;
    case REGIONS_MANY:
        bytes_format(out,
                     "The board has %" PRIu32 " regions; %" PRIu32 " rows need %" PRIu32
                     ". The first of one too many is row %" PRIu32 ", column %" PRIu32 ".",
                     number, n, n, row, column);
        return;
    case REGIONS_APART:
        bytes_format(out,
                     "Row %" PRIu32 ", column %" PRIu32
                     " is not connected with the squares of its region that come before it; the squares of a region "
                     "must be connected by their sides.",
                     row, column);
        return;
    case REGIONS_LINK: bytes_text(out, "The link must end with starbattle/n/n/1/borders."); return;
    case REGIONS_LINK_SIZE:
        bytes_format(out, "The board of the link has %" PRIu32 " columns and %" PRIu32 " rows; it must be square.", n,
                     number);
        return;
    case REGIONS_STARS:
        bytes_format(out, "It asks for %" PRIu32 " stars in each row; only boards with 1 are accepted.", number);
        return;
    case REGIONS_BORDERS:
        bytes_format(out, "The link has %" PRIu32 " digits of borders; a board of %" PRIu32 " rows needs %" PRIu32 ".",
                     number, n, 2 * ((n * (n - 1) + 4) / 5));
        return;
    case REGIONS_LABELS:
        bytes_format(out,
                     "It has %" PRIu32 " labels; a board of n rows needs n * n of them, or n words of n letters, for n "
                     "= %d to %d.",
                     number, REGIONS_MIN_N, REGIONS_MAX_N);
        return;
    case REGIONS_TWO_WAYS:
        bytes_format(out,
                     "It is both a board of %" PRIu32
                     " rows, each a word, and one whose squares are these words; write "
                     "a comma between all squares, or rows of letters with / between them.",
                     n);
        return;
    case REGIONS_DIGIT:
        bytes_format(out, "Digit %" PRIu32 " of the link's borders is none of 0-9 and a-v.", number);
        return;
    }
}

unsigned regions_beside(uint32_t n, uint32_t square, uint32_t beside[static 4])
{
    const uint32_t row = square / n, column = square % n;
    unsigned count = 0;
    if (row > 0)
        beside[count++] = square - n;
    if (column > 0)
        beside[count++] = square - 1;
    if (column + 1 < n)
        beside[count++] = square + 1;
    if (row + 1 < n)
        beside[count++] = square + n;
    return count;
}

/* Marks the squares of a region that are connected with one; returns how many. */
static uint32_t flood(uint32_t n, const uint8_t *of, uint32_t from, bool *reached)
{
    uint32_t queue[REGIONS_MAX_SQUARES], beside[4], count = 0;
    queue[count++] = from;
    reached[from] = true;
    for (uint32_t at = 0; at < count; at++)
        for (unsigned i = regions_beside(n, queue[at], beside); i-- > 0;)
            if (!reached[beside[i]] && of[beside[i]] == of[from]) {
                reached[beside[i]] = true;
                queue[count++] = beside[i];
            }
    return count;
}

bool regions_connected(uint32_t n, const uint8_t *of, uint8_t region, uint32_t without)
{
    assert(n <= REGIONS_MAX_N && without <= REGIONS_MAX_SQUARES);
    bool reached[REGIONS_MAX_SQUARES] = {false};
    uint32_t first = n * n, size = 0;
    if (without < n * n)
        reached[without] = true;
    for (uint32_t square = n * n; square-- > 0;)
        if (of[square] == region && square != without) {
            first = square;
            size++;
        }
    return !size || flood(n, of, first, reached) == size;
}

bool regions_apart(const struct regions *regions, bool apart[static REGIONS_MAX_SQUARES])
{
    const uint32_t squares = regions->n * regions->n;
    bool reached[REGIONS_MAX_SQUARES] = {false}, begun[REGIONS_MAX_N] = {false}, any = false;
    for (uint32_t square = 0; square < squares; square++) {
        const uint8_t region = regions->of[square];
        if (!begun[region])
            (void)flood(regions->n, regions->of, square, reached);
        begun[region] = true;
        apart[square] = !reached[square];
        any |= apart[square];
    }
    return any;
}

void regions_number(struct regions *regions)
{
    assert(regions->n <= REGIONS_MAX_N);
    const uint32_t squares = regions->n * regions->n;
    uint8_t number[UINT8_MAX + 1], count = 0;
    memset(number, UINT8_MAX, sizeof number);
    for (uint32_t square = 0; square < squares; square++) {
        uint8_t *of = &regions->of[square];
        if (number[*of] == UINT8_MAX)
            number[*of] = count++;
        *of = number[*of];
    }
}

static bool wrong(struct regions_fault *fault, enum regions_wrong wrong, uint32_t square, uint32_t number)
{
    fault->wrong = wrong;
    fault->row = fault->n ? square / fault->n : 0;
    fault->column = fault->n ? square % fault->n : 0;
    fault->number = number;
    return false;
}

/* The regions by number, and how many; from n on they are counted only. */
static bool number_ids(uint32_t n, const uint64_t *ids, struct regions *regions, struct regions_fault *fault)
{
    uint64_t seen[REGIONS_MAX_SQUARES];
    uint32_t count = 0, beyond = 0;
    for (uint32_t square = 0; square < n * n; square++) {
        uint32_t number = 0;
        if (ids[square] == REGIONS_NO_ID)
            return wrong(fault, REGIONS_NONE, square, 0);
        while (number < count && seen[number] != ids[square])
            number++;
        if (number == count) {
            seen[count++] = ids[square];
            beyond = count == n + 1 ? square : beyond;
        }
        regions->of[square] = (uint8_t)number; /* that of a board with too many may not fit */
    }
    if (count == n)
        return true;
    return wrong(fault, count < n ? REGIONS_FEW : REGIONS_MANY, beyond, count);
}

bool regions_read_ids(uint32_t n, const uint64_t *ids, bool apart, struct regions *regions, struct regions_fault *fault)
{
    bool reached[REGIONS_MAX_SQUARES] = {false}, begun[REGIONS_MAX_N] = {false};
    *fault = (struct regions_fault){.n = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return wrong(fault, REGIONS_SIZE, 0, n);
    regions->n = n;
    if (!number_ids(n, ids, regions, fault))
        return false;
    for (uint32_t square = 0; square < n * n && !apart; square++) {
        if (reached[square])
            continue;
        if (begun[regions->of[square]])
            return wrong(fault, REGIONS_APART, square, 0);
        begun[regions->of[square]] = true;
        (void)flood(n, regions->of, square, reached);
    }
    return true;
}

/* ---- Text ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_end(char c)
{
    return c == '/' || c == '\n';
}

/* Where the row that begins at `at` ends. */
static size_t row_end(const char *text, size_t size, size_t at)
{
    while (at < size && !is_end(text[at]))
        at++;
    return at;
}

/* Without a carriage return before its end. */
static size_t row_length(const char *text, size_t at, size_t end)
{
    return end - at - (end > at && text[end - 1] == '\r');
}

static uint32_t count_rows(const char *text, size_t size)
{
    uint32_t rows = 0;
    for (size_t at = 0; at < size; at = row_end(text, size, at) + 1)
        rows++;
    return rows;
}

bool regions_read_text(const char *text, size_t size, bool apart, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = count_rows(text, size);
    size_t at = 0;
    *fault = (struct regions_fault){.wrong = REGIONS_SIZE, .number = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return false;
    for (uint32_t row = 0; row < n; row++) {
        const size_t end = row_end(text, size, at), length = row_length(text, at, end);
        *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, (uint32_t)length};
        if (length != n)
            return false;
        for (uint32_t column = 0; column < n; column++) {
            const char c = text[at + column];
            *fault = (struct regions_fault){c == '.' ? REGIONS_NONE : REGIONS_LETTER, n, row, column, 0};
            if (!is_letter(c))
                return false;
            ids[row * n + column] = (unsigned char)c;
        }
        at = end + 1;
    }
    return regions_read_ids(n, ids, apart, regions, fault);
}

const char *regions_text(const struct regions *regions, char separator, char text[static REGIONS_TEXT_MAX])
{
    const uint32_t n = regions->n;
    char *at = text;
    for (uint32_t square = 0; square < n * n; square++) {
        if (square && square % n == 0)
            *at++ = separator;
        *at++ = (char)('a' + regions->of[square]);
    }
    *at = '\0';
    return text;
}

void regions_write_text(const struct regions *regions, char separator, struct bytes *out)
{
    char text[REGIONS_TEXT_MAX];
    bytes_text(out, regions_text(regions, separator, text));
}

/* ---- Labels ---- */

/* Boards as people write and as programs print them: n * n labels in any notation of lists, or n words of n signs.
 * Squares of one label are one region.
 *
 * Between labels stand blanks, commas, semicolons and line ends, brackets and quotes, as in JSON, CSV or Python. What
 * is in quotes, or in parentheses as in rgb(0, 128, 0), is part of a label. Of an object the list is read. */

enum { LABELS_MAX = REGIONS_MAX_SQUARES };

struct label {
    const char *at;
    size_t size;
    uint32_t row; /* lists, or lines, before it that had labels */
};

/* The labels of a text, as far as they are kept: those beyond only count. */
struct labels {
    struct label list[LABELS_MAX];
    uint32_t count, row;
    bool begun; /* the row has a label */
};

static bool is_any(char c, const char *of)
{
    return c != '\0' && strchr(of, c);
}

static void add(struct labels *labels, const char *at, size_t size)
{
    if (labels->count < LABELS_MAX)
        labels->list[labels->count] = (struct label){at, size, labels->row};
    labels->count++;
    labels->begun = true;
}

/* How long the label is that begins here: up to what parts labels, but not within parentheses. */
static size_t label_length(const char *text, size_t size)
{
    bool within = false;
    size_t at = 0;
    for (; at < size && (within || !is_any(text[at], " \t\r\n,;/[]{}\"'")); at++)
        within = text[at] == '(' || (within && text[at] != ')');
    return at;
}

static void end_row(struct labels *labels)
{
    labels->row += labels->begun;
    labels->begun = false;
}

/* What stands here: a label, which is added, or what parts them. Returns how many bytes it takes. */
static size_t take(struct labels *labels, const char *text, size_t size)
{
    if (*text == '"' || *text == '\'') {
        const char *end = memchr(text + 1, *text, size - 1);
        const size_t length = end ? (size_t)(end - text) - 1 : size - 1;
        add(labels, text + 1, length);
        return length + 1 + (end != NULL);
    }
    if (is_any(*text, "/\n]"))
        end_row(labels);
    if (is_any(*text, " \t\r\n,;/[]{}"))
        return 1;
    const size_t length = label_length(text, size);
    add(labels, text, length);
    return length;
}

/* Leaves of {"name":[...]} the list: from the first bracket to the last. */
static void cut_object(const char **text, size_t *size)
{
    const char *begin = memchr(*text, '[', *size);
    size_t end = *size;
    if (**text != '{' || !begin)
        return;
    while (end && (*text)[end - 1] != ']')
        end--;
    if (*text + end <= begin)
        return;
    *size = (size_t)(*text + end - begin);
    *text = begin;
}

static void read_labels(const char *text, size_t size, struct labels *labels)
{
    labels->count = labels->row = 0;
    labels->begun = false;
    for (size_t at = 0; at < size;)
        at += take(labels, text + at, size - at);
}

/* Whether two labels are the same: blanks are none, and hexadecimal colours may be written in capitals. */
static bool same(const struct label *a, const struct label *b)
{
    size_t i = 0, k = 0;
    const bool colours = a->size && *a->at == '#';
    for (;;) {
        for (; i < a->size && a->at[i] == ' '; i++)
            ;
        for (; k < b->size && b->at[k] == ' '; k++)
            ;
        if (i == a->size || k == b->size)
            return i == a->size && k == b->size;
        if (colours ? strncasecmp(a->at + i, b->at + k, 1) != 0 : a->at[i] != b->at[k])
            return false;
        i++;
        k++;
    }
}

/* What stands for a square in no region. */
static bool is_none(const struct label *label)
{
    return label->size == 0 || (label->size == 1 && *label->at == '.') ||
           (label->size == 4 && memcmp(label->at, "null", 4) == 0);
}

/* The side of a square of so many; 0: there is none of a board's size. */
static uint32_t side_of(size_t squares)
{
    uint32_t n = REGIONS_MAX_N;
    while (n >= REGIONS_MIN_N && (size_t)n * n != squares)
        n--;
    return n >= REGIONS_MIN_N ? n : 0;
}

/* Every label is a square. */
static bool read_squares(const struct labels *labels, bool apart, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = side_of(labels->count);
    *fault = (struct regions_fault){.wrong = REGIONS_LABELS, .number = labels->count};
    if (!n)
        return false;
    for (uint32_t i = 0; i < labels->count; i++) {
        ids[i] = REGIONS_NO_ID;
        for (uint32_t first = 0; first <= i && ids[i] == REGIONS_NO_ID && !is_none(&labels->list[i]); first++)
            if (same(&labels->list[first], &labels->list[i]))
                ids[i] = first;
    }
    return regions_read_ids(n, ids, apart, regions, fault);
}

/* Every label is a row, each of its bytes a square. */
static bool read_rows(const struct labels *labels, bool apart, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = labels->count;
    *fault = (struct regions_fault){.wrong = REGIONS_SIZE, .number = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return false;
    for (uint32_t row = 0; row < n; row++) {
        const struct label *label = &labels->list[row];
        *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, (uint32_t)label->size};
        if (label->size != n)
            return false;
        for (uint32_t column = 0; column < n; column++)
            ids[row * n + column] = label->at[column] == '.' ? REGIONS_NO_ID : (unsigned char)label->at[column];
    }
    return regions_read_ids(n, ids, apart, regions, fault);
}

/* One word has all squares: "aabb...", perhaps behind its size and number of stars, as in "4x1.aabb...". */
static bool read_word(struct label word, bool apart, struct regions *regions, struct regions_fault *fault)
{
    struct labels labels = {0};
    uint32_t numbers[2] = {0};
    size_t at = 0;
    for (unsigned i = 0; i < 2; i++, at++) {
        const size_t begin = at;
        for (; at < word.size && at < begin + 4 && word.at[at] >= '0' && word.at[at] <= '9'; at++)
            numbers[i] = numbers[i] * 10 + (uint32_t)(word.at[at] - '0');
        if (at == begin || at == word.size || word.at[at] != (i ? '.' : 'x'))
            numbers[1] = 0;
    }
    const bool sized = numbers[0] && numbers[1];
    for (at = sized ? at : 0; at < word.size; at++)
        add(&labels, word.at + at, 1);
    *fault = (struct regions_fault){.wrong = REGIONS_STARS, .number = numbers[1]};
    if (sized && numbers[1] != 1)
        return false;
    *fault = (struct regions_fault){.wrong = REGIONS_LABELS, .number = labels.count};
    return (!sized || side_of(labels.count) == numbers[0]) && read_squares(&labels, apart, regions, fault);
}

/* Whether the lists, or lines, are rows of a board, but one has another length. */
static bool is_uneven(const struct labels *labels, struct regions_fault *fault)
{
    const uint32_t n = labels->row + labels->begun, kept = labels->count < LABELS_MAX ? labels->count : LABELS_MAX;
    uint32_t lengths[REGIONS_MAX_N] = {0}, row = 0;
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N || n >= labels->count)
        return false;
    for (uint32_t i = 0; i < kept; i++)
        lengths[labels->list[i].row]++;
    while (row < n && lengths[row] == n)
        row++;
    *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, row < n ? lengths[row] : 0};
    return row < n;
}

/* Whether some label has more than one byte. */
static bool has_words(const struct labels *labels)
{
    const uint32_t kept = labels->count < LABELS_MAX ? labels->count : LABELS_MAX;
    for (uint32_t i = 0; i < kept; i++)
        if (labels->list[i].size > 1)
            return true;
    return false;
}

/* From n * n labels of any kind - numbers, letters, colours by name, #rrggbb or rgb() - in a list, a list of lists, or
 * parted by blanks, commas, semicolons or line ends; or from n words of n signs. An object's list is read. */
static bool regions_read_labels(const char *text, size_t size, bool apart, struct regions *regions,
                                struct regions_fault *fault)
{
    struct labels labels;
    struct regions other;
    struct regions_fault why;
    *fault = (struct regions_fault){.wrong = REGIONS_LABELS};
    if (!size)
        return false;
    cut_object(&text, &size);
    read_labels(text, size, &labels);
    if (labels.count == 1)
        return read_word(labels.list[0], apart, regions, fault);
    const bool squares = read_squares(&labels, apart, regions, fault);
    const bool rows = read_rows(&labels, apart, squares ? &other : regions, squares ? &why : fault);
    if (squares && rows)
        *fault = (struct regions_fault){.wrong = REGIONS_TWO_WAYS, .n = labels.count};
    if (squares != rows)
        *fault = (struct regions_fault){.n = regions->n};
    if (!squares && !rows) {
        if (side_of(labels.count))
            (void)read_squares(&labels, apart, regions, fault);
        else if ((fault->wrong == REGIONS_SIZE || !has_words(&labels)) && !is_uneven(&labels, fault))
            *fault = (struct regions_fault){.wrong = REGIONS_LABELS, .number = labels.count};
    }
    return squares != rows;
}

/* ---- Links ---- */

/* Boards as the borders between squares: links of puzz.link, as the engine pzpr writes and reads them, and the codes
 * of Star Battle notation. */

static const char kind[] = "starbattle/";
enum { KIND = sizeof kind - 1, DIGIT_BITS = 5, NUMBER_MAX = 9999, NO_DIGIT = 32, HEXADECIMAL = 16, LINK_MAX = 8192 };

/* Digits of so many borders. */
static size_t digits(uint32_t borders)
{
    return (borders + DIGIT_BITS - 1) / DIGIT_BITS;
}

static uint32_t digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'v')
        return (uint32_t)(c - 'a' + 10);
    return c >= 'A' && c <= 'V' ? (uint32_t)(c - 'A' + 10) : NO_DIGIT;
}

/* What follows the kind of puzzle, at the beginning or behind a question mark; size if there is none. */
static size_t after_kind(const char *text, size_t size)
{
    for (size_t at = 0; at + KIND <= size; at++)
        if ((!at || text[at - 1] == '?') && memcmp(text + at, kind, KIND) == 0)
            return at + KIND;
    return size;
}

/* A link within the address of another page (penpa-edit/?p=...), where its signs may be escaped: as it was. What does
 * not fit into a link is left out. Returns the size. */
static size_t unescape(const char *text, size_t size, char link[static LINK_MAX])
{
    size_t to = 0;
    for (size_t at = 0; at < size && to < LINK_MAX; at++) {
        const uint32_t high = at + 2 < size && text[at] == '%' ? digit_of(text[at + 1]) : NO_DIGIT;
        const uint32_t low = high < NO_DIGIT ? digit_of(text[at + 2]) : NO_DIGIT;
        const bool escaped = high < HEXADECIMAL && low < HEXADECIMAL;
        link[to] = text[at];
        if (escaped) {
            link[to] = (char)(unsigned char)(high * HEXADECIMAL + low);
            at += 2;
        }
        to++;
    }
    return to;
}

/* Without what follows the link in such an address. */
static size_t link_end(const char *text, size_t size)
{
    size_t at = after_kind(text, size);
    while (at < size && text[at] != '&' && text[at] != '#')
        at++;
    return at;
}

bool regions_is_link(const char *text, size_t size)
{
    return after_kind(text, size) < size || (size >= 4 && memcmp(text, "http", 4) == 0);
}

/* A number, and the slash behind it. */
static bool read_number(const char *text, size_t size, size_t *at, uint32_t *number)
{
    const size_t first = *at;
    for (*number = 0; *at < size && text[*at] >= '0' && text[*at] <= '9'; ++*at) {
        *number = *number * 10 + (uint32_t)(text[*at] - '0');
        if (*number > NUMBER_MAX)
            return false;
    }
    return *at > first && *at < size && text[(*at)++] == '/';
}

/* Borders of a board: digits, and whether they have one between a square and the next in its row, or the one below. */
struct borders {
    uint32_t n;
    const char *digits;
    bool (*beside)(const struct borders *borders, uint32_t row, uint32_t column);
    bool (*below)(const struct borders *borders, uint32_t row, uint32_t column);
};

static bool link_bit(const char *borders, uint32_t index)
{
    return digit_of(borders[index / DIGIT_BITS]) >> (DIGIT_BITS - 1 - index % DIGIT_BITS) & 1;
}

static bool link_beside(const struct borders *borders, uint32_t row, uint32_t column)
{
    return link_bit(borders->digits, row * (borders->n - 1) + column);
}

static bool link_below(const struct borders *borders, uint32_t row, uint32_t column)
{
    return link_bit(borders->digits + digits(borders->n * (borders->n - 1)), row * borders->n + column);
}

static bool border_between(const struct borders *borders, uint32_t a, uint32_t b)
{
    const uint32_t n = borders->n, first = a < b ? a : b;
    const bool down = first + n == a + b - first;
    return (down ? borders->below : borders->beside)(borders, first / n, first % n);
}

/* Numbers the squares by the regions that the borders leave. */
static void paint(const struct borders *borders, uint64_t *ids)
{
    const uint32_t n = borders->n;
    uint32_t queue[REGIONS_MAX_SQUARES], beside[4];
    for (uint32_t square = 0; square < n * n; square++)
        ids[square] = REGIONS_NO_ID;
    for (uint32_t square = 0; square < n * n; square++) {
        uint32_t count = 0;
        if (ids[square] == REGIONS_NO_ID) {
            ids[square] = square;
            queue[count++] = square;
        }
        for (uint32_t at = 0; at < count; at++)
            for (unsigned i = regions_beside(n, queue[at], beside); i-- > 0;)
                if (ids[beside[i]] == REGIONS_NO_ID && !border_between(borders, queue[at], beside[i])) {
                    ids[beside[i]] = square;
                    queue[count++] = beside[i];
                }
    }
}

static bool read_head(const char *text, size_t size, size_t *at, struct regions_fault *fault)
{
    uint32_t columns, rows, stars;
    *fault = (struct regions_fault){.wrong = REGIONS_LINK};
    *at = after_kind(text, size);
    if (!read_number(text, size, at, &columns) || !read_number(text, size, at, &rows) ||
        !read_number(text, size, at, &stars))
        return false;
    *fault = (struct regions_fault){.n = columns};
    if (columns != rows) {
        fault->wrong = REGIONS_LINK_SIZE;
        fault->number = rows;
    } else if (rows < REGIONS_MIN_N || rows > REGIONS_MAX_N) {
        fault->wrong = REGIONS_SIZE;
        fault->number = rows;
    } else if (stars != 1) {
        fault->wrong = REGIONS_STARS;
        fault->number = stars;
    }
    return fault->wrong == REGIONS_RIGHT;
}

bool regions_read_link(const char *address, size_t length, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    char text[LINK_MAX];
    size_t at, size = unescape(address, length, text);
    size = link_end(text, size);
    if (!read_head(text, size, &at, fault))
        return false;
    const uint32_t n = fault->n;
    const size_t given = size - at;
    if (given != 2 * digits(n * (n - 1))) {
        *fault = (struct regions_fault){.wrong = REGIONS_BORDERS, .n = n, .number = (uint32_t)given};
        return false;
    }
    for (size_t i = 0; i < given; i++)
        if (digit_of(text[at + i]) == NO_DIGIT) {
            *fault = (struct regions_fault){.wrong = REGIONS_DIGIT, .n = n, .number = (uint32_t)i + 1};
            return false;
        }
    paint(&(struct borders){n, text + at, link_beside, link_below}, ids);
    return regions_read_ids(n, ids, false, regions, fault);
}

/* ---- Star Battle notation ---- */

static const char code_digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
enum { CODE_BITS = 6, CODE_HEAD = 4, CODE_MIN_N = 5 };

static uint32_t code_digit(char c)
{
    const char *digit = c ? strchr(code_digits, c) : NULL;
    return digit ? (uint32_t)(digit - code_digits) : sizeof code_digits;
}

static uint32_t code_size(uint32_t n)
{
    return (2 * n * (n - 1) + CODE_BITS - 1) / CODE_BITS;
}

/* Bits that are left over stand before the first border. */
static bool code_bit(const struct borders *borders, uint32_t index)
{
    const uint32_t n = borders->n, bit = index + CODE_BITS * code_size(n) - 2 * n * (n - 1);
    return code_digit(borders->digits[bit / CODE_BITS]) >> (CODE_BITS - 1 - bit % CODE_BITS) & 1;
}

static bool code_beside(const struct borders *borders, uint32_t row, uint32_t column)
{
    return code_bit(borders, row * (borders->n - 1) + column);
}

/* These are written column by column. */
static bool code_below(const struct borders *borders, uint32_t row, uint32_t column)
{
    const uint32_t n = borders->n;
    return code_bit(borders, n * (n - 1) + column * (n - 1) + row);
}

/* A code of Star Battle notation, "551W9jo0cIn": n as a digit of base 64 (0-9, A-Z, a-z, -, _), twice; stars; W,
 * or e with marks of a player behind the board, which are not read; then borders as bits, six in a digit,
 * right-justified: those between squares of a row, row by row; then those between squares of a column, column by
 * column. n is at least 5 there. A tilde and moves may follow, which are not read, either. */
static bool regions_is_code(const char *text, size_t size)
{
    if (size <= CODE_HEAD || text[0] != text[1] || text[2] < '0' || text[2] > '9' || (text[3] != 'W' && text[3] != 'e'))
        return false;
    const uint32_t n = code_digit(text[0]);
    if (n < CODE_MIN_N || n > REGIONS_MAX_N)
        return false;
    const size_t end = CODE_HEAD + code_size(n);
    for (size_t at = CODE_HEAD; at < end; at++)
        if (at >= size || code_digit(text[at]) == sizeof code_digits)
            return false;
    return size == end || text[3] == 'e' || text[end] == '~';
}

/* Without blanks and line ends behind it. */
static size_t code_end(const char *text, size_t size)
{
    while (size && text[size - 1] <= ' ')
        size--;
    return size;
}

static bool regions_read_code(const char *text, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = code_digit(*text);
    *fault = (struct regions_fault){.wrong = REGIONS_STARS, .n = n, .number = (uint32_t)(text[2] - '0')};
    if (text[2] != '1')
        return false;
    paint(&(struct borders){n, text + CODE_HEAD, code_beside, code_below}, ids);
    return regions_read_ids(n, ids, false, regions, fault);
}

/* ---- Written ---- */

/* Appends borders as digits: those between a square and the one `step` further. */
static void write_borders(const struct regions *regions, uint32_t step, struct bytes *out)
{
    const uint32_t n = regions->n;
    uint32_t digit = 0, bits = 0;
    for (uint32_t square = 0; square < n * n; square++) {
        if (step == 1 ? square % n == n - 1 : square + n >= n * n)
            continue;
        digit = digit << 1 | (regions->of[square] != regions->of[square + step]);
        if (++bits % DIGIT_BITS == 0) {
            bytes_char(out, "0123456789abcdefghijklmnopqrstuv"[digit]);
            digit = 0;
        }
    }
    if (bits % DIGIT_BITS)
        bytes_char(out, "0123456789abcdefghijklmnopqrstuv"[digit << (DIGIT_BITS - bits % DIGIT_BITS)]);
}

void regions_write_link(const struct regions *regions, struct bytes *out)
{
    bytes_format(out, "%s%u/%u/1/", kind, (unsigned)regions->n, (unsigned)regions->n);
    write_borders(regions, 1, out);
    write_borders(regions, regions->n, out);
}

/* Whether a text can only be meant as rows of letters. */
static bool is_plain(const char *text, size_t size)
{
    bool ends = false;
    for (size_t at = 0; at < size; at++) {
        const char c = text[at];
        ends |= c == '/' || c == '\n';
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.' && c != '/' && c != '\n' && c != '\r')
            return false;
    }
    return ends;
}

bool regions_read(const char *text, size_t size, bool apart, struct regions *regions, struct regions_fault *fault)
{
    enum { MARK = 3 };
    struct regions_fault as_labels;
    const size_t mark = size >= MARK && memcmp(text, "\xef\xbb\xbf", MARK) == 0 ? MARK : 0;
    text += mark;
    size -= mark;
    if (regions_is_link(text, size))
        return regions_read_link(text, size, regions, fault);
    if (regions_read_text(text, size, apart, regions, fault))
        return true;
    if (regions_read_labels(text, size, apart, regions, &as_labels)) {
        fault->wrong = REGIONS_RIGHT;
        return true;
    }
    if (regions_is_code(text, code_end(text, size)))
        return regions_read_code(text, regions, fault);
    if (!is_plain(text, size))
        *fault = as_labels;
    return false;
}
