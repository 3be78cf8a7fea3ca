import type { Construct } from 'constructs';
import { OWN_RESOURCES, type OwnResources } from '../../config/names.ts';
import { OWN_DESTINATION_REMEDY } from '../../config/stream-props.ts';
import { expression, hcl } from '../../config/values.ts';
import {
  byDestination,
  DESTINATION_NAMES,
  DESTINATIONS,
  type DestinationName,
} from '../../functions/publish-expiries/destinations.ts';
import { Events } from '../parts/events.ts';
import { PartStack } from './part-stack.ts';
import { snake } from './snake.ts';

/** The field of `events` for each destination: `queueArn` becomes `queue`. */
export const DESTINATION_FIELDS = byDestination(name => snake(name).replace(/_arn$/, ''));

/** Type of a table's events in the module. */
export const EVENTS_TYPE = `object({
${DESTINATION_NAMES.map(name => `  ${DESTINATION_FIELDS[name]} = optional(object({ arn = string }))`).join('\n')}
  old_image = optional(bool, false)
  include_past = optional(bool, false)
})`;

/** ARNs of the destination, exactly one of which is set. */
export function destinationLocal(): string {
  const fields = DESTINATION_NAMES.map(name => {
    const field = DESTINATION_FIELDS[name];
    return `  ${field} = one(var.settings.events.${field}[*].arn)`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

/** A rule against the deployment's own resources as destination. Each has its own precondition, because an ARN may not be known at the time of the plan. */
function ownRule(destination: DestinationName, { names, part }: OwnResources, name: string) {
  const field = DESTINATION_FIELDS[destination];
  const arn = `local.destination.${field}`;
  const own = names({ name, sweep: expression('var.deployment.name') });
  return {
    condition: expression(`${arn} == null ? true : !contains(${hcl(own)}, split(":", ${arn})[${part}])`),
    error_message: `tables, events.${field}.arn: expected a ${DESTINATIONS[destination].kind} that is not this deployment's own, got \${jsonencode(${arn})} for \${var.table.name}. ${OWN_DESTINATION_REMEDY}`,
  };
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
    const own = DESTINATION_NAMES.flatMap(destination => {
      const resources = OWN_RESOURCES[destination];
      return resources === undefined ? [] : [ownRule(destination, resources, sweep.name)];
    });
    reader.function.function.addOverride('lifecycle.precondition', own);
    this.alarmsOf('events');
    this.outputs(this.readerOutputs(reader));
  }
}
