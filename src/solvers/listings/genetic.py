from random import choice, randrange
n = int(input("n = "))
N = range(1, n + 1)
def energy(x):
  return sum(abs(x[i] - x[j]) in (0, i - j)
             for i in range(n)
             for j in range(i))
def parent():
  a, b = choice(parents), choice(parents)
  return a if energy(a) <= energy(b) else b
def child():
  if generation == 0:
    return [choice(N) for i in N]
  if not born:
    return min(parents, key=energy)
  a, b = parent(), parent()
  cut = randrange(n)
  mutant = randrange(2 * n)
  y = a[:cut] + b[cut:]
  if mutant < n: y[mutant] = choice(N)
  return list(y)
generation, born = 0, []
while True:
  x = child()
  if energy(x) == 0: break
  born.append(x)
  if len(born) == 20:
    parents, born = born, []
    generation = (generation + 1) % 101
print(*x)
