import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { DefaultTokenResolver, StringConcat, TerraformStack, Testing, Tokenization } from 'cdktf';
import { Journal, type JournalProps } from '../../stacks/parts/journal.ts';
import { Place } from '../../stacks/parts/place.ts';
import type { Statement } from '../../stacks/parts/role.ts';

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/7a1f';

function journalWith(sweep: JournalProps['sweep'] = {}) {
  const stack = new TerraformStack(Testing.app(), 'own');
  new AwsProvider(stack, 'aws', { region: 'eu-central-1' });
  const place = new Place(stack, 'place');
  const journal = new Journal(stack, 'journal', { place, deployment: 'precise-ttl', sweep });
  const statements = Tokenization.resolve(
    {
      plan: needed(journal.planStatements()),
      record: needed(journal.recordStatements()),
      note: needed(journal.noteStatements()),
      pause: needed(journal.pauseStatements()),
    },
    { scope: stack, resolver: new DefaultTokenResolver(new StringConcat()) },
  );
  const [table] = Object.values<Record<string, unknown>>(
    JSON.parse(Testing.synth(stack)).resource.aws_dynamodb_table,
  );
  return { table, statements: statements as Readonly<Record<string, readonly Statement[]>> };
}

/** A statement without resources is left out of a policy. */
function needed(statements: readonly Statement[]): Statement[] {
  return statements.filter(({ resources }) => resources.length > 0);
}

test('the journal is a table on demand, whose rows expire', () => {
  const { table } = journalWith();
  expect(table).toMatchObject({
    name: 'precise-ttl-journal',
    billing_mode: 'PAY_PER_REQUEST',
    hash_key: 'id',
    range_key: 'at',
    attribute: [
      { name: 'id', type: 'S' },
      { name: 'at', type: 'S' },
    ],
    ttl: { attribute_name: 'expires', enabled: true },
    point_in_time_recovery: { enabled: true },
    deletion_protection_enabled: true,
    lifecycle: { prevent_destroy: true },
  });
  expect(table).not.toHaveProperty('server_side_encryption');
});

test('with a key of the deployment it is encrypted with that, and the roles may use it', () => {
  const { table, statements } = journalWith({ kmsKeyArn: KEY });
  expect(table).toMatchObject({ server_side_encryption: { enabled: true, kms_key_arn: KEY } });
  for (const each of Object.values(statements)) {
    expect(each[1]).toMatchObject({
      actions: expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey*']),
      resources: [KEY],
    });
  }
});
