import { COMMAND_NAMES, COMMANDS, type CommandName } from '../../bin/commands.ts';
import { COMMAND_ACTIONS } from '../../cli/iam-actions.ts';
import { executed } from '../support/executed.ts';
import { folderWith } from '../support/folder.ts';
import { wordsOf } from '../support/proposed-commands.ts';

const tables = [
  { tableName: 'Sessions', partitionKey: 'id' },
  { tableName: 'Tokens', partitionKey: 'id', index: { by: 'second' } },
];
const folder = folderWith({
  'c.json': JSON.stringify({ region: 'us-east-1', tables }),
  'typo.json': '{"region": "us-east-1", "tables": [{"tableName": "Sessions", "ttlAttibute": "ttl"}]}',
  'empty.json': '{"region": "us-east-1", "tables": []}',
  'broken.json': '{"region": "us-east-1",',
  'c.yaml': 'region: us-east-1',
});

/**
 * Wrong command lines, each with what is said: field, expected, got, remedy. `-c` stands for `--config c.json`, SPAN for an hour that is
 * over, DIR for a folder; `…` for text that is left out.
 */
const LINES = `
replay -c --tabel Sessions
--tabel: expected one of --table, --from, …, got "--tabel". Did you mean --table?
replay -c --to 2026-11-20T09:00:00Z
--from: expected a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z, got nothing. Write --from TIME.
replay -c --from 2026-11-20T08:00:00Z
--to: expected a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z, got nothing. Write --to TIME.
replay -c --from 2026-11-20T08:00:00 --to 2026-11-20T09:00:00Z
--from: expected a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z, got "2026-11-20T08:00:00". Correct the time.
replay -c --from 2026-11-20T10:00:00Z --to 2026-11-20T09:00:00Z
--from: expected a time before to (2026-11-20T09:00:00Z), got "2026-11-20T10:00:00Z". Correct the time.
replay -c --from 2019-11-20T08:00:00Z --to 2026-11-20T09:00:00Z
--from: expected a time less than five years back: older TTLs are ignored, got "2019-11-20T08:00:00Z". Correct the time.
replay -c --from 2026-11-20T10:00:00Z --to 2099-11-20T09:00:00Z
--to: expected a time that has passed, got "2099-11-20T09:00:00Z". Items that expire later are alive: name an earlier end.
replay -c SPAN --run 'a b'
--run: expected 1 to 20 letters, digits, "_" and "-", got "a b". Write --run LABEL.
replay -c SPAN --max-per-second 0
--max-per-second: expected a whole number from 1 to …, got "0". Write --max-per-second N.
replay -c SPAN --table Token --yes
--table: expected one of Sessions, Tokens, got "Token". Did you mean Tokens?
replay -c SPAN
--yes: expected it where no terminal is there to ask at, got nothing. Add it, or try with --dry-run.
backfill -c
--table: expected one of Sessions, Tokens, got nothing. This is for one table: name it.
backfill -c Sessions
Sessions: expected flags only: --table, …, got "Sessions". Leave it out, or write --table Sessions.
backfill -c --table Tokens --yes
--table: expected one that is indexed by window, got "Tokens, which is by second". Nothing is to be done: …
backfill -c --table sessions
--table: expected one of Sessions, Tokens, got "sessions". Did you mean Sessions?
adopt
--table: expected the name of a table, got nothing. Write --table NAME.
adopt --table Old --by minute
--by: expected one of "window", "second", got "minute". Write --by WAY.
verify
--region: expected a region, got nothing. Name it, or set AWS_REGION.
verify --region us-east-1
--yes: expected it where no terminal is there to ask at, got nothing. Add it.
AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:9 verify --region us-east-1 --yes
AWS_ENDPOINT_URL_SFN: expected an endpoint on this machine for Step Functions, as AWS_ENDPOINT_URL_DYNAMODB names one, got nothing. Set it …
AWS_ENDPOINT_URL_SFN=http://127.0.0.1:9 verify --region us-east-1 --yes
AWS_ENDPOINT_URL: expected one endpoint for all services…
cost --items-per-month 1,5
--items-per-month: expected a number from 0 to 100B, such as 50M, 1.5k or 50_000_000, got "1,5". Write it without signs, commas and blanks.
cost --by second --shards 2
The configuration is wrong:
  index.shards: expected none with index: { by: 'second' }, got 2. Leave it out, or …
cost --poll 61
--poll: expected a whole number from 0 to 60, got "61". Write --poll SECONDS.
init --by second
--table: expected the name of the table with --by, got nothing. Write --table NAME.
init
--table: expected the name of the table where no terminal is there to ask at, got nothing. Write --table NAME.
init --table Tokens --existing
--partition-key: expected the one that the existing table has, got nothing. Write --partition-key NAME.
init --table Tokens --format yaml
--format: expected one of "ts", "json", got "yaml". Write --format FORMAT.
verify --region eu-west --yes
The configuration is wrong:
  region: expected an AWS region, e.g. 'eu-central-1', got "eu-west". Correct the value: there is no default for it.
synth -c --out a --module b
--module: expected no --out beside it, got "both". Leave one out.
synth -c --module /proc/no/such
--module: expected a folder that can be made and written to, got "/proc/no/such (ENOENT)". Name another.
synth --config DIR/none.json
DIR/none.json: expected the configuration, got no such file. Correct --config, or leave it out for the one in this folder.
pause --config DIR/c.yaml
DIR/c.yaml: expected a file .ts, .js, .mjs, .cjs or .json, got another one. Correct --config.
pause --config DIR/broken.json
…broken.json: expected JSON, got an error in it: …. Correct it there.
pause --config DIR/typo.json
The configuration is wrong:
  tables[0].ttlAttibute: expected one of the fields tableName, …, got "the field ttlAttibute". Did you mean ttlAttribute?…
pause --config DIR/empty.json
The configuration is wrong:
  tables: expected a list of at least one table, got []. See docs/reference/configuration.md of precise-ttl for all fields.
pause --config
--config: expected a file, got nothing. Write --config PATH.
pause -c --table --yes
--table: expected the name of a table, got "--yes". Write --table NAME.
pause -c --for 0m
--for: expected a whole number and s, m, h or d, such as 90m or 2h, from 1m to 180d, got "0m". Write --for DURATION.
pause -c --for 2h --for 3h
--for: expected one, got 2. Leave one out.
pause -c -y
-y: expected one of --table, …, got "-y". Did you mean --yes?
pause -c --toString
--toString: expected one of --table, …, got "--toString". See --help.
pause -c Sessions --tabel
--tabel: expected one of --table, …, got "--tabel". Did you mean --table?
AWS_ENDPOINT_URL_DYNAMODB=here pause -c --table Nope
--table: expected one of Sessions, Tokens, got "Nope". The configuration lists them.
AWS_ENDPOINT_URL_DYNAMODB=here pause -c
AWS_ENDPOINT_URL_DYNAMODB: expected a URL such as http://127.0.0.1:8000, got "here". Unset it for AWS.
pause -c
--yes: expected it where no terminal is there to ask at, got nothing. Add it.
status -c --json=true
--json: expected no value, got "true". Write --json alone.
AWS_ENDPOINT_URL_DYNAMODB=here status -c --watch --page
--page: expected it without --watch, got "both". Leave one of them out.
AWS_ENDPOINT_URL_SCHEDULER=http://127.0.0.1:9 status -c
AWS_ENDPOINT_URL_DYNAMODB: expected an endpoint on this machine for DynamoDB, as AWS_ENDPOINT_URL_SCHEDULER names one, got nothing. Set it …
AWS_ENDPOINT_URL_SCHEDULER=http://127.0.0.1:9 AWS_ENDPOINT_URL_DYNAMODB=https://aws.example status -c
AWS_ENDPOINT_URL_DYNAMODB: expected an endpoint on this machine for DynamoDB, …, got "https://aws.example". Set it …
doctor -c --rate 5
--rate: expected it with --all, got "it alone". Add --all, or leave it out.
deploy -c --table Sessions
--table: expected one of --diff, --destroy, --config, …, got "--table". See --help.
deploy -c -auto-approve
-a: expected one of --diff, …, got "-a". See --help.
local -c --port 1
--port: expected one of --dynamodb-port, …, got "--port". See --help.
local -c --sfn-port 9000 --dynamodb-port=9000
--sfn-port: expected another port than --dynamodb-port, got 9000. Name another.
local -c --json /no/such/folder/out.json
--json: expected a file in a folder that can be written to, got "/no/such/folder/out.json". Make /no/such/folder first.
start -c --json DIR
--json: expected a file, got "the folder DIR". Name a file in it.
start -c --table Nope
--table: expected one of Sessions, Tokens, got "Nope". The configuration lists them.
`;

const cases = LINES.trim()
  .split(/\n(?=(?:[A-Z_]+=\S+ )*(?:[a-z]+)(?: |\n))/)
  .map(each => each.split(/\n(.*)/s).slice(0, 2) as [line: string, said: string]);

test.each(cases)('%s', async (line, said) => {
  const words = wordsOf(
    line
      .replace(' -c', ' --config DIR/c.json')
      .replace('SPAN', '--from 2026-11-20T08:00:00Z --to 2026-11-20T09:00:00Z')
      .replaceAll('DIR', folder),
  );
  const variables = words.filter(word => /^[A-Z_]+=/.test(word)).map(word => word.split('='));
  const args = words.slice(variables.length);
  const { status, stdout, stderr } = await executed(args, Object.fromEntries(variables));
  const exactly = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const expected = said.replaceAll('DIR', folder).split('…').map(exactly).join('[\\s\\S]+');
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(new RegExp(`^${expected}$`))]);
});

test('each command that changes something in an account can be told not to ask, and no other one', async () => {
  const taking: CommandName[] = [];
  for (const name of COMMAND_NAMES) if ('yes' in (await COMMANDS[name].load()).flags) taking.push(name);
  const reads = /:(Get|List|Describe|Query|Scan|BatchGet)/;
  const writing = Object.entries(COMMAND_ACTIONS).flatMap(([name, actions]) =>
    actions.some(({ action }) => !reads.test(action)) ? [name] : [],
  );
  expect(taking.sort()).toEqual(writing.sort());
});
