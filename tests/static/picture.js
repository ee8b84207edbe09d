#!/usr/bin/env node
// picture.js [--check] [BUILD] - prints docs/architecture.svg: the rooms on their floors, and which uses which, as the sources do. A use
// that follows from two others is left out, and so are counts of files, which would change with most contributions. --check compares
// instead, and exits with 1 and the difference.
import { spawnSync } from 'node:child_process';

const check = process.argv.indexOf('--check', 2);
if (check > 0) process.argv.splice(check, 1); // sources.js takes the rest
const { files, floors, roomOf } = await import('./sources.js');

const WIDTH = 960, ROW = 46, BOX = 28, PAD = 12;
const uses = new Map(floors.flat().map((room) => [room, new Set()]));
for (const [file, all] of files) for (const used of all) if (roomOf(used) !== roomOf(file)) uses.get(roomOf(file)).add(roomOf(used));
const reaches = (from, to) => [...uses.get(from)].some((room) => room === to || reaches(room, to));
const direct = (from) => [...uses.get(from)].filter((to) => ![...uses.get(from)].some((between) => between !== to && reaches(between, to)));

const rows = [...floors].reverse();
const boxes = new Map();
rows.forEach((rooms, row) => {
  const widths = rooms.map((room) => 8 * room.length + 2 * PAD);
  const gap = (WIDTH - widths.reduce((sum, width) => sum + width)) / (rooms.length + 1);
  let x = gap;
  rooms.forEach((room, i) => {
    boxes.set(room, { x, y: row * ROW + PAD, width: widths[i] });
    x += widths[i] + gap;
  });
});
const round = (number) => Math.round(number * 10) / 10;
const middle = ({ x, width }) => round(x + width / 2);
const lines = [...boxes].flatMap(([room, from]) =>
  direct(room).sort().map((used) => {
    const to = boxes.get(used);
    return `<line x1="${middle(from)}" y1="${from.y + BOX}" x2="${middle(to)}" y2="${to.y}"/>`;
  }),
);
const shapes = [...boxes].map(
  ([room, box]) =>
    `<rect x="${round(box.x)}" y="${box.y}" width="${box.width}" height="${BOX}" rx="5"/><text x="${middle(box)}" y="${box.y + 19}">${room}</text>`,
);
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${rows.length * ROW + PAD}" font-family="monospace" font-size="13">
<title>The rooms of the sources, from the command line at the top to the public header at the bottom; a line leads to what is used</title>
<style>line{stroke:#7a7a7a;stroke-width:1}rect{fill:#f4ecdc;stroke:#5a4a2a}text{fill:#222;text-anchor:middle}</style>
${lines.join('\n')}
${shapes.join('\n')}
</svg>
`;
if (check < 0) process.stdout.write(picture);
else {
  const { stdout, status } = spawnSync('diff', ['-u', '--label', 'docs/architecture.svg', 'docs/architecture.svg', '--label', 'the sources', '-'], { input: picture, encoding: 'utf8' });
  if (status !== 0) console.log(`${stdout}docs/architecture.svg does not show what the sources use: run \`make picture\``);
  process.exitCode = status === 0 ? 0 : 1;
}
