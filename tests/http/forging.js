// forging.js - cursors as somebody makes them up who has read the source: the check of a cursor keeps no secret, so one that was
// given out is enough to find what it began with, and to put a right check under any other place of the same list.
const MASK = (1n << 64n) - 1n;
const PRIME = 0x100000001b3n;

// The number by which PRIME is undone, modulo 2^64: every step doubles the bits that are right.
let undo = PRIME;
for (let i = 0; i < 5; i++) undo = (undo * (2n - PRIME * undo)) & MASK;

const number = (bytes) => bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
const bytesOf = (value) => Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(56 - 8 * i)) & 0xffn));

// Of an honest cursor: a function that makes one of any ordinal and prefix.
export function forger(cursor) {
  const raw = [...Buffer.from(cursor, 'base64url')];
  let start = number(raw.slice(-8));
  for (const byte of raw.slice(0, -8).reverse()) start = ((start * undo) & MASK) ^ BigInt(byte);
  return ({ ordinal, prefix, length = prefix.length, version = raw[0] }) => {
    const body = [version, length, ...bytesOf(BigInt(ordinal) & MASK), ...prefix];
    const check = body.reduce((hash, byte) => ((hash ^ BigInt(byte)) * PRIME) & MASK, start);
    return Buffer.from([...body, ...bytesOf(check)]).toString('base64url');
  };
}

// What a cursor holds.
export function opened(cursor) {
  const raw = [...Buffer.from(cursor, 'base64url')];
  return { ordinal: Number(number(raw.slice(2, 10))), prefix: raw.slice(10, -8) };
}
