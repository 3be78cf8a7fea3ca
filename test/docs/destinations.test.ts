import { globSync, readFileSync } from 'node:fs';
import {
  DESTINATION_NAMES,
  DESTINATIONS,
  type DestinationName,
} from '../../functions/publish-expiries/destinations.ts';

/** The words that name a destination; `stream` alone may be the table's, too. */
function wordsOf(name: DestinationName): RegExp {
  const { kind, noun } = DESTINATIONS[name];
  const words = [...noun.split(' '), kind].filter(word => word !== 'stream');
  return new RegExp(`\\b(${[...new Set(words)].join('|')})`, 'i');
}

/** Paragraphs, entries of lists and rows of tables. */
function passages(document: string): string[] {
  return document
    .split(/\n\s*\n|\n(?=\s*[-|]|\d+\. )/)
    .map(passage => passage.replaceAll(/\s+/g, ' ').trim());
}

const FILES = ['README.md', 'lab/README.md', 'docs/reference/alarms.md', ...globSync('docs/*.md')];

test.each(FILES)('%s: where all destinations of events but one are named, all are', file => {
  const lacking = passages(readFileSync(file, 'utf8')).flatMap(passage => {
    const unnamed = DESTINATION_NAMES.filter(name => !wordsOf(name).test(passage));
    return unnamed.length !== 1 ? [] : [`${unnamed}: ${passage.slice(0, 120)}`];
  });
  expect(lacking).toEqual([]);
});
