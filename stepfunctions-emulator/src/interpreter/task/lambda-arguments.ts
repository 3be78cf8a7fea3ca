import type { Json } from '../json.ts';

/** The supported arguments of lambda:invoke, with a check of each value. */
const ARGUMENTS: Readonly<Record<string, (value: Json) => string | undefined>> = {
  FunctionName: text,
  InvocationType: only('RequestResponse'),
  LogType: only('None'),
  Payload: value =>
    typeof value === 'number' || typeof value === 'boolean'
      ? 'a STRING (JSON text, sent as it is), an object or an array'
      : undefined,
  Qualifier: text,
};

export const INVOKE_ARGUMENTS: readonly string[] = Object.keys(ARGUMENTS);

function text(value: Json): string | undefined {
  return typeof value === 'string' ? undefined : 'a STRING';
}

function only(implemented: string): (value: Json) => string | undefined {
  return value => (value === implemented ? undefined : `${implemented}, nothing else is implemented`);
}

/** Describes the expected form of an invalid argument of lambda:invoke; undefined when its value is accepted. */
export function expectedArgument(name: string, value: Json): string | undefined {
  const check = Object.hasOwn(ARGUMENTS, name) ? ARGUMENTS[name] : undefined;
  return check === undefined ? `one of ${INVOKE_ARGUMENTS.join(', ')}` : check(value);
}
