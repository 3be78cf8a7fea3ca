import type { Output, Versions } from './hcl.ts';
import type { ModuleName } from './main-json.ts';
import type { JsonObject } from './synthesize.ts';
import type { Variable } from './variables.ts';

export interface ReadmeProps {
  readonly module: ModuleName;
  readonly main: JsonObject;
  readonly variables: readonly Variable[];
  readonly outputs: readonly Output[];
  readonly versions: Versions;
  /** The `main.tf` of its example. */
  readonly example: string;
}

const INTRODUCTIONS: Readonly<Record<ModuleName, string>> = {
  'existing-table': `# precise-ttl for an existing table

Deletes the items of a DynamoDB table within a second or two of their expiry. The table is there already: this module
reads it and changes nothing about it.`,
  'new-table': `# precise-ttl with a new table

Creates a DynamoDB table whose items are deleted within a second or two of their expiry.`,
};

const SECTIONS: Readonly<Record<ModuleName, string>> = {
  'existing-table': `## An existing table

Two things must be there before the module is applied:

1. The index. With \`indexed_by = "second"\` the \`ttl_attribute\` (Number) is its partition key, and it has no sort key: no writer
   changes, and items that are there already are swept. By default, by window, \`window_attribute\` (String) is its partition
   key and \`ttl_attribute\` its sort key. It projects KEYS_ONLY. Wait until it is ACTIVE; Terraform cannot see that.
2. Native TTL on \`ttl_attribute\`, as a backstop. Wait until it is ENABLED, which takes up to an hour. With \`hold_attribute\` or
   \`grace_seconds\` it has to be off instead.

Terraform compares the table with the inputs when it plans: its keys and their types, the index, its keys and projection, and
native TTL. If something differs, the plan names the first difference, and nothing is made.

When the table is made in the same root, let the module depend on it: \`depends_on = [aws_dynamodb_table.sessions]\`.`,
  'new-table': `## Tables are never deleted

A plan that would delete or replace the table is refused before anything is changed, whichever input is edited:

\`\`\`
resource.terraform_data: "REFUSED TO KEEP THE TABLE. …"
\`\`\`

Do not follow Terraform's advice to disable \`prevent_destroy\`. To stop sweeping the table and keep it:

1. Change the \`source\` of the module block from \`new-table\` to \`existing-table\`, leave out \`deletion_protection\`,
   \`point_in_time_recovery\` and \`table_class\`, run \`terraform init\` and apply. The plan says \`1 to forget\`: Terraform no longer
   manages the table, and the sweep goes on.
2. Remove the module block, and apply.

**Do not remove the block of a \`new-table\` module.** Its guard goes with it, as every guard in a module does. Then
\`deletion_protection\` alone keeps the table, and the apply fails half-way.

An entry that is taken out of the block's \`for_each\` is refused too. Give it a block of its own with \`existing-table\` and a
\`moved\` block from \`module.sessions_ttl["…"]\`, apply, and remove both then.`,
};

const ANOTHER_NAME = `## Another name

\`name\` is part of the name of everything that the module makes. Another one would delete the queue, the topic of the alarms and the logs and make
them anew, so such a plan is refused. To change it, remove the block of an \`existing-table\` module, apply, and add it again with the
new name. From \`new-table\` change to \`existing-table\` first.`;

const VPC_AND_KEY = `## A VPC, and a key of your own

With \`vpc\` the four functions run in your subnets. They call DynamoDB and nothing else: the subnets need a gateway endpoint for
DynamoDB, which costs nothing, or a NAT, and the security groups must let HTTPS out. The module allows Lambda to manage the
network interfaces, and forbids that to the functions' own code.

\`kms_key_arn\` encrypts the log groups, the dead-letter queue, the topic of the alarms and the functions' environment. The roles get
what they need of it. The key's policy must leave the rest to IAM, as every default key policy does, let CloudWatch
(\`cloudwatch.amazonaws.com\`) use \`kms:Decrypt\` and \`kms:GenerateDataKey*\` for the topic, and let CloudWatch Logs use the key:

\`\`\`json
{
  "Effect": "Allow",
  "Principal": { "Service": "logs.eu-central-1.amazonaws.com" },
  "Action": ["kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
  "Resource": "*",
  "Condition": { "ArnLike": { "kms:EncryptionContext:aws:logs:arn": "arn:aws:logs:eu-central-1:123456789012:log-group:*" } }
}
\`\`\`

\`table_kms_key_arn\` is the key of the table. The roles \`PlanSweep\`, \`QueryExpired\` and \`DeleteChunk\` of the output
\`role_arns\` may then use it through DynamoDB; its policy must leave that to IAM. When a new table was given one and is to have it
no more, change the table first (\`aws dynamodb update-table --sse-specification Enabled=false\`), and leave out the input then.`;

const HOLD_AND_GRACE = `## Hold and grace

While an item has the attribute \`hold_attribute\`, with whatever value, no sweep deletes it. With \`grace_seconds\` the sweep deletes each
item that much after its expiry. Native TTL knows neither and would delete those items within days. So with either input it is off: a
new table gets it off, and an existing table is refused while it is on. There is no backstop then.

Without both again, the next apply turns native TTL of a new table on, and what was held is deleted. Apply \`hold_attribute\` before you
write the first mark.

### Another hold attribute, or none

A plan that changes \`hold_attribute\`, or leaves it out, is refused: the sweeps would delete what is held. Copy the attribute to the new one in
every item that is to stay held, and put the old one into the list \`releases_holds_of\`. It has to stay there. A \`terraform destroy\` is refused then, too, unless you let Terraform forget the
guard before, which deletes nothing: \`terraform state rm 'module.sessions_ttl.module.created_tables.terraform_data.held'\`.`;

const ALARMS = `## Alarms and a dashboard

The alarms tell an SNS topic, and nobody hears of one before somebody has subscribed to the output \`alarm_topic_arn\`. A topic of
yours takes its place with \`alarm_topic = { arn = aws_sns_topic.on_call.arn }\`; CloudWatch must be allowed to publish to it.

\`\`\`hcl
alarms = {
  deletion_lag  = { threshold = 90000, periods = 6 }
  shards_failed = { enabled = false }
}
\`\`\`

\`create_alarms = false\` makes none, \`dashboard = false\` no dashboard. With \`metrics = "essential"\` a sweep records only what cannot
be had for free, and the alarms on the other metrics are not made.`;

/** The README of a module, with the tables that terraform-docs makes. */
export function moduleReadme(props: ReadmeProps): string {
  const { module, example } = props;
  return `${INTRODUCTIONS[module]}

\`\`\`hcl
${example.trim()}
\`\`\`

The provider is the caller's: its region and account are where everything is made. Every input is checked before anything is
planned. Two modules in one account need different names: \`name\` is made from \`table_name\` unless it is given.

\`count\` and \`for_each\` work on the module block. \`enabled = false\` removes the schedules and leaves everything else in place.

To pause the sweep without an apply, set the schedules' state to \`DISABLED\`, or give them a start date, in EventBridge Scheduler: the
module ignores both, so that no apply ends the pause. An input of a schedule that was changed by hand is put back by the next apply.
Remove a start date that has passed before an apply that changes a schedule: Scheduler refuses one of more than five minutes ago.

By window, whoever writes items stamps them with the npm package \`precise-ttl\`, or as its documents say. Writers and this module
must agree on \`ttl_attribute\`, \`window_attribute\`, \`granularity_minutes\` and \`shards\`. By second
(\`indexed_by = "second"\`) a writer writes the TTL and nothing else. The module does not have the
backfill yet, which writes the window into the items that are there: docs/backfill.md of the package says what it does.

Nor does it have these yet, which the configuration file and the construct of the package have: an archive of what expires in S3
(\`archive\`, \`archiveFirst\`) and events of it (\`events\`). An archive and events need a stream, of which a module's
\`ignore_changes\` takes no variable, and a bucket that is forgotten when it is not asked for any more, for which a module's
\`removed\` blocks take none.

${SECTIONS[module]}

${ANOTHER_NAME}

${HOLD_AND_GRACE}

${ALARMS}

${VPC_AND_KEY}

${tables(props)}
`;
}

/** terraform-docs, \`markdown table\`: it can write them again. */
function tables({ main, variables, outputs, versions }: ReadmeProps): string {
  const resources = (block: string, kind: string) =>
    Object.entries((main[block] ?? {}) as Readonly<Record<string, JsonObject>>).flatMap(([type, named]) =>
      Object.keys(named).map(name => [`${type}.${name}`, kind] as const),
    );
  const all = [...resources('resource', 'resource'), ...resources('data', 'data source')].sort(byFirst);
  const sections = [
    [
      'Requirements',
      table(
        ['Name', 'Version'],
        [
          [anchored('requirement', 'terraform'), versions.terraform],
          [anchored('requirement', 'aws'), versions.aws],
        ],
      ),
    ],
    ['Providers', table(['Name', 'Version'], [[anchored('provider', 'aws'), versions.aws]])],
    [
      'Modules',
      table(
        ['Name', 'Source', 'Version'],
        [[anchored('module', 'created_tables'), './created-tables', 'n/a']],
      ),
    ],
    [
      'Resources',
      table(
        ['Name', 'Type'],
        all.map(([name, kind]) => [markdown(name), kind]),
      ),
    ],
    [
      'Inputs',
      table(
        ['Name', 'Description', 'Type', 'Default', 'Required'],
        variables
          .map(variable => [variable.name, variable] as const)
          .sort(byFirst)
          .map(([name, { description, type, default: fallback }]) => [
            anchored('input', name),
            markdown(description),
            `\`${type}\``,
            fallback === undefined ? 'n/a' : `\`${JSON.stringify(fallback)}\``,
            fallback === undefined ? 'yes' : 'no',
          ]),
        4,
      ),
    ],
    [
      'Outputs',
      table(
        ['Name', 'Description'],
        outputs.map(({ name, description }) => [anchored('output', name), markdown(description)]),
      ),
    ],
  ];
  const text = sections.map(([title, body]) => `## ${title}\n\n${body}`).join('\n\n');
  return `<!-- BEGIN_TF_DOCS -->\n${text}\n<!-- END_TF_DOCS -->`;
}

function byFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function anchored(kind: string, name: string): string {
  return `<a name="${kind}_${name}"></a> [${markdown(name)}](#${kind}\\_${markdown(name)})`;
}

function markdown(text: string): string {
  return text.replaceAll('_', '\\_');
}

/** @param centred index of a column in the middle */
function table(titles: readonly string[], rows: readonly (readonly string[])[], centred?: number): string {
  const rule = titles.map((title, index) =>
    index === centred ? `:${'-'.repeat(title.length)}:` : '-'.repeat(title.length + 2),
  );
  return [
    `| ${titles.join(' | ')} |`,
    `|${rule.join('|')}|`,
    ...rows.map(row => `| ${row.join(' | ')} |`),
  ].join('\n');
}

export const MODULES_TITLE = '# precise-ttl, as Terraform modules';

/** The README above the two modules. */
export function modulesReadme(): string {
  return `${MODULES_TITLE}

DynamoDB items that are gone within a second or two of their expiry.

| module | for |
|---|---|
| [existing-table](existing-table/README.md) | a table that is there already, or is made elsewhere in your root |
| [new-table](new-table/README.md) | a table that the module creates, and guards against being deleted |

Both have the same inputs and the same addresses, so the \`source\` of a module block can be changed from \`new-table\` to
\`existing-table\`: Terraform then forgets the table and keeps it. Why there are two: Terraform decides what can be destroyed, and
what is forgotten, before it knows the value of any input.

Each folder is whole by itself. Commit them, or give them to your module registry; [examples](examples) has a root for each. They
are written by \`precise-ttl\`, in this version as a whole: do not edit them, write them again.
`;
}
