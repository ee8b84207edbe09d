/* version.c - the release of the library that a program runs with. */
#include <nqueens.h>

uint32_t nq_version(void)
{
    return NQ_VERSION_NUMBER;
}

const char *nq_version_text(void)
{
    return NQ_VERSION;
}
