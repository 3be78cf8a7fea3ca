import { projectFolder } from '../../../cli/deploy/run-terraform.ts';
import { CONFIG_FILES } from '../../../config/config-file.ts';

test.each(CONFIG_FILES)('what is made of %s lies beside it', name => {
  expect(projectFolder(`/repo/infra/${name}`)).toBe('/repo/infra');
});

test.each([
  ['prod.json', 'precise-ttl.prod'],
  ['prod.config.ts', 'precise-ttl.prod.config'],
  // The name differs from ours in one letter.
  ['precise-ttl.config.yaml', 'precise-ttl.precise-ttl.config'],
])('%s has a folder of its own, so that no two share a state', (name, expected) => {
  expect(projectFolder(`/repo/${name}`)).toBe(`/repo/${expected}`);
});
