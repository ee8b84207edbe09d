// state.test.js - the settings in a page's address, and the addresses that it asks and shows, without a page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from './modules.js';
import { link } from '../../src/web/api.js';
import { curl } from '../../src/web/snippet.js';
import { state } from '../../src/web/state.js';

test('settings are read from the hash; what is none of them is the default, and numbers have limits', () => {
  visit('http://127.0.0.1/#board?n=7&order=any&place=1:2,2:4&odd=1?2');
  assert.deepEqual([state.tab, state.get('order'), state.get('place'), state.get('odd')], ['board', 'any', '1:2,2:4', '1?2']);
  assert.deepEqual([state.get('none'), state.get('none', null), state.number('n', 8, 1, 5), state.number('n', 8, 9), state.number('order', 8)], ['', null, 5, 9, 8]);
  for (const hash of ['', '#', '#%', '#board?n=', '#board?n=-1', '#board?n=1e9', '#board?n=%', '#board?n=7.5']) {
    visit(`http://127.0.0.1/${hash}`);
    assert.equal(state.number('n', 8), 8, hash);
  }
});

test('a change is a step, unless it replaces the last one or changes nothing; who listens hears it', () => {
  visit('http://127.0.0.1/#board?n=7&order=any');
  history.state = null;
  let heard = 0;
  const end = state.onChange(() => heard++);
  const now = () => [location.hash, state.step, heard];
  state.set({ order: null, place: '1:2,2:4' });
  assert.deepEqual(now(), ['#board?n=7&place=1:2,2:4', 1, 1]);
  state.set({ n: 7 });
  assert.deepEqual(now(), ['#board?n=7&place=1:2,2:4', 1, 1]);
  state.set({ n: 9 }, { replace: true });
  assert.deepEqual(now(), ['#board?n=9&place=1:2,2:4', 1, 2]);
  end();
  state.set({ n: null, place: undefined });
  assert.deepEqual(now(), ['#board', 2, 2]);
});

test('requests are below the page, with the parameters that have a value, and can be typed', () => {
  visit('http://127.0.0.1/queens/#board');
  assert.equal(link('solve', { n: 8, place: '1:2,2:4', rules: '', after: null, seed: 0 }), 'solve?n=8&place=1:2,2:4&seed=0');
  assert.deepEqual(['/queens/jobs/1', '/jobs/1', '/', '/queens/'].map((path) => link(path)), ['jobs/1', 'jobs/1', './', './']);
  assert.equal(curl('solve', { n: 8 }), "curl -s 'http://127.0.0.1/queens/solve?n=8'");
  assert.equal(curl('solve', {}, 'HEAD'), "curl -s -I 'http://127.0.0.1/queens/solve'");
  assert.equal(curl("o'clock", {}, 'DELETE'), "curl -s -X DELETE 'http://127.0.0.1/queens/o%27clock'");
  assert.equal(curl('verify', {}, 'POST', { a: "it's" }), String.raw`curl -s -X POST -H 'Content-Type: application/json' -d '{"a":"it'\''s"}' 'http://127.0.0.1/queens/verify'`);
});
