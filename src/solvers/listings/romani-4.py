n = int(input("n = "))
c = int(input("c = "))
N = {*range(1, n + 1)}
ends = input("split = ").split(",")
def attacked():
  return any(abs(j - x) in (0, k - i)
             for i, x in enumerate(s, 1))
def extend():
  global k, found
  k = len(s) + 1
  if attacked(): return
  if k < n:
    to = parts if str(k) in ends else level
    to.append(s + [j])
  else:
    found = True
    s.append(j)
    print(*s)
    s.pop()
found, level, parts = False, [], []
s, j, used = [], c, {c}
extend()
while level or parts and not found:
  if level:
    q = level
  else:
    q, used = parts, set(parts[0])
  s = q.pop(0)
  for j in sorted(N - used): extend()
