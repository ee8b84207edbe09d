/* head.c - finds NULs in the head of a request. libmicrohttpd 0.9.75 returns strings that end at the first NUL, but
 * leaves the head where it was received: in one buffer, line after line. If there are other bytes than a line end
 * between two of its strings, a NUL precedes them. */
#include "http/wire/head.h"

#include <stdint.h>
#include <string.h>

/* CR LF, or a bare LF, which libmicrohttpd accepts. */
enum { LINE_END_LEAST = 1, LINE_END_MOST = 2, VERSION_SIZE = 8 };

struct scan {
    uintptr_t end; /* of the previous string */
    bool nul;
};

static void expect_line(struct scan *scan, const char *next, size_t line_ends)
{
    const uintptr_t gap = (uintptr_t)next - scan->end; /* large if `next` is at a lower address: then it was moved */
    scan->nul |= gap < line_ends * LINE_END_LEAST || gap > line_ends * LINE_END_MOST;
}

static enum MHD_Result scan_field(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
    struct scan *scan = cls;
    (void)kind;
    expect_line(scan, name, 1);
    scan->end = value ? (uintptr_t)(value + value_size) : (uintptr_t)(name + name_size);
    return MHD_YES;
}

/* In the first line libmicrohttpd replaces one blank after the method by a NUL, though it accepts several, and the
 * blank before the version. */
static bool first_line_has_nul(const struct first_line *line)
{
    const char *blank = line->method + strlen(line->method) + 1;
    while (blank < line->target && *blank == ' ')
        blank++;
    return blank != line->target || line->target + line->target_size + 1 != line->version;
}

bool head_has_nul(struct MHD_Connection *mhd, const struct first_line *line)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    struct scan scan = {.end = (uintptr_t)(line->version + VERSION_SIZE)};
    if (!info || first_line_has_nul(line))
        return true;
    const char *end = line->method + info->header_size;
    (void)MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, scan_field, &scan);
    expect_line(&scan, end, 2); /* the line end of the last field, and the empty line */
    return scan.nul;
}
