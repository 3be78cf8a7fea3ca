/** @jest-environment ./test/support/dynamodb-environment.ts */
import { EXIT_STATUS } from '../../cli/main-job.ts';
import { SESSION_DATA } from '../support/configs.ts';
import { runJob } from '../support/main-job.ts';

/*
 * The job of npm start -- --archive with clocks of Step Functions, Scheduler and Lambda that differ from DynamoDB's. Every promise is
 * judged by DynamoDB's.
 */

// The fuzzer's variants have more of them, test/lab/fuzz/fuzz.slow.test.ts.
test.each([-5, 0.2])(
  'ahead by %d s: all is archived and told, and nothing that lives goes',
  async skewSeconds => {
    const { result, printed } = await runJob([SESSION_DATA], {
      archive: true,
      rate: 2,
      cloud: { skewMs: skewSeconds * 1000 },
    });
    const notKept = result.promises.filter(({ status }) => status !== 'kept');
    // A minute begins late by a clock that is behind; what expires in its first seconds is late, and not lost.
    const mayBeLate = skewSeconds === -5;
    expect(notKept.filter(({ name }) => !(mayBeLate && name === 'goneInTime'))).toEqual([]);
    expect(result.deleted).toBeGreaterThan(50);
    expect([result.archive?.items, result.events?.items]).toEqual([result.deleted, result.deleted]);
    expect(result.liveDeleted).toBe(0);
    expect([result.archive?.strays, result.events?.strays]).toEqual([0, 0]);
    if (notKept.length === 0) expect(EXIT_STATUS[result.verdict as 'kept']).toBe(0);
    expect(printed).toContain('archived wrongly');
  },
);
