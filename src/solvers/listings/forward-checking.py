n = int(input("n = "))
N = range(1, n + 1)
x = [0] * (n + 1)
def free(r, c):
  return not x[r] and all(
    abs(c - x[i]) not in (0, abs(r - i))
    for i in N if x[i])
def at_most_2(line):
  return min(len(line), 2)
def search():
  rows = [[(r, c) for c in N if free(r, c)]
          for r in N if not x[r]]
  cols = [[(r, c) for r in N if free(r, c)]
          for c in N if c not in x]
  best = min(rows + cols, key=at_most_2)
  for r, c in best:
    x[r] = c
    if len(rows) == 1: print(*x[1:])
    else: search()
    x[r] = 0
search()
