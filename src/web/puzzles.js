// puzzles.js - puzzles of both kinds from the service, in one shape: by name (a code, a day, a seed), or drawn at random. It knows
// neither the page nor how one is played.
//
// A puzzle: { kind, n, given: [[row, column], ...], regions: [[id, ...], ...] or null, colours of these, level,
// name: what of the URL brings it back,
// board: the parameters of /hint for it, solution: the path of its solution, request: { path, params } }.
import { ask } from './api.js';

const DRAWS = 40; // puzzles drawn for a level
const SEEDS = 1e6; // so few that codes are short

// Puzzles to complete that are hard, but not for experts, are too rare to be drawn.
export const LEVELS = { regions: ['easy', 'medium', 'hard', 'expert'], completion: ['any', 'easy', 'medium', 'expert'] };
export const SIZES = { regions: [5, 20], completion: [4, 32] };

// Whether attacked squares have dots where the player has chosen nothing: for who learns to play.
export const dotsByDefault = (level) => level === 'easy';

const random = () => Math.floor(Math.random() * SEEDS);

function fromRegions(json, params) {
  const { n, regions, colours, level, seed, code, daily, letters, solution_url: solution } = json;
  const name = daily ? { daily, n: n === 8 ? null : n } : { n, level, code };
  const request = { path: 'puzzle', params };
  const board = { regions: letters };
  return { kind: 'regions', n, given: [], regions, colours, level, seed, code, daily, name, board, solution, request };
}

function fromClues(json, { n, clues, seed, rules }) {
  const given = json.clues.map(({ row, column }) => [row, column]);
  const [name, request] = [{ n, clues, seed, rules }, { path: 'puzzle', params: { n, clues, seed, rules } }];
  const { difficulty, solution_url: solution } = json;
  const board = { n, rules };
  return { kind: 'completion', n, given, regions: null, level: difficulty.level, seed, name, board, solution, request };
}

async function regionsBy(params, signal) {
  return fromRegions((await ask('puzzle', params, { signal })).json, params);
}

// A board of others, in any form that the service reads. It has no colours of its own: those of any board of that size are told apart.
async function boardOf(given, signal) {
  const { json: read } = await ask('verify', { regions: given }, { signal });
  const { n, regions: letters } = read;
  const { json: other } = await ask('puzzle', { kind: 'regions', n: Math.max(n, 5), level: 'easy', seed: 1 }, { signal });
  const regions = letters.split('/').map((line) => [...line].map((letter) => letter.charCodeAt(0) - 97));
  const board = { regions: letters };
  const request = { path: 'solve', params: board };
  return { kind: 'regions', n, given: [], regions, colours: other.colours, level: 'own', name: board, board, request, solution: `solve?regions=${letters}&limit=1` };
}

const cluesBy = async (params, signal) => fromClues((await ask('puzzle', params, { signal })).json, params);

// Some seeds come to no board of a level.
async function drawRegions({ n, level }, signal) {
  for (let draws = 1; ; draws++)
    try {
      return await regionsBy({ kind: 'regions', n, level, seed: random() }, signal);
    } catch (problem) {
      if (problem.status !== 422 || draws === DRAWS) throw problem;
    }
}

// A puzzle of the level, or else the last one drawn, with `unmatched`.
async function drawClues({ n, level, rules }, signal) {
  // This number makes the level likely; without it as few clues as possible.
  const medium = n > 16 ? 0.65 : n > 10 ? 0.5 : 0;
  let clues = { easy: Math.ceil(0.5 * n), medium: Math.round(medium * n) || undefined }[level];
  for (let draws = 1; ; draws++) {
    const puzzle = await cluesBy({ n, clues, seed: random(), rules }, signal).catch((problem) => {
      if (problem.code !== 'puzzle-not-found' || !clues) throw problem;
      return null; // by this rule no puzzle has so few
    });
    if (!puzzle) clues = undefined;
    else if ([puzzle.level, 'any'].includes(level)) return puzzle;
    else if (draws >= DRAWS) return { ...puzzle, unmatched: DRAWS };
  }
}

export const drawPuzzle = (wanted, signal) => (wanted.kind === 'regions' ? drawRegions : drawClues)(wanted, signal);

// The puzzle that { kind, code, daily, regions, n, seed, clues, rules } names; null: it names none.
export function namedPuzzle({ kind, code, daily, regions, n, seed, clues, rules }, signal) {
  if (regions) return boardOf(regions, signal);
  if (kind === 'completion') return seed ? cluesBy({ n, clues: clues || undefined, seed, rules }, signal) : null;
  if (daily) return regionsBy({ kind, daily, n: n === 8 ? undefined : n }, signal);
  return code ? regionsBy({ kind, code }, signal) : null;
}

// The squares of its only solution: [[row, column], ...].
export async function solutionOf({ solution }, signal) {
  const { json } = await ask(solution, {}, { signal });
  return json.solutions[0].permutation.map((column, i) => [i + 1, column]);
}
