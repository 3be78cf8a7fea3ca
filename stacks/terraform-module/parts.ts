import type { Construct } from 'constructs';
import type { NamedTable } from '../names.ts';
import { Backfill } from '../parts/backfill.ts';
import { Place } from '../parts/place.ts';
import type { ResolvedProps } from '../props.ts';
import { expression } from '../values.ts';
import { type Outputs, openShared, WrittenStack } from './written-stack.ts';

/** Where each value stands in the module of a part. */
const TABLE_ARN = expression<string>('var.table.arn');
const ENVIRONMENT = expression<Readonly<Record<string, string>>>('var.environment');

/** The table whose part it is. */
function openTable(): ResolvedProps {
  const setting = (name: string) => expression<never>(`var.settings.${name}`);
  return {
    ...openShared('var.deployment'),
    tableName: expression('var.table.name'),
    name: setting('name'),
    logKeys: setting('log_keys'),
    tableKmsKeyArn: setting('table_kms_key_arn'),
  } as unknown as ResolvedProps;
}

function openPlace(scope: Construct): Place {
  const name = (field: string) => expression<string>(`var.place.${field}`);
  return new Place(scope, 'place', {
    account: name('account'),
    partition: name('partition'),
    dnsSuffix: name('dns_suffix'),
    region: name('region'),
  });
}

class BackfillStack extends WrittenStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { machine, functions } = new Backfill(this, id, {
      place: openPlace(this),
      environment: ENVIRONMENT,
      tableArn: TABLE_ARN,
      sweep: openTable(),
    });
    const { PlanBackfill, BackfillSegment } = functions;
    const all = { PlanBackfill, BackfillSegment, backfill: machine };
    const byName = (value: (of: (typeof all)[keyof typeof all]) => string): Outputs[string][1] =>
      Object.fromEntries(Object.entries(all).map(([name, of]) => [name, value(of)]));
    this.outputs({
      state_machine_arn: ['ARN of the state machine to start backfills of.', machine.arn],
      function_arns: [
        'ARNs of the functions, by the state that calls them.',
        { PlanBackfill: PlanBackfill.arn, BackfillSegment: BackfillSegment.arn },
      ],
      role_arns: ['ARNs of the roles, by what takes them.', byName(({ role }) => role.arn)],
      log_group_arns: [
        'ARNs of the log groups, by what writes them.',
        byName(({ logGroup }) => logGroup.arn),
      ],
    });
  }
}

/** What a table can have for itself: a module of its own, which the whole one calls for each table that has it. */
interface Part {
  /** A sentence about it. */
  readonly text: string;
  /** Which tables `t` have it. */
  readonly condition: string;
  /** The prop, for the names of what it makes. */
  readonly named: Pick<NamedTable, 'archive' | 'backfill' | 'events'>;
  readonly Stack: new (scope: Construct, id: string) => WrittenStack;
}

export const PARTS = {
  backfill: {
    text: 'Writes the window into the items of a table that were there before their writers did. Nothing starts it by itself.',
    condition: 't.backfill',
    named: { backfill: true },
    Stack: BackfillStack,
  },
} as const satisfies Readonly<Record<string, Part>>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];
