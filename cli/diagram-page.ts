import { TASKS } from '../statemachine/contract.ts';
import { sweepDefinition } from '../statemachine/definition.ts';
import { mermaid } from '../statemachine/diagram.ts';
import type { FunctionArns } from '../statemachine/states.ts';

/** The page of docs/ that shows the state machine, drawn from the definition itself. */
export function diagramPage(): string {
  const definition = sweepDefinition(TASKS as FunctionArns, { shardConcurrency: 0, chunkConcurrency: 10 });
  const child = definition.States.SweepShards.ItemProcessor;
  return `# The state machine

\`npm run docs:diagram\` draws this page from the definition; a test says when it is out of date. What the states do is told
in [definition.ts](../statemachine/definition.ts) and [child.ts](../statemachine/child.ts), what passes between them in
[contract.ts](../statemachine/contract.ts).

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
