/** The words of a line as a POSIX shell hands them to a program; of its quotes only those that keep everything as it is. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'\\]|\\.|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_all, quoted, escaped) => quoted ?? escaped),
  );
}

/** The operation and the flags of a command of the AWS CLI for DynamoDB, with its variables before it. */
export function awsCommandIn(text: string) {
  const [, line = ''] = /^ {2}(AWS_ACCESS_KEY_ID=.* aws dynamodb .*)$/m.exec(text) ?? [];
  const words = shellWords(line);
  const [command, ...rest] = words.slice(words.indexOf('dynamodb') + 1);
  const flags: Record<string, string> = {};
  for (let place = 0; place < rest.length; place += 2) flags[rest[place] ?? ''] = rest[place + 1] ?? '';
  return { command, flags, json: (flag: string) => JSON.parse(flags[flag] ?? 'null') };
}
