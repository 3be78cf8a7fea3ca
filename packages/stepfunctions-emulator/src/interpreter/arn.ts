import { NAME_LENGTH } from './limits.ts';

interface MachineArn {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly name: string;
}

function parseMachineArn(arn: string): MachineArn {
  const [prefix, partition, service, region, account, kind, ...name] = arn.split(':');
  if (prefix !== 'arn' || service !== 'states' || kind !== 'stateMachine' || name.length === 0) {
    throw new TypeError(`expected the ARN of a state machine, got ${arn}`);
  }
  return { partition: partition ?? '', region: region ?? '', account: account ?? '', name: name.join(':') };
}

const build = (machine: MachineArn, ...rest: string[]) =>
  ['arn', machine.partition, 'states', machine.region, machine.account, ...rest].join(':');

/** ARN of a Standard execution or, with `expressId`, of an Express execution. Each Express execution has its own `expressId`. */
export function executionArn(machineArn: string, name: string, expressId?: string): string {
  const machine = parseMachineArn(machineArn);
  if (expressId === undefined) return build(machine, 'execution', machine.name, name);
  return build(machine, 'express', machine.name, name, expressId);
}

/** ARN of the state machine to which child executions belong: AWS treats a distributed Map's item processor as a state machine. */
export function childMachineArn(machineArn: string, label: string): string {
  const machine = parseMachineArn(machineArn);
  return build(machine, 'stateMachine', `${machine.name}/${label}`);
}

export function mapRunArn(machineArn: string, label: string, id: string): string {
  const machine = parseMachineArn(machineArn);
  return build(machine, 'mapRun', `${machine.name}/${label}`, id);
}

export const regionOf = (machineArn: string) => parseMachineArn(machineArn).region;

/** ARN of the function that lambda:invoke calls. FunctionName may be a name, `account:function:name` or an ARN. */
export function functionArn(machineArn: string, functionName: string, qualifier?: string): string {
  const { partition, region, account } = parseMachineArn(machineArn);
  const suffix = qualifier === undefined ? '' : `:${qualifier}`;
  if (functionName.startsWith('arn:')) return functionName + suffix;
  const parts = functionName.split(':');
  if (parts[1] === 'function') {
    return `arn:${partition}:lambda:${region}:${functionName}${suffix}`;
  }
  return `arn:${partition}:lambda:${region}:${account}:function:${functionName}${suffix}`;
}

/** AWS refuses these characters in names: white space, brackets, wildcards, other special characters, and control characters. */
const NOT_IN_NAMES = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\uFFFE\uFFFF]/u;

export const ALLOWED_NAME = `1 to ${NAME_LENGTH} characters without white space, brackets, wildcards or any of "#%\\^|~\`$&,;:/`;

export const isAllowedName = (name: string): boolean =>
  name.length >= 1 && name.length <= NAME_LENGTH && !NOT_IN_NAMES.test(name);
