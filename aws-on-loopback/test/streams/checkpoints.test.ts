import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheckpointError } from '../../src/errors.ts';
import { CheckpointFile } from '../../src/streams/checkpoints.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precise-ttl-checkpoints-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('another process goes on where one was, by function and stream', () => {
  const file = join(folder, 'deep', 'checkpoints.json');
  const one = new CheckpointFile(file);
  one.of('archive', 'stream').save('shard', { after: '7', reads: [{ upTo: '9', at: 5 }] });
  one.of('publish', 'stream').save('shard', { isEnd: true });
  const other = new CheckpointFile(file);
  expect(other.of('archive', 'stream').get('shard')).toEqual({ after: '7', reads: [{ upTo: '9', at: 5 }] });
  expect(other.of('publish', 'stream').get('shard')).toEqual({ isEnd: true });
  expect(other.of('archive', 'stream of a table made anew').get('shard')).toBeUndefined();
  expect(readdirSync(join(folder, 'deep'))).toEqual(['checkpoints.json']);
});

test('who is killed while it writes leaves the file whole', () => {
  const file = join(folder, 'checkpoints.json');
  new CheckpointFile(file).of('archive', 'stream').save('shard', { after: '7' });
  writeFileSync(`${file}.draft`, '{"archive st');
  expect(new CheckpointFile(file).of('archive', 'stream').get('shard')).toEqual({ after: '7' });
  expect(JSON.parse(readFileSync(file, 'utf8')).mappings).toEqual({
    'archive stream': { shard: { after: '7' } },
  });
});

test('the time at which the first process began stays, also when it did nothing', () => {
  const file = join(folder, 'checkpoints.json');
  expect(new CheckpointFile(file, 1_000).beganAtMs).toBe(1_000);
  expect(new CheckpointFile(file, 2_000).beganAtMs).toBe(1_000);
  expect(new CheckpointFile(file).beganAtMs).toBe(1_000);
});

test('who only looks writes no file', () => {
  expect(new CheckpointFile(join(folder, 'checkpoints.json')).of('a', 'b').get('c')).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['', '[]', '{"a":1}', '{"beganAtMs":1,"mappings":{"a":1}}', 'hello'])(
  'fails for a file with %p',
  text => {
    const file = join(folder, 'checkpoints.json');
    writeFileSync(file, text);
    expect(() => new CheckpointFile(file)).toThrow(CheckpointError);
    expect(() => new CheckpointFile(file)).toThrow(
      /checkpoints\.json: expected checkpoints, as the local cloud writes them/,
    );
  },
);

test('fails for a folder', () => {
  expect(() => new CheckpointFile(folder)).toThrow(/: can't be read \(Error: EISDIR/);
});
