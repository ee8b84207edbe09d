// Reads solutions as they are found, and stops when it has enough. Runs in node and in browsers; uses fetch only.
// Usage: node stream.mjs [SERVICE]

// Calls on each permutation of a stream, until that returns false. True: the stream was read to its end. A stream that was cut has no
// last line, and throws.
export async function stream(service, query, each) {
  const leave = new AbortController();
  const reply = await fetch(`${service}/solve?${new URLSearchParams({ ...query, format: 'ndjson' })}`, { signal: leave.signal });
  if (!reply.ok) throw new Error((await reply.json()).detail);
  let rest = '';
  for await (const chunk of reply.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { permutation, end } = JSON.parse(line);
      if (end) return true;
      if (each(permutation) !== false) continue;
      leave.abort(); // the service stops searching as soon as nobody listens
      return false;
    }
  }
  throw new Error('the stream was cut: go on with after= and the last solution');
}

if (globalThis.process?.argv[1] === new URL(import.meta.url).pathname) {
  const service = process.argv[2] ?? 'http://127.0.0.1:8080';
  const found = [];
  await stream(service, { n: 14 }, (permutation) => found.push(permutation) < 10);
  console.log(`the first of n = 14: ${found[0]}`);
  console.log(`${found.length} read, then stopped`);
  let all = 0;
  await stream(service, { n: 8 }, () => void all++);
  console.log(`all of n = 8: ${all}`);
}
