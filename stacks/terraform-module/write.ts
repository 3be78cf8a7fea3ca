// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { App } from 'cdktf';
import { AWS_PROVIDER, TERRAFORM_VERSION, withoutDeprecations } from '../app.ts';
import { expression, hcl, quoted, withOpenings } from '../values.ts';
import { type Block, block, formatted } from './hcl-text.ts';
import {
  ModuleStack,
  partMinutesLocal,
  reconcileGroupsLocal,
  reconcilesLocal,
  settingsLocal,
  tablesLocal,
} from './module-stack.ts';
import { type Output, readme } from './readme.ts';
import { alarmsLocal, type Variable, variables } from './variables.ts';

/** What a person writes of the module: its examples and their tests. */
const FILES = join(import.meta.dirname, 'files');

/** In which file the resources of a path stand; the others are functions. */
const SUBJECTS: readonly (readonly [beginning: RegExp, file: string])[] = [
  [/^journal/, 'journal.tf'],
  [/^(sweep|replay)_/, 'state-machines.tf'],
  [/^schedules/, 'schedules.tf'],
  [/^alarms/, 'alarms.tf'],
  [/^dashboard/, 'dashboard.tf'],
];

interface Synthesized {
  readonly resource: Readonly<Record<string, Readonly<Record<string, Block>>>>;
  readonly data: Synthesized['resource'];
  readonly output: Readonly<Record<string, Output>>;
}

/** Writes the Terraform module, made of one synthesis of the constructs. @param folder it is made anew */
export function writeTerraformModule(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(FILES, folder, { recursive: true });
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));
  try {
    const app = new App({ outdir, skipValidation: true });
    new ModuleStack(app, 'module');
    withoutDeprecations(() => app.synth());
    const stack = join(outdir, 'stacks/module');
    const json = JSON.parse(withOpenings(readFileSync(join(stack, 'cdk.tf.json'), 'utf8'))) as Synthesized;
    writeModule(folder, json, stack);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function writeModule(folder: string, { resource, data, output }: Synthesized, stack: string): void {
  const all = variables();
  const files = new Map<string, string[]>();
  const add = (file: string, text: string) => files.set(file, [...(files.get(file) ?? []), text]);
  add('versions.tf', versions());
  add('main.tf', locals(resource));
  for (const [type, blocks] of Object.entries(data)) {
    for (const [name, content] of Object.entries(blocks))
      add('main.tf', block(`data "${type}" "${name}"`, content));
  }
  for (const [type, blocks] of Object.entries(resource)) {
    for (const [name, content] of Object.entries(blocks)) {
      const [, file = 'functions.tf'] = SUBJECTS.find(([beginning]) => beginning.test(name)) ?? [];
      add(
        file,
        block(`resource "${type}" "${name}"`, withDynamicBlocks(withArchive(content, folder, stack))),
      );
    }
  }
  for (const each of all) add('variables.tf', variableBlock(each));
  for (const [name, { description, value }] of Object.entries(output)) {
    add('outputs.tf', block(`output "${name}"`, { description, value: String(expression(hcl(value))) }));
  }
  const counted = Object.entries(resource).flatMap(([type, blocks]) =>
    Object.entries(blocks).flatMap(([name, { count }]) => (count === undefined ? [] : [`${type}.${name}`])),
  );
  for (const [file, texts] of files) {
    writeFileSync(
      join(folder, file),
      formatted(file === 'main.tf' ? texts.join('\n\n') : withCounted(texts.join('\n\n'), counted)),
    );
  }
  writeFileSync(join(folder, 'README.md'), readme(all, output));
}

/** Blocks that are there with a variable only. */
const OPTIONAL_BLOCKS: Readonly<Record<string, string>> = {
  vpc_config: '${var.vpc[*]}',
  server_side_encryption: '${var.kms_key_arn[*]}',
};

function withDynamicBlocks(content: Block): Block {
  return Object.fromEntries(
    Object.entries(content).map(([name, each]) => {
      const forEach = OPTIONAL_BLOCKS[name];
      return forEach === undefined
        ? [name, each]
        : [`dynamic "${name}"`, { for_each: forEach, content: each }];
    }),
  );
}

/** Short names of what ARNs are made of. */
const PLACES: readonly (readonly [name: string, term: string])[] = [
  ['account', 'data.aws_caller_identity.place_identity.account_id'],
  ['partition', 'data.aws_partition.place_partition.partition'],
  ['region', 'data.aws_region.place_region.region'],
];

/** What is there once or not at all is referred to by a splat. */
function withCounted(text: string, counted: readonly string[]): string {
  return counted.reduce(
    (result, address) =>
      result.replaceAll(new RegExp(`${address.replace('.', '\\.')}\\.(\\w+)`, 'g'), `one(${address}[*].$1)`),
    PLACES.reduce((result, [name, term]) => result.replaceAll(term, `local.${name}`), text),
  );
}

/** A function's archive lies beside the module, under its hash. */
function withArchive(content: Block, folder: string, stack: string): Block {
  const { filename, source_code_hash: hash } = content;
  if (typeof filename !== 'string') return content;
  const archive = `functions/${basename(filename, '.zip')}-${String(hash).slice(0, 8).toLowerCase()}.zip`;
  mkdirSync(dirname(join(folder, archive)), { recursive: true });
  copyFileSync(join(stack, filename), join(folder, archive));
  return { ...content, filename: `\${path.module}/${archive}` };
}

function locals(resource: Synthesized['resource']): string {
  const alarms = Object.keys(resource['aws_cloudwatch_metric_alarm'] ?? {}).map(
    name => `aws_cloudwatch_metric_alarm.${name}`,
  );
  const all: readonly (readonly [comment: string, name: string, value: string])[] = [
    ['The tables, with every default that is made of other settings.', 'tables', tablesLocal()],
    ['The settings that an execution carries of each table.', 'settings', settingsLocal()],
    ["Minutes that a part of a table's hourly reconcile reaches.", 'part_minutes', partMinutesLocal()],
    ['Tables that look back alike share their reconciles.', 'reconcile_groups', reconcileGroupsLocal()],
    ['The schedules of the reconciles.', 'reconciles', reconcilesLocal()],
    ['Without an alarm there is nothing set of it.', 'alarms', alarmsLocal()],
    [
      'The alarms that there are.',
      'alarm_arns',
      `concat(${alarms.map(each => `${each}[*].arn`).join(', ')})`.replace(
        /^concat\((.*)\)$/s,
        (_all, list: string) =>
          `concat(\n${list
            .split(', ')
            .map(each => `  ${each},`)
            .join('\n')}\n)`,
      ),
    ],
    [
      'Empty lists are no VPC.',
      'vpc',
      '{\n  subnet_ids = var.vpc == null ? [] : var.vpc.subnet_ids\n  security_group_ids = var.vpc == null ? [] : var.vpc.security_group_ids\n}',
    ],
  ];
  const place = PLACES.map(([name, term]) => `  ${name} = ${term}`).join('\n');
  const body = all.map(
    ([comment, name, value]) => `  # ${comment}\n${`${name} = ${value}`.replaceAll(/^(?=.)/gm, '  ')}`,
  );
  return `locals {\n${place}\n\n${body.join('\n\n')}\n}`;
}

function versions(): string {
  const { source, version } = AWS_PROVIDER;
  return `terraform {
  required_version = "${TERRAFORM_VERSION}"

  required_providers {
    aws = {
      source = "${source}"
      version = "${version}"
    }
  }
}`;
}

function variableBlock({ name, type, description, byDefault, validations }: Variable): string {
  const attributes = [
    `description = ${quoted(description)}`,
    `type = ${type}`,
    ...(byDefault === undefined ? [] : [`default = ${byDefault}`]),
    ...(byDefault === 'null' ? [] : ['nullable = false']),
  ];
  const blocks = validations.map(
    ({ condition, message }) =>
      `\n\n  validation {\n    condition = ${condition}\n    error_message = ${hcl(message)}\n  }`,
  );
  return `variable "${name}" {\n${attributes.join('\n').replaceAll(/^(?=.)/gm, '  ')}${blocks.join('')}\n}`;
}
