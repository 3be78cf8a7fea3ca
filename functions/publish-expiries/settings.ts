import { boolean, type Kind, text } from '../../expiry/fields.ts';
import { InvalidEnvironmentError } from '../runtime/errors.ts';
import { type Environment, readVariables, toVariables, variableOf } from '../runtime/variables.ts';
import { byDestination, DESTINATION_NAMES, DESTINATIONS, type DestinationSetting } from './destinations.ts';

/** The prop `events`. `config/props.ts` takes the kinds from here. */
export const EVENT_KINDS = {
  ...byDestination(name => DESTINATIONS[name].prop),
  oldImage: boolean(),
  includePast: boolean(),
};

const PLACES: readonly DestinationSetting[] = DESTINATION_NAMES.map(name => DESTINATIONS[name].setting);

/** The environment variables of the function: EVENTS_BUS and so on. */
const VARIABLE_KINDS = {
  ...(Object.fromEntries(
    DESTINATION_NAMES.map(name => [DESTINATIONS[name].setting, DESTINATIONS[name].settingKind]),
  ) as Record<DestinationSetting, Kind<string>>),
  eventsOldImage: EVENT_KINDS.oldImage,
  eventsSince: text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, 'a time such as 2026-11-22T09:00:00Z'),
};

const OPTIONAL = [...PLACES, 'eventsSince'] as const;

/** The destination of events and their content. Exactly one destination is set: an ARN, the URL of a queue, or the name of a bus. */
export type EventsSettings = { readonly [Setting in DestinationSetting]?: string } & {
  /** Whether events contain the item before its deletion. */
  readonly eventsOldImage: boolean;
  /** ISO time; removals before it are not published. @default all records of the stream are published */
  readonly eventsSince?: string;
};

/** Makes the environment that {@link readEventsSettings} reads. */
export function toEventsEnvironment(
  settings: EventsSettings,
  write: (value: string) => string,
): Record<string, string> {
  return toVariables(VARIABLE_KINDS, settings, write);
}

/**
 * Reads the settings of the events from the environment.
 *
 * @throws InvalidEnvironmentError
 */
export function readEventsSettings(env: Environment): EventsSettings {
  const settings = readVariables(VARIABLE_KINDS, env, OPTIONAL) as EventsSettings;
  const given = PLACES.filter(place => settings[place] !== undefined);
  if (given.length !== 1) {
    throw new InvalidEnvironmentError({
      field: PLACES.map(variableOf).join(', '),
      expected: 'exactly one of them',
      got: given,
      remedy: 'Deploy the function again.',
    });
  }
  return settings;
}
