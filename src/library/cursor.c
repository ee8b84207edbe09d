/* cursor.c - the public cursor of a query. */
#include "library/query.h"
#include "solvers/solver.h"

enum nq_status nq_cursor_open_query(const char *algorithm, const struct nq_query *query, struct nq_cursor **cursor)
{
    const struct cursor_settings settings = {.algorithm = algorithm};
    struct query its;
    library_query(query, &its);
    return cursor_open(&settings, &its, cursor);
}
