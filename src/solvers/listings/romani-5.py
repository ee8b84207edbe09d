n = int(input("n = "))
c = int(input("c = "))
strategy = input("strategy = ")
N = range(1, n + 1)
def attacked(s, k, j):
  return any(abs(j - x) in (0, k - i)
             for i, x in enumerate(s, 1))
def free(s, k):
  return sum(
    not attacked(s, k, j) for j in N)
def value(s):
  below = [free(s, k) for k in N[len(s):]]
  return all(below), len(s), sum(below)
def in_q(new):
  global at
  q.insert(at, new)
  at += 1
  if strategy == "priority":
    q.sort(key=value, reverse=True)
def extend():
  global k
  k = len(s) + 1
  if attacked(s, k, j): return
  if k < n:
    in_q(s + [j])
  else:
    s.append(j)
    print(*s)
    raise SystemExit
q, at, s, j = [], 0, [], c
extend()
while q:
  s = q.pop(0)
  at = 0 if strategy == "depth" else len(q)
  for j in sorted({*N} - {*s}): extend()
