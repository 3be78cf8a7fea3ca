import { readFileSync } from 'node:fs';

/** What somebody sees who opens the repository, before they scroll. */
const LINES = 25;
const lines = readFileSync('README.md', 'utf8').split('\n').slice(0, LINES);
const screen = lines.join('\n');

test('the README says in one sentence what it is, shows it, and says what one gets', () => {
  expect(lines[0]).toBe('# precise-ttl');
  const [, sentence = '', picture = ''] = /^# .*\n\n(.*?)\n\n!\[.+?\]\((.+?)\)\n\n/s.exec(screen) ?? [];
  expect(sentence.match(/[.!?](\s|$)/g)).toHaveLength(1);
  expect(readFileSync(picture, 'utf8')).toMatch(/^<svg /);
  const bullets = lines.filter(line => line.startsWith('- '));
  expect(bullets.length).toBeGreaterThanOrEqual(4);
  expect(bullets.length).toBeLessThanOrEqual(6);
  for (const bullet of bullets) expect(bullet.length).toBeLessThanOrEqual(140);
});

test.each(['npm ci && npm start', 'npm ci && npm test', 'npm ci && npx precise-ttl deploy'])(
  'the README has the command %s on its first screen',
  command => {
    expect(screen).toMatch(new RegExp(`^${command}( +#.*)?$`, 'm'));
  },
);
