from random import choice, getrandbits
n = int(input("n = "))
N = range(1, n + 1)
x = [0] * (n + 1)
def attackers(r, c):
  return sum(
    abs(c - x[i]) in (0, abs(r - i))
    for i in N if i != r)
def energy():
  pairs = [attackers(i, x[i]) for i in N]
  return sum(pairs) // 2
def draw():
  return getrandbits(32)
def start():
  x[1:] = [choice(N) for i in N]
def chance(rise): # exp(-rise / t), 32 bits
  part = (rise << 52) // t
  p = max(2**32 - part, 0)
  for i in range(12):
    if p < 2**32: p = p * p >> 32
  return p
while True:
  start()
  t = 2**32
  while energy() and t > 2**29:
    r = choice(N)
    c = choice([c for c in N if c != x[r]])
    rise = attackers(r, c)
    rise -= attackers(r, x[r])
    stays = rise > 0
    if stays: stays = draw() >= chance(rise)
    t -= t // (16 * n * n)
    if stays: continue
    x[r] = c
  if not energy(): break
print(*x[1:])
