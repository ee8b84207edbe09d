// articles_en.js - what the four articles say, and where they err, in English: by the family of their algorithms.
export default {
  rapella: {
    how:
      'Twelve lines of BASIC for the Commodore 64, grown from six by N. Pintacuda. One array marks the columns in ' +
      'use, two mark diagonals. A row counter goes up when a queen fits, and down when a row has no square left.',
    more:
      'It found the 92 solutions in about twenty minutes and the first one for n = 19 in fifty. The author advises against ' +
      '20. The reason is the number of squares tested up to the first solution: 876 for n = 8, 48,184 for 19, 3,992,510 for ' +
      '20.',
    errs:
      'In row 3 and column 5, J−K is 2, not −2. And “Commodore 64 beats Gauss 92 to 72” counts the solutions in a letter in ' +
      'which Gauss does not claim to have found all.',
  },
  tkachenko: {
    how:
      'In C, Java and Python, after an exercise in J.-P. Lamoitier’s book on Fortran IV: a single array, loops, no ' +
      'recursion. Each queen is compared with all before it. The first one stays in the left half, so that only one of ' +
      'two mirror images is found.',
    errs:
      'The article calls its 46 solutions all the unique ones. They are half of the 92; 12 are unique under rotation and ' +
      'reflection. It also demands exactly one queen on every diagonal, but only at most one is possible. For odd n its rule ' +
      'finds less than half (17 of 40 for n = 7); here the middle column is added.',
  },
  romani: {
    how:
      'Five ways in Mathematica, on a Macintosh with 24 MB. (1) All permutations, filtered to those that repeat no sum ' +
      'and no difference of row and column. (2) Row by row, all partial placements at once, with the first queen in column ' +
      '4. (3) The same for half the board, then one half after the other until one can be completed; n = 13 ran out of memory.',
    more:
      '(4) In stages, which succeeded: 454 partial placements of four rows, 54,766 of eight. (5) One partial placement at a ' +
      'time from a queue: breadth first up to n = 8, depth first up to 21. Finally it combines boards of 25 and ' +
      '625 from one of 5.',
    errs:
      'The table has 18 solutions for n = 9 with a queen in column 4: there are 44. The claim that there always is one fails ' +
      'for n = 4. And not all small solutions combine to large ones: the inner one must also be a solution on the torus. ' +
      'All ten of size 5 are; none of size 4 or 6 is.',
  },
  zironi: {
    how:
      'An undated article on a program for Prof. Zironi’s course at Modena, in C, recursive, column by column. Vectors of ' +
      'free rows and diagonals replace the board, 38 values instead of 64. It prints a solution only if it is not a rotation ' +
      'or reflection of an earlier one.',
    errs:
      'It stores these in an array of ten, but there are twelve: it writes two behind the end. Here none is stored: the ' +
      'first of a class is the least of its images.',
  },
};
