/**
 * SHA-256 (FIPS 180-4), only for choosing a shard: browsers have only an asynchronous one, and `node:crypto` cannot be bundled for them.
 */

const BLOCK_BYTES = 64;
const ROUNDS = 64;

// biome-ignore format: eight in a line, as in the standard
const ROUND_CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

type State = readonly [number, number, number, number, number, number, number, number];

const INITIAL_STATE: State = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

export function sha256(bytes: Uint8Array): readonly number[] {
  const padded = pad(bytes);
  let state = INITIAL_STATE;
  for (let offset = 0; offset < padded.byteLength; offset += BLOCK_BYTES) {
    state = compress(state, schedule(padded, offset));
  }
  return state;
}

function pad(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 9) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(view.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(view.byteLength - 4, bytes.length << 3);
  return view;
}

function schedule(message: DataView, offset: number): DataView {
  const words = new DataView(new ArrayBuffer(ROUNDS * 4));
  const at = (index: number) => words.getUint32(index * 4);
  for (let index = 0; index < 16; index += 1)
    words.setUint32(index * 4, message.getUint32(offset + index * 4));
  for (let index = 16; index < ROUNDS; index += 1) {
    const two = at(index - 2);
    const fifteen = at(index - 15);
    const spreadTwo = rotate(two, 17) ^ rotate(two, 19) ^ (two >>> 10);
    const spreadFifteen = rotate(fifteen, 7) ^ rotate(fifteen, 18) ^ (fifteen >>> 3);
    words.setUint32(index * 4, spreadTwo + at(index - 7) + spreadFifteen + at(index - 16));
  }
  return words;
}

function compress(state: State, words: DataView): State {
  let [a, b, c, d, e, f, g, h] = state;
  for (const [round, constant] of ROUND_CONSTANTS.entries()) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sumE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const sumA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const first = (h + sumE + choice + constant + words.getUint32(round * 4)) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sumA + majority) | 0];
  }
  const [a0, b0, c0, d0, e0, f0, g0, h0] = state;
  return [
    (a0 + a) >>> 0,
    (b0 + b) >>> 0,
    (c0 + c) >>> 0,
    (d0 + d) >>> 0,
    (e0 + e) >>> 0,
    (f0 + f) >>> 0,
    (g0 + g) >>> 0,
    (h0 + h) >>> 0,
  ];
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
