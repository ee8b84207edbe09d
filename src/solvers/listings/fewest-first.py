n = int(input("n = "))
N = range(1, n + 1)
x = [0] * (n + 1)
def free(r, c):
  return not x[r] and all(
    abs(c - x[i]) not in (0, abs(r - i))
    for i in N if x[i])
def middle(i): # lines by distance from it
  d = 2 * i - n - 1
  return 2 * abs(d) + (d > 0)
def mix(i): # numbers without a pattern
  i ^= i >> 16
  i = i * 0x7feb352d % 2**32
  i ^= i >> 15
  i = i * 0x846ca68b % 2**32
  return i ^ i >> 16
def key(square): # by squares that she takes
  r, c = square
  cost = [(a == r) + (b == c) + (a+b == r+c)
          + (a-b == r-c) for a, b in board]
  mixed = mix(r * 1000 + c - 1001) % 64
  return sum(cost), mixed, square
def size(line):
  return len(line[2]), line[:2]
def late(wave):
  return 16 + 4 * wave
def allowed(k, left, wave): # k had a choice
  return k <= wave or left <= late(wave)
def fill(k, fresh):
  global cut, board
  rows = [i for i in N if not x[i]]
  cols = [i for i in N if i not in x]
  left = len(rows)
  if not fresh and left <= late(wave - 1):
    return
  board = [(r, c) for r in rows
           for c in cols if free(r, c)]
  lines = [
    (middle(i), way,
     [q for q in board if q[way] == i])
    for way in (0, 1)
    for i in (rows, cols)[way]]
  best = min(lines, key=size)
  squares = sorted(best[2], key=key)
  more = k + (len(squares) > 1)
  for r, c in squares:
    other = (r, c) != squares[0]
    if other and not allowed(k, left, wave):
      cut = True
      break
    new = fresh
    if other:
      new |= not allowed(k, left, wave - 1)
    x[r] = c
    if left == 1: print(*x[1:])
    else: fill(more, new)
    x[r] = 0
wave, cut = 0, True
while cut:
  cut = False
  fill(0, wave == 0)
  wave += 1
