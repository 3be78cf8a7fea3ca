/** @jest-environment ./test/support/dynamodb-environment.ts */

import { describeHistory } from '../../cli/status/text.ts';
import { putRows } from '../../functions/journal/sweep-rows.ts';
import { readHistory } from '../../operate/history/history.ts';
import { wholeReport } from '../../operate/sweep-rows.ts';
import {
  ROLE_ARN,
  useStepFunctionsApi,
} from '../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { configOf } from '../support/configs.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { type OperatedDeployment, operatedDeployment } from '../support/operated-deployment.ts';

const dynamo = useLocalDynamoDb();
const sfn = useStepFunctionsApi();

const START = Date.parse('2026-11-20T09:00:00Z');
const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

async function deployment(): Promise<OperatedDeployment & { config: ReturnType<typeof configOf> }> {
  const made = await operatedDeployment(dynamo.client, sfn.client, ROLE_ARN);
  const full = { logKeys: 'full', sweep: made.name } as const;
  const table = (tableName: string) => ({ tableName, partitionKey: 'id', ...full });
  return { ...made, config: configOf(table('Sessions'), table('Tokens')) };
}

describe('history', () => {
  const row = (minutes: number, report: Parameters<typeof wholeReport>[0]) => ({
    table: 'Sessions',
    kind: 'tick' as const,
    execution: `tick-${minutes}`,
    startedAt: iso(START + minutes * MINUTE),
    endedAt: iso(START + (minutes + 2) * MINUTE),
    report: wholeReport(report),
  });

  test('lists from the journal what sweeps came to, and what they left', async () => {
    const deployed = await deployment();
    const failedKeys = [{ key: { id: { S: 'a' } }, reason: 'ValidationError' }];
    await putRows(deployed.journal, [
      row(0, { found: 1, deleted: 1 }),
      row(10, { found: 3, deleted: 3, lagMs: { p50: 60, p99: 90, max: 95 } }),
      { ...row(11, { found: 2, deleted: 1, failed: 1, failedKeys }), kind: 'replay' },
      row(12, { tablesFailed: 1, failure: { error: 'ResourceNotFoundException', message: 'gone' } }),
    ]);
    const all = { config: deployed.config, now: () => START + 65 * MINUTE, sinceMs: 60 * MINUTE };
    const connect = () => deployed.clients;
    const text = describeHistory(await readHistory(all, connect));
    expect(text).toBe(
      [
        'Table Sessions, since 2026-11-20 09:05:00Z',
        '  2026-11-20 09:12:00Z  tick    FAILED in 120.0 s: nothing was swept',
        '      tick-12: the table or its index is not there: gone',
        '  2026-11-20 09:11:00Z  replay  FAILED in 120.0 s: found 2, deleted 1, failed 1',
        '      tick-11: 1 of 2 items could not be deleted (ValidationError)',
        '      not deleted: {"id":{"S":"a"}} (ValidationError)',
        '  2026-11-20 09:10:00Z  tick    SUCCEEDED in 120.0 s: found 3, deleted 3, lag p50 0.06 s, p99 0.09 s',
        '  3 executions (2 FAILED, 1 SUCCEEDED): found 5, deleted 4, failed 1',
        '',
        'Table Tokens, since 2026-11-20 09:05:00Z',
        '  none',
        '  0 executions: nothing to do',
      ].join('\n'),
    );
    const failed = await readHistory({ ...all, table: 'Sessions', failed: true }, connect);
    expect(failed.tables).toMatchObject([
      {
        tableName: 'Sessions',
        name: deployed.name,
        sweeps: [
          { name: 'tick-12', kind: 'tick' },
          { name: 'tick-11', kind: 'replay' },
        ],
      },
    ]);
  });
});
