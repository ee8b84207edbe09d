// storing.js - servers that keep what they find out in a file.
import path from 'node:path';
import { start, temporaryFolder } from './harness.js';

export const isDone = ({ state }) => state === 'done';
export const newFile = () => path.join(temporaryFolder(), 'store.db');
export const on = (file) => ['--store', `sqlite:${file}`];
export const state = async (server) => (await server.admin('/readyz')).json.status;

// A file with something in it: one count that is done.
export async function filled(t, n = 10) {
  const file = newFile();
  const server = await start(t, ...on(file));
  const { id } = await server.begin({ n });
  const job = await server.look(id, isDone);
  await server.stop();
  return { file, job };
}
