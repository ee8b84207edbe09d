// act.js - what every act on a server under test shares. Which acts there are it does not know.
import assert from 'node:assert/strict';
import { spell } from './model.js';

export const PATIENT = { Prefer: 'wait=600' };

export class Act {
  constructor(given) {
    this.given = given;
  }
  check() {
    return true;
  }
  async run(model, session) {
    await this.act(model, session, model.chosen(this.given));
    await session.holds(model);
  }
}

// Fails unless a status is among those the model allows, and tells the model of a refusal.
export function isOneOf(model, reply, allowed) {
  assert.ok(allowed.includes(reply.status), `${reply.status}, not ${allowed.join(' or ')}: ${reply.text.slice(0, 500)}`);
  if (reply.status >= 400) reply.isProblem(reply.status);
  model.refuse(reply.status);
  return reply.status === 200;
}

// Asks a question whose answer is at hand or comes in no time; null when it is refused.
export async function question(model, session, path, params, how = 0) {
  const name = spell(path, params);
  const allowed = model.admits(name);
  const reply = await session.ask('GET', spell(path, params, how), PATIENT);
  if (!isOneOf(model, reply, allowed)) return null;
  model.answered(name, path, params, reply);
  return reply.json;
}

// Fails unless a count is the one that the model says.
export function isCount(json, wanted) {
  const { note, ...rest } = json;
  assert.deepEqual(rest, wanted);
  assert.ok(!note || rest.count === 0, note);
}
