import { TASKS } from '../statemachine/contract.ts';
import { sweepDefinition } from '../statemachine/definition.ts';
import { mermaid } from '../statemachine/diagram.ts';
import type { FunctionArns } from '../statemachine/states.ts';

/** The page of docs/ that shows the state machine, drawn from the definition itself. */
export function diagramPage(): string {
  const definition = sweepDefinition(TASKS as FunctionArns, { shardConcurrency: 0, chunkConcurrency: 10 });
  const child = definition.States.SweepShards.ItemProcessor;
  return `# The state machine

\`npm run docs:diagram\` draws this page from the definition, and a test fails when it is out of date. The comments in
[definition.ts](../statemachine/definition.ts) and [child.ts](../statemachine/child.ts) tell what the states do.
[contract.ts](../statemachine/contract.ts) has the types of what they hand on, and the [glossary](glossary.md) explains the
terms. In the pictures, a label is a value of the field \`next\` or a condition; a dotted line is taken after an error.

## An execution

\`\`\`mermaid
${mermaid(definition)}
\`\`\`

## A child of SweepShards

\`\`\`mermaid
${mermaid(child)}
\`\`\`
`;
}
