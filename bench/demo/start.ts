import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { CONFIG, defineCommand, tableFlag, textFlag } from '../../cli/command.ts';
import { writableFile } from '../../cli/files.ts';
import { lookOf } from '../../cli/format.ts';
import { number, oneOf, whole } from '../../expiry/fields.ts';
import { INDEXED_BY } from '../../expiry/model.ts';
import { checkConfig } from '../../stacks/config/config.ts';
import { loadConfigFile } from '../../stacks/config/config-file.ts';
import { drawMoment } from './live.ts';
import type { MainJobOptions } from './main-job.ts';

export const command = defineCommand({
  name: 'start',
  flags: {
    minutes: { help: 'how long sessions keep expiring', kind: number(0.1, 1_440), value: 'N', default: 1 },
    rate: { help: 'sessions per second', kind: number(0.1, 1_000), value: 'N', default: 20 },
    seed: {
      help: 'makes the same workload again (default: another one each time)',
      kind: whole(0, 2 ** 32 - 1),
      value: 'N',
    },
    table: tableFlag('a table of the configuration (default: its first one)'),
    by: {
      help: 'what the index is keyed by (default: as the configuration says)',
      kind: oneOf(INDEXED_BY),
      value: 'WAY',
    },
    archive: { help: 'with an archive and events, also where the configuration has none' },
    config: CONFIG,
    json: textFlag('FILE', 'a file', 'also write the result to a file'),
  },
  about: `Starts DynamoDB Local and everything that a deployment provisions for a table. Sweeps sessions that had expired before, then lets
others expire each second, and shows that every expired session was deleted in time, and no other. A page that it prints the address of
shows the sweep meanwhile.

With --archive, or with archive or events in the configuration, it also shows that each pipe passed on an event of every deleted item, as
it was last written. The run itself takes the events: no target gets them.

The table and its deployment get names of their own. With AWS_ENDPOINT_URL_DYNAMODB it is created in the DynamoDB
Local that runs there, beside other tables, and removed at the end, also after Ctrl-C.

On a terminal each session is a dot that comes nearer to "now" and goes when it is deleted, above the lag, what the sweep does, and how
many sessions native TTL might still keep. With --json it shows a line of that, and without a terminal a line every ten seconds.`,
  exits: `0 every promise was kept; 1 a promise was broken, or the job could not run; 3 also: no promise is known to be broken, but one is undecided, since this machine slept or was too slow, or nothing expired`,
  async run({ flags, signal }) {
    const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
    const config = checkConfig(await loadConfigFile(flags.config));
    const { startOrAttachDynamoDb } = await import('../../local/dynamodb/dynamodb-local.ts');
    const { promise: launched, resolve: onLaunch } = Promise.withResolvers<void>();
    const dynamoDb = startOrAttachDynamoDb(process.env, { onLaunch });
    // DynamoDB Local (Java) is launched first: it starts while this thread loads CDKTF and bundles the functions.
    await Promise.race([launched, dynamoDb.catch(() => undefined)]);
    try {
      const { EXIT_STATUS, runMainJob } = await import('./main-job.ts');
      const { result } = await runMainJob({
        ...{ ...flags, config, dynamoDb, withPage: true, output: process.stdout, signal },
        ...(flags.json === undefined && liveView(process.stdout)),
      });
      if (resultFile !== undefined) writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
      if (result.verdict !== 'interrupted') return { exit: EXIT_STATUS[result.verdict] };
      throw signal.reason;
    } finally {
      await (await dynamoDb.catch(() => undefined))?.stop();
    }
  },
});

/** Returns `show` for a live view if the screen is a terminal with cursor movements. Without `show`, the run shows a line of progress. */
function liveView(screen: NodeJS.WriteStream): Pick<MainJobOptions, 'show'> {
  if (!screen.isTTY || process.env['TERM'] === 'dumb') return {};
  const shown = lookOf(screen).colours ? (line: string) => line : stripVTControlCharacters;
  return {
    show: (moment, live) => live.showBlock(drawMoment(moment, live.columns).map(shown)),
  };
}
