// orval_fetch.ts - how the functions that orval makes reach the server: by its address, and replies that are no JSON as text.
export async function call<T>(target: string, options?: RequestInit): Promise<T> {
  const reply = await fetch(`${process.argv[2]}${target}`, options);
  const text = await reply.text();
  const data: unknown = /json/.test(reply.headers.get('content-type') ?? '') ? JSON.parse(text) : text;
  return { data, status: reply.status, headers: reply.headers } as T;
}
