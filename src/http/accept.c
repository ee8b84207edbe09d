/* accept.c - reads Accept headers: the most precise range that matches a type decides on its quality. */
#include "http/accept.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* "q=0.5" in thousandths, 1000 when there is none, -1 when it is malformed. text..end holds the parameters of one
 * range. */
static int quality(const char *text, const char *end)
{
    while (text < end) {
        text++; /* the semicolon */
        while (text < end && (*text == ' ' || *text == '\t'))
            text++;
        const char *stop = memchr(text, ';', (size_t)(end - text));
        if (!stop)
            stop = end;
        if (stop - text >= 2 && (text[0] == 'q' || text[0] == 'Q') && text[1] == '=') {
            const char *at = text + 2;
            int scale = 1000, value = 0;
            while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t'))
                stop--;
            if (at == stop || (*at != '0' && *at != '1'))
                return -1;
            value = (*at++ - '0') * scale;
            if (at < stop && *at++ != '.')
                return -1;
            for (; at < stop; at++) {
                scale /= 10;
                if (scale == 0 || !isdigit((unsigned char)*at))
                    return -1;
                value += (*at - '0') * scale;
            }
            return value > 1000 ? -1 : value;
        }
        text = stop;
    }
    return 1000;
}

/* How precisely a range such as "text/ *" (no blank) matches the type; 0: not at all. */
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

void accept_read(const char *header, const char *media_type, struct accept *accept)
{
    while (*header) {
        header += strspn(header, ", \t");
        size_t size = strcspn(header, ","), name = strcspn(header, ",; \t");
        const char *params = header + strcspn(header, ",;");
        int precise = precision(header, name, media_type);
        if (precise > accept->precision || (precise && precise == accept->precision)) {
            int q = quality(params, header + size);
            if (q >= 0 && (precise > accept->precision || q > accept->quality))
                *accept = (struct accept){precise, q};
        }
        header += size;
    }
}
