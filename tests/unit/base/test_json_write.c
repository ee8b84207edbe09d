/* test_json_write.c - tests of src/base/json.c, which writes JSON value by value: values come out with the commas that
 * belong between them, whatever is nested in whatever; what no document has aborts where structures are checked. */
/* CI builds: address */
#include "base/json.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "support/tests.h"

/* Writes values by a script: a capital letter is the name of what follows; { } [ ] begin and end; n is 1, b true, f
 * false, 0 null, t a text, p a text without escapes, and the full stop ends the document. */
static void write_script(const char *script, struct bytes *out)
{
    char text[] = "x";
    for (const char *name = NULL; *script; script++) {
        const bool capital = *script >= 'A' && *script <= 'Z';
        switch (*script) {
        case '{': json_begin_object(out, name); break;
        case '}': json_end_object(out); break;
        case '[': json_begin_array(out, name); break;
        case ']': json_end_array(out); break;
        case 'n': json_write_number(out, name, 1); break;
        case 'b': json_write_bool(out, name, true); break;
        case 'f': json_write_bool(out, name, false); break;
        case '0': json_write_null(out, name); break;
        case 't': json_write_text(out, name, "a"); break;
        case 'p':
            json_begin_text(out, name);
            bytes_text(out, "{[:,");
            json_end_text(out);
            break;
        case ',': bytes_text(out, ",\n"); break; /* as lists of solutions have it */
        case '.': json_end_document(out, 0); break;
        default: text[0] = *script;
        }
        name = capital ? text : NULL;
    }
}

TEST(test_commas)
{
    static const struct {
        const char *script, *json;
    } cases[] = {
        {"{}.", "{}\n"},
        {"[].", "[]\n"},
        {"n.", "1\n"},
        {"t.", "\"a\"\n"},
        {"0.", "null\n"},
        {"{An}.", "{\"A\":1}\n"},
        {"{AnBtCbDfE0FpGn}.", "{\"A\":1,\"B\":\"a\",\"C\":true,\"D\":false,\"E\":null,\"F\":\"{[:,\",\"G\":1}\n"},
        {"[ntbf0pn].", "[1,\"a\",true,false,null,\"{[:,\",1]\n"},
        {"[[],[],{},{}].", "[[],\n[],\n{},\n{}]\n"},
        {"[[][]{}{}].", "[[],[],{},{}]\n"},
        {"{A{B{C[{D[[n]n]}{}n]}}En}.", "{\"A\":{\"B\":{\"C\":[{\"D\":[[1],1]},{},1]}},\"E\":1}\n"},
        {"[p{Ap}p].", "[\"{[:,\",{\"A\":\"{[:,\"},\"{[:,\"]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        BYTES(out);
        write_script(cases[i].script, &out);
        bytes_char(&out, '\0');
        assert_string_equal(out.data, cases[i].json);
    }
}

static const char *word(size_t i)
{
    static const char *const words[] = {"a", "a \"b\"", NULL};
    return words[i];
}

static const char *no_word(size_t i)
{
    (void)i;
    return NULL;
}

TEST(test_words_and_parts)
{
    static const char text[] = "a\"b\\\n\x01"
                               "cd";
    BYTES(out);
    json_begin_object(&out, NULL);
    json_write_words(&out, "some", word);
    json_write_words(&out, "none", no_word);
    json_write_part(&out, "part", text, sizeof text - 2);
    json_write_part(&out, "empty", text, 0);
    json_end_object(&out);
    bytes_char(&out, '\0');
    assert_string_equal(out.data, "{\"some\":[\"a\",\"a \\\"b\\\"\"],\"none\":[],"
                                  "\"part\":\"a\\\"b\\\\\\n\\u0001c\",\"empty\":\"\"}");
}

/* As jansson indents, whatever stands in texts; what came before is left as it is. */
TEST(test_indented)
{
    static const char *const scripts[] = {
        "{}", "[]", "n", "[n]", "{An}", "[[]{}]", "[[n]{An}]", "{A[[p]]Bp}", "{A{B{C[]Dp}}En}"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        BYTES(plain);
        BYTES(out);
        write_script(scripts[i], &plain);
        bytes_text(&out, "[{:");
        write_script(scripts[i], &out);
        json_end_indented(&out, 3);
        bytes_char(&out, '\0');
        json_t *json = json_loadb(plain.data, plain.size, JSON_DECODE_ANY, NULL);
        OWNED(free) char *expected = json_dumps(json, JSON_ENCODE_ANY | JSON_INDENT(2));
        assert_memory_equal(out.data, "[{:", 3);
        assert_int_equal(out.size, strlen(expected) + 5);
        assert_memory_equal(out.data + 3, expected, strlen(expected));
        assert_string_equal(out.data + 3 + strlen(expected), "\n");
        json_decref(json);
    }
    BYTES(out);
    json_begin_array(&out, NULL);
    json_write_text(&out, NULL, "a \"[,:]\" \\");
    json_end_array(&out);
    json_end_indented(&out, 0);
    bytes_char(&out, '\0');
    assert_string_equal(out.data, "[\n  \"a \\\"[,:]\\\" \\\\\"\n]\n");
}

TEST(test_deep_nesting)
{
    enum { DEPTH = 2000 }; /* jansson, which checks it, reads 2048 */
    BYTES(out);
    for (int i = 0; i < DEPTH; i++)
        write_script(i % 2 ? "A[" : "{", &out);
    for (int i = DEPTH; i-- > 0;)
        write_script(i % 2 ? "]" : "}", &out);
    json_end_document(&out, 0);
    assert_int_equal(out.size, DEPTH / 2 * (strlen("{\"A\":[") + strlen("]}")) + 1);
}

TEST(test_escapes)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"", "\"\""},
        {NULL, "null"},
        {"plain, with / and ' and : { [", "\"plain, with / and ' and : { [\""},
        {"\"", "\"\\\"\""},
        {"a\\b\"c", "\"a\\\\b\\\"c\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f ", "\"\\u0001\\u001F \""},
        {"\x7f\xc3\xa9\xe2\x99\x9b", "\"\x7f\xc3\xa9\xe2\x99\x9b\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        BYTES(out);
        json_write_text(&out, NULL, cases[i].text);
        bytes_char(&out, '\0');
        assert_string_equal(out.data, cases[i].json);
    }
}

/* Every byte as jansson writes it. */
TEST(test_escapes_as_jansson)
{
    for (int c = 1; c < 128; c++) {
        const char text[] = {'a', (char)c, 'b', '\0'};
        BYTES(out);
        json_t *json = json_string(text);
        OWNED(free) char *dumped = json_dumps(json, JSON_ENCODE_ANY);
        json_write_text(&out, NULL, text);
        bytes_char(&out, '\0');
        assert_string_equal(out.data, dumped);
        json_decref(json);
    }
}

TEST(test_numbers)
{
    static const uint64_t numbers[] = {0, 9, 10, INT64_MAX, UINT64_MAX};
    BYTES(out);
    json_begin_array(&out, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_write_number(&out, NULL, numbers[i]);
    json_end_array(&out);
    bytes_char(&out, '\0');
    assert_string_equal(out.data, "[0,9,10,9223372036854775807,18446744073709551615]");
}

/* Once memory was out nothing is asserted of what is lost. */
TEST(test_no_memory)
{
    ENDED_BY(bytes_free) struct bytes out = {.failed = true};
    write_script("{An}[]ntB0.", &out);
    assert_true(out.failed && !out.size);
}

#ifdef CHECKS
TEST(test_misuse_aborts)
{
    static const char *const scripts[] = {
        "{n",                                                     /* a value without a name in an object */
        "[An",                                                    /* a member in an array */
        "{A{n",   "{A[Bn", "[{n",  "}.",                          /* nothing has begun */
        "].",     "[}",    "{]",   "[n,].",   "{An,}.", "{Ann}.", /* later than at once: the document is none */
        "[nAn].", "{An].", "[n}.", "{AnAn}.", "nn.",    "{An.",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            struct bytes out = {0};
            (void)signal(SIGABRT, SIG_DFL);
            (void)close(STDERR_FILENO);
            write_script(scripts[i], &out);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
            fail_msg("%s: status %d", scripts[i], status);
    }
}
#endif
