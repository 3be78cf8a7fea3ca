// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are what is tested
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { functionArn, HarnessError, InvalidDefinitionError, stateMachine } from '../../src/testing/index.ts';
import { definitionOf, task } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const named = definitionOf({
  A: { Type: 'Pass', Output: '{% $states.context.StateMachine.Name %}', End: true },
});
const placeholders = definitionOf({
  A: task('unused', { Resource: '${ChargeArn}', Next: 'B' }),
  B: { Type: 'Pass', Output: { text: '${Text}', name: '{% "${Text}" %}' }, End: true },
});

describe('a file', () => {
  test('gives its name to the state machine', async () => {
    const file = write('orders.asl.json', named);
    expect((await stateMachine.fromFile(file).run()).output).toBe('orders');
    expect((await stateMachine.fromFile(pathToFileURL(file)).run()).output).toBe('orders');
    expect((await stateMachine.fromFile(file, { name: 'other' }).run()).output).toBe('other');
  });

  test('a name that is not allowed is not taken', () => {
    expect(stateMachine.fromFile(write('a b.json', named)).name).toBe('StateMachine');
  });

  test('that is not there', () => {
    const load = () => stateMachine.fromFile('nowhere.asl.json');
    expect(load).toThrow(HarnessError);
    expect(load).toThrow(
      /^fromFile: expected a file that can be read, from the folder .*; ENOENT.*nowhere\.asl\.json/,
    );
  });

  test('that holds no definition', () => {
    expect(() => stateMachine.fromFile(write('wrong.json', '{'))).toThrow(InvalidDefinitionError);
  });
});

describe('placeholders', () => {
  const file = write('template.asl.json', placeholders);

  test('are replaced', async () => {
    const substitutions = { ChargeArn: functionArn('Charge'), Text: 'a "quoted"\nline' };
    const machine = stateMachine.fromFile(file, { substitutions: { ...substitutions, Text: 'plain' } });
    const execution = await machine.run({ functions: { Charge: 1 } });
    expect(execution.output).toEqual({ text: 'plain', name: 'plain' });
  });

  test('of any text, inside JSON', async () => {
    const definition = definitionOf({ A: { Type: 'Succeed', Output: '${Text}' } });
    const text = 'a "quoted"\\ line\n';
    const machine = stateMachine.from(definition, { substitutions: { Text: text } });
    expect((await machine.run()).output).toBe(text);
  });

  test('without a value are named', () => {
    expect(() => stateMachine.fromFile(file, { substitutions: { Text: 'x' } })).toThrow(
      `${file} has \${ChargeArn}; give values: substitutions: { ChargeArn: functionArn('…') }`,
    );
    expect(() => stateMachine.from(placeholders)).toThrow(
      "the definition has ${ChargeArn}, ${Text}; give values: substitutions: { ChargeArn: functionArn('…'), Text: functionArn('…') }",
    );
  });

  test('that are not there are named', () => {
    expect(() => stateMachine.from(named, { substitutions: { Chrage: 'x' } })).toThrow(
      'substitutions: expected names that stand in the definition as ${Name}, got Chrage',
    );
  });

  test("JSONata's own braces are none", async () => {
    const definition = definitionOf({
      A: { Type: 'Succeed', Output: '{% $states.input.items.${"k": v} %}' },
    });
    expect((await stateMachine.from(definition).run({ input: { items: [{ v: 1 }] } })).output).toEqual({
      k: 1,
    });
  });
});
