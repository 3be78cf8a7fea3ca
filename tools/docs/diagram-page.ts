import { TASKS } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import { mermaid } from '../../statemachine/diagram.ts';
import type { FunctionArns } from '../../statemachine/states.ts';

/** The page of docs/ that shows the state machines, drawn from the definitions themselves. */
export function diagramPage(): string {
  const functions: FunctionArns = TASKS;
  const tick = tickDefinition(functions, { tables: [], replayArn: 'replay' });
  const replay = replayDefinition(functions, { tables: [] });
  return `# The state machines

\`npm run docs\` draws this page from the definitions, and a test fails when it is out of date. The comments in
[definition.ts](../../statemachine/definition.ts) and [child.ts](../../statemachine/child.ts) tell what the states do.
[contract/](../../statemachine/contract) has the types of what they hand on, and the [glossary](glossary.md) explains the terms. In the pictures, a label is a value of the field \`next\` or a condition; a dotted line is taken after an error.

## The tick

An Express execution, each minute, for all tables of a deployment.

\`\`\`mermaid
${mermaid(tick)}
\`\`\`

## A replay

A Standard execution for a span of time of one table: started by hand, or by a tick that could not finish it. Each child of its
SweepShards is an Express execution with the states of an iteration above.

\`\`\`mermaid
${mermaid(replay)}
\`\`\`
`;
}
