// model.test.js - random sequences of requests, held clients, kills and restarts against a model of what must come of them; what
// fails is shrunk to the shortest sequence that does. NQ_LONG=1: minutes, from a random seed. NQ_SEED, NQ_PATH and NQ_REPLAY, which
// a failure prints, repeat it.
import fc from 'fast-check';
import { assert, longer, patience, slow, test } from './harness.js';
import { acts } from './model/acts.js';
import { Model } from './model/model.js';
import { Session } from './model/session.js';
import { giveAllUp } from './model/staying.js';

// The first 13 sequences of seed 9 have every act of acts.js.
const seed = Number(process.env.NQ_SEED ?? (longer ? Date.now() % 2 ** 31 : 9));
const minutes = Number(process.env.NQ_MINUTES ?? 5);
const runs = longer ? 1e6 : slow ? 13 : 30;

const limits = fc.record({
  store: fc.constantFrom('memory', 'sqlite', 'sqlite'),
  jobs: fc.constantFrom(1000, 1, 2, 3),
  searches: fc.constantFrom(1000, 1, 2, 4),
  streams: fc.constantFrom(1000, 1, 2),
});
const threads = fc.integer({ min: 1, max: 3 });
const sequence = fc.commands(acts, { maxCommands: 40, size: 'max', replayPath: process.env.NQ_REPLAY });

let requests = 0;
let sequences = 0;
async function holds(limits, threads, commands) {
  const [model, session] = [new Model(limits), new Session(limits, threads)];
  await session.start();
  try {
    await fc.asyncModelRun(() => ({ model, real: session }), commands);
    await giveAllUp(model, session);
    await session.end();
  } catch (error) {
    await session.abandon();
    throw Object.assign(error, { lines: session.lines });
  } finally {
    sequences++;
    requests += session.asked;
  }
}

// What failed, so that it can be read and repeated.
function report({ seed, counterexamplePath, counterexample, numRuns, numShrinks, errorInstance }) {
  const replay = `${counterexample.at(-1)}`.match(/replayPath="([^"]*)"/)?.[1] ?? '';
  return [
    `sequence ${numRuns}, shrunk ${numShrinks} times. Again: NQ_SEED=${seed} NQ_PATH=${counterexamplePath} NQ_REPLAY=${replay}`,
    ...(errorInstance.lines ?? []),
    errorInstance.stack,
  ].join('\n    ');
}

test('any sequence of requests gets what the model predicts', { timeout: (longer ? 60 * minutes + 600 : 900) * 1000 * patience }, async (t) => {
  if (longer) t.diagnostic(`NQ_SEED=${seed}`);
  const began = Date.now();
  const result = await fc.check(fc.asyncProperty(limits, threads, sequence, holds), {
    seed,
    path: process.env.NQ_PATH,
    numRuns: runs,
    ...(longer && { interruptAfterTimeLimit: minutes * 60_000 }),
  });
  t.diagnostic(`${sequences} sequences, ${requests} requests, ${Math.round((Date.now() - began) / 1000)} s`);
  assert.ok(!result.failed, result.failed && result.counterexample ? report(result) : 'no sequence was to be had');
});
