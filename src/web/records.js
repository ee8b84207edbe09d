// records.js - what the page keeps of games: best times, and games that were begun. It works without a storage, then for this visit
// only. It does not know what a game is.
const LATEST = 30; // games that are kept

// get(key) returns a text or null, set(key, text) may do nothing: kept of shell.js.
export function newRecords({ get, set }) {
  const read = (key) => {
    try {
      const found = JSON.parse(get(key));
      return found && typeof found === 'object' && !Array.isArray(found) ? found : {};
    } catch {
      return {}; // something else wrote there
    }
  };
  const here = { best: read('play.best'), games: read('play.games') };
  const put = (name, value) => {
    here[name] = value;
    set(`play.${name}`, JSON.stringify(value));
  };
  return {
    // The best time in ms of a kind of puzzle, or undefined.
    best: (kind) => (Number(here.best[kind]) > 0 ? Number(here.best[kind]) : undefined),
    // A time of that kind. True: it is the best one.
    finish(kind, time) {
      const before = this.best(kind);
      if (before !== undefined && before <= time) return false;
      put('best', { ...here.best, [kind]: time });
      return true;
    },
    game: (id) => here.games[id],
    keep(id, game) {
      const { [id]: before, ...others } = here.games;
      put('games', Object.fromEntries([...Object.entries(others), [id, game]].slice(-LATEST)));
    },
  };
}
