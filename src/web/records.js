// records.js - what the page keeps of games: best times, and games that were begun. It works without a storage, then for this visit
// only. It does not know what a game is.
const LATEST = 30; // games that are kept

// get(key) returns a text or null, set(key, text) may do nothing: kept of shell.js.
export function newRecords({ get, set }) {
  const read = (text) => {
    try {
      const found = JSON.parse(text);
      return found && typeof found === 'object' && !Array.isArray(found) ? found : {};
    } catch {
      return {}; // something else wrote there
    }
  };
  const [stored, values] = [{}, {}]; // by name: the text in the storage when it was last looked at, and what it means
  // What another page of this browser has written meanwhile is taken over.
  const now = (name) => {
    const text = get(`play.${name}`);
    if (!(name in values) || text !== stored[name]) [stored[name], values[name]] = [text, read(text)];
    return values[name];
  };
  const put = (name, value) => {
    set(`play.${name}`, JSON.stringify(value));
    [stored[name], values[name]] = [get(`play.${name}`), value]; // without a storage the text is the one before
  };
  return {
    // The best time in ms of a kind of puzzle, or undefined.
    best: (kind) => (Number(now('best')[kind]) > 0 ? Number(now('best')[kind]) : undefined),
    // A time of that kind. True: it is the best one.
    finish(kind, time) {
      const before = this.best(kind);
      if (before !== undefined && before <= time) return false;
      put('best', { ...now('best'), [kind]: time });
      return true;
    },
    game: (id) => now('games')[id],
    // The game of a kind that was played last and is not over, as keep() got it.
    last: (kind) => Object.values(now('games')).findLast((game) => game?.kind === kind && !game.over),
    keep(id, game) {
      const { [id]: before, ...others } = now('games');
      put('games', Object.fromEntries([...Object.entries(others), [id, game]].slice(-LATEST)));
    },
  };
}
