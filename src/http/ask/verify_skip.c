/* verify_skip.c - JSON values that say nothing of a board: their brackets and strings are matched, no more. */
#include <string.h>

#include "http/ask/verify_skip.h"

/* False: the value does not end with the byte. */
static bool in_string(struct verify_body *body, unsigned char c)
{
    struct verify_json *json = &body->json;
    json->quoted = json->escaped || c != '"';
    json->escaped = !json->escaped && c == '\\';
    if (c < ' ')
        verify_unexpected(body, c, "a letter");
    return !json->quoted && !json->open;
}

static void open_bracket(struct verify_body *body, bool object)
{
    enum { MOST = 64 };
    if (body->json.open == MOST)
        verify_refuse_here(body, "the brackets are too deep");
    body->json.brackets = body->json.brackets << 1 | object;
    body->json.open++;
}

static bool close_bracket(struct verify_body *body, unsigned char c)
{
    const bool object = body->json.brackets & 1;
    if (object != (c == '}'))
        verify_unexpected(body, c, object ? "a comma or }" : "a comma or ]");
    body->json.brackets >>= 1;
    return --body->json.open == 0;
}

bool verify_skip(struct verify_body *body, unsigned char c)
{
    struct verify_json *json = &body->json;
    if (json->quoted)
        return in_string(body, c);
    if (c == '"')
        json->quoted = true;
    else if (c == '{' || c == '[')
        open_bracket(body, c == '{');
    else if (json->open && (c == '}' || c == ']'))
        return close_bracket(body, c);
    else if (c == '\n' && body->shape == VERIFY_LINES)
        verify_refuse_here(body, "a line must contain a complete object");
    else if (!c || !strchr(json->open ? " \t\r\n+-.,:0123456789abcdefghijklmnopqrstuvwxyzE"
                                      : " \t\r\n+-.0123456789abcdefghijklmnopqrstuvwxyzE",
                           c))
        verify_unexpected(body, c, "a value");
    return false;
}
