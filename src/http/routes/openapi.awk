# openapi.awk - prints openapi.yaml as JSON, in one line. It reads what src/web/yaml.js reads, and stops the build with the number of the
# line where it finds something else; tests/web/yaml.test.js compares both with js-yaml. A node is its JSON, so that an alias is the
# text of its anchor.

function refuse(what) {
    print FILENAME ":" at ": " what >"/dev/stderr"
    failed = 1
    exit 1
}

# A string of JSON.
function string(text) {
    gsub(/\\/, "&&", text)
    gsub(/"/, "\\\"", text)
    gsub(/\t/, "\\t", text)
    gsub(/\n/, "\\n", text)
    return "\"" text "\""
}

# A word without quotes. What is a number or a date to some readers of YAML and a word to others is to be quoted.
function plain(text) {
    if (text == "") refuse("a value is missing")
    if (text ~ /^[],[{}#&*!|>'"%@`]|^[-?:]( |$)|\t|: |:$| #/) refuse(text " is no plain scalar")
    if (text ~ /^(~|null|Null|NULL)$/) return "null"
    if (text ~ /^(true|True|TRUE|false|False|FALSE)$/) return tolower(text)
    if (text ~ /^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9][0-9]?)?$/ && text !~ /^-0([.]0*)?([eE].*)?$/) return text
    if (tolower(text) ~ /^([-+]?(0[box][0-9a-f_]+|[0-9_]+([.][0-9_]*)?(e[-+]?[0-9]+)?|[.][0-9_]+(e[-+]?[0-9]+)?|[.]inf)|[.]nan|<<|=)$/ ||
        text ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]?-[0-9]/) refuse(text " is to be quoted")
    return string(text)
}

# The same as a key, which is a string whatever it looks like.
function plain_key(text, made) {
    made = plain(text)
    if (made !~ /^"/ && (made != text || text ~ /[.eE]/ && text ~ /^[-0-9]/)) refuse("the key " text " is to be quoted")
    return string(text)
}

# Adds a key to a map, which has each once.
function add_key(map, key) {
    if (key ~ /^".*\\[u\/]/ || key == "\"<<\"" || (map, key) in keys) refuse("the key " key " again, or one that is not read")
    keys[map, key] = 1
    return key ":"
}

# The string in quotes that `rest` begins with, taken off it. What is in double quotes has escapes of JSON.
function quoted(text) {
    if (!match(rest, /^("([^"\\]|\\.)*"|'([^']|'')*')/)) refuse("the quote does not end on its line")
    text = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    if (text ~ /^"/) {
        if (text !~ /^"([^"\\\t]|\\(["\\\/bfnrt]|u[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]))*"$/) refuse("an escape that JSON does not have")
        return text
    }
    text = substr(text, 2, length(text) - 2)
    gsub(/''/, "'", text)
    return string(text)
}

function blanks() {
    sub(/^ +/, "", rest)
}

# What stands before the next of `, [ ] { }`, before a comment, or before a colon with a blank or such a sign after it.
function flow_plain(end, text) {
    for (end = 1; end <= length(rest); end++)
        if (index(",[]{}", substr(rest, end, 1)) || substr(rest, end) ~ /^(:([] ,[{}]|$)| #)/) break
    text = substr(rest, 1, end - 1)
    rest = substr(rest, end)
    sub(/ +$/, "", text)
    return text
}

function flow(close_by, made, map, key) {
    if (rest ~ /^["']/) return quoted()
    if (rest !~ /^[[{]/) return plain(flow_plain())
    close_by = rest ~ /^[[]/ ? "]" : "}"
    made = substr(rest, 1, 1)
    map = ++maps
    rest = substr(rest, 2)
    for (blanks(); substr(rest, 1, 1) != close_by; blanks()) {
        if (close_by == "}") {
            key = rest ~ /^["']/ ? quoted() : plain_key(flow_plain())
            if (!sub(/^ *: +/, "", rest)) refuse("no value for the key " key)
            made = made add_key(map, key)
        }
        made = made flow()
        blanks()
        if (rest ~ /^, *[^] },]/) {
            made = made ","
            rest = substr(rest, 2)
        } else if (substr(rest, 1, 1) != close_by) refuse("a comma or " close_by " is missing")
    }
    rest = substr(rest, 2)
    return made close_by
}

function alias(name) {
    if (!(name in anchors)) refuse("no anchor " name)
    return anchors[name]
}

# Lines of a literal (|) or folded (>) scalar that are further in than `outer`; `at` is the line that says so.
function literal(style, outer, made, inner, breaks) {
    if (style !~ /^[|>]-?$/) refuse("a style of text that is not read")
    inner = 0
    breaks = 0
    made = ""
    for (at++; at <= lines && (text[at] == "" || indent[at] > outer); at++) {
        if (text[at] == "") {
            if (length(raw[at]) > inner) refuse("a line of blanks")
            breaks++
            continue
        }
        if (!inner) inner = indent[at]
        if (indent[at] < inner || style ~ /^>/ && (indent[at] > inner || text[at] ~ /^\t/)) refuse("a line of a text that is not as deep as its first")
        if (style ~ /^>/ && made != "") made = made (breaks ? repeat("\n", breaks) : " ")
        else made = made repeat("\n", breaks + (made != ""))
        made = made substr(raw[at], inner + 1)
        breaks = 0
    }
    if (!inner) refuse("an empty text")
    return string(made (style ~ /-/ ? "" : "\n"))
}

function repeat(text, times, made) {
    for (made = ""; times > 0; times--) made = made text
    return made
}

function next_line() {
    while (at <= lines && text[at] ~ /^(#|$)/) at++
    return at <= lines
}

# The value that `rest` has on a line of this indent, or that the lines after it have; `at` is then the line after it.
function value(outer, in_map, name, made) {
    sub(/^ +/, "", rest)
    name = ""
    if (match(rest, /^&[A-Za-z0-9_-]+( |$)/)) {
        name = substr(rest, 2, RLENGTH - 1)
        sub(/ $/, "", name)
        rest = substr(rest, RLENGTH + 1)
        blanks()
    }
    if (rest == "" || rest ~ /^#/) {
        at++
        made = next_line() && (indent[at] > outer || in_map && indent[at] == outer && text[at] ~ /^-( |$)/) ? block(indent[at]) : "null"
    } else if (rest ~ /^[|>]/) {
        made = literal(rest, outer)
    } else {
        if (rest ~ /^[*]/) made = alias(substr(rest, 2))
        else if (rest ~ /^[[{"']/) {
            made = flow()
            if (rest !~ /^ *$/ && rest !~ /^ +#/) refuse("what follows is not read: " rest)
        } else {
            sub(/ +#.*/, "", rest)
            made = plain(rest)
        }
        at++
    }
    if (name != "") anchors[name] = made
    return made
}

# The key that `rest` begins with, and its colon taken off; empty if there is none.
function key_of(made) {
    if (rest ~ /^("([^"\\]|\\.)*"|'([^']|'')*'):( |$)/) made = quoted()
    else if (rest !~ /^["'[{&*|>]/ && match(rest, /:( |$)/)) {
        made = substr(rest, 1, RSTART - 1)
        if (made ~ / #/) return ""
        rest = substr(rest, RSTART)
        sub(/ +$/, "", made)
        made = plain_key(made)
    } else return ""
    rest = substr(rest, 2)
    return made
}

function block(inner, made, key, shift, map) {
    made = ""
    map = ++maps
    if (text[at] ~ /^-( |$)/) {
        while (next_line() && indent[at] == inner && text[at] ~ /^-( |$)/) {
            rest = substr(text[at], 2)
            match(rest, /^ */)
            shift = RLENGTH + 1
            rest = substr(rest, RLENGTH + 1)
            if (made != "") made = made ","
            text[at] = rest
            if (rest ~ /^-( |$)/ || key_of() != "") {
                indent[at] = inner + shift
                made = made block(indent[at])
            } else {
                rest = text[at]
                made = made value(inner, 0)
            }
        }
        return "[" made "]"
    }
    rest = text[at]
    if (key_of() == "") {
        rest = text[at]
        return value(inner - 1, 0)
    }
    while (next_line() && indent[at] == inner) {
        rest = text[at]
        key = key_of()
        if (key == "") refuse("no key")
        made = made (made == "" ? "" : ",") add_key(map, key)
        made = made value(inner, 1)
    }
    return "{" made "}"
}

{
    raw[NR] = $0
    match($0, /^ */)
    indent[NR] = RLENGTH
    text[NR] = substr($0, RLENGTH + 1)
    sub(/ +$/, "", text[NR])
    at = NR
    if ($0 ~ /[\001-\010\013-\037\177]/) refuse("a control character")
    if (index($0, "\357\273\277") || $0 ~ /^(---|[.][.][.])( |$)|^%/) refuse("no directives, and one document only")
}

END {
    if (failed) exit 1
    lines = NR
    at = 1
    if (!next_line()) refuse("nothing to read")
    result = block(indent[at])
    if (next_line()) refuse("not read")
    print result
}
