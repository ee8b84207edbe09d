/* accept.c - reads Accept headers: of the ranges that match a type, the most precise one decides its quality. */
#include "http/wire/accept.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* The first of the `stops` at or after `text` that is not in a quoted string, or the end of the text. */
static const char *find(const char *text, const char *stops)
{
    for (bool quoted = false; *text; text++) {
        if (*text == '"')
            quoted = !quoted;
        else if (quoted && *text == '\\' && text[1])
            text++;
        else if (!quoted && strchr(stops, *text))
            break;
    }
    return text;
}

/* A qvalue, "1", "0.25", in thousandths; -1 when it is malformed. */
static int qvalue(const char *at, const char *end)
{
    int scale = 1000, value;
    if (at == end || (*at != '0' && *at != '1'))
        return -1;
    value = (*at++ - '0') * scale;
    if (at < end && *at++ != '.')
        return -1;
    for (; at < end; at++) {
        scale /= 10;
        if (scale == 0 || !isdigit((unsigned char)*at))
            return -1;
        value += (*at - '0') * scale;
    }
    return value > 1000 ? -1 : value;
}

/* The quality in the parameters of one range, ";a=b;q=0.5": 1000 when there is none, -1 when it is malformed. */
static int quality(const char *text, const char *end)
{
    while (text < end) {
        text++; /* the semicolon */
        text += strspn(text, " \t");
        const char *stop = find(text, ";,");
        if ((text[0] == 'q' || text[0] == 'Q') && text[1] == '=') {
            while (stop[-1] == ' ' || stop[-1] == '\t')
                stop--;
            return qvalue(text + 2, stop);
        }
        text = stop;
    }
    return 1000;
}

/* How precisely a range such as "text/ *" (without the blank) matches the type; 0: not at all. */
static int precision(const char *range, size_t size, const char *media_type)
{
    const char *slash = strchr(media_type, '/');
    const size_t type_size = (size_t)(slash - media_type) + 1, full_size = strcspn(media_type, ";");
    if (size == 3 && memcmp(range, "*/*", 3) == 0)
        return 1;
    if (size == type_size + 1 && range[size - 1] == '*' && strncasecmp(range, media_type, type_size) == 0)
        return 2;
    return size == full_size && strncasecmp(range, media_type, size) == 0 ? 3 : 0;
}

/* How precisely a range such as "it-CH" or "*" matches a language of two letters; 0: not at all. */
static int language_precision(const char *range, size_t size, const char *language)
{
    if (size == 1 && *range == '*')
        return 1;
    if (size < 2 || strncasecmp(range, language, 2) != 0)
        return 0;
    return size == 2 ? 3 : range[2] == '-' ? 2 : 0;
}

/* The same of a content coding; "x-gzip" is an old name of gzip (RFC 9110, 8.4.1.3). */
static int coding_precision(const char *range, size_t size, const char *coding)
{
    if (size == 1 && *range == '*')
        return 1;
    if (size > 2 && strncasecmp(range, "x-", 2) == 0) {
        range += 2;
        size -= 2;
    }
    return size == strlen(coding) && strncasecmp(range, coding, size) == 0 ? 3 : 0;
}

static void read_ranges(const char *header, const char *offered, struct accept *accept,
                        int (*precision_of)(const char *range, size_t size, const char *offered))
{
    while (*header) {
        header += strspn(header, ", \t");
        const char *end = find(header, ","), *params = find(header, ",;");
        const int precise = precision_of(header, strcspn(header, ",; \t"), offered);
        const int q = precise && precise >= accept->precision ? quality(params, end) : -1;
        if (q >= 0 && (precise > accept->precision || q > accept->quality))
            *accept = (struct accept){precise, q};
        header = end;
    }
}

void accept_read(const char *header, const char *media_type, struct accept *accept)
{
    read_ranges(header, media_type, accept, precision);
}

void accept_language_read(const char *header, const char *language, struct accept *accept)
{
    read_ranges(header, language, accept, language_precision);
}

void accept_encoding_read(const char *header, const char *coding, struct accept *accept)
{
    read_ranges(header, coding, accept, coding_precision);
}
