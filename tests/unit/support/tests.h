/* tests.h - unit tests that register themselves, and what ends with its block; tests.c has their main: one program for
 * each room, in which each file of tests is a group. */
#ifndef TESTS_UNIT_SUPPORT_TESTS_H
#define TESTS_UNIT_SUPPORT_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* TEST(name) { ... } defines a test, which runs after those above it. TEST_WITH runs a fixture's functions before and
 * after the test, which has what the first stores in *state; NULL: no such function. */
#define TEST(test) TEST_WITH(test, NULL, NULL)
#define TEST_WITH(test, setup, teardown) \
    static void test(void **state); \
    __attribute__((constructor)) static void add_##test(void) \
    { \
        tests_add(__FILE__, (struct CMUnitTest){#test, test, setup, teardown, NULL}); \
    } \
    static void test(__attribute__((unused)) void **state)

/* GROUP(setup, teardown): functions that run before the first and after the last test of this file; NULL: none. */
#define GROUP(setup, teardown) \
    __attribute__((constructor)) static void add_group(void) \
    { \
        tests_group(__FILE__, setup, teardown); \
    }

/* What precedes a declaration and releases its variables where their block ends, the last one first:
 * ENDED_BY(term_release) struct term term calls term_release(&term), OWNED(json_decref) json_t *json calls
 * json_decref(json). A pointer that is not set at once begins as NULL; nothing is released when an assertion fails. By
 * hand are released elements of arrays, what a test looks at afterwards, and what has to end in another order than it
 * was declared in. */
#define ENDED_BY(end) __attribute__((cleanup(end)))
#define OWNED(release) ENDED_BY(release##_owned)

/* OWNER(json_decref, json_t *) makes OWNED(json_decref) known, beside what declares the function. */
#define OWNER(release, type) \
    static inline void release##_owned(type *owned) \
    { \
        release(*owned); \
    }

/* OWNED(free) is for pointers of any type. */
static inline void free_owned(void *owned)
{
    void *data;
    memcpy(&data, owned, sizeof data);
    free(data);
}

/* SCOPED(memory_journal, one, spec) declares struct memory_journal one, calls memory_journal_begin(&one, spec), and
 * memory_journal_end(&one) where its block ends. */
#define SCOPED(type, name, ...) \
    ENDED_BY(type##_end) struct type name; \
    type##_begin(&name, ##__VA_ARGS__)

/* Declares empty struct bytes, which are freed where their block ends. */
#define BYTES(name) ENDED_BY(bytes_free) struct bytes name = {0}

/* Fails, and names both, unless a number is within so much of the expected one. */
void assert_close(double number, double expected, double tolerance);

/* What limits of waits are multiplied by: NQ_PATIENCE, which tests/patience.sh measures, or 1. */
uint64_t tests_patience(void);

/* Called by TEST and GROUP before main; file: the __FILE__ of the test. */
void tests_add(const char *file, struct CMUnitTest test);
void tests_group(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
