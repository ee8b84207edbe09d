/* format_bfile.c - counts as the OEIS takes them: comments, then one "n a(n)" a line (oeis.org/SubmitB.html). Whoever
 * asks for the counts writes the lines: they are of several questions. */
#include "formats/format.h"

const struct format format_bfile = {.name = "bfile", .media_type = "text/plain; charset=utf-8", .counts = true};
