// state.test.js - the settings in a page's address, and the addresses that it asks and shows, without a page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from './modules.js';
import { link } from '../../src/web/api.js';
import { curl } from '../../src/web/snippet.js';
import { state } from '../../src/web/state.js';

test('settings are read from the address; what is none of them is the default, and numbers have limits', () => {
  visit('http://127.0.0.1/board?n=7&order=any&place=1:2,2:4&odd=1?2');
  assert.deepEqual([state.tab, state.get('order'), state.get('place'), state.get('odd')], ['board', 'any', '1:2,2:4', '1?2']);
  assert.deepEqual([state.get('none'), state.get('none', null), state.number('n', 8, 1, 5), state.number('n', 8, 9), state.number('order', 8)], ['', null, 5, 9, 8]);
  for (const rest of ['', '#', '#%', 'board?n=', 'board?n=-1', 'board?n=1e9', 'board?n=%', 'board?n=7.5']) {
    visit(`http://127.0.0.1/${rest}`);
    assert.equal(state.number('n', 8), 8, rest);
  }
});

test('the board of Play and the algorithm of Watch stand in the path, the settings of Count behind #', () => {
  for (const [address, tab, values] of [
    ['play/2026-11-27?n=6', 'play', { daily: '2026-11-27', n: '6' }],
    ['play/131w', 'play', { code: '131w' }],
    ['watch/romani-4-1?n=6&split=2,4', 'watch', { algorithm: 'romani-4-1', n: '6', split: '2,4' }],
    ['count#n=9&distinct=torus', 'count', { n: '9', distinct: 'torus' }],
    ['build', 'build', {}],
  ])
    for (const [old, folder] of [[false, ''], [true, ''], [false, 'queens/']]) {
      const query = new URLSearchParams(values).toString();
      visit(`http://127.0.0.1/${folder}${old ? `#${tab}${query && '?'}${query}` : address}`, `http://127.0.0.1/${folder}`);
      assert.equal(state.tab, tab);
      for (const [key, value] of Object.entries(values)) assert.equal(state.get(key), value);
      assert.equal(state.address(tab, values), address);
    }
  assert.equal(state.address('play', { code: 'a/b' }), 'play?code=a%2Fb');
  assert.equal(state.address('play', { n: 8, kind: null }), 'play?n=8');
});

test('links of the page are told from others', () => {
  visit('http://127.0.0.1/queens/play/131w', 'http://127.0.0.1/queens/');
  const own = ['./', 'play', 'play/131w', 'play/2026-11-27?n=6', 'watch/rapella', 'count', 'count#n=6', './#board?n=6', 'http://127.0.0.1/queens/build'];
  const others = ['docs', 'count?n=8', 'solve?n=8', 'play/a/b', 'board/6', '/play', './#main', 'http://127.0.0.2/queens/play', 'puzzle?code=131w'];
  for (const href of own) assert.ok(state.owns(new URL(href, document.baseURI).href), href);
  for (const href of others) assert.ok(!state.owns(new URL(href, document.baseURI).href), href);
});

test('a change is a step, unless it replaces the last one or changes nothing; who listens hears it', () => {
  visit('http://127.0.0.1/board?n=7&order=any');
  history.state = null;
  let heard = 0;
  const end = state.onChange(() => heard++);
  const now = () => [location.pathname + location.search, state.step, heard];
  state.set({ order: null, place: '1:2,2:4' });
  assert.deepEqual(now(), ['/board?n=7&place=1:2,2:4', 1, 1]);
  state.set({ n: 7 });
  assert.deepEqual(now(), ['/board?n=7&place=1:2,2:4', 1, 1]);
  state.set({ n: 9 }, { replace: true });
  assert.deepEqual(now(), ['/board?n=9&place=1:2,2:4', 1, 2]);
  state.set({ code: '131w' }, { tab: 'play' });
  assert.deepEqual(now(), ['/play/131w?n=9&place=1:2,2:4', 2, 3]);
  state.go('/queens');
  assert.deepEqual([location.pathname, state.step, heard], ['/queens', 0, 4]);
  end();
  visit('http://127.0.0.1/board?n=9');
  state.set({ n: null, place: undefined });
  assert.deepEqual(now(), ['/board', 1, 4]);
});

test('requests are below the page, with the parameters that have a value, and can be typed', () => {
  visit('http://127.0.0.1/queens/board');
  assert.equal(link('solve', { n: 8, place: '1:2,2:4', rules: '', after: null, seed: 0 }), 'solve?n=8&place=1:2,2:4&seed=0');
  assert.deepEqual(['/queens/jobs/1', '/jobs/1', '/', '/queens/'].map((path) => link(path)), ['jobs/1', 'jobs/1', './', './']);
  assert.equal(curl('solve', { n: 8 }), "curl -s 'http://127.0.0.1/queens/solve?n=8'");
  assert.equal(curl('solve', {}, 'HEAD'), "curl -s -I 'http://127.0.0.1/queens/solve'");
  assert.equal(curl("o'clock", {}, 'DELETE'), "curl -s -X DELETE 'http://127.0.0.1/queens/o%27clock'");
  assert.equal(curl('verify', {}, 'POST', { a: "it's" }), String.raw`curl -s -X POST -H 'Content-Type: application/json' -d '{"a":"it'\''s"}' 'http://127.0.0.1/queens/verify'`);
});
