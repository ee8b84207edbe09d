/* formats.c - the table of representations. */
#include <string.h>

#include "formats/format.h"

extern const struct format format_json, format_ndjson, format_csv, format_text, format_svg, format_png, format_events,
    format_octets, format_bfile, format_zironi;

const struct format *const formats[] = {&format_json, &format_ndjson, &format_csv,    &format_text,  &format_svg,
                                        &format_png,  &format_events, &format_octets, &format_bfile, &format_zironi,
                                        NULL};

const struct format *format_find(const char *name)
{
    for (const struct format *const *at = formats; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}
