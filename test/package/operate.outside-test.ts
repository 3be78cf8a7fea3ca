import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  COMPILERS,
  compile,
  makeApplication,
  type PackedPackage,
  packPackage,
  runNode,
} from '../support/packed-package.ts';

// precise-ttl/operate as npm packs it, in a program that has no other package.

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});
const PROGRAM = `
  const config = { region: 'eu-central-1', tables: [{ tableName: 'Sessions', partitionKey: 'id' }] };
  const environment = { AWS_ENDPOINT_URL: process.env['ENDPOINT'] };
  const nameOf = (work: Promise<object>) => work.then(() => 'none', (error: Error) => error.name);
  async function main() {
    const bill = cost({ config, itemsPerMonth: 1e6 });
    const seen = await status({ config, environment });
    const found = await doctor({ config, environment });
    const stopped = new AbortController();
    stopped.abort();
    console.log(JSON.stringify({
      costs: bill.total > 0,
      status: seen.tables.map(({ tableName, verdict }) => [tableName, verdict]),
      doctor: found.tables.map(({ findings }) => findings.length > 0),
      history: await nameOf(history({ config, environment })),
      refused: await nameOf(audit({ config, environment, from: new Date(0) })),
      interrupted: await nameOf(status({ config, environment, signal: stopped.signal })),
      proof: await nameOf(verifyProof({ config, date: '2026-11-22', fromArchive: '/nowhere' })),
      paused: await nameOf(pause({ config, environment, forMs: 60_000 })),
      restored: await nameOf(
        restore({ config, keys: [{ id: { S: 'a' } }], expiresInMs: undefined, fromArchive: '/nowhere' }),
      ),
      error: new InputError('x', 'y') instanceof PreciseTtlError,
    }));
  }
  void main();
`;
const NAMES =
  'audit, cost, doctor, history, InputError, pause, PreciseTtlError, restore, status, verifyProof';

/** An AWS that refuses everything. */
async function withRefusal<Result>(work: (endpoint: string) => Promise<Result>): Promise<Result> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'no' }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test.each(COMPILERS)(
  '%s compiles a program that uses it, as an ES module and as CommonJS, and it runs',
  async compiler => {
    const text = `import { ${NAMES} } from 'precise-ttl/operate';
    declare const process: { env: Record<string, string | undefined> };
    declare const console: { log(text: string): void };${PROGRAM}`;
    const folder = makeApplication(packed, { 'main.mts': text, 'main.cts': text });
    // The signal and the dates of the options are those of the platform.
    await compile(folder, compiler, ['main.mts', 'main.cts'], {
      ...{ module: 'node16', target: 'es2022', lib: ['es2022', 'dom'], skipLibCheck: false },
    });
    await withRefusal(async endpoint => {
      for (const file of ['main.mjs', 'main.cjs']) {
        const printed = await runNode(folder, [join('out', file)], { ENDPOINT: endpoint });
        expect(JSON.parse(printed)).toEqual({
          costs: true,
          status: [['Sessions', 'unknown']],
          doctor: [true],
          history: 'MissingPermissionError',
          refused: 'InputError',
          interrupted: 'AbortError',
          proof: 'InputError',
          paused: 'MissingPermissionError',
          restored: 'InputError',
          error: true,
        });
      }
    });
  },
);
