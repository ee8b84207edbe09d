// trace.js - the steps of one algorithm, page after page, and the state after any of them. It does not know how they are
// shown.
import { ask } from './api.js';

const [FIRST, PAGE] = [100, 1000]; // steps of the first page, which is all that a reader sees at first, and of the others
const KEPT = 6; // pages in memory; of the others only their first step is kept
const isSolution = (step) => step.do === 'solution';
const hasSquare = (step) => Boolean(step.row);
const PUTS = ['place', 'keep', 'move']; // what /trace counts as placements

// params: of /trace. A position in the trace is the number of steps done, 0 before the first. onPage({ board, steps, sums }) is
// called for each page in order, and once.
export function follow(params, signal, onPage) {
  const starts = [{ step: 0, cursor: null, square: null, sums: { placements: 0, tests: 0, backtracks: 0, solutions: 0, levels: [] } }];
  const kept = new Map();
  const asked = new Map();
  let end = null;
  let whole = null;
  let first = null;
  let read = 0; // pages that were loaded once
  let here = null;

  async function fetchPage(index) {
    const { cursor, sums, square } = starts[index];
    const asks = { ...params, limit: index ? PAGE : FIRST, cursor };
    const { json } = await ask('trace', asks, { signal });
    const { offset: from, board, steps, stats } = json;
    const to = from + steps.length;
    kept.set(index, { asks, from, to, board, steps, sums, square });
    if (index === read) {
      read++;
      onPage({ board, steps, sums });
      const found = steps.findIndex(isSolution);
      if (found >= 0) first ??= from + found + 1;
    }
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    // A page without steps that has a next one is the limit of the service.
    if (!json.next_cursor || to === from) end = to;
    if (json.ended) whole = stats;
    const last = steps.findLast(hasSquare) ?? square;
    if (end === null) starts[index + 1] ??= { step: to, cursor: json.next_cursor, square: last, sums: stats };
  }

  function load(index) {
    if (!asked.has(index)) asked.set(index, fetchPage(index).finally(() => asked.delete(index)));
    return asked.get(index);
  }

  // The page with the step `done`, or the last known page before it. A page has at most PAGE steps.
  function pageOf(done) {
    const wanted = Math.min(done, end ?? done);
    let index = Math.min(starts.length - 1, Math.floor(Math.max(wanted - 1, 0) / PAGE));
    while (starts[index + 1]?.step < wanted) index++;
    return index;
  }

  function go(here, step) {
    const { board, sums } = here;
    const { do: does, row, column, board: other, tests, queens } = step;
    if (hasSquare(step)) here.square = step;
    if (other) board.splice(0, board.length, ...other);
    else if (does === 'place' || does === 'move') board[row - 1] = column;
    else if (does === 'remove') board[row - 1] = null;
    if (PUTS.includes(does)) sums.placements++;
    if (does === 'place' || does === 'keep') sums.levels[queens - 1] = (sums.levels[queens - 1] ?? 0) + 1;
    if (does === 'remove') sums.backtracks++;
    if (does === 'solution') sums.solutions++;
    sums.tests += tests;
  }

  // { done, board, sums, step, asks, square: the last step with one } after this many steps, or after the last one; null if that is not in memory.
  function at(wanted) {
    const done = Math.min(wanted, end ?? wanted);
    const page = kept.get(pageOf(done));
    if (!page || done > page.to) return null;
    if (here?.page !== page || here.done > done)
      here = { page, done: page.from, square: page.square, board: [...page.board], sums: { ...page.sums, levels: [...page.sums.levels] } };
    while (here.done < done) go(here, page.steps[here.done++ - page.from]);
    return { ...here, step: page.steps[done - 1 - page.from], asks: page.asks };
  }

  async function pageAt(index, onPage) {
    if (!kept.has(index)) await load(index);
    onPage(starts.at(-1).step);
    return kept.get(index);
  }

  // The position right after the next solution, or the one before; the end of the trace, or its beginning, if there is none.
  async function next(from, onPage) {
    for (let index = pageOf(from + 1); ; index++) {
      const page = await pageAt(index, onPage);
      const found = page.steps.findIndex((step, i) => page.from + i >= from && isSolution(step));
      if (found >= 0) return page.from + found + 1;
      if (page.to === end) return end;
    }
  }
  async function previous(from, onPage) {
    for (let index = pageOf(from); index >= 0; index--) {
      if (starts[index].sums.solutions === starts[index + 1]?.sums.solutions) continue;
      const page = await pageAt(index, onPage);
      const found = page.steps.findLastIndex((step, i) => page.from + i + 1 < from && isSolution(step));
      if (found >= 0) return page.from + found + 1;
    }
    return 0;
  }

  return {
    at,
    end: () => end,
    // The statistics of all steps, and the position after the first solution; null as long as they are not known.
    whole: () => whole,
    first: () => first,
    next,
    previous,
    // The step that comes after so many; nothing if it is not in memory.
    after(done) {
      const page = kept.get(pageOf(done + 1));
      return page?.steps[done - page.from];
    },
    // The number of steps known so far.
    known: () => end ?? Math.max(starts.at(-1).step, ...[...kept.values()].map(({ to }) => to)),
    // Loads what at(done) needs, through all pages before it.
    async reach(done, onPage) {
      while (!at(done)) {
        await load(pageOf(done));
        onPage(starts.at(-1).step);
      }
    },
    // Requests the next two pages; an error is reported when a page is needed.
    ahead(done) {
      const index = pageOf(done);
      for (const next of [index + 1, index + 2]) if (starts[next] && !kept.has(next)) load(next).catch(() => {});
    },
    // Whether it ends within its first two pages.
    async isShort() {
      if (!read) await load(0);
      if (read === 1 && starts[1]) await load(1);
      return end !== null;
    },
  };
}
