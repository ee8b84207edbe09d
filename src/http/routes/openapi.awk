# openapi.awk - prints openapi.yaml as JSON, in one line. It reads what src/web/yaml.js reads, which a test compares with js-yaml, and
# ends with 1 where it finds something else. A node is its JSON, so that an alias is the text of its anchor.

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

function plain(text) {
    if (text ~ /^(~|null|Null|NULL)?$/) return "null"
    if (text ~ /^(true|True|TRUE|false|False|FALSE)$/) return tolower(text)
    if (text ~ /^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$/) return text
    return string(text)
}

# The string in quotes that `rest` begins with, taken off it. What is in double quotes has escapes of JSON.
function quoted(text) {
    if (!match(rest, /^("([^"\\]|\\.)*"|'([^']|'')*')/)) refuse("the quote does not end on its line")
    text = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    if (text ~ /^"/) return text
    text = substr(text, 2, length(text) - 2)
    gsub(/''/, "'", text)
    return string(text)
}

function blanks() {
    sub(/^ +/, "", rest)
}

# What stands before the next of `, [ ] { }`, or before a colon with a blank or such a sign after it.
function flow_plain(end, text) {
    for (end = 1; end <= length(rest); end++)
        if (index(",[]{}", substr(rest, end, 1)) || substr(rest, end) ~ /^:([] ,[{}]|$)/) break
    text = substr(rest, 1, end - 1)
    rest = substr(rest, end)
    sub(/ +$/, "", text)
    return text
}

function flow(close_by, made, key) {
    blanks()
    if (rest ~ /^["']/) return quoted()
    if (rest ~ /^[*]/) return alias(substr(flow_plain(), 2))
    if (rest !~ /^[[{]/) return plain(flow_plain())
    close_by = rest ~ /^[[]/ ? "]" : "}"
    made = substr(rest, 1, 1)
    rest = substr(rest, 2)
    for (blanks(); substr(rest, 1, 1) != close_by; blanks()) {
        if (rest == "") refuse("the list does not end on its line")
        if (close_by == "}") {
            key = rest ~ /^["']/ ? quoted() : string(flow_plain())
            if (rest !~ /^:/) refuse("a key without a value")
            rest = substr(rest, 2)
            made = made key ":"
        }
        made = made flow()
        blanks()
        if (rest ~ /^,/) {
            made = made ","
            rest = substr(rest, 2)
        }
    }
    rest = substr(rest, 2)
    return made close_by
}

function alias(name) {
    if (!(name in anchors)) refuse("no anchor " name)
    return anchors[name]
}

# Lines of a literal (|) or folded (>) scalar that are further in than `outer`.
function literal(style, outer, made, inner, breaks) {
    inner = 0
    breaks = 0
    for (made = ""; at <= lines && (text[at] == "" || indent[at] > outer); at++) {
        if (text[at] == "") {
            breaks++
            continue
        }
        if (!inner) inner = indent[at]
        if (style ~ /^>/ && made != "") made = made (breaks ? repeat("\n", breaks) : " ")
        else made = made repeat("\n", breaks + (made != ""))
        made = made substr(raw[at], inner + 1)
        breaks = 0
    }
    if (style !~ /^[|>]-?$/) refuse("a style of text that is not read")
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
    if (match(rest, /^&[^ ]+/)) {
        name = substr(rest, 2, RLENGTH - 1)
        rest = substr(rest, RLENGTH + 1)
        blanks()
    }
    if (rest == "" || rest ~ /^#/) {
        at++
        made = next_line() && (indent[at] > outer || in_map && indent[at] == outer && text[at] ~ /^-( |$)/) ? block(indent[at]) : "null"
    } else if (rest ~ /^[|>]/) {
        at++
        made = literal(rest, outer)
    } else {
        if (rest ~ /^[*]/) made = alias(substr(rest, 2))
        else if (rest ~ /^[[{"']/) {
            made = rest ~ /^["']/ ? quoted() : flow()
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
        made = string(substr(rest, 1, RSTART - 1))
        rest = substr(rest, RSTART)
    } else return ""
    rest = substr(rest, 2)
    return made
}

function block(inner, made, key, shift) {
    made = ""
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
        made = made (made == "" ? "" : ",") key ":" value(inner, 1)
    }
    return "{" made "}"
}

{
    raw[NR] = $0
    match($0, /^ */)
    indent[NR] = RLENGTH
    text[NR] = substr($0, RLENGTH + 1)
    sub(/ +$/, "", text[NR])
}

END {
    if (failed) exit 1
    lines = NR
    at = 1
    next_line()
    result = block(indent[at])
    if (next_line()) refuse("not read")
    print result
}
