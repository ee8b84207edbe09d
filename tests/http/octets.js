// octets.js - sends an input of the HTTP fuzzer's corpus as it stands, and takes apart what comes. It knows nothing of what is meant.
import net from 'node:net';
import { constants, gunzipSync } from 'node:zlib';

export const [GUARDED, OPERATOR, SPLIT] = [0xfc, 0xfd, 0xfe]; // see tests/fuzz/fuzz_http.c
const [MOST, SECONDS] = [2 << 20, 20]; // bytes that are read, and how long one waits for them
const LAST = 'OPTIONS * HTTP/1.1\r\nHost: end\r\nConnection: close\r\n\r\n';

// Sends the bytes of an input, and reads until the server closes, or has sent what nobody would read to the end.
export async function exchange(port, input) {
  const parts = [];
  for (let at = 0, end; at <= input.length; at = end + 1) {
    end = input.indexOf(SPLIT, at);
    if (end < 0) end = input.length;
    parts.push(input.subarray(at, end));
  }
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true }).on('error', () => {});
  const pieces = [];
  let size = 0;
  const over = new Promise((resolve) => {
    socket.setTimeout(SECONDS * 1000, () => socket.destroy());
    socket.on('data', (piece) => {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST) socket.destroy();
    });
    socket.on('end', () => socket.destroy()).on('close', resolve);
  });
  for (const part of parts) await new Promise((resolve) => socket.write(part, () => setTimeout(resolve, parts.length > 1 ? 2 : 0)));
  socket.write(LAST);
  await over;
  return [Buffer.concat(pieces), size > MOST];
}

function unchunked(bytes) {
  const pieces = [];
  for (;;) {
    const end = bytes.indexOf('\r\n');
    const size = parseInt(bytes.subarray(0, Math.max(end, 0)).toString(), 16);
    if (end < 0 || !size) return [Buffer.concat(pieces), bytes.subarray(end < 0 ? bytes.length : end + 4)];
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    bytes = bytes.subarray(end + 4 + size);
  }
}

// The replies among bytes. A body that begins as a reply does is none: its request was a HEAD.
export function* replies(bytes) {
  for (let end; (end = bytes.indexOf('\r\n\r\n')) >= 0; ) {
    const [line, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(lines.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]));
    const status = Number(line.split(' ')[1]);
    bytes = bytes.subarray(end + 4);
    let body = Buffer.alloc(0);
    if (status >= 200 && ![204, 304].includes(status) && bytes.subarray(0, 7).toString() !== 'HTTP/1.') {
      if (headers['transfer-encoding'] === 'chunked') [body, bytes] = unchunked(bytes);
      else [body, bytes] = [bytes.subarray(0, headers['content-length']), bytes.subarray(headers['content-length'] ?? bytes.length)];
    }
    if (headers['content-encoding'] === 'gzip' && body.length) body = gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
    yield { status, headers, bytes: body };
  }
}
