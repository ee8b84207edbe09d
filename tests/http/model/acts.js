// acts.js - the table of acts: what each may be given, and how often it comes.
import fc from 'fast-check';
import { longer, slow } from '../harness.js';
import * as asking from './asking.js';
import { ENDLESS, LARGEST, SPELLINGS } from './model.js';
import * as staying from './staying.js';

const { List, GoOn, Walk, Sample, WrongCursor, Stream, Count, Again, Glance, Crowd, Invalid, INVALID } = asking;
const { Begin, AskAsync, Impatient, Look, Cancel, Throng, ChangeMind, Wait, OpenStream, ReadOn, Listen, Leave, Restart } = staying;

const below = (most) => fc.nat(most - 1);
const unique = (squares) => [...new Map(squares.map((square) => [`${square}`, square])).values()];
const squares = (most) => fc.array(fc.tuple(below(LARGEST), below(LARGEST)), { maxLength: most });
const query = fc
  .record({
    n: fc.oneof({ weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }) }, { weight: 6, arbitrary: fc.integer({ min: 4, max: LARGEST }) }),
    base: fc.constantFrom(1, 1, 0),
    again: fc.option(fc.nat(30), { nil: undefined, freq: 1 }),
    place: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: squares(2) }),
    exclude: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: squares(3) }),
    distinct: fc.constantFrom('all', 'all', 'all', 'fundamental', 'mirror'),
    symmetry: fc.constantFrom('any', 'any', 'any', 'any', 'point', 'quarter'),
    rules: fc.oneof(
      { weight: 3, arbitrary: fc.constant('queens') },
      { weight: 1, arbitrary: fc.constantFrom('toroidal', 'superqueens', 'semiqueens', 'toroidal-semiqueens', 'reflecting', 'touching') },
    ),
  })
  .map(({ place, exclude, ...given }) => {
    const many = ['semiqueens', 'touching'].includes(given.rules); // hundreds of solutions for n = 7
    const rest = { ...given, n: many ? Math.min(given.n, 6) : given.n };
    const within = (all) => (rest.n ? unique(all.map(([row, column]) => [row % rest.n, column % rest.n])) : []);
    return { ...rest, place: within(place), exclude: within(exclude) };
  });
const limit = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 120 }) });
const where = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ offset: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ after: fc.nat(100) }) },
);
const how = below(SPELLINGS);
const any = fc.nat(1000);
const small = fc.record({ query });
const big = fc.record({ which: below(ENDLESS) });
const given = {
  list: fc.record({ query, limit, rank: fc.boolean(), where, how }),
  goOn: fc.record({ which: any, limit, rank: fc.boolean(), base: fc.constantFrom(1, 0), how }),
  walk: fc.record({ query, limits: fc.array(fc.integer({ min: 3, max: 60 }), { minLength: 1, maxLength: 4 }) }),
  stream: fc.record({ query, limit: fc.option(limit, { nil: undefined }), form: fc.constantFrom('ndjson', 'csv'), offset: fc.constantFrom(0, 0, 1, 5) }),
};
const times = (weight, Class, arbitrary) => Array(weight).fill(arbitrary.map((value) => new Class(value)));

export const acts = [
  ...times(4, List, given.list),
  ...times(4, GoOn, given.goOn),
  ...times(1, Walk, given.walk),
  ...times(1, Sample, fc.record({ query, sample: fc.integer({ min: 1, max: 5 }), seed: fc.nat(3) })),
  ...times(1, WrongCursor, fc.record({ which: any, query, letter: any })),
  ...times(2, Stream, given.stream),
  ...times(2, Count, fc.record({ query, by: fc.constantFrom('none', 'square'), how })),
  ...times(2, Again, fc.record({ which: any, how })),
  ...times(2, Glance, fc.record({ which: any, how, tagged: fc.boolean(), head: fc.constant(true) })),
  ...times(1, Glance, fc.record({ which: any, how, tagged: fc.constant(true), head: fc.constant(false) })),
  ...times(1, Crowd, fc.record({ query, size: fc.integer({ min: 2, max: slow ? 4 : 8 }) })),
  ...times(2, Invalid, below(INVALID.length)),
  ...times(3, Begin, big),
  ...times(2, Begin, small),
  ...times(3, AskAsync, big),
  ...times(1, AskAsync, small),
  ...times(longer ? 1 : 0, Impatient, big), // it takes a second
  ...times(2, Look, any),
  ...times(4, Cancel, any),
  ...times(2, Throng, fc.record({ which: below(ENDLESS), size: fc.integer({ min: 2, max: 6 }), giving: fc.boolean() })),
  ...times(1, ChangeMind, small),
  ...times(2, Wait, below(ENDLESS)),
  ...times(1, OpenStream, fc.integer({ min: 24, max: 26 })),
  ...times(1, ReadOn, any),
  ...times(1, Listen, any),
  ...times(3, Leave, any),
  ...times(2, Restart, fc.constantFrom('KILL', 'TERM')),
];
