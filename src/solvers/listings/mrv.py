n = int(input("n = "))
N = range(1, n + 1)
x = [0] * (n + 1)
def free(r, c):
  return all(
    abs(c - x[i]) not in (0, abs(r - i))
    for i in N if x[i])
def squares(r):
  return [c for c in N if free(r, c)]
def count(r):
  return len(squares(r))
def search():
  rows = [i for i in N if not x[i]]
  r = min(rows, key=count)
  for c in squares(r):
    x[r] = c
    if len(rows) == 1: print(*x[1:])
    else: search()
    x[r] = 0
search()
