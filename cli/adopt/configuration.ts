import type { PreciseTtlProps } from '../../config/props.ts';
import { literal } from '../init/configuration.ts';

/** An entry of `tables`, as it is written in `precise-ttl.config.ts`. */
export function configurationBlock(props: PreciseTtlProps): string {
  const fields = Object.entries(props).map(([name, value]) => `      ${name}: ${literal(value)},`);
  return `    {\n${fields.join('\n')}\n    },`;
}
