from random import randrange
n = int(input("n = "))
def shuffled():
  all = []
  for i in range(n):
    all.append(i + 1)
    j = randrange(i + 1)
    all[i], all[j] = all[j], all[i]
  return all
def safe(x):
  return all(abs(x[a] - x[b]) != a - b
             for a in range(len(x))
             for b in range(a))
x, left, i = [], shuffled(), 0
while left:
  first = min(64, len(left))
  for t in range(first + 16 * n):
    k = len(x) + 1
    if t < first:
      i = i % len(left) + 1
      j = left[i - 1]
      y = x + [j]
    else:
      o = randrange(len(x))
      j = x[o]
      y = x[:o] + left[:1] + x[o+1:] + [j]
    if not safe(y): continue
    if t < first:
      left[i - 1] = left[0]
    else:
      k, j, left[0] = o + 1, left[0], j
      x[o] = j
      k, j = len(x) + 1, left[0]
    x.append(j)
    left.pop(0)
    i = max(i - 1, 0)
    break
  else:
    x, left, i = [], shuffled(), 0
print(*x)
