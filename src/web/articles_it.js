// articles_it.js - what the four articles say, and where they err, in Italian: by the family of their algorithms.
export default {
  rapella: {
    how:
      'Dodici righe di BASIC per il Commodore 64, nate dalle sei di N. Pintacuda. Un vettore segna le colonne occupate, ' +
      'due le diagonali; un contatore di riga sale quando una regina trova posto e scende quando la riga non ha più ' +
      'caselle.',
    more:
      'Trovò le 92 soluzioni in una ventina di minuti e la prima per n = 19 in cinquanta; l’autore sconsiglia il 20. Il ' +
      'motivo sono le caselle provate: 876 fino alla prima soluzione per n = 8, 48.184 per 19, 3.992.510 per 20.',
    errs:
      'Per riga 3 e colonna 5, J−K è 2, non −2. E «Commodore 64 batte Gauss 92 a 72» conta le soluzioni di una lettera in ' +
      'cui Gauss non garantisce che non ve ne siano altre.',
  },
  tkachenko: {
    how:
      'In C, Java e Python, da un esercizio del libro di J.-P. Lamoitier sul Fortran IV: un solo vettore, cicli, niente ' +
      'ricorsione. Ogni regina si confronta con tutte le precedenti; la prima resta nella metà sinistra, così di due ' +
      'immagini speculari se ne trova una.',
    errs:
      'L’articolo chiama le sue 46 soluzioni «tutte le uniche». Sono metà delle 92; a meno di rotazioni e riflessioni le ' +
      'soluzioni sono 12. Inoltre chiede esattamente una regina su ogni diagonale, ma è possibile al più una. Per n dispari la ' +
      'regola ne trova meno di metà (17 di 40 per n = 7); qui si aggiunge la colonna di mezzo.',
  },
  romani: {
    how:
      'Cinque modi in Mathematica, su un Macintosh con 24 MB. (1) Tutte le permutazioni, di cui restano quelle che non ' +
      'ripetono somme né differenze di riga e colonna. (2) Riga per riga, tutte le disposizioni parziali insieme, con la prima ' +
      'regina in colonna 4. (3) Lo stesso per mezza scacchiera, poi una metà dopo l’altra finché una si completa; con n = 13 ' +
      'finì la memoria.',
    more:
      '(4) A fasi, e ci riuscì: 454 disposizioni parziali di quattro righe, 54.766 di otto. (5) Una disposizione alla volta da ' +
      'una coda: in ampiezza fino a n = 8, in profondità fino a 21. Infine compone scacchiere di 25 e 625 da una di 5.',
    errs:
      'La tabella dà 18 soluzioni per n = 9 con una regina in colonna 4: sono 44. Non è vero che ce ne sia sempre una: ' +
      'per n = 4 non c’è. E non tutte le soluzioni piccole si combinano: quella interna deve essere una soluzione anche sul ' +
      'toro. Lo sono tutte le dieci di lato 5 e nessuna di lato 4 o 6.',
  },
  zironi: {
    how:
      'Un articolo senza data su un programma per il corso del prof. Zironi a Modena, in C, ricorsivo, colonna per colonna. ' +
      'Vettori di righe e diagonali libere sostituiscono la scacchiera, 38 valori invece di 64. Stampa una soluzione solo se ' +
      'non è rotazione o riflessione di una precedente.',
    errs:
      'Le conserva in un vettore di dieci, ma sono dodici: due finiscono oltre la fine. Qui non se ne conserva nessuna: la ' +
      'prima di una classe è la minima fra le sue immagini.',
  },
};
