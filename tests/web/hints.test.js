// hints.test.js - why the squares around those of a hint are not free, without a page; and that the service's picture of a hint draws
// the same queens and squares.
import './modules.js';
import { after, assert, start, test } from '../http/harness.js';
import { attackersOf } from '../../src/web/hints.js';

const server = await start({ after });
const hint = (squares, groups, cross = []) => {
  const named = (list) => list.map(([row, column]) => ({ row, column }));
  return { because: { squares: named(squares), groups: groups.map(([kind, index]) => ({ kind, index })) }, cross: named(cross) };
};
const text = (list) => list.map(([square, queen]) => `${square.join(':')} ${queen?.join(':') ?? '-'}`).join(', ');

test('each square that is not free has the nearest queen that attacks it, or none', () => {
  const last = hint([[2, 4]], [['row', 2]]);
  assert.equal(text(attackersOf(last, [[1, 2]], null, 4)), '2:1 1:2, 2:2 1:2, 2:3 1:2');
  assert.equal(text(attackersOf(last, [[4, 1]], null, 4)), '2:1 4:1, 2:2 -, 2:3 4:1');
  assert.equal(text(attackersOf(last, [], null, 4)), '2:1 -, 2:2 -, 2:3 -');
  assert.equal(text(attackersOf(hint([[4, 3]], [['column', 3]]), [[1, 2], [3, 1]], null, 4)), '1:3 1:2, 2:3 1:2, 3:3 3:1');
});

test('with regions: their squares, and neighbours only along diagonals', () => {
  const regions = [[0, 0, 1, 1], [0, 2, 1, 1], [2, 2, 3, 1], [2, 3, 3, 3]];
  assert.equal(text(attackersOf(hint([[1, 2]], [['region', 1]]), [[3, 1]], regions, 4)), '1:1 3:1, 2:1 3:1');
  assert.equal(text(attackersOf(hint([[3, 1], [4, 1]], [['region', 3]]), [[1, 3]], regions, 4)), '2:2 1:3, 3:2 -');
  assert.equal(text(attackersOf(hint([[4, 1]], [['row', 4]]), [[2, 4], [1, 2]], regions, 4)), '4:2 1:2, 4:3 -, 4:4 2:4');
});

test('a group with other free squares is none that the hint looks through', () => {
  const confined = hint([[1, 1], [2, 1]], [['row', 1], ['column', 1]], [[3, 1], [4, 1]]);
  assert.equal(text(attackersOf(confined, [], null, 4)), '1:2 -, 1:3 -, 1:4 -');
  assert.deepEqual(attackersOf({}, [[1, 1]], null, 4), []);
});

// Moves of a path "M1.5 0.5L0.5 1.5...": [queen, square] as "row:column".
const lines = (svg) => {
  const [, path = ''] = /class="nq-taken"[^>]* d="([^"]*)"/.exec(svg) ?? [];
  const place = (column, row) => `${Math.floor(row) + 1}:${Math.floor(column) + 1}`;
  return [...path.matchAll(/M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)/g)].map(([, x, y, to, down]) => `${place(to, down)} ${place(x, y)}`).join(', ');
};

test('the picture of a hint has the same lines, and a dot at each end; hint after hint, with regions and without', async () => {
  let drawn = 0;
  for (const seed of [1, 2, 3]) {
    const { letters, regions } = await server.getJson(`/puzzle?kind=regions&n=7&level=medium&seed=${seed}`);
    for (const [board, areas, n] of [[`regions=${letters}`, regions, 7], [`n=8&exclude=1:${seed}`, null, 8]]) {
      const { solutions: [{ permutation }] } = await server.getJson(`/solve?${board}&limit=1`);
      for (let count = 0; count < n; count++) {
        const queens = permutation.slice(0, count).map((column, row) => [row + 1, column]);
        const query = `${board}&place=${queens.map((at) => at.join(':'))}`;
        const { hint: found } = await server.getJson(`/hint?${query}`);
        const { text: svg } = await server.get(`/hint?${query}&format=svg`);
        const wanted = attackersOf(found, queens, areas, n).filter(([, queen]) => queen);
        assert.equal(lines(svg), text(wanted), query);
        assert.equal((/class="nq-dots"[^>]* d="([^"]*)"/.exec(svg)?.[1].match(/h0/g) ?? []).length, wanted.length);
        if (wanted.length) assert.ok(svg.includes(`Attacked, where it looks: ${wanted.map(([square]) => square.join(':')).join(', ')}. `));
        drawn += wanted.length;
      }
    }
  }
  assert.ok(drawn > 50, `${drawn}`);
});
