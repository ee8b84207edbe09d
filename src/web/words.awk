# words.awk - the words of a language, and in their place in English what has no words in it yet. Input: words_en.js and then
# words_<language>.js, each one line as esbuild --minify prints it. Output: the same with two levels of one line an entry, as
# pack.sh takes it apart.
function take(pattern) { # the next token, which is of that pattern
    if (!match(text, "^" pattern)) exit failed = 1
    token = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    return token
}
function object(id,    key, kid) { # reads an object of sentences and objects; node `id` gets them
    kids[id] = ""
    take("{")
    while (text !~ /^}/) {
        key = take("[^:]+:")
        kid = id SUBSEP key
        kids[id] = kids[id] (kids[id] == "" ? "" : "\n") key
        if (text ~ /^{/) object(kid)
        else sentence[kid] = take("(\"([^\"\\\\]|\\\\.)*\"|'([^'\\\\]|\\\\.)*'|`([^`\\\\]|\\\\.)*`)")
        if (text ~ /^,/) take(",")
    }
    take("}")
}
# Prints what is in `id`, and besides what only `other` has; '' is none.
function print_all(id, other, depth,    names, count, i, key) {
    count = split(kids[id], names, "\n")
    for (i = 1; i <= count; i++) print_one(id SUBSEP names[i], other SUBSEP names[i], names[i], depth)
    count = split(kids[other], names, "\n")
    for (i = 1; i <= count; i++) {
        key = id SUBSEP names[i]
        if (!(key in sentence) && !(key in kids)) print_one(other SUBSEP names[i], "", names[i], depth)
    }
}
function print_one(id, other, name, depth) {
    if (depth <= 2) printf "%*s", 2 * depth, ""
    printf "%s ", name
    if (id in sentence) printf "%s", sentence[id]
    else {
        printf depth == 1 ? "{\n" : "{ "
        print_all(id, other in kids && !((id SUBSEP "other:") in sentence) ? other : "", depth + 1) # plural forms are one sentence
        if (depth == 1) printf "  "
        printf "}"
    }
    printf depth <= 2 ? ",\n" : ", "
}
{
    text = $0
    take("export default")
    object(NR)
}
END {
    if (failed || NR != 2) exit 1
    print "export default {"
    print_all(2, 1, 1)
    print "};"
}
