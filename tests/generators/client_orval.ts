// client_orval.ts - calls the operations of calls.ts by the functions that orval makes, and checks each reply by its schemas for zod:
// $ node client_orval.js URL
import * as api from './orval.js';
import * as schemas from './orval_zod.js';
import { questions, script } from './calls.js';

const replies: Record<string, unknown> = {};

// The answer, whose type is that of the operation for this status.
function answer<R extends { status: number }>(reply: R): Extract<R, { status: 200; data: unknown }>['data'] {
  if (reply.status !== 200 || !('data' in reply)) throw new Error(JSON.stringify(reply));
  return reply.data as Extract<R, { status: 200; data: unknown }>['data'];
}

// `do` decides which members a step has, without a cast; `kind` those of a board, `state` those of a job.
function square(step: api.Step): string {
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

replies.solve = answer(await api.solve(questions.solve));
replies.count = answer(await api.count(questions.count));
replies.construct = answer(await api.construct(questions.construct));
replies.check = answer(await api.check(questions.check));
replies.verify = answer(await api.verify(questions.verify));
const puzzle = answer(await api.puzzle(questions.puzzle));
replies.puzzle = puzzle;
if (typeof puzzle === 'object') replies.board = 'kind' in puzzle ? `${puzzle.kind}, ${puzzle.regions.length}` : puzzle.clues.length;
replies.hint = answer(await api.hint(questions.hint));
const trace = answer(await api.trace(questions.trace));
replies.trace = trace;
if (typeof trace === 'object' && 'steps' in trace) replies.steps = trace.steps.map(square);
replies.compare = answer(await api.compare(questions.compare));
const started = await api.startJob(questions.startJob);
if (started.status !== 202 && started.status !== 200) throw new Error(JSON.stringify(started));
replies.startJob = started.data;
if (!('id' in started.data)) throw new Error('not a job');
const { id } = started.data;
replies.followJob = answer(await api.followJob(id));
const job = answer(await api.getJob(id));
replies.getJob = job;
replies.state = job.state === 'done' ? `${job.state}: ${job.result.count}` : job.state;
replies.listJobUnits = (await api.listJobUnits(id)).data;
replies.cancelJob = answer(await api.cancelJob(id));
replies.algorithms = answer(await api.algorithms());
replies.contract = answer(await api.contract());
replies.contractAsJson = answer(await api.contractAsJson());
replies.explorer = answer(await api.explorer());
replies.embed = answer(await api.embed(questions.embed));
replies.docs = answer(await api.docs());
replies.getWebFile = answer(await api.getWebFile(script(replies.explorer)));
replies.refused = (await api.count({ n: 1000000001 })).data;

const parsed: string[] = [];
for (const [name, schema] of Object.entries(schemas)) {
  const operation = name.replace(/Response$/, '');
  if (operation === name || !(operation in replies) || typeof schema !== 'object' || !('parse' in schema)) continue;
  schema.parse(replies[operation]);
  parsed.push(operation);
}
replies.parsed = parsed.sort();
console.log(JSON.stringify(replies));
