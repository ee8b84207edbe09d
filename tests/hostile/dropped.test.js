// dropped.test.js - searches opened and dropped: pages, streams, counts and events, left in every way and at any moment.
import { after, sleep, start, test } from '../http/harness.js';
import { besieged, scale, unharmed } from './hostile.js';
import { generator } from './random.js';

// One thread, or searches would have all processors: who attacks would come to it late.
const server = await start({ after }, '--threads', 1, '--cache-bytes', '4M');
const MANY = scale(3000, 100);
const AT_ONCE = 50;

// Of a job and the number of a request: none ends by itself before its client leaves, or hardly any.
const targets = [
  (job, i) => `/solve?n=60&algorithm=bitboard&limit=${1 + i}`,
  (job, i) => `/solve?n=25&format=ndjson&limit=${100000 + i}`,
  (job, i) => `/solve?n=60&algorithm=bitboard&format=${['ndjson', 'csv', 'text'][i % 3]}`,
  (job, i) => `/count?n=18&method=compute&exclude=1:1,2:${3 + (i % 15)},3:${1 + (i % 17)}`,
  (job) => `/jobs/${job.id}/events`,
  (job, i) => `/construct?n=1000000000&format=${['json', 'csv', 'octet-stream'][i % 3]}`,
  (job, i) => `/puzzle?n=40&seed=${i}`,
  (job, i) => `/trace?n=30&algorithm=rapella&format=ndjson&limit=${100000 + i}`,
  (job, i) => `/compare?n=20&seed=${i}`,
];
const departures = [
  (client) => client.drop(),
  (client) => client.socket.resetAndDestroy(),
  async (client) => {
    client.socket.end(); // who closes one side is taken to have left
    await client.end();
    client.drop();
  },
];

async function openAndDrop(random, job, i) {
  const client = await server.connect();
  // A count that is not answered in time becomes a job: on a busy machine this process may leave later than that.
  const headers = { Prefer: 'wait=3600', ...(random.chance(0.3) ? { Connection: 'close' } : {}) };
  client.ask('GET', random.pick(targets)(job, i), headers, random.pick(['1.0', '1.1']));
  if (random.chance(0.5)) await sleep(random.below(50) / 1000);
  if (random.chance(0.2)) client.socket.read(); // some have begun to read
  await random.pick(departures)(client);
}

test(`${MANY} searches opened and dropped`, async (t) => {
  let seed = 1;
  const attack = async () => {
    const job = await server.begin({ n: 19, exclude: '1:1' });
    for (let i = 0; i < MANY; i += AT_ONCE) {
      const random = generator(seed++);
      await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => openAndDrop(random, job, i + k)));
    }
    await server.delete(`/jobs/${job.id}`, { connection: 'close' }); // or it would be the last one that is connected
  };
  await unharmed(t, server, () => besieged(t, server, attack));
});
