// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { kebab } from '../../../stacks/alarms.ts';
import { MODULE_ALARMS } from '../../../stacks/terraform-module/monitoring.ts';
import { foreignIn, MODULES, writeTerraformModule } from '../../../stacks/terraform-module/write.ts';

let folder: string;
let written: string[];
const told: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'precise-ttl-written-'));
  // Of an earlier version.
  mkdirSync(join(folder, 'new-table/functions'), { recursive: true });
  writeFileSync(join(folder, 'new-table/functions/old.zip'), '');
  written = writeTerraformModule(folder, name =>
    told.push(`${name}, ${existsSync(join(folder, name, 'README.md'))}`),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
const mainOf = (name: string) => JSON.parse(read(name, 'main.tf.json'));

test('each module is told before it is written', () => {
  expect(told).toEqual(['existing-table, false', 'new-table, false']);
});

test('every file is told, and there are no others', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1));
  expect([...written].sort()).toEqual(files.sort());
});

test('a folder is written to again, whatever else is in it, but nothing of others is replaced', () => {
  expect(foreignIn(folder)).toEqual([]);
  expect(foreignIn(join(folder, 'none'))).toEqual([]);
  const other = mkdtempSync(join(folder, 'other-'));
  writeFileSync(join(other, 'main.tf'), '');
  expect(foreignIn(other)).toEqual([]);
  mkdirSync(join(other, 'new-table'));
  expect(foreignIn(other)).toEqual(['new-table']);
  writeFileSync(join(other, 'README.md'), '# precise-ttl, as Terraform modules of our own');
  expect(foreignIn(other)).toEqual(['README.md', 'new-table']);
  rmSync(other, { recursive: true });
});

describe.each(MODULES)('the module %s', name => {
  test('has no provider, no backend, and nothing left of what was synthesized with', () => {
    const text = read(name, 'main.tf.json');
    expect(Object.keys(mainOf(name)).sort()).toEqual(['data', 'module', 'moved', 'removed', 'resource']);
    expect(text).not.toMatch(/Z\w+Z|TfToken|precise-ttl-(module|functions)-|"\/\/"/);
    expect(read(name, 'versions.tf')).toContain('version = ">= 6.25, < 7.0"');
  });

  test('uses every variable and every local that it has, and no others', () => {
    const main = read(name, 'main.tf.json');
    const locals = read(name, 'locals.tf');
    const variables = read(name, 'variables.tf');
    const used = (kind: string, text: string) =>
      [...new Set([...text.matchAll(new RegExp(`\\b${kind}\\.(\\w+)`, 'g'))].map(([, each]) => each))].sort();
    const declared = (text: string, pattern: RegExp) =>
      [...text.matchAll(pattern)].map(([, each]) => each).sort();
    expect(used('var', main + locals)).toEqual(declared(variables, /^variable "(\w+)"/gm));
    expect(used('local', main + locals)).toEqual(declared(locals, /^ {2}(\w+) =/gm));
  });

  test('has the archives that its functions name', () => {
    const functions: { filename: string }[] = Object.values(mainOf(name).resource.aws_lambda_function);
    expect(functions).toHaveLength(4);
    for (const { filename } of functions) {
      const archive = filename.replace('${path.module}', join(folder, name));
      expect(Object.keys(unzipSync(readFileSync(archive)))).toContain('index.mjs');
    }
  });

  test('names no document that is not beside it', () => {
    for (const file of ['main.tf.json', 'created-tables/main.tf.json']) {
      // The alarms and the dashboard name the runbook where it is, for whoever is told of one.
      expect(read(name, file)).not.toMatch(
        /(?<!https:\/\/github\.com\/precise-ttl\/precise-ttl\/blob\/main\/)docs\//,
      );
    }
    expect(read(name, 'created-tables/main.tf.json')).toContain(
      "README.md of the module, 'Tables are never deleted'",
    );
  });

  test('everything that it makes is in an output, but for policies, which have no ARN', () => {
    const outputs = read(name, 'outputs.tf');
    const resources = Object.entries(mainOf(name).resource as Record<string, object>)
      .filter(([type]) => !['aws_iam_role_policy', 'aws_sns_topic_policy'].includes(type))
      .flatMap(([type, named]) => Object.keys(named).map(id => `${type}.${id}`));
    expect(resources.filter(address => !new RegExp(`\\b${address}\\b`).test(outputs))).toEqual([]);
  });

  test('its README lists every input and every output', () => {
    const readme = read(name, 'README.md');
    for (const [, input] of read(name, 'variables.tf').matchAll(/^variable "(\w+)"/gm)) {
      expect(readme).toContain(`<a name="input_${input}"></a>`);
    }
    for (const [, output] of read(name, 'outputs.tf').matchAll(/^output "(\w+)"/gm)) {
      expect(readme).toContain(`<a name="output_${output}"></a>`);
    }
  });
});

test('the index and what is remembered of it depend on the way', () => {
  const { module, resource } = mainOf('new-table');
  expect(resource.aws_dynamodb_table.table.global_secondary_index).toEqual([
    {
      name: '${local.index_name}',
      hash_key: '${var.indexed_by == "window" ? var.window_attribute : var.ttl_attribute}',
      range_key: '${var.indexed_by == "window" ? var.ttl_attribute : null}',
      projection_type: 'KEYS_ONLY',
    },
  ]);
  expect(module.created_tables.created.table).toMatchObject({
    indexName: '${local.index_name}',
    windowAttribute: '${var.indexed_by == "window" ? var.window_attribute : null}',
  });
  for (const { environment } of Object.values<{ environment: { variables: object } }>(
    resource.aws_lambda_function,
  )) {
    expect(environment.variables).toMatchObject({
      INDEXED_BY: '${var.indexed_by}',
      SHARDS: '${var.shards}',
      POLL_SECONDS: '${local.poll_seconds}',
    });
  }
});

test('whether the sweep is enabled decides how many schedules there are, and Terraform leaves a pause as it is', () => {
  const { schedules_tick: tick, schedules_reconcile: reconcile } =
    mainOf('new-table').resource.aws_scheduler_schedule;
  expect(tick.count).toBe('${var.enabled ? 1 : 0}');
  expect(reconcile.for_each).toBe(
    '${{ for name, part in local.reconcile_parts : name => part if var.enabled }}',
  );
  for (const schedule of [tick, reconcile]) {
    expect(schedule).toMatchObject({
      state: 'ENABLED',
      lifecycle: { ignore_changes: ['state', 'start_date'] },
    });
  }
});

test.each(MODULES)(
  'the functions of %s know the hold and the grace, and only those that look for work may read what is held',
  name => {
    const { aws_lambda_function, aws_iam_role_policy } = mainOf(name).resource;
    for (const { environment } of Object.values<{ environment: { variables: object } }>(
      aws_lambda_function,
    )) {
      expect(environment.variables).toMatchObject({
        HOLD_ATTRIBUTE: '${local.hold_attribute}',
        GRACE_SECONDS: '${var.grace_seconds}',
        DELETE_MODE: '${var.delete_mode}',
      });
    }
    const onHold = Object.entries<{ policy: string }>(aws_iam_role_policy).flatMap(([id, { policy }]) =>
      [...policy.matchAll(/%\{ if var\.hold_attribute != null \}(.*?)%\{ endif \}/g)].map(([, text]) => [
        id,
        text,
      ]),
    );
    expect(onHold).toEqual([
      ['plan_sweep_role_policy', expect.stringContaining('"Action":["dynamodb:BatchGetItem"]')],
      ['query_expired_role_policy', expect.stringContaining('"Action":["dynamodb:BatchGetItem"]')],
    ]);
  },
);

test('either turns native TTL off: of a new table, and in what is asked of an existing one', () => {
  expect(read('new-table', 'locals.tf')).toContain(
    '  refuses_native_ttl = var.hold_attribute != null || var.grace_seconds > 0\n',
  );
  expect(mainOf('new-table').resource.aws_dynamodb_table.table.ttl).toEqual({
    attribute_name: '${var.ttl_attribute}',
    enabled: '${!local.refuses_native_ttl}',
  });
  const conditions: { condition: string; error_message: string }[] =
    mainOf('existing-table').data.aws_dynamodb_table.table.lifecycle.postcondition;
  const asked = conditions.flatMap(({ condition, error_message }) => {
    const [, term] = /^\$\{(!?local\.refuses_native_ttl) \? .*ttl.* : true\}$/.exec(condition) ?? [];
    return term ? [[term, error_message.replace(/^Table [^:]*: (.*?)\. .*$/, '$1')]] : [];
  });
  expect(asked).toEqual([
    ['local.refuses_native_ttl', 'native TTL is not DISABLED'],
    ['!local.refuses_native_ttl', 'native TTL is not on the attribute ${var.ttl_attribute}'],
    ['!local.refuses_native_ttl', 'native TTL on ${var.ttl_attribute} is not ENABLED yet'],
  ]);
  // In the words of the module.
  expect(conditions.map(({ error_message }) => error_message).join()).not.toMatch(
    /holdAttribute|graceSeconds/,
  );
});

describe.each(MODULES)('what there is of monitoring in %s', name => {
  const block = (type: string, id: string) => mainOf(name).resource[type][id];

  test.each(MODULE_ALARMS)('the alarm %s is there, and set, by variables', alarm => {
    const key = kebab(alarm).replaceAll('-', '_');
    expect(block('aws_cloudwatch_metric_alarm', `alarms_${key}`)).toMatchObject({
      count: `\${local.alarms.${key}.is_made ? 1 : 0}`,
      alarm_name: `\${local.name}-${kebab(alarm)}`,
      threshold: alarm === 'noSweep' ? 1 : `\${local.alarms.${key}.threshold}`,
      ...(alarm === 'noSweep'
        ? {
            evaluation_periods: 2,
            metric_query: [
              expect.objectContaining({ return_data: true }),
              {
                id: 'beats',
                metric: expect.objectContaining({ period: '${local.alarms.no_sweep.periods * 60}' }),
              },
            ],
          }
        : { evaluation_periods: `\${local.alarms.${key}.periods}` }),
      alarm_actions: ['${var.alarm_topic != null ? var.alarm_topic.arn : aws_sns_topic.alarms_topic.arn}'],
      tags: '${var.tags}',
    });
    const exists = {
      noSweep: 'var.enabled',
      itemsFailed: 'var.metrics == "all"',
      shardsFailed: 'var.metrics == "all"',
      overdue: 'var.metrics == "all"',
    };
    expect(read(name, 'locals.tf')).toMatch(
      new RegExp(
        `^ {4}${key} += \\{.* exists = ${(exists as Record<string, string>)[alarm] ?? 'true'} \\}$`,
        'm',
      ),
    );
  });

  test('the topic is there whatever is told, so that no variable takes its subscriptions away', () => {
    for (const each of [
      block('aws_sns_topic', 'alarms_topic'),
      block('aws_sns_topic_policy', 'alarms_topic_policy'),
    ]) {
      expect(each).not.toHaveProperty('count');
    }
  });

  test('the dashboard has what the metrics have', () => {
    const { count, dashboard_body } = block('aws_cloudwatch_dashboard', 'dashboard');
    expect(count).toBe('${var.dashboard ? 1 : 0}');
    const [, all, essential] =
      /^%\{ if var\.metrics == "all" \}(.*)%\{ else \}(.*)%\{ endif \}$/s.exec(dashboard_body) ?? [];
    expect(all).toContain('"ItemsDeleted"');
    expect(essential).not.toContain('"ItemsDeleted"');
    for (const body of [all, essential]) {
      expect(body).toContain('"${var.metrics_namespace}","DeletionLag"');
      expect(body).toContain('"value":${local.alarms.deletion_lag.threshold}');
      expect(body).toContain('%{ if local.has_alarms },{"type":"alarm"');
    }
    for (const lambda of Object.values<{ environment: { variables: object } }>(
      mainOf(name).resource.aws_lambda_function,
    )) {
      expect(lambda.environment.variables).toMatchObject({ METRICS: '${var.metrics}' });
    }
  });
});

/** Whoever applied an earlier version has these in a state: another address makes the thing anew. */
const FUNCTIONS = ['plan_sweep', 'query_expired', 'delete_chunk', 'record_metrics'];
const ADDRESSES = [
  ...FUNCTIONS.flatMap(name => [
    `aws_lambda_function.${name}_function`,
    `aws_cloudwatch_log_group.${name}_logs`,
    `aws_iam_role.${name}_role`,
    `aws_iam_role_policy.${name}_role_policy`,
  ]),
  'aws_cloudwatch_log_group.sweep_logs',
  'aws_iam_role.sweep_role',
  'aws_iam_role_policy.sweep_role_policy',
  'aws_sfn_state_machine.sweep_machine',
  'aws_iam_role.schedules_role',
  'aws_iam_role_policy.schedules_role_policy',
  'aws_scheduler_schedule_group.schedules_group',
  'aws_scheduler_schedule.schedules_tick',
  'aws_scheduler_schedule.schedules_reconcile',
  'aws_sqs_queue.schedules_dead_letters',
  ...MODULE_ALARMS.map(alarm => `aws_cloudwatch_metric_alarm.alarms_${kebab(alarm).replaceAll('-', '_')}`),
  'aws_sns_topic.alarms_topic',
  'aws_sns_topic_policy.alarms_topic_policy',
  'aws_cloudwatch_dashboard.dashboard',
];

test('the addresses stay what they are, and the table is at the same one in both modules', () => {
  const addresses = (name: string) =>
    Object.entries(mainOf(name).resource as Record<string, object>).flatMap(([type, named]) =>
      Object.keys(named).map(id => `${type}.${id}`),
    );
  expect(addresses('existing-table').sort()).toEqual([...ADDRESSES].sort());
  expect(addresses('new-table').sort()).toEqual([...ADDRESSES, 'aws_dynamodb_table.table'].sort());
  expect(mainOf('existing-table').removed).toEqual([
    { from: 'aws_dynamodb_table.table', lifecycle: [{ destroy: false }] },
  ]);
  expect(mainOf('existing-table').moved).toEqual([
    {
      from: 'module.created_tables.terraform_data.created["table"]',
      to: 'module.created_tables.terraform_data.released["table"]',
    },
  ]);
  expect(mainOf('new-table').resource.aws_dynamodb_table.table.lifecycle.prevent_destroy).toBe(true);
  for (const name of MODULES) {
    expect(mainOf(name).module.created_tables).toMatchObject({
      running: {},
      stopped: {
        table: '${aws_sfn_state_machine.sweep_machine.name} in ${data.aws_region.place_region.region}',
      },
      held: '${setunion(var.hold_attribute == null ? [] : [var.hold_attribute], var.releases_holds_of)}',
    });
  }
});
