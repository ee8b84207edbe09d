/* routes.c - prints the table of routes, for those who compare it with openapi.yaml. */
#include "commands/commands.h"

#include <stdio.h>

#include "http/routes/routes.h"

int routes_run(int count, char **arguments)
{
    (void)count, (void)arguments;
    struct bytes table = {0};
    routes_write(&table);
    const bool written = !table.failed && fwrite(table.data, 1, table.size, stdout) == table.size;
    bytes_free(&table);
    return written ? 0 : 1;
}
