// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { App } from 'cdktf';
import { expression, hcl, quoted, withOpenings } from '../../config/values.ts';
import { AWS_PROVIDER, TERRAFORM_VERSION, withoutDeprecations } from '../app.ts';
import { brokenDeploymentRules } from './deployment-rules.ts';
import { type Block, block, formatted } from './hcl-text.ts';
import { type Local, localsBlock } from './locals.ts';
import {
  brokenRulesLocal,
  environmentsLocal,
  holdsLocal,
  ModuleStack,
  settingsLocal,
  tablesLocal,
} from './module-stack.ts';
import { deploymentLocal, partArguments, partVariables } from './part-variables.ts';
import { PART_NAMES, PARTS, type PartName } from './parts.ts';
import { type Output, partReadme, readme } from './readme.ts';
import { alarmsLocal, type Variable, variables } from './variables.ts';
import { type SharedScope, vpcLocal } from './written-stack.ts';

/** The handwritten files of the module: its examples and their tests. */
const FILES = join(import.meta.dirname, 'files');

/** The file for the resources of each path; all other resources belong to functions. */
const SUBJECTS: readonly (readonly [beginning: RegExp, file: string])[] = [
  [/^journal/, 'journal.tf'],
  [/^(sweep|replay)_/, 'state-machines.tf'],
  [/^schedules/, 'schedules.tf'],
  [/^alarms/, 'alarms.tf'],
  [/^dashboard/, 'dashboard.tf'],
  [/^held/, 'holds.tf'],
];

interface Synthesized {
  readonly resource: Readonly<Record<string, Readonly<Record<string, Block>>>>;
  readonly data?: Synthesized['resource'];
  readonly output: Readonly<Record<string, Output>>;
}

/** A module to write, from a stack that is synthesized in a folder. */
interface Source {
  readonly stack: string;
  readonly json: Synthesized;
}

/** The lines of each file, by file name. */
type Files = Map<string, string[]>;

/** Writes the Terraform module from one synthesis of the constructs. @param folder folder that is emptied first */
export function writeTerraformModule(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(FILES, folder, { recursive: true });
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));
  const sourceOf = (name: string): Source => {
    const stack = join(outdir, 'stacks', name);
    return { stack, json: JSON.parse(withOpenings(readFileSync(join(stack, 'cdk.tf.json'), 'utf8'))) };
  };
  try {
    const app = new App({ outdir, skipValidation: true });
    new ModuleStack(app, 'module');
    for (const part of PART_NAMES) new PARTS[part].Stack(app, part);
    withoutDeprecations(() => app.synth());
    const parts = PART_NAMES.map(part => writePart(folder, part, sourceOf(part)));
    writeWhole(folder, sourceOf('module'), parts);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The call of a part's module, and the data on the part that the whole module needs. */
interface WrittenPart {
  readonly part: PartName;
  readonly hasAlarms: boolean;
  readonly call: string;
  readonly text: string;
}

function writePart(whole: string, part: PartName, source: Source): WrittenPart {
  const folder = join(whole, 'modules', part);
  const files = filesOf(folder, source, 'var.deployment', () => 'main.tf');
  const resources = textOf(files);
  const used = [...PARTS[part].locals, alarmArns(source.json), vpcEntry('var.deployment')].filter(
    ({ name }) => new RegExp(`\\blocal\\.${name}\\b`).test(resources),
  );
  files.set('main.tf', [...localsBlock(used), ...(files.get('main.tf') ?? [])]);
  const variables = partVariables(textOf(files));
  files.set('variables.tf', variables.map(variableBlock));
  files.set('README.md', [partReadme(part, PARTS[part].text, variables, source.json.output)]);
  writeFiles(folder, files);
  const call = `module "${part}" {
source = "./modules/${part}"
for_each = { for key, t in local.tables : key => t if ${PARTS[part].condition} }

${partArguments(variables).join('\n')}
}`;
  return { call, text: textOf(files), hasAlarms: 'alarm_arns' in source.json.output, part };
}

function writeWhole(folder: string, source: Source, parts: readonly WrittenPart[]): void {
  const files = filesOf(folder, source, 'var', name => {
    const [, file = 'functions.tf'] = SUBJECTS.find(([beginning]) => beginning.test(name)) ?? [];
    return file;
  });
  const topicArn = hcl(source.json.output['alarm_topic_arn']?.value);
  const withNames = (text: string) => withPlaces(text).replaceAll(topicArn, 'local.alarm_topic_arn');
  for (const [file, texts] of files) files.set(file, texts.map(withNames));
  const entries = wholeLocals(source.json, topicArn, parts);
  files.set('main.tf', [
    ...localsBlock(entries),
    ...(files.get('main.tf') ?? []),
    ...parts.map(({ call }) => call),
  ]);
  files.set(
    'rules.tf',
    localsBlock([
      {
        comment: 'What is wrong between settings that are each fine: the state machine of the ticks asks.',
        name: 'broken_rules',
        value: `concat(\n${[brokenRulesLocal(), ...brokenDeploymentRules()].join(',\n')}\n)`,
      },
    ]),
  );
  const all = variables();
  files.set('variables.tf', all.map(variableBlock));
  files.set('README.md', [readme(all, source.json.output)]);
  writeFiles(folder, files);
}

const textOf = (files: Files) => [...files.values()].flat().join('\n\n');

function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, texts] of files) {
    const text = texts.join('\n\n');
    writeFileSync(join(folder, file), file.endsWith('.tf') ? formatted(text) : text);
  }
}

/**
 * The files that are generated from the stack: its data sources, its resources and its outputs. @param fileOf returns the file of a
 * resource
 */
function filesOf(
  folder: string,
  { stack, json: { resource, data = {}, output } }: Source,
  scope: SharedScope,
  fileOf: (name: string) => string,
): Files {
  const files: Files = new Map();
  const add = (file: string, text: string) => files.set(file, [...(files.get(file) ?? []), text]);
  add('versions.tf', versions());
  for (const [type, blocks] of Object.entries(data)) {
    for (const [name, content] of Object.entries(blocks))
      add('main.tf', block(`data "${type}" "${name}"`, content));
  }
  for (const [type, blocks] of Object.entries(resource)) {
    for (const [name, content] of Object.entries(blocks)) {
      const all = withDynamicBlocks(withArchive(content, folder, stack), scope);
      add(fileOf(name), block(`resource "${type}" "${name}"`, all));
    }
  }
  for (const [name, { description, value }] of Object.entries(output)) {
    add('outputs.tf', block(`output "${name}"`, { description, value: String(expression(hcl(value))) }));
  }
  const counted = Object.entries(resource).flatMap(([type, blocks]) =>
    Object.entries(blocks).flatMap(([name, { count }]) => (count === undefined ? [] : [`${type}.${name}`])),
  );
  for (const [file, texts] of files)
    files.set(
      file,
      texts.map(text => withCounted(text, counted)),
    );
  return files;
}

/** Blocks that exist only with a certain setting. */
const OPTIONAL_BLOCKS: Readonly<Record<string, string>> = {
  vpc_config: 'vpc',
  server_side_encryption: 'kms_key_arn',
};

function withDynamicBlocks(content: Block, scope: SharedScope): Block {
  return Object.fromEntries(
    Object.entries(content).map(([name, each]) => {
      const setting = OPTIONAL_BLOCKS[name];
      return setting === undefined
        ? [name, each]
        : [`dynamic "${name}"`, { for_each: `\${${scope}.${setting}[*]}`, content: each }];
    }),
  );
}

/** The parts of ARNs, by their names in `local.place`. */
const PLACES: readonly (readonly [name: string, term: string])[] = [
  ['account', 'data.aws_caller_identity.place_identity.account_id'],
  ['partition', 'data.aws_partition.place_partition.partition'],
  ['region', 'data.aws_region.place_region.region'],
  ['dns_suffix', 'data.aws_partition.place_partition.dns_suffix'],
];

function withPlaces(text: string): string {
  return PLACES.reduce((result, [name, term]) => result.replaceAll(term, `local.place.${name}`), text);
}

/** Replaces references to resources with `count` by splats. */
function withCounted(text: string, counted: readonly string[]): string {
  return counted.reduce(
    (result, address) =>
      result.replaceAll(new RegExp(`${address.replace('.', '\\.')}\\.(\\w+)`, 'g'), `one(${address}[*].$1)`),
    text,
  );
}

/** Replaces the path of a function's archive: in the module it is named by its hash. */
function withArchive(content: Block, folder: string, stack: string): Block {
  const { filename, source_code_hash: hash } = content;
  if (typeof filename !== 'string') return content;
  const archive = `functions/${basename(filename, '.zip')}-${String(hash).slice(0, 8).toLowerCase()}.zip`;
  mkdirSync(dirname(join(folder, archive)), { recursive: true });
  copyFileSync(join(stack, filename), join(folder, archive));
  return { ...content, filename: `\${path.module}/${archive}` };
}

function vpcEntry(scope: SharedScope): Local {
  return { comment: 'Empty lists are no VPC.', name: 'vpc', value: vpcLocal(scope) };
}

/** The local value with the ARNs of the alarms, each of which may or may not exist. */
function alarmArns({ resource }: Synthesized, parts: readonly PartName[] = []): Local {
  const arns = [
    ...Object.keys(resource['aws_cloudwatch_metric_alarm'] ?? {}).map(
      name => `  aws_cloudwatch_metric_alarm.${name}[*].arn,`,
    ),
    ...parts.map(part => `  flatten([for each in module.${part} : each.alarm_arns]),`),
  ];
  return {
    comment: 'The alarms that there are.',
    name: 'alarm_arns',
    value: `concat(\n${arns.join('\n')}\n)`,
  };
}

function wholeLocals(whole: Synthesized, topicArn: string, parts: readonly WrittenPart[]): Local[] {
  const place = PLACES.map(([name, term]) => `  ${name} = ${term}`).join('\n');
  return [
    { comment: 'What ARNs are made of.', name: 'place', value: `{\n${place}\n}` },
    {
      comment: 'The tables, with every default that is made of other settings.',
      name: 'tables',
      value: tablesLocal(),
    },
    {
      comment: 'The settings that an execution carries of each table.',
      name: 'settings',
      value: settingsLocal(),
    },
    {
      comment: "The same as environment variables of each table's own functions.",
      name: 'environments',
      value: environmentsLocal(),
    },
    {
      comment: "What a table's own functions share with those of the deployment.",
      name: 'deployment',
      value: deploymentLocal(parts.map(({ text }) => text)),
    },
    {
      comment: 'The attributes that hold items, or held some: a plan that forgets one is refused.',
      name: 'holds',
      value: holdsLocal(),
    },
    { comment: 'Without an alarm there is nothing set of it.', name: 'alarms', value: alarmsLocal() },
    { comment: 'The topic that the alarms tell.', name: 'alarm_topic_arn', value: topicArn },
    alarmArns(
      whole,
      parts.filter(({ hasAlarms }) => hasAlarms).map(({ part }) => part),
    ),
    vpcEntry('var'),
  ];
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
