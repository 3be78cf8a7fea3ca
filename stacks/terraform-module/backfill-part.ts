import type { Construct } from 'constructs';
import { mapValues } from '../../config/map-values.ts';
import { Backfill } from '../parts/backfill.ts';
import { PartStack } from './part-stack.ts';

export class BackfillPart extends PartStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { place, environment, tableArn, sweep } = this;
    const { machine, functions } = new Backfill(this, id, { place, environment, tableArn, sweep });
    const all = { ...functions, backfill: machine };
    this.outputs({
      state_machine_arn: ['ARN of the state machine to start backfills of.', machine.arn],
      function_arns: [
        'ARNs of the functions, by the state that calls them.',
        mapValues(functions, ({ arn }) => arn),
      ],
      role_arns: ['ARNs of the roles, by what takes them.', mapValues(all, ({ role }) => role.arn)],
      log_group_arns: [
        'ARNs of the log groups, by what writes them.',
        mapValues(all, ({ logGroup }) => logGroup.arn),
      ],
    });
  }
}
