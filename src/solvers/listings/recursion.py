def put(r, n, x, s, d):
  for c in range(1, n + 1):
    if not (c in x or r+c in s or r-c in d):
      x.append(c)
      if r == n: print(x)
      else: put(r+1, n, x, s+[r+c], d+[r-c])
      x.pop()
put(1, int(input("n = ")), [], [], [])
