n = int(input("n = "))
N = range(1, n + 1)
L, R, U, D = [], [], [], []
C, S, at = [], [], []
def head():
  i = len(C)
  for a in L, R, U, D, C: a.append(i)
  S.append(0)
  at.append(None)
  return i
def option(c, square):
  i = head()
  C[i], at[i] = c, square
  U[i], D[i] = U[c], c
  D[U[c]] = U[c] = i
  S[c] += 1
  return i
def join(i, before):
  L[i], R[i] = L[before], before
  R[L[before]] = L[before] = i
def around(links, i):
  j = links[i]
  while j != i:
    yield j
    j = links[j]
def cover(c):
  L[R[c]], R[L[c]] = L[c], R[c]
  for i in around(D, c):
    for j in around(R, i):
      U[D[j]], D[U[j]] = U[j], D[j]
      S[C[j]] -= 1
def uncover(c):
  for i in around(U, c):
    for j in around(L, i):
      U[D[j]] = D[U[j]] = j
      S[C[j]] += 1
  L[R[c]] = R[L[c]] = c
def size(c):
  return S[c]
def search():
  c = min(around(R, root), key=size)
  cover(c)
  for i in around(D, c):
    for j in around(R, i): cover(C[j])
    row, col = at[i]
    x[row] = col
    if R[root] == root: print(*x[1:])
    else: search()
    x[row] = 0
    for j in around(L, i): uncover(C[j])
  uncover(c)
x = [0] * (n + 1)
root, heads = head(), {}
for i in range(n):
  k = n - 1 - i if i % 2 else n + i
  for way in "row", "col":
    heads[way, k // 2] = head()
    join(heads[way, k // 2], root)
for r in range(n):
  for c in range(n):
    first = None
    lines = ("row", r), ("col", c)
    lines += ("sum", r + c), ("dif", r - c)
    for q in lines:
      if q not in heads: heads[q] = head()
      i = option(heads[q], (r + 1, c + 1))
      if first: join(i, first)
      first = first or i
search()
