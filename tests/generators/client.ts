// client.ts - calls 13 operations of a server by the types that are made from the contract: $ node client.js URL
import createClient from 'openapi-fetch';
import type { paths } from './contract.js';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const results: Record<string, unknown> = {};

// The answer without an error, whose type is that of the operation.
function answer<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const count = answer(await client.GET('/count', { params: { query: { n: 8 } } }));
results.count = typeof count === 'object' && 'count' in count ? count.count : null;
const range = answer(await client.GET('/count', { params: { query: { n: '4-6' } } }));
results.range = typeof range === 'object' && 'counts' in range ? range.counts.length : null;
const page = answer(await client.GET('/solve', { params: { query: { n: 6 } } }));
results.solve = typeof page === 'object' && 'solutions' in page ? page.solutions.length : null;
const verdict = answer(await client.POST('/verify', { body: { permutation: [1, 5, 8, 6, 3, 7, 2, 4] } }));
results.verify = typeof verdict === 'object' && 'valid' in verdict ? verdict.valid : null;
const built = answer(await client.GET('/construct', { params: { query: { n: 12 } } }));
results.construct = typeof built === 'object' && 'permutation' in built ? built.permutation.length : null;
const puzzle = answer(await client.GET('/puzzle', { params: { query: { n: 8, seed: 9007199254740991 } } }));
results.puzzle = typeof puzzle === 'object' && 'seed' in puzzle ? puzzle.seed : null;
const board = answer(await client.GET('/puzzle', { params: { query: { kind: 'regions', n: 6, seed: 1 } } }));
results.regions = typeof board === 'object' && 'regions' in board ? board.regions : null;
const hint = answer(await client.GET('/hint', { params: { query: { n: 8, place: '1:1' } } }));
results.hint = typeof hint === 'object' && 'hint' in hint ? hint.n : null;
const trace = answer(await client.GET('/trace', { params: { query: { n: 4 } } }));
results.trace = typeof trace === 'object' && 'steps' in trace ? trace.steps[0]?.do : null;
results.compare = answer(await client.GET('/compare', { params: { query: { n: 6 } } })) !== undefined;
const algorithms = await client.GET('/algorithms');
results.algorithms = algorithms.data?.solvers !== undefined;
results.contract = /^openapi: 3\.1/m.test(String(answer(await client.GET('/openapi.yaml', { parseAs: 'text' }))));
const begun = await client.POST('/jobs', { body: { kind: 'count', n: 10 } });
const job = answer(begun);
if (!('id' in job)) throw new Error('not a job');
const path = { id: job.id };
results.startJob = job.kind;
results.getJob = 'state' in answer(await client.GET('/jobs/{id}', { params: { path } }));
results.followJob = String(answer(await client.GET('/jobs/{id}/events', { params: { path }, parseAs: 'text' }))).includes('event: ');
const { error } = await client.GET('/count', { params: { query: { n: 1000000001 } } });
results.refused = error?.status;
console.log(JSON.stringify(results));
