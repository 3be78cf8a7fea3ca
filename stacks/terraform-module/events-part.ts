import type { Construct } from 'constructs';
import { byDestination, DESTINATION_NAMES } from '../../functions/publish-expiries/destinations.ts';
import { Events } from '../parts/events.ts';
import { expression } from '../values.ts';
import { PartStack } from './part-stack.ts';
import { snake } from './snake.ts';

/** The field of `events` for a resource that events go to: `queueArn` is `queue`. */
export const DESTINATION_FIELDS = byDestination(name => snake(name).replace(/_arn$/, ''));

/** As a table of the module has it. */
export const EVENTS_TYPE = `object({
${DESTINATION_NAMES.map(name => `  ${DESTINATION_FIELDS[name]} = optional(object({ arn = string }))`).join('\n')}
  old_image = optional(bool, false)
  include_past = optional(bool, false)
})`;

/** ARNs of where the events go, one of which there is. */
export function destinationLocal(): string {
  const fields = DESTINATION_NAMES.map(name => {
    const field = DESTINATION_FIELDS[name];
    return `  ${field} = one(var.settings.events.${field}[*].arn)`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

export class EventsPart extends PartStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { place, environment, streamArn, sweep } = this;
    const { reader } = new Events(this, id, {
      place,
      environment,
      streamArn,
      events: {
        ...byDestination(name => expression<string>(`local.destination.${DESTINATION_FIELDS[name]}`)),
        oldImage: expression('var.settings.events.old_image'),
        includePast: expression('var.settings.events.include_past'),
      },
      sweep,
    });
    this.alarmsOf('events');
    this.outputs(this.readerOutputs(reader));
  }
}
