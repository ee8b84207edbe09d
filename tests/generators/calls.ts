// calls.ts - what every client asks a server, and what the replies are. A client's file is only how it calls.
export const questions = {
  solve: { n: 6 },
  count: { n: 19 },
  construct: { n: 12 },
  check: { n: 8, place: '1:1,2:5' },
  verify: { permutation: [1, 5, 8, 6, 3, 7, 2, 4] },
  puzzle: { kind: 'regions' as const, n: 6, seed: 9007199254740991 },
  hint: { n: 8, place: '1:1' },
  trace: { n: 4, limit: 4, algorithm: 'rapella' as const },
  compare: { n: 6 },
  startJob: { kind: 'count' as const, n: 10 },
  embed: { code: '131w' },
};

// The name of a script, as a page of the explorer has it.
export const script = (page: unknown): string => /web\/([^"]+\.js)/.exec(String(page))?.[1] ?? '';

// By operation: what of the reply is looked at, and its value. `steps`, `board` and `state` are what the client made of a union.
export const expected: Record<string, [pick: (reply: any) => unknown, value: unknown]> = {
  solve: [({ solutions }) => solutions.map(({ permutation }: any) => permutation.join('')), ['246135', '362514', '415263', '531642']],
  count: [({ count, provenance }) => [count, provenance], [4968057848, 'table']],
  construct: [({ permutation }) => new Set(permutation).size, 12],
  check: [({ valid, peaceful, queens }) => [valid, peaceful, queens], [false, true, 2]],
  verify: [({ valid }) => valid, true],
  puzzle: [({ seed, regions }) => [seed, new Set(regions.flat()).size], [9007199254740991, 6]],
  hint: [({ n, completable }) => [n, completable], [8, true]],
  trace: [({ steps }) => steps.length, 4],
  compare: [({ n, algorithms }) => [n, algorithms.length > 5], [6, true]],
  startJob: [({ kind }) => kind, 'count'],
  followJob: [(text) => /^event: done$/m.test(text), true],
  getJob: [({ state, result }) => [state, result.count], ['done', 724]],
  listJobUnits: [({ status }) => status, 404], // of so short a count nothing is stored
  cancelJob: [({ state }) => state, 'done'],
  algorithms: [({ solvers, rules }) => solvers.length > 5 && rules.length > 5, true],
  contract: [(text) => /^openapi: 3\.1/m.test(text), true],
  contractAsJson: [({ openapi, paths }) => /^3\.1/.test(openapi) && '/count' in paths, true],
  explorer: [(text) => /^<!doctype html>/.test(text), true],
  embed: [(text) => /^<!doctype html>/.test(text), true],
  docs: [(text) => /^<!doctype html>/.test(text), true],
  getWebFile: [(text) => text.length > 100, true],
  refused: [({ status, errors }) => [status, errors[0].parameter], [422, 'n']],
  steps: [(steps) => steps, ['place 1:1', 'reject 2:1 by 1', 'reject 2:2 by 1', 'place 2:3']],
  board: [(board) => board, 'regions, 6'],
  state: [(state) => state, 'done: 724'],
};
