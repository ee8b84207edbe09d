/* captured_log.c - puts a file in the place of standard error for a while. */
#include "support/captured_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int kept = -1, file = -1;

void capture_begin(void)
{
    char path[] = "/tmp/nqueensd-test-XXXXXX";
    assert_int_equal(kept, -1);
    file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(unlink(path), 0);
    kept = dup(STDERR_FILENO);
    assert_true(kept >= 0);
    (void)fflush(stderr);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
}

char *capture_end(size_t *size)
{
    (void)fflush(stderr);
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    (void)close(kept);
    kept = -1;
    const off_t end = lseek(file, 0, SEEK_END);
    assert_true(end >= 0);
    char *text = malloc((size_t)end + 1);
    assert_non_null(text);
    assert_int_equal(pread(file, text, (size_t)end, 0), end);
    text[end] = '\0';
    (void)close(file);
    if (size)
        *size = (size_t)end;
    return text;
}

char *capture_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!*line)
        return NULL;
    assert_non_null(end);
    *end = '\0';
    *text = end + 1;
    return line;
}

json_t *capture_json(const char *line)
{
    json_error_t error;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s: %s", error.text, line);
    return json;
}
