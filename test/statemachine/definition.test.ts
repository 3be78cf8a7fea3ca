import { getLanguageService } from 'amazon-states-language-service';
import aslValidator from 'asl-validator';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { TASKS } from '../../statemachine/contract.ts';
import { configOf, definitionOf, SESSION_DATA, terraformJson } from '../support/synthesized.ts';

const { definition, asl } = definitionOf(terraformJson(configOf(SESSION_DATA)));

async function diagnose(text: string): Promise<string[]> {
  const service = getLanguageService({});
  const document = TextDocument.create('file://sweep.asl.json', 'json', 1, text);
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ message, range }) => `line ${range.start.line}: ${message}`);
}

describe('the synthesized definition', () => {
  test('passes asl-validator', () => {
    expect(aslValidator(asl)).toMatchObject({ isValid: true, errors: [] });
  });

  test('passes the Amazon States Language service', async () => {
    expect(await diagnose(JSON.stringify(asl, null, 2))).toEqual([]);
  });

  test('fails both once a state leads nowhere', async () => {
    const broken = definition.replace('"Next":"SweepShards"', '"Next":"Nowhere"');
    expect(broken).not.toBe(definition);
    expect(aslValidator(JSON.parse(broken)).isValid).toBe(false);
    expect(await diagnose(broken)).not.toEqual([]);
  });

  test('holds nothing that Terraform would take for a template', () => {
    expect(definition).not.toMatch(/\$\{|%\{/);
  });

  test('has a state of its own name for every function', () => {
    for (const [task, file] of Object.entries(TASKS)) {
      expect(definition).toContain(`"${task}":{"Type":"Task"`);
      expect(definition).toContain(`function:${file}"`);
    }
  });

  test('leaves no child to a Retry, which does not look at the time that the child has left', () => {
    const { SweepShards } = asl['States'] as { SweepShards: object };
    expect(JSON.stringify(SweepShards)).not.toContain('"Retry"');
  });
});
