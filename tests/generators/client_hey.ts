// client_hey.ts - calls the operations of calls.ts by the functions that @hey-api/openapi-ts makes: $ node client_hey.js URL
import * as api from './hey/sdk.gen.js';
import { client } from './hey/client.gen.js';
import type { Step } from './hey/types.gen.js';
import { questions, script } from './calls.js';

client.setConfig({ baseUrl: process.argv[2] ?? '' });
const always = { throwOnError: true as const };
const text = { throwOnError: true as const, parseAs: 'text' as const };
const replies: Record<string, unknown> = {};

// `do` decides which members a step has, without a cast; `kind` those of a board, `state` those of a job.
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

replies.solve = (await api.solve({ query: questions.solve, ...always })).data;
replies.count = (await api.count({ query: questions.count, ...always })).data;
replies.construct = (await api.construct({ query: questions.construct, ...always })).data;
replies.check = (await api.check({ query: questions.check, ...always })).data;
replies.verify = (await api.verify({ body: questions.verify, ...always })).data;
const puzzle = (await api.puzzle({ query: questions.puzzle, ...always })).data;
replies.puzzle = puzzle;
if (typeof puzzle === 'object') replies.board = 'kind' in puzzle ? `${puzzle.kind}, ${puzzle.regions.length}` : puzzle.clues.length;
replies.hint = (await api.hint({ query: questions.hint, ...always })).data;
const trace = (await api.trace({ query: questions.trace, ...always })).data;
replies.trace = trace;
if (typeof trace === 'object' && 'steps' in trace) replies.steps = trace.steps.map(square);
replies.compare = (await api.compare({ query: questions.compare, ...always })).data;
const begun = (await api.startJob({ body: questions.startJob, ...always })).data;
if (!('id' in begun)) throw new Error('not a job');
replies.startJob = begun;
const path = { id: begun.id };
replies.followJob = (await api.followJob({ path, ...text })).data;
const job = (await api.getJob({ path, ...always })).data;
replies.getJob = job;
replies.state = job.state === 'done' ? `${job.state}: ${job.result.count}` : job.state;
replies.listJobUnits = (await api.listJobUnits({ path })).error;
replies.cancelJob = (await api.cancelJob({ path, ...always })).data;
replies.algorithms = (await api.algorithms(always)).data;
replies.contract = (await api.contract(text)).data;
replies.contractAsJson = (await api.contractAsJson(always)).data;
replies.explorer = (await api.explorer(text)).data;
replies.embed = (await api.embed({ query: questions.embed, ...text })).data;
replies.docs = (await api.docs(text)).data;
replies.getWebFile = (await api.getWebFile({ path: { file: script(replies.explorer) }, ...text })).data;
replies.refused = (await api.count({ query: { n: 1000000001 } })).error;
console.log(JSON.stringify(replies));
