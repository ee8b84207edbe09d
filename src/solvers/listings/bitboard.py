n = int(input("n = "))
board = (1 << n) - 1
x = [0] * (n + 1)
def search(row, cols, ld, rd):
  poss = board & ~(cols | ld | rd)
  while poss:
    bit = poss & -poss
    poss ^= bit
    x[row] = bit.bit_length()
    if row == n: print(x[1:])
    else: search(row + 1, cols | bit,
           (ld | bit) << 1, (rd | bit) >> 1)
    x[row] = 0
search(1, 0, 0, 0)
