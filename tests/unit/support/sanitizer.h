/* sanitizer.h - under which sanitizer a test runs. They make everything 2 to 50 times as slow: what needs much of it to
 * be seen (large boards, many rounds) is for the plain build, and of what is the same again and again a sanitizer has
 * said all after some of it. */
#ifndef TESTS_UNIT_SUPPORT_SANITIZER_H
#define TESTS_UNIT_SUPPORT_SANITIZER_H

#ifdef __SANITIZE_THREAD__
enum { THREAD_SANITIZED = 1 };
#else
enum { THREAD_SANITIZED = 0 };
#endif

#ifdef __SANITIZE_ADDRESS__
enum { ADDRESS_SANITIZED = 1 };
#else
enum { ADDRESS_SANITIZED = 0 };
#endif

enum { SANITIZED = THREAD_SANITIZED || ADDRESS_SANITIZED };

#endif
