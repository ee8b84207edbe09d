# listings.py FILE SEED LINES ROW COLUMN BOARD < answers - runs a program of Python, and prints as JSON: { printed, noted }, of which
# `noted` has for each time that it comes to one of the LINES, in order: [number, the line that the same call comes to next or null,
# whether something was printed until then, and the values of ROW, COLUMN and BOARD after it, null where there is none]. SEED is that of
# the module `random`, which draws as base/random.h.
import json
import sys
import types

file, seed, wanted, *names = sys.argv[1:]
wanted = {int(line) for line in wanted.split(',')}
lines = []  # what is printed
noted = []
pending = {}  # by call: the note of the line that it is at


def value(frame, name):
    try:
        found = eval(name, frame.f_globals, frame.f_locals) if name else None
    except NameError:
        return None
    return list(found) if isinstance(found, (list, tuple)) else found


def note(frame, event, argument):
    if frame.f_code.co_filename != 'listing' or frame.f_code.co_name in ('<listcomp>', '<setcomp>', '<dictcomp>', '<genexpr>'):
        return None
    here = pending.pop(frame, None)
    if here:
        at, printed = here
        next_line = frame.f_lineno if event == 'line' else None
        noted[at][1:] = [next_line, len(lines) > printed, *(value(frame, name) for name in names)]
    if event == 'line' and frame.f_lineno in wanted:
        pending[frame] = len(noted), len(lines)
        noted.append([frame.f_lineno])
    return note


class Philox:
    def __init__(self, seed, stream):
        self.key, self.stream, self.count, self.words = (seed & 0xffffffff, seed >> 32), stream, 0, []

    def word(self):
        if not self.words:
            x, (k0, k1) = [self.count & 0xffffffff, self.count >> 32, self.stream & 0xffffffff, self.stream >> 32], self.key
            for _ in range(10):
                a, b = x[0] * 0xd2511f53, x[2] * 0xcd9e8d57
                x = [b >> 32 ^ x[1] ^ k0, b & 0xffffffff, a >> 32 ^ x[3] ^ k1, a & 0xffffffff]
                k0, k1 = k0 + 0x9e3779b9 & 0xffffffff, k1 + 0xbb67ae85 & 0xffffffff
            self.count, self.words = self.count + 1, x
        return self.words.pop(0)

    def below(self, bound):
        product = self.word() * bound
        while product & 0xffffffff < 2**32 % bound:
            product = self.word() * bound
        return product >> 32




# The functions of the module `random` that programs use; Random(i) begins stream i.
def draws(stream):
    philox = Philox(int(seed), stream)
    return types.SimpleNamespace(choice=lambda all: all[philox.below(len(all))], randrange=philox.below, getrandbits=lambda bits: philox.word())


sys.modules['random'] = draws(0)
sys.modules['random'].Random = draws
program = compile(open(file).read(), 'listing', 'exec')
scope = {
    'print': lambda *words: lines.append(' '.join(map(str, words))),
    'input': lambda words: sys.stdin.readline().rstrip('\n'),
}
sys.settrace(note)
try:
    exec(program, scope)
except SystemExit:
    pass
sys.settrace(None)
json.dump({'printed': lines, 'noted': noted}, sys.stdout)
