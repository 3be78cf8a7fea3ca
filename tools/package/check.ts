import { lintProblems, packAll } from './packed-files.ts';

/**
 * `npm run lint:package [file.tgz …]`: checks packed packages with arethetypeswrong and publint. Without a file it packs those of this
 * checkout first. Prints each problem on a line; exit status 1 when there is one.
 */

const given = process.argv.slice(2);
const files = given.length > 0 ? given : packAll('.build/package');
const problems = (await Promise.all(files.map(lintProblems))).flat();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('arethetypeswrong and publint: no problems');
