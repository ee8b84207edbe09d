n = int(input("n = "))
c = int(input("c = "))
N = {*range(1, n + 1)}
def attacked():
  return any(abs(j - x) in (0, k - i)
             for i, x in enumerate(s, 1))
def extend():
  global k
  k = len(s) + 1
  if attacked(): return
  if k < n:
    level.append(s + [j])
  else:
    s.append(j)
    print(*s)
    s.pop()
level, s, j = [], [], c
extend()
while level:
  s = level.pop(0)
  for j in sorted(N - {c}): extend()
