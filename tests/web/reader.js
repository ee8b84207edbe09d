// reader.js - a page as a screen reader has it: the accessibility tree of the browser, where something is found by its role and its
// name, gets the focus, and is pressed by a key. It knows neither the document nor what the page is about.
import { assert, until } from '../http/harness.js';
import { listenToAll, spoken } from './browser.js';

export async function newReader(page, context) {
  const tools = await context.newCDPSession(page);
  await listenToAll(page);

  // Everything there is, in the order of reading: { role, name, element, text: of all that is in it }.
  async function everything() {
    const { nodes } = await tools.send('Accessibility.getFullAXTree');
    const byId = new Map(nodes.map((node) => [node.nodeId, node]));
    const found = [];
    const walk = ({ role, name, ignored, childIds = [], backendDOMNodeId: element }) => {
      const one = { role: role?.value, name: name?.value ?? '', element };
      if (!ignored) found.push(one);
      const inside = childIds.filter((id) => byId.has(id)).map((id) => walk(byId.get(id)));
      one.text = one.role === 'StaticText' ? one.name : inside.join('');
      return one.text;
    };
    walk(nodes[0]);
    return found;
  }

  const isCalled = (name) => (one) => (typeof name === 'string' ? one.name === name : name.test(one.name));
  const all = async (role, name = /^/) => (await everything()).filter((one) => one.role === role).filter(isCalled(name));

  // The first one there, once it is.
  async function find(role, name) {
    let first;
    await until(async () => ([first] = await all(role, name)).length, `a ${role} called ${name}`);
    return first;
  }

  async function press(role, name, key = 'Enter') {
    const { element } = await find(role, name);
    await tools.send('DOM.focus', { backendNodeId: element });
    await page.keyboard.press(key);
  }

  // Waits until a live region says it, at once with the last that was heard or after it.
  let heard = 0;
  async function hear(wanted) {
    let said = [];
    const isSaid = async () => {
      said = await spoken(page);
      const at = said.findIndex((words, i) => i >= heard && wanted.test(words));
      if (at >= 0) heard = at;
      return at >= 0;
    };
    await until(isSaid, `${wanted} is said`, 60).catch((error) => assert.fail(`${error.message}, but ${said.slice(heard).join(' | ')}`));
  }

  return { all, find, press, hear };
}
