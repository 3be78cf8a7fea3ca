/**
 * How a command is called, e.g. `npx precise-ttl replay --yes`. Helps and messages are for the package and for the checkout,
 * whose npm scripts run the same commands.
 *
 * @param args its arguments, quoted for a shell
 */
export type Invocation = (command: string, args?: string) => string;

/** Of the commands that are npm scripts too, and how npm is called for each. */
const SCRIPTS: Readonly<Record<string, string>> = {
  start: 'npm start',
  local: 'npm run local',
  synth: 'npm run synth',
  deploy: 'npm run deploy',
  diff: 'npm run diff',
  destroy: 'npm run destroy',
  outputs: 'npm run --silent outputs',
  replay: 'npm run replay',
  status: 'npm run status',
  history: 'npm run history',
  doctor: 'npm run doctor',
  backfill: 'npm run backfill',
  chaos: 'npm run chaos',
  cost: 'npm run cost',
};

export const inPackage: Invocation = (command, args = '') => `npx precise-ttl ${command} ${args}`.trim();

export const inCheckout: Invocation = (command, args = '') => {
  const script = SCRIPTS[command];
  // By npx it is the Node that npm ci has installed, whichever the shell has.
  if (script === undefined) return `npx node bin/precise-ttl.js ${command} ${args}`.trim();
  return args === '' ? script : `${script} -- ${args}`;
};

/** As whoever runs this has called it. The package holds no TypeScript. */
export const invocation: Invocation = import.meta.url.endsWith('.ts') ? inCheckout : inPackage;
