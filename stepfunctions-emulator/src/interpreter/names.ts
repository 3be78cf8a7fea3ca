import { NAME_LENGTH } from './limits.ts';

/** AWS refuses these in names: white space, brackets, wildcards, special and control characters. */
const NOT_IN_NAMES = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\uFFFE\uFFFF]/u;

/** The expected form of a name, for a message. */
export const ALLOWED_NAME = `1 to ${NAME_LENGTH} characters without white space, brackets, wildcards or any of "#%\\^|~\`$&,;:/`;

/** Whether an execution or a state machine may have this name. */
export const isAllowedName = (name: string): boolean =>
  name.length >= 1 && name.length <= NAME_LENGTH && !NOT_IN_NAMES.test(name);
