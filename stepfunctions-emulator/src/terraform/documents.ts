import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../interpreter/json.ts';
import { TerraformError } from './errors.ts';
import type { TerraformJson } from './references.ts';

/** One Terraform configuration. */
export interface TerraformDocument {
  /** The file or folder that it was read from. */
  readonly source: string;
  readonly content: TerraformJson;
}

const HCL = 'Terraform in JSON is read here, not HCL: name a cdk.tf.json, or what else was synthesized';

/**
 * Reads a Terraform JSON file, all files of a folder, or every stack in CDKTF's output folder.
 * @throws {TerraformError}
 */
export function readDocuments(path: string): readonly TerraformDocument[] {
  if (!existsSync(path)) {
    throw new TerraformError(`${path}: expected a Terraform JSON file or a folder with some, got nothing`);
  }
  if (!statSync(path).isDirectory()) {
    if (path.endsWith('.tf')) throw new TerraformError(`${path}: ${HCL}`);
    return [{ source: path, content: readJson(path) }];
  }
  const manifest = join(path, 'manifest.json');
  if (existsSync(manifest)) return stacksOf(path, readJson(manifest));
  return [readFolder(path)];
}

function stacksOf(folder: string, { stacks }: TerraformJson): readonly TerraformDocument[] {
  return Object.values(isObject(stacks) ? stacks : {}).map(stack => {
    const file = join(folder, String(isObject(stack) ? stack['synthesizedStackPath'] : undefined));
    return { source: file, content: readJson(file) };
  });
}

/** The files of a folder are one configuration, as they are for Terraform. */
function readFolder(folder: string): TerraformDocument {
  const files = readdirSync(folder).filter(name => name.endsWith('.tf.json'));
  if (files.length === 0) {
    const hcl = readdirSync(folder).some(name => name.endsWith('.tf'));
    throw new TerraformError(`${folder}: ${hcl ? HCL : 'expected files that end in .tf.json, got none'}`);
  }
  let content: TerraformJson = {};
  for (const file of files.sort()) content = merge(content, readJson(join(folder, file)));
  return { source: folder, content };
}

function merge(one: TerraformJson, other: TerraformJson): TerraformJson {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : (value ?? before);
  }
  return merged;
}

function readJson(file: string): TerraformJson {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new TerraformError(`${file}: expected Terraform in JSON, got ${(error as Error).message}`);
  }
  if (isObject(value)) return value;
  throw new TerraformError(`${file}: expected an object, got ${JSON.stringify(value)?.slice(0, 80)}`);
}
