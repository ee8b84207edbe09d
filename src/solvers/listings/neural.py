from random import Random
n = int(input("n = "))
N = range(1, n + 1)
x = [0] * (n + 1)
def inhibition(r, c):
  return sum(
    abs(c - x[i]) in (0, abs(r - i))
    for i in N if i != r)
def energy():
  pairs = [inhibition(i, x[i]) for i in N]
  return sum(pairs) // 2
def best(r):
  by = [inhibition(r, c) for c in N]
  few = [c for c in N if by[c-1] == min(by)]
  if few == [x[r]]: return x[r]
  others = [c for c in few if c != x[r]]
  if len(others) == 1: return others[0]
  return choice(others)
starts = 0
while True:
  choice = Random(starts).choice
  x[1:] = [choice(N) for i in N]
  starts += 1
  lowest, still, vain, i = energy(), 0, 0, 0
  while energy() and still < n:
    if vain == 30 * n: break
    i = i % n + 1
    q = best(i)
    still += 1
    vain += 1
    if q != x[i]:
      r, c = i, q
      x[r] = c
      still = 0
    if energy() < lowest:
      lowest, vain = energy(), 0
  if not energy(): break
print(*x[1:])
