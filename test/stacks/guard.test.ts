// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bucketPrefixOf } from '../../config/names.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { STACK } from '../../stacks/app.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { resources, sweptTables, synthesizeToFolder } from '../support/synthesized.ts';

const TOKENS: PreciseTtlProps = {
  tableName: 'Tokens',
  partitionKey: 'id',
};
const EXISTING = { tableName: 'Tokens', partitionKey: 'id', existingTable: true };
const [SESSIONS_ADDRESS, TOKENS_ADDRESS] = [
  'aws_dynamodb_table.SessionData_table_0F12F0FA',
  'aws_dynamodb_table.Tokens_table_7496C31E',
];

function synthesized(tables: readonly PreciseTtlProps[], removed = false) {
  const folder = join(synthesizeToFolder(configOf(...tables), { removed }), 'stacks', STACK);
  const json = JSON.parse(readFileSync(join(folder, 'cdk.tf.json'), 'utf8'));
  return { folder, json, guard: json.module.created_tables };
}

const instance = (block: string, tableName: string) =>
  `module.created_tables.terraform_data.${block}["${tableName}"]`;

/** Of the blocks that are about the bucket of an archive, and about a table. */
const isOfBucket = (block: { readonly from: string }) => /_archive_bucket_|\/archive"\]$/.test(block.from);
const isOfTable = (block: { readonly from: string }) =>
  /^aws_dynamodb_table\.|\.(created|released)\["[^/]*"\]$/.test(block.from);

/** Types of what a bucket is made of. */
const BUCKET_TYPES = [
  'aws_s3_bucket',
  'aws_s3_bucket_versioning',
  'aws_s3_bucket_server_side_encryption_configuration',
  'aws_s3_bucket_public_access_block',
  'aws_s3_bucket_ownership_controls',
  'aws_s3_bucket_lifecycle_configuration',
  'aws_s3_bucket_policy',
];

describe('a created table', () => {
  const { folder, json, guard } = synthesized([SESSION_DATA, TOKENS]);

  test('is at an address that a state of any version has', () => {
    const [sessions, tokens] = [SESSIONS_ADDRESS, TOKENS_ADDRESS].map(address => address?.split('.')[1]);
    expect(Object.keys(json.resource.aws_dynamodb_table)).toEqual([
      sessions,
      tokens,
      expect.stringContaining('_journal_'),
    ]);
  });

  test('cannot be replaced or deleted, protected or not', () => {
    for (const table of sweptTables(json)) {
      expect(table['lifecycle']).toMatchObject({ prevent_destroy: true });
    }
  });

  test('keeps the indexes, streams and replicas that others add to it', () => {
    for (const table of sweptTables(json)) {
      expect(table['lifecycle']).toMatchObject({
        ignore_changes: [
          'attribute',
          'global_secondary_index',
          'replica',
          'stream_enabled',
          'stream_view_type',
        ],
      });
    }
  });

  test('is guarded with everything that cannot change in place, once it is there', () => {
    expect(guard).toEqual({
      source: expect.stringMatching(/^\.\/assets\/created_tables_module_[0-9A-F]{8}\/module$/),
      created: {
        SessionData: {
          partitionKey: 'UserName (S)',
          sortKey: 'SessionId (S)',
          ttlAttribute: 'ExpirationTime',
          windowAttribute: 'expirationWindow',
          indexName: 'expirationWindowIndex',
        },
        Tokens: {
          partitionKey: 'id (S)',
          ttlAttribute: 'ttl',
          windowAttribute: 'expirationWindow',
          indexName: 'expirationWindowIndex',
        },
      },
      released: {},
      running: {
        // As states have it in which each table had a state machine of its own, with this name.
        SessionData: 'precise-ttl-SessionData in ${data.aws_region.place_region_950A0145.region}',
        Tokens: expect.stringMatching(/^precise-ttl-Tokens in /),
        ':sweeps/precise-ttl': expect.stringMatching(
          /^\$\{aws_sfn_state_machine\.sweeps_precise-ttl_sweep_machine_\w+\.name\} in /,
        ),
      },
      stopped: {},
      depends_on: [SESSIONS_ADDRESS, TOKENS_ADDRESS],
    });
  });

  test('by second has no window, so that it cannot become one by window in place', () => {
    const bySecond = synthesized([{ tableName: 'Tokens', partitionKey: 'id', index: { by: 'second' } }]);
    expect(bySecond.guard.created['Tokens']).toEqual({
      partitionKey: 'id (S)',
      ttlAttribute: 'ttl',
      indexName: 'expirySecondIndex',
    });
  });

  test('takes its guard back when it was an existing one before', () => {
    expect(json.removed.filter(isOfTable)).toEqual([]);
    expect(json.moved.filter(isOfTable)).toEqual(
      ['SessionData', 'Tokens'].map(name => ({
        from: instance('released', name),
        to: instance('created', name),
      })),
    );
  });

  test('has a guard that refuses to be destroyed or replaced, and makes nothing', () => {
    const module = JSON.parse(readFileSync(join(folder, guard.source, 'main.tf.json'), 'utf8'));
    expect(Object.keys(module.resource)).toEqual(['terraform_data']);
    expect(module.resource.terraform_data.created).toMatchObject({
      for_each: '${var.created}',
      triggers_replace: '${each.value}',
      lifecycle: { prevent_destroy: true },
    });
    expect(module.resource.terraform_data.running.lifecycle).toEqual({ prevent_destroy: true });
    for (const block of ['released', 'stopped']) {
      expect(module.resource.terraform_data[block]).not.toHaveProperty('lifecycle');
    }
  });
});

describe('a table that becomes an existing one', () => {
  const { json, guard } = synthesized([SESSION_DATA, EXISTING]);

  test('is forgotten, not destroyed', () => {
    expect(json.removed.filter(isOfTable)).toEqual([
      { from: TOKENS_ADDRESS, lifecycle: [{ destroy: false }] },
    ]);
    expect(Object.keys(json.data.aws_dynamodb_table)).toEqual([TOKENS_ADDRESS?.split('.')[1]]);
  });

  test('has its guard moved to where it can go', () => {
    expect(json.moved).toContainEqual({
      from: instance('created', 'Tokens'),
      to: instance('released', 'Tokens'),
    });
    expect(Object.keys(guard.created)).toEqual(['SessionData']);
    expect(Object.keys(guard.released)).toEqual(['Tokens']);
  });
});

test('the guard is there also without a created table: it stands for those of the deployment before', () => {
  expect(synthesized([EXISTING]).guard).toMatchObject({ created: {}, depends_on: [] });
});

describe('a removed deployment', () => {
  const { json, guard } = synthesized([SESSION_DATA, EXISTING], true);

  test('has nothing but the word to keep its tables, and reads none', () => {
    expect(json).not.toHaveProperty('resource');
    expect(json).not.toHaveProperty('data');
    expect(json).not.toHaveProperty('output');
    expect(json.removed.filter(isOfTable)).toEqual(
      [SESSIONS_ADDRESS, TOKENS_ADDRESS].map(from => ({ from, lifecycle: [{ destroy: false }] })),
    );
  });

  test('takes the guard off its tables, and off no other', () => {
    expect(guard).toMatchObject({ created: {}, released: {}, running: {}, stopped: {} });
    for (const key of ['Tokens', ':sweeps/precise-ttl']) {
      expect(json.moved).toContainEqual({ from: instance('running', key), to: instance('stopped', key) });
    }
    expect(json.moved.filter(isOfTable)).toEqual(
      ['SessionData', 'Tokens'].map(name => ({
        from: instance('created', name),
        to: instance('released', name),
      })),
    );
  });

  test('has the same state', () => {
    expect(json.terraform.backend).toEqual(synthesized([SESSION_DATA]).json.terraform.backend);
  });
});

describe('the bucket of an archive', () => {
  const archived = { ...EXISTING, archive: {} };
  const { json, guard } = synthesized([archived]);
  const addresses = BUCKET_TYPES.map(type => `${type}.${Object.keys(json.resource[type])[0]}`);
  const forgotten = addresses.map(from => ({ from, lifecycle: [{ destroy: false }] }));
  const released = {
    from: instance('created', 'Tokens/archive'),
    to: instance('released', 'Tokens/archive'),
  };

  test('is at an address that a state of any version has', () => {
    expect(addresses[0]).toBe('aws_s3_bucket.Tokens_archive_bucket_A9B85400');
  });

  test('is guarded as a table is, and makes none anew when the sweep is renamed', () => {
    expect(guard.created).toEqual({ 'Tokens/archive': { bucket: 'of the archive' } });
    expect(guard.depends_on).toEqual([addresses[0]]);
    expect(resources(json, 'aws_s3_bucket')).toEqual([
      {
        '//': expect.anything(),
        bucket_prefix: 'precise-ttl-tokens-archive-',
        lifecycle: { prevent_destroy: true, ignore_changes: ['bucket_prefix'] },
      },
    ]);
    expect(json.removed.filter(isOfBucket)).toEqual([]);
  });

  test.each<[string, PreciseTtlProps, boolean]>([
    ['without the prop', EXISTING, false],
    ['with a bucket of your own', { ...archived, archive: { bucket: 'my-own' } }, false],
    ['in a removed deployment', archived, true],
  ])('is forgotten %s, with all that protects it', (_name, props, removed) => {
    const other = synthesized([props], removed);
    expect(other.json.removed.filter(isOfBucket)).toEqual(forgotten);
    expect(other.json.moved).toContainEqual(released);
    expect(other.guard.created).toEqual({});
    expect(BUCKET_TYPES.filter(type => other.json.resource?.[type])).toEqual([]);
  });

  test.each([
    ['precise-ttl-Session_Data', 'precise-ttl-session-data-archive-'],
    ['-A-', 'a-archive-'],
    ['___', 'archive-'],
    ['x'.repeat(45), `${'x'.repeat(28)}-archive-`],
    [`${'x'.repeat(27)}-y`, `${'x'.repeat(27)}-archive-`],
  ])('of the sweep %s begins with %s', (name, prefix) => {
    expect(bucketPrefixOf(name)).toBe(prefix);
    // Source: S3 User Guide, "Bucket naming rules"; Terraform adds 26 characters.
    expect(`${prefix}${'0'.repeat(26)}`).toMatch(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
  });
});
