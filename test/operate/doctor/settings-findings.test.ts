/** @jest-environment ./test/support/dynamodb-environment.ts */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a reference of Terraform
import { PutItemCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { ensureTable } from 'aws-on-loopback/dynamodb/tables';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { examine } from '../../../operate/doctor/doctor.ts';
import {
  recoveryFindings,
  settingsFindings,
  wantsRecovery,
} from '../../../operate/doctor/settings-findings.ts';
import { shapeOf } from '../../../operate/table/describe-table.ts';
import { plainStack } from '../../../stacks/plain-stack.ts';
import { configOf } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { subjectOf } from './subject.ts';

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd';

/** A table as a deployment creates it, except for the given fields. */
const made = (over: Partial<TableDescription> = {}) =>
  shapeOf({
    TableName: 'T',
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    DeletionProtectionEnabled: true,
    ...over,
  });

const units = (read: number, write: number) => ({ ReadCapacityUnits: read, WriteCapacityUnits: write });
const provisioned = (index: ReturnType<typeof units>) =>
  made({
    BillingModeSummary: { BillingMode: 'PROVISIONED' },
    ProvisionedThroughput: units(5, 6),
    GlobalSecondaryIndexes: [{ IndexName: 'expirationWindowIndex', ProvisionedThroughput: index }],
  });

test.each<[string, ReturnType<typeof made>, Partial<PreciseTtlProps>, string[]]>([
  ['as it is made', made(), {}, []],
  ['without protection', made({ DeletionProtectionEnabled: false }), {}, ['deletion-protection-off']],
  [
    'without protection, as configured',
    made({ DeletionProtectionEnabled: false }),
    { newTable: { deletionProtection: false } },
    [],
  ],
  [
    'with a stream that nobody configured',
    made({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } }),
    {},
    [],
  ],
  [
    'without its stream',
    made(),
    { newTable: { stream: 'NEW_IMAGE' } },
    ['stream-differs: expected NEW_IMAGE, got none'],
  ],
  [
    'with another stream',
    made({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } }),
    { newTable: { stream: 'NEW_IMAGE' } },
    ['stream-differs: expected NEW_IMAGE, got KEYS_ONLY'],
  ],
  ['with its key', made({ SSEDescription: { KMSMasterKeyArn: KEY } }), { tableKmsKeyArn: KEY }, []],
  ['without its key', made(), { tableKmsKeyArn: KEY }, [`table-key-differs: expected ${KEY}, got none`]],
  ['with a key that only Terraform knows', made(), { tableKmsKeyArn: '${aws_kms_key.main.arn}' }, []],
  [
    'provisioned, which is not configured',
    provisioned(units(1, 2)),
    {},
    [
      'capacity-differs: expected on demand, got 5 read and 6 write units a second, its index 1 read and 2 write units a second',
    ],
  ],
  [
    'provisioned as configured',
    provisioned(units(5, 6)),
    { newTable: { provisionedCapacity: { read: 5, write: 6 } } },
    [],
  ],
  [
    'provisioned, its index with less',
    provisioned(units(5, 1)),
    { newTable: { provisionedCapacity: { read: 5, write: 6 } } },
    [
      'capacity-differs: expected 5 read and 6 write units a second, its index 5 read and 6 write units a second, got 5 read and 6 write units a second, its index 5 read and 1 write units a second',
    ],
  ],
  [
    'on demand, which is not configured',
    made(),
    { newTable: { provisionedCapacity: { read: 5, write: 6 } } },
    [
      'capacity-differs: expected 5 read and 6 write units a second, its index 5 read and 6 write units a second, got on demand',
    ],
  ],
  [
    'warmer than configured',
    made({ WarmThroughput: { ReadUnitsPerSecond: 30_000, WriteUnitsPerSecond: 9_000 } }),
    { newTable: { warmThroughput: { read: 20_000, write: 8_000 } } },
    [],
  ],
  [
    'less warm',
    made({ WarmThroughput: { ReadUnitsPerSecond: 30_000, WriteUnitsPerSecond: 4_000 } }),
    { newTable: { warmThroughput: { read: 20_000, write: 8_000 } } },
    [
      'warm-throughput-low: expected 20000 read and 8000 write units a second, got 30000 read and 4000 write units a second',
    ],
  ],
  [
    'of another class',
    made({ TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' } }),
    {},
    ['table-class-differs: expected STANDARD, got STANDARD_INFREQUENT_ACCESS'],
  ],
  [
    'that is not created here, with whatever its owner likes',
    shapeOf({ TableName: 'T', TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' } }),
    { existingTable: true },
    [],
  ],
  [
    'that is not created here, with another key than is said',
    made(),
    { existingTable: true, tableKmsKeyArn: KEY },
    [`table-key-differs: expected ${KEY}, got none`],
  ],
])('a table %s', (_what, table, props, expected) => {
  const findings = settingsFindings(table, subjectOf(props));
  expect(
    findings.map(({ id, what }) => (what.includes(': ') ? `${id}${what.slice(what.indexOf(': '))}` : id)),
  ).toEqual(expected);
  expect(findings.every(({ severity }) => severity === 'warning')).toBe(true);
});

test('recovery is asked for where a deployment turns it on', () => {
  expect(wantsRecovery(subjectOf())).toBe(true);
  expect(wantsRecovery(subjectOf({ newTable: { pointInTimeRecovery: false } }))).toBe(false);
  expect(wantsRecovery(subjectOf({ existingTable: true }))).toBe(false);
  expect(recoveryFindings(true, subjectOf())).toEqual([]);
  expect(recoveryFindings(false, subjectOf()).map(({ id }) => id)).toEqual(['point-in-time-recovery-off']);
});

describe('a restored table', () => {
  const { client } = useLocalDynamoDb();
  const RESTORED = { tableName: 'Restored', partitionKey: 'id', newTable: { stream: 'NEW_IMAGE' } } as const;

  /** A table as a restore creates it: only its keys, its index and its items. */
  beforeAll(async () => {
    const { newTable: _lost, ...props } = RESTORED;
    const [table] = synthesizedCloud(plainStack(configOf(props))).tables;
    if (table === undefined) throw new Error('no table');
    await ensureTable(client, table);
    const ttl = { N: String(Math.floor(Date.now() / 1000) - 86_400) };
    await client.send(new PutItemCommand({ TableName: 'Restored', Item: { id: { S: 'one' }, ttl } }));
  });

  test('lacks what a restore does not bring back, and the doctor says so', async () => {
    // DynamoDB Local takes the place of DynamoDB; there are no other services.
    const connect = () => ({
      ...{ isLocal: false, dynamoDb: client, sfn: undefined, scheduler: undefined, sqs: undefined },
      ...{ lambda: undefined, cloudWatch: undefined, destroy: () => {} },
    });
    const report = await examine({ config: configOf(RESTORED) }, connect);
    const found = report.tables[0]?.findings.map(({ id, what }) => `${id}: ${what}`) ?? [];
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^native-ttl-off: /),
        expect.stringMatching(/^deletion-protection-off: /),
        expect.stringMatching(/^stream-differs: .*expected NEW_IMAGE, got none/),
        // The item has expired meanwhile, but has no window, so that only native TTL would find it.
        expect.stringMatching(/^window-missing: /),
        // DynamoDB Local does not know the action: the check is reported as not made.
        expect.stringMatching(/^not-checked: .*point-in-time recovery .*DescribeContinuousBackups/),
      ]),
    );
  });
});
