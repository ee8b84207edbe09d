/* build.h - which build this is: what one build has counted no other one may take for its own. */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

/* The release, such as "1.0.0", if the sources are those that its tag names, or an archive of them. Otherwise with the
 * commit, and with a hash of the sources if they differ from it: "1.0.0+g0123456789ab.dirty.89abcdef0123". The file of
 * that name in docker finds it out. Only letters, digits and the signs of these. */
extern const char build_id[];

enum { BUILD_ID_MAX = 40 };

/* Whether it is the name of a release, which trusts the facts of other releases. */
static inline int build_is_release(const char *id)
{
    while (*id && *id != '+')
        id++;
    return !*id;
}

#endif
