// Starts a long count as a job, follows it by its events, and gives it back when interrupted (Ctrl-C). With fetch only, because an
// EventSource can send no key: set NQ_KEY if the service asks for one.
// Usage: node job.mjs [SERVICE [N]]
const service = process.argv[2] ?? 'http://127.0.0.1:8080';
const n = Number(process.argv[3] ?? 16);
const headers = process.env.NQ_KEY ? { Authorization: `Bearer ${process.env.NQ_KEY}` } : {};

async function ask(path, options = {}) {
  const reply = await fetch(service + path, { ...options, headers: { ...headers, ...options.headers } });
  if (!reply.ok) throw new Error((await reply.json()).detail);
  return reply;
}

// Server-sent events: [event, data] of each. Lines that begin with a colon only keep the connection open.
async function* events(path) {
  let rest = '';
  for await (const chunk of (await ask(path)).body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];
      if (field('data')) yield [field('event'), JSON.parse(field('data'))];
    }
  }
}

const begun = await ask('/jobs', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ kind: 'count', n }),
});
let job = await begun.json(); // of a count that was made before it is the end already
let left;
process.once('SIGINT', () => {
  left = ask(job.self, { method: 'DELETE' }).then(() => process.exit(130)); // others who wait for the same count keep it
});
while (job.state === 'running') {
  for await (const [event, data] of events(job.events)) {
    if (event === 'progress') process.stderr.write(`\r${(100 * (data.progress ?? 0)).toFixed(1)} %  `);
    job = { ...job, ...data };
  }
}
await left; // the end that follows may be heard of before the answer
if (job.state !== 'done') throw new Error(`the job is ${job.state}: ${job.why ?? ''}`);
console.log(`${job.result.count_text} placements of ${n} queens`);
process.exit(0);
