// anew.js - stands in the pages: when a script of theirs does not come, loads the page anew, a few times, and then shows that it cannot
// be loaded. During an upgrade the page may be that of one release while a server of another is asked for its scripts.
addEventListener(
  'error',
  async ({ target }) => {
    if (!target.matches?.('script, link[title]')) return; // a picture, or an error in a script
    const there = await fetch('', { method: 'HEAD' }).then(({ ok }) => ok, () => false);
    if (!there && !dispatchEvent(new Event('gone', { cancelable: true }))) return; // lost() waits until the service is back
    const { reloads = 0 } = history.state ?? {}; // which outlives a reload; arrived() sets it back
    if (reloads === 4) {
      document.getElementById('gone').hidden = false; // pack.sh has put the words into it
      return;
    }
    history.replaceState({ ...history.state, reloads: reloads + 1 }, '');
    setTimeout(() => location.reload(), 1000 * 2 ** reloads);
  },
  true, // these events do not bubble
);
