import { lintProblems, packAll } from './packed-files.ts';

/**
 * `npm run lint:package [file.tgz …]`: checks packed packages with arethetypeswrong and publint. Without a file the command first packs
 * the packages of this checkout. Prints each problem on a line; exit status 1 after a problem.
 */

const given = process.argv.slice(2);
const files = given.length > 0 ? given : packAll('.build/package');
const problems = (await Promise.all(files.map(lintProblems))).flat();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('arethetypeswrong and publint: no problems');
