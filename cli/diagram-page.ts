import { type BackfillFunctionArns, backfillDefinition } from '../statemachine/backfill.ts';
import { BACKFILL_TASKS } from '../statemachine/backfill-contract.ts';
import { TASKS } from '../statemachine/contract.ts';
import { sweepDefinition } from '../statemachine/definition.ts';
import { mermaid } from '../statemachine/diagram.ts';
import type { FunctionArns } from '../statemachine/states.ts';

/** The page of docs/ that shows the state machine, drawn from the definition itself. */
export function diagramPage(): string {
  const definition = sweepDefinition(TASKS as FunctionArns, { shardConcurrency: 0, chunkConcurrency: 10 });
  const child = definition.States.SweepShards.ItemProcessor;
  const backfill = backfillDefinition(BACKFILL_TASKS as BackfillFunctionArns);
  return `# The state machine

\`npm run docs:diagram\` draws this page from the definition, and a test fails when it is out of date. The comments in
[definition.ts](../statemachine/definition.ts), [child.ts](../statemachine/child.ts) and
[backfill.ts](../statemachine/backfill.ts) tell what the states do. [contract.ts](../statemachine/contract.ts) and
[backfill-contract.ts](../statemachine/backfill-contract.ts) have the types of what they hand on, and the [glossary](glossary.md) explains the
terms. In the pictures, a label is a value of the field \`next\` or a condition; a dotted line is taken after an error.

## An execution

\`\`\`mermaid
${mermaid(definition)}
\`\`\`

## A child of SweepShards

\`\`\`mermaid
${mermaid(child)}
\`\`\`

## The backfill

A state machine of its own, where [\`backfill\`](backfill.md) is true.

\`\`\`mermaid
${mermaid(backfill)}
\`\`\`

## A child of BackfillSegments

\`\`\`mermaid
${mermaid(backfill.States.BackfillSegments.ItemProcessor)}
\`\`\`
`;
}
