/** `precise-ttl adopt`: prepares an existing table for the sweep. See `--help`. */

import { InvalidConfigError } from '../config/config.ts';
import { isLocal } from '../operate/aws/endpoint.ts';
import { TableNotFoundError } from '../operate/errors.ts';
import { BY, FlagError, switchFlag, textFlag, wholeNumber } from './flags.ts';
import { defineOperation } from './operation.ts';

const UNITS = { type: 'number', min: 1, max: 40_000, whole: true, value: 'N' } as const;

const FLAGS = {
  table: textFlag('NAME', 'the table'),
  'ttl-attribute': textFlag(
    'NAME',
    "attribute with the moment of expiry (default: native TTL's, or you are asked)",
  ),
  by: { ...BY, default: 'second', help: 'second: writers stamp nothing; window: docs/use.md' },
  'index-name': textFlag(
    'NAME',
    'name of the index (default: expirySecondIndex, or expirationWindowIndex by window)',
  ),
  'index-read-units': { ...UNITS, help: 'of a provisioned table: read units a second of the index' },
  'index-write-units': {
    ...UNITS,
    help: 'of a provisioned table: write units a second of the index',
  },
  full: switchFlag('look at every item before anything is changed, not only at a sample of at most 1,000'),
  'delete-expired': wholeNumber(
    1,
    40_000,
    'delete what is expired already, N items a second (default: you are asked)',
  ),
  mask: switchFlag('show hashes instead of keys'),
  region: textFlag('REGION', "AWS region (default: the SDK's, such as $AWS_REGION)"),
} as const;

export const command = defineOperation({
  name: 'adopt',
  usage: ['--table NAME [flags]'],
  flags: FLAGS,
  dryRun: 'say what would be done; change nothing and ask nothing',
  about: `Makes a table that exists ready to be swept. Reads it, and a sample of its items; says what is to be done and what it costs;
asks; adds the index that the sweep needs and waits until DynamoDB has built it; turns native TTL on, as the backstop; and
prints the table's entry for the configuration. It changes nothing else of the table. What is there already is not done again:
run it as often as you like, also after an interruption. At the end it asks whether to delete the items that are expired
already; without a yes to that it changes no item. With --full it reads every item first, at a rate that spares the table, and
refuses the index where a TTL is no Number.`,
  services: ['DYNAMODB'],
  beside: ['CLOUDWATCH'],
  question: 'Do this?',
  status: {
    done: 'done, or everything was there',
    not: 'it could not be done',
  },
  region: ({ region }) => region ?? defaultRegion(isLocal(process.env, 'DYNAMODB')),
  read({ table, ...flags }) {
    if (table === undefined)
      throw new FlagError('--table: expected the name of a table, got none; write --table NAME');
    return {
      tableName: table,
      ttlAttribute: flags['ttl-attribute'],
      indexedBy: flags.by,
      indexName: flags['index-name'],
      indexReadUnits: flags['index-read-units'],
      indexWriteUnits: flags['index-write-units'],
      full: flags.full,
      deleteExpired: flags['delete-expired'],
      mask: flags.mask,
      now: Date.now,
    };
  },
  async prepare(wanted, session) {
    const { planAdopt } = await import('./adopt/job.ts');
    try {
      return await planAdopt(wanted, session);
    } catch (error) {
      if (!(error instanceof InvalidConfigError || error instanceof TableNotFoundError)) throw error;
      // The user can mend this with another table or other flags.
      throw new FlagError(error.message);
    }
  },
});

/** The region of the environment, or else `us-east-1` for a table on this machine. Undefined otherwise: the SDK then reads the profile. */
function defaultRegion(local: boolean): string | undefined {
  const named = process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || undefined;
  return named ?? (local ? 'us-east-1' : undefined);
}
