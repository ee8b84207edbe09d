// client.ts - calls the operations of calls.ts by openapi-fetch, with the types that openapi-typescript makes: $ node client.js URL
import createClient from 'openapi-fetch';
import type { components, paths } from './contract.js';
import { questions, script } from './calls.js';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const replies: Record<string, unknown> = {};

// The answer without an error, whose type is that of the operation.
function answer<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

// `do` decides which members a step has, without a cast; `kind` those of a board, `state` those of a job.
function square(step: components['schemas']['Step']): string {
  switch (step.do) {
    case 'solution':
    case 'take':
      return step.board.join();
    case 'reject':
      return `${step.do} ${step.row}:${step.column} by ${step.by?.row}`;
    default:
      return `${step.do} ${step.row}:${step.column}`;
  }
}

replies.solve = answer(await client.GET('/solve', { params: { query: questions.solve } }));
replies.count = answer(await client.GET('/count', { params: { query: questions.count } }));
replies.construct = answer(await client.GET('/construct', { params: { query: questions.construct } }));
replies.check = answer(await client.GET('/verify', { params: { query: questions.check } }));
replies.verify = answer(await client.POST('/verify', { body: questions.verify }));
const puzzle = answer(await client.GET('/puzzle', { params: { query: questions.puzzle } }));
replies.puzzle = puzzle;
if (typeof puzzle === 'object') replies.board = 'kind' in puzzle ? `${puzzle.kind}, ${puzzle.regions.length}` : puzzle.clues.length;
replies.hint = answer(await client.GET('/hint', { params: { query: questions.hint } }));
const trace = answer(await client.GET('/trace', { params: { query: questions.trace } }));
replies.trace = trace;
if (typeof trace === 'object' && 'steps' in trace) replies.steps = trace.steps.map(square);
replies.compare = answer(await client.GET('/compare', { params: { query: questions.compare } }));
const begun = answer(await client.POST('/jobs', { body: questions.startJob }));
if (!('id' in begun)) throw new Error('not a job');
replies.startJob = begun;
const path = { id: begun.id };
replies.followJob = answer(await client.GET('/jobs/{id}/events', { params: { path }, parseAs: 'text' }));
const job = answer(await client.GET('/jobs/{id}', { params: { path } }));
replies.getJob = job;
replies.state = job.state === 'done' ? `${job.state}: ${job.result.count}` : job.state;
replies.listJobUnits = (await client.GET('/jobs/{id}/units', { params: { path } })).error;
replies.cancelJob = answer(await client.DELETE('/jobs/{id}', { params: { path } }));
replies.algorithms = answer(await client.GET('/algorithms'));
replies.contract = answer(await client.GET('/openapi.yaml', { parseAs: 'text' }));
replies.contractAsJson = answer(await client.GET('/openapi.json'));
replies.explorer = answer(await client.GET('/', { parseAs: 'text' }));
replies.embed = answer(await client.GET('/embed', { params: { query: questions.embed }, parseAs: 'text' }));
replies.docs = answer(await client.GET('/docs', { parseAs: 'text' }));
const file = script(replies.explorer);
replies.getWebFile = answer(await client.GET('/web/{file}', { params: { path: { file } }, parseAs: 'text' }));
replies.refused = (await client.GET('/count', { params: { query: { n: 1000000001 } } })).error;
console.log(JSON.stringify(replies));
