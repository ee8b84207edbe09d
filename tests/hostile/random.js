// random.js - numbers that look random and are the same for the same seed (mulberry32). It knows nothing of what they decide.
export function generator(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (most) => Math.floor(next() * most);
  return { below, pick: (list) => list[below(list.length)], chance: (part) => next() < part };
}
