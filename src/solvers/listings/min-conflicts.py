from random import choice
n = int(input("n = "))
N = range(1, n + 1)
x = [0] * (n + 1)
def attackers(r, c):
  return sum(
    abs(c - x[i]) in (0, abs(r - i))
    for i in N if x[i] and i != r)
def best(r, columns):
  tests = {c: attackers(r, c)
           for c in columns}
  least = min(tests.values())
  return choice([c for c in tests
                 if tests[c] == least])
def start():
  x[1:] = [0] * n
  for r in N: x[r] = best(r, N)
def attacked():
  return [
    i for i in N if attackers(i, x[i])]
while True:
  start()
  moves = 0
  while attacked() and moves < 8 * n:
    r = choice(attacked())
    c = best(r, [c for c in N if c != x[r]])
    x[r] = c
    moves += 1
  if not attacked(): break
print(*x[1:])
