// client_hey.ts - calls operations of a server by the functions that @hey-api/openapi-ts makes: $ node client_hey.js URL
import { algorithms, count, getJob, hint, puzzle, solve, startJob, trace, verify } from './made/sdk.gen.js';
import { client } from './made/client.gen.js';
import type { Step } from './made/types.gen.js';

client.setConfig({ baseUrl: process.argv[2] ?? '', throwOnError: true });

// `do` decides which members a step has, without a cast.
function square(step: Step): string {
  switch (step.do) {
    case 'solution':
    case 'take':
      return step.board.join();
    case 'reject':
      return `${step.do} ${step.row}:${step.column} by ${step.by?.row}`;
    case 'place':
    case 'remove':
    case 'keep':
    case 'move':
      return `${step.do} ${step.row}:${step.column}`;
  }
}

const results: Record<string, unknown> = {};
const total = (await count({ query: { n: 19 }, throwOnError: true })).data;
if ('provenance' in total && total.provenance === 'table') results.count = total.count;
const page = (await solve({ query: { n: 6 }, throwOnError: true })).data;
if (typeof page === 'object' && 'solutions' in page) results.solve = page.solutions.length;
const steps = (await trace({ query: { n: 4, limit: 4, algorithm: 'rapella' }, throwOnError: true })).data;
if (typeof steps === 'object' && 'steps' in steps) results.trace = steps.steps.map(square);
const verdict = (await verify({ body: { permutation: [1, 5, 8, 6, 3, 7, 2, 4] }, throwOnError: true })).data;
if (typeof verdict === 'object' && 'valid' in verdict) results.verify = verdict.valid;
const board = (await puzzle({ query: { kind: 'regions', n: 6, seed: 1 }, throwOnError: true })).data;
if (typeof board === 'object' && 'kind' in board) results.kind = board.kind;
const next = (await hint({ query: { n: 8, place: '1:1' }, throwOnError: true })).data;
if (typeof next === 'object' && 'completable' in next) results.hint = next.completable;
results.algorithms = (await algorithms({ throwOnError: true })).data.solvers !== undefined;
const begun = (await startJob({ body: { kind: 'count', n: 10 }, throwOnError: true })).data;
if (!('id' in begun)) throw new Error('not a job');
let job = (await getJob({ path: { id: begun.id }, throwOnError: true })).data;
while (job.state === 'queued' || job.state === 'running') job = (await getJob({ path: { id: begun.id }, throwOnError: true })).data;
results.job = job.state === 'done' ? job.result.count : job.state;
console.log(JSON.stringify(results));
