from itertools import permutations
n = int(input("n = "))
for p in permutations(range(1, n + 1)):
  a = {j + k for k, j in enumerate(p)}
  b = {j - k for k, j in enumerate(p)}
  if len(a) < n or len(b) < n: continue
  print(*p)
