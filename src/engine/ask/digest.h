/* digest.h - SHA-256, for ids: nobody can make up a text that has the id of another one. */
#ifndef ENGINE_ASK_DIGEST_H
#define ENGINE_ASK_DIGEST_H

/* Sixteen hexadecimal digits and a NUL: the first 64 bits of the digest of a scope, a NUL and a text. */
void digest_id(const char *scope, const char *text, char id[static 17]);

#endif
