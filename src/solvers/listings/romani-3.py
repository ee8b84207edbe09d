n = int(input("n = "))
c = int(input("c = "))
N = {*range(1, n + 1)}
half = int(input("split = "))
def attacked():
  return any(abs(j - x) in (0, k - i)
             for i, x in enumerate(s, 1))
def extend():
  global k, found
  k = len(s) + 1
  if attacked(): return
  if k < n:
    to = halves if k == half else level
    to.append(s + [j])
  else:
    found = True
    s.append(j)
    print(*s)
    s.pop()
found, level, halves = False, [], []
s, j, used = [], c, {c}
extend()
while level or halves and not found:
  if level:
    q = level
  else:
    q, used = halves, set(halves[0])
  s = q.pop(0)
  for j in sorted(N - used): extend()
