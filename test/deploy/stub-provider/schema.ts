import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A type as Terraform's protocol has it: `string`, `["list", "string"]`, `["set", ["object", {…}]]`. */
type TypeName = string | readonly [string, TypeName | Readonly<Record<string, TypeName>>];

interface AttributeSchema {
  readonly type: TypeName;
  readonly required?: true;
  readonly optional?: true;
  readonly computed?: true;
}

interface BlockSchema {
  readonly attributes: Readonly<Record<string, AttributeSchema>>;
  readonly blocks?: Readonly<Record<string, NestedBlock>>;
}

interface NestedBlock extends BlockSchema {
  readonly nesting: string;
  readonly min?: number;
  readonly max?: number;
}

type Kind = 'resource' | 'data';
type Schema = Readonly<Record<Kind, Readonly<Record<string, BlockSchema>>>>;

/** What provider/rules.json has of types. */
export type TypeRules = Readonly<Record<Kind, Readonly<Record<string, unknown>>>>;

/** How the bindings name the type of an attribute that can be set. */
const SETTABLE: Readonly<Record<string, TypeName>> = {
  string: 'string',
  number: 'number',
  boolean: 'bool',
  stringList: ['list', 'string'],
  stringMap: ['map', 'string'],
  numberList: ['list', 'number'],
};

/** How they name the getter of an attribute that can only be read. */
const READABLE: Readonly<Record<string, TypeName>> = {
  String: 'string',
  Number: 'number',
  Boolean: 'bool',
  List: ['list', 'string'],
  StringMap: ['map', 'string'],
};

/**
 * The schema of the AWS provider, for the types that the rules name, as far as the generated bindings know it.
 *
 * The bindings are generated from `terraform providers schema`. They keep of each attribute its type, whether it is required and
 * whether it is computed only, and of each block its nesting. They lose what is optional and computed, defaults, ForceNew
 * and validators: the rules add those.
 * @param bindings the folder of `@cdktf/provider-aws`
 * @throws Error if the bindings have no such type
 */
export function schemaOfBindings(bindings: string, rules: TypeRules): Schema {
  const blocks = (kind: Kind) =>
    Object.fromEntries(
      Object.keys(rules[kind])
        .sort()
        .map(type => [type, blockOf(bindings, kind, type)]),
    );
  return { resource: blocks('resource'), data: blocks('data') };
}

/** The version of the AWS provider that the bindings were generated from. */
export function providerVersion(bindings: string): string {
  const { cdktf } = JSON.parse(readFileSync(join(bindings, 'package.json'), 'utf8'));
  return cdktf.provider.version;
}

function blockOf(bindings: string, kind: Kind, type: string): BlockSchema {
  const folder = kind === 'data' ? `data-${type}` : type.replace(/^aws_/, '');
  const base = join(bindings, 'lib', folder.replaceAll('_', '-'), 'index');
  const generated = { code: readFileSync(`${base}.js`, 'utf8'), types: readFileSync(`${base}.d.ts`, 'utf8') };
  const main = /^class (\w+) extends cdktf\.Terraform(?:Resource|DataSource)/m.exec(generated.code)?.[1];
  if (main === undefined) throw new Error(`No class of ${kind} ${type} in ${base}.js`);
  const classText = section(generated.code, new RegExp(`^class ${main} extends`, 'm'));
  return new Extraction(generated).block(classText, `${main}Config`, classText);
}

/** From the first match to the line that is only a closing brace. */
function section(text: string, begin: RegExp): string {
  const from = text.search(begin);
  return from < 0 ? '' : text.slice(from, text.indexOf('\n}', from));
}

class Extraction {
  readonly #code: string;
  readonly #types: string;

  constructor({ code, types }: { readonly code: string; readonly types: string }) {
    this.#code = code;
    this.#types = types;
  }

  /**
   * @param settable text with the attributes and blocks that can be set
   * @param config the interface that says which of them are required
   * @param readable the class with the attributes that can only be read
   */
  block(settable: string, config: string, readable: string): BlockSchema {
    const attributes: Record<string, AttributeSchema> = {};
    const blocks: Record<string, NestedBlock> = {};
    const properties = section(this.#types, new RegExp(`^export interface ${config} `, 'm'));
    const entry =
      /(\w+): \{\s+value: (.+),\s+isBlock: (true|false),\s+type: "(\w+)",\s+storageClassType: "(\w+)",/g;
    for (const [, name = '', value = '', isBlock, nesting = '', storage = ''] of settable.matchAll(entry)) {
      const required = new RegExp(`readonly ${camelCase(name)}: `).test(properties);
      if (isBlock === 'false') {
        const type = SETTABLE[storage];
        if (type === undefined) throw new Error(`${config}.${name}: what is ${storage}?`);
        const isSet = typeof type !== 'string' && nesting === 'set';
        attributes[name] = {
          type: isSet ? ['set', type[1]] : type,
          ...(required ? { required } : { optional: true }),
        };
        continue;
      }
      const struct = storage.replace(/List$/, '');
      const isSingle = nesting === 'struct';
      blocks[name] = {
        nesting: isSingle ? 'single' : nesting,
        ...(isSingle || value.includes('listMapperHcl(') ? {} : { max: 1 }),
        ...(required ? { min: 1 } : {}),
        ...this.block(
          section(
            this.#code,
            new RegExp(`^function ${struct.charAt(0).toLowerCase()}${struct.slice(1)}ToHclTerraform`, 'm'),
          ),
          struct,
          this.#outputOf(struct),
        ),
      };
    }
    for (const [, name = ''] of readable.matchAll(
      /\/\/ (\w+) - computed: true, optional: false, required: false/g,
    )) {
      if (!(name in attributes) && !(name in blocks)) {
        attributes[name] = { type: this.#computedType(readable, name), computed: true };
      }
    }
    return { attributes, ...(Object.keys(blocks).length > 0 && { blocks }) };
  }

  #outputOf(struct: string): string {
    return section(this.#code, new RegExp(`^class ${struct}OutputReference`, 'm'));
  }

  #computedType(classText: string, name: string): TypeName {
    const [, struct, isSet] =
      new RegExp(`new (\\w+)List\\(this, "${name}", (true|false)\\)`).exec(classText) ?? [];
    if (struct !== undefined) {
      const { attributes } = this.block('', '-', this.#outputOf(struct));
      const fields = Object.entries(attributes).map(([field, { type }]) => [field, type] as const);
      return [isSet === 'true' ? 'set' : 'list', ['object', Object.fromEntries(fields)]];
    }
    if (classText.includes(`new cdktf.StringMap(this, "${name}")`)) return ['map', 'string'];
    const [, fromSet, getter = ''] =
      new RegExp(`(tolist\\()?this\\.get(\\w+)Attribute\\('${name}'\\)`).exec(classText) ?? [];
    const type = READABLE[getter];
    if (type === undefined) throw new Error(`No type of the attribute ${name}`);
    return fromSet === undefined || typeof type === 'string' ? type : ['set', type[1]];
  }
}

function camelCase(snakeCase: string): string {
  return snakeCase.replace(/_+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
