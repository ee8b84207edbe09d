from random import choice
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
def start():
  x[1:] = [choice(N) for i in N]
def rise(r, c):
  now = attackers(r, x[r])
  return attackers(r, c) - now
sideways = 101
while sideways > 100 or energy():
  if sideways > 100:
    start()
    sideways = 0
    continue
  moves = {(r, c): rise(r, c) for r in N
           for c in N if c != x[r]}
  least = min(moves.values())
  sideways += 1
  if least < 0: sideways = 0
  if least > 0: sideways = 101
  if sideways > 100: continue
  r, c = choice([square for square in moves
                 if moves[square] == least])
  x[r] = c
print(*x[1:])
