// styles.test.js - pictures of one board in its three styles, measured by their ink: a queen is a queen in each, as large as the others,
// and covers no more of its square; squares without a queen have none of it.
import { assert } from '../http/harness.js';
import { look } from './browser.js';

const STYLES = ['drawn', 'unicode', 'pattern'];
const [LEAST, MOST] = [0.08, 0.4]; // the share of its square that a queen covers: a character is thin, and depends on the font

// The share of ink of each square of the board on the screen, row by row: of pixels as dark as a queen.
async function inkOf(page) {
  const board = page.locator('svg.board').first();
  const png = await board.screenshot();
  return board.evaluate(async (board, base64) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    canvas.drawImage(picture, 0, 0);
    const frame = board.getBoundingClientRect();
    const squares = board.querySelector('.light');
    const box = squares.getBoundingClientRect();
    const n = Math.round(squares.width.baseVal.value);
    const side = box.width / n;
    const dark = (data, i) => 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2] < 64;
    return Array.from({ length: n }, (_, row) =>
      Array.from({ length: n }, (_, column) => {
        const [x, y] = [box.x - frame.x + column * side, box.y - frame.y + row * side].map((at) => Math.ceil(at + 2));
        const { data, width, height } = canvas.getImageData(x, y, Math.floor(side - 4), Math.floor(side - 4));
        let ink = 0;
        for (let i = 0; i < data.length; i += 4) ink += dark(data, i);
        return ink / (width * height);
      }),
    );
  }, png.toString('base64'));
}

const views = { '#board?n=6': 'svg.board', '#board?n=8&offset=7': 'svg.board' };

for (const [hash, seen] of Object.entries(views))
  look(`the styles have the same queens on the same squares, none of them a lump: ${hash}`, { hash }, async (page) => {
    const found = {};
    for (const style of STYLES) {
      await page.evaluate((hash) => (location.hash = hash), `${hash}&style=${style}`);
      const drawn = { drawn: ':not(.pattern) .queen', unicode: ' .sign', pattern: '.pattern .queen' }[style];
      await page.locator(`${seen}${drawn}`).first().waitFor();
      found[style] = await inkOf(page);
    }
    const queens = (ink) => ink.map((row) => row.flatMap((share, column) => (share > LEAST / 2 ? [column] : [])));
    assert.ok(queens(found.drawn).every((row) => row.length === 1));
    for (const style of STYLES) {
      assert.deepEqual(queens(found[style]), queens(found.drawn), style);
      for (const row of found[style]) {
        const share = Math.max(...row);
        assert.ok(share > LEAST && share < MOST, `${style}: ink on ${(100 * share).toFixed()} % of a square`);
      }
    }
    const sums = STYLES.map((style) => found[style].flat().reduce((sum, share) => sum + share, 0));
    assert.ok(Math.max(...sums) < 3 * Math.min(...sums), `${STYLES}: ${sums}`);
  });
