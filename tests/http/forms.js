// forms.js - a board with regions in every form in which people hand it in.

// Whether squares have a border between them, in the order in which a notation has them: `beside` is by rows.
const beside = (board) => board.flatMap((row) => row.slice(1).map((region, column) => Number(region !== row[column])));
const below = (board) => board.slice(1).flatMap((row, above) => row.map((region, column) => Number(region !== board[above][column])));
const turned = (board) => board[0].map((_, column) => board.map((row) => row[column]));

const digits = (bits, width, signs) => bits.join('').match(new RegExp(`.{${width}}`, 'g')).map((digit) => signs[parseInt(digit, 2)]).join('');
const zeros = (count, width) => Array((width - (count % width)) % width).fill(0);
const signs = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

// What follows the question mark of a link of puzz.link: five borders a digit, zeros at the end of either kind.
export function linkOf(board) {
  const [right, down] = [beside(board), below(board)].map((bits) => digits([...bits, ...zeros(bits.length, 5)], 5, signs.toLowerCase()));
  return `starbattle/${board.length}/${board.length}/1/${right}${down}`;
}

// A code of Star Battle notation: six borders a digit, zeros in front.
export function codeOf(board) {
  const bits = [...beside(board), ...beside(turned(board))];
  return `${signs[board.length].repeat(2)}1W${digits([...zeros(bits.length, 6), ...bits], 6, signs)}`;
}

const names = ['red', 'blue', 'green', 'yellow', 'orange', 'purple', 'pink', 'brown', 'black', 'white', 'gray', 'cyan', 'magenta', 'teal', 'navy', 'olive',
  'maroon', 'lime', 'light blue', 'rebeccapurple'];
const mixed = ['red', 'light blue', '#00ff7F', 'rgb(1, 2, 3)', 'hsl(120deg, 75%, 25%)', 'teal'];
const hexadecimal = (region) => `#${(region * 3141 + 255).toString(16).padStart(6, '0')}`;
const ofLight = (region) => `rgb(${region}, ${255 - region}, 128)`;
const python = (value) => JSON.stringify(value).replaceAll('"', "'").replaceAll(',', ', ');

// `board`: rows of numbers from 0. Forms that show borders only are for boards whose regions are connected.
export function forms(board, connected = true) {
  const n = board.length;
  const rows = board.map((row) => row.map((region) => String.fromCharCode(97 + region)));
  const capitals = rows.map((row) => row.map((letter) => letter.toUpperCase()));
  const words = rows.map((row) => row.join(''));
  const colour = (region) => mixed[region] ?? `#0000${region.toString(16).padStart(2, '0')}`;
  const painted = (by) => board.map((row) => row.map(by));
  const link = linkOf(board);
  const borders = {
    'a link': `https://puzz.link/p?${link}`,
    'a link, what follows ?': link,
    'a link within another': `https://swaroopg92.github.io/penpa-edit/?m=solve&p=https://puzz.link/p?${link}`,
    'a link within another, escaped': `https://swaroopg92.github.io/penpa-edit/#m=solve&p=${encodeURIComponent(`https://puzz.link/p?${link}`)}`,
    ...(n >= 5 && { 'a code': codeOf(board) }),
  };
  return {
    'slashes': words.join('/'),
    'lines': `${words.join('\n')}\n`,
    'lines of DOS': words.join('\r\n'),
    'a byte order mark': `\uFEFF${words.join('\n')}`,
    'commas': words.join(','),
    'blanks': words.join(' '),
    'semicolons': words.join(';'),
    'letters apart': rows.map((row) => row.join(' ')).join('\n'),
    'capitals': words.join('/').toUpperCase(),
    'digits': board.map((row) => row.map((region) => '0123456789ABCDEFGHIJ'[region]).join('')).join('/'),
    'lists of letters': JSON.stringify(capitals),
    'lists of numbers': JSON.stringify(board),
    'lists of Python': python(rows),
    'words of Python': python(words),
    'words in a list': JSON.stringify(words),
    'a flat list': board.flat().map((region) => region + 1).join(','),
    'a flat list of letters': JSON.stringify(rows.flat()),
    'a flat list of lines': board.map((row) => row.join(',')).join('\n'),
    'colours': JSON.stringify(painted(colour)),
    'colours, flat': JSON.stringify(board.flat().map(colour)),
    'names of colours': JSON.stringify(painted((region) => names[region])),
    'names of colours, flat': JSON.stringify(board.flat().map((region) => names[region])),
    '#rrggbb': JSON.stringify(painted(hexadecimal)),
    '#rrggbb, flat': board.flat().map(hexadecimal).join(','),
    'rgb()': JSON.stringify(painted(ofLight)),
    'rgb(), flat': board.flat().map(ofLight).join(';'),
    'an object': JSON.stringify({ nRows: n, nCols: n, cellColors: board.flat().map(colour) }),
    'an object of lists': JSON.stringify({ size: n, colorRegions: capitals, regionColors: { A: '#fff' } }),
    'one word': words.join(''),
    'size and stars': `${n}x1.${words.join('').toUpperCase()}`,
    ...(connected && borders),
  };
}
