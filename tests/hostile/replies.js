// replies.js - takes the bytes of a connection apart into replies, and fails where they are not HTTP. It is stricter than clients
// are and knows nothing of what is in a body.
import assert from 'node:assert/strict';

const nothing = Buffer.alloc(0);

export class Replies {
  #buffer = nothing;
  #index = 0;
  #head = null;

  // methodOf: of the request that the i-th reply is to.
  constructor(methodOf) {
    this.methodOf = methodOf;
  }
  // The replies that are whole with these bytes: { status, headers, body, closes }.
  *take(piece) {
    this.#buffer = this.#buffer.length ? Buffer.concat([this.#buffer, piece]) : piece;
    for (;;) {
      this.#head ??= this.#takeHead();
      if (!this.#head) return;
      const body = this.#takeBody();
      if (!body) return;
      const reply = { ...this.#head, body };
      this.#head = null;
      if (reply.status === 100) continue;
      this.#index++;
      yield reply;
    }
  }
  #takeHead() {
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) {
      assert.ok(this.#buffer.length < 65536, 'a head without end');
      return null;
    }
    const [first, ...lines] = this.#buffer.toString('latin1', 0, end).split('\r\n');
    this.#buffer = this.#buffer.subarray(end + 4);
    const [, version, status] = first.match(/^HTTP\/1\.([01]) (\d{3}) [ -~]+$/) ?? assert.fail(`status line: ${first}`);
    const headers = {};
    for (const line of lines) {
      const [, name, value] = line.match(/^([!-9;-~]+): *([\t -~]*)$/) ?? assert.fail(`header line: ${line}`);
      assert.ok(!(name.toLowerCase() in headers) || !/^(content|transfer)-/i.test(name), `twice: ${name}`);
      headers[name.toLowerCase()] = value;
    }
    const closes = /close/i.test(headers.connection ?? '') || version === '0';
    return { status: Number(status), headers, closes };
  }
  // null: there is more to come.
  #takeBody() {
    const { status, headers } = this.#head;
    if (this.methodOf(this.#index) === 'HEAD' || status === 204 || status === 304 || status === 100) return nothing;
    if (headers['transfer-encoding'] !== undefined) {
      assert.equal(headers['transfer-encoding'], 'chunked');
      assert.equal(headers['content-length'], undefined);
      return this.#takeChunks();
    }
    const size = Number(headers['content-length'] ?? NaN);
    if (Number.isNaN(size)) return null; // to the end of the connection
    if (this.#buffer.length < size) return null;
    const body = this.#buffer.subarray(0, size);
    this.#buffer = this.#buffer.subarray(size);
    return body;
  }
  #takeChunks() {
    const pieces = [];
    for (let at = 0; ;) {
      const end = this.#buffer.indexOf('\r\n', at);
      if (end < 0) return null;
      const text = this.#buffer.toString('latin1', at, end);
      assert.match(text, /^[0-9a-fA-F]+$/, 'chunk size');
      const size = parseInt(text, 16);
      const after = end + 2 + size;
      if (this.#buffer.length < after + 2) return null;
      assert.equal(this.#buffer.toString('latin1', after, after + 2), '\r\n', 'the end of a chunk');
      if (size === 0) {
        this.#buffer = this.#buffer.subarray(after + 2);
        return Buffer.concat(pieces);
      }
      pieces.push(this.#buffer.subarray(end + 2, after));
      at = after + 2;
    }
  }
}
