/* principal.h - on whose behalf a question is asked, and the limits of that principal. It knows neither keys nor
 * addresses. All zero is an anonymous principal without limits. */
#ifndef ENGINE_ASK_PRINCIPAL_H
#define ENGINE_ASK_PRINCIPAL_H

#include <stdbool.h>
#include <stdint.h>

enum { PRINCIPAL_NAME_MAX = 32, PRINCIPAL_ADDRESS = '@' };

struct principal {
    uint64_t client;                   /* a hash of the client: clients take turns */
    char name[PRINCIPAL_NAME_MAX + 1]; /* of its key; "": it has none */
    char address[18];                  /* '@' and a hash of its address, the same on every server; "": not known */
    bool limited;                      /* by the next three, besides the limits of all clients */
    bool keyless;                      /* no keys are asked for: `seconds` limits only what may become a job */
    double seconds;                    /* core-seconds that a count may take, by its estimate */
    unsigned jobs;                     /* unfinished ones at once; 0: none may begin */
};

static inline bool principal_affords(const struct principal *principal, double seconds)
{
    return !principal->limited || seconds <= principal->seconds;
}

/* As whom it owns jobs; names of keys have no '@'. */
static inline const char *principal_owner(const struct principal *principal)
{
    return *principal->name ? principal->name : principal->address;
}

/* Whether it may begin no job. */
static inline bool principal_barred(const struct principal *principal)
{
    return principal->limited && principal->jobs == 0;
}

#endif
