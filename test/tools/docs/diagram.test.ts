import { readFileSync } from 'node:fs';
import { mermaid } from '../../../tools/docs/diagram.ts';
import { diagramPage } from '../../../tools/docs/pages.ts';

test('the picture in the docs is that of the definition: else run npm run docs', () => {
  expect(readFileSync('docs/contributing/state-machine.md', 'utf8')).toBe(diagramPage());
});

test('draws every kind of state, where it leads and why', () => {
  const graph = {
    StartAt: 'Due?',
    States: {
      'Due?': {
        Type: 'Choice',
        Choices: [{ Condition: "{% $states.input.next = 'wait' %}", Next: 'Rest' }],
        Default: 'Each',
      },
      Rest: { Type: 'Wait', Timestamp: '{% $states.input.until %}', Next: 'Due?' },
      Each: {
        Type: 'Map',
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'One',
          States: { One: { Type: 'Pass', End: true } },
        },
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Failed' }],
        Next: 'Done',
      },
      Done: { Type: 'Succeed' },
      Failed: { Type: 'Fail' },
    },
  };
  expect(
    mermaid(graph)
      .split('\n')
      .map(line => line.trim()),
  ).toEqual([
    'flowchart TD',
    'start_Due(( )) --> Due',
    'Due{{"Due?"}}',
    'Rest[/"Rest"/]',
    'subgraph Each [Each]',
    'start_One(( )) --> One',
    'One["One"]',
    'end',
    'Done(["Done"])',
    'Failed(["Failed"])',
    'Due -->|"wait"| Rest',
    'Due -->|"else"| Each',
    'Rest --> Due',
    'Each --> Done',
    'Each -.->|"fails"| Failed',
  ]);
});
