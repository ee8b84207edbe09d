// client_zod.ts - calls operations of a server by the client of openapi-zod-client, which checks each answer: $ node client_zod.js URL
import { createApiClient } from './made.js';

const api = createApiClient(process.argv[2] ?? '', { axiosConfig: { adapter: 'fetch' } });
const results: Record<string, unknown> = {};
const total = await api.count({ queries: { n: 19 } });
if ('provenance' in total && total.provenance === 'table') results.count = total.count;
const page = await api.solve({ queries: { n: 6 } });
if (page && typeof page === 'object' && 'solutions' in page) results.solve = true;
const steps = await api.trace({ queries: { n: 4 } });
if (typeof steps === 'object' && 'steps' in steps) results.trace = steps.steps[0]?.do;
const verdict = await api.verify({ permutation: [1, 5, 8, 6, 3, 7, 2, 4] });
if (typeof verdict === 'object' && 'valid' in verdict) results.verify = verdict.valid;
const board = await api.puzzle({ queries: { kind: 'regions', n: 6, seed: 1 } });
if (typeof board === 'object' && 'kind' in board) results.kind = board.kind;
results.algorithms = (await api.algorithms()).solvers !== undefined;
const begun = await api.startJob({ kind: 'count', n: 10 });
if (!('id' in begun)) throw new Error('not a job');
results.job = (await api.getJob({ params: { id: begun.id } })).id === begun.id;
console.log(JSON.stringify(results));
