import type { EventData, ExecutionDescription } from '../../src/page/data.ts';
import { type Segment, type Visit, variablesAt } from '../model/history.ts';
import { element } from './element.ts';
import { count, duration, moment, OUTCOMES, pretty } from './text.ts';
import { segmentsOf } from './waterfall.ts';

/** Most characters of a value that are shown at first. */
const SHOWN_CHARACTERS = 20_000;
/** Most visits in the list of a state. */
const SHOWN_VISITS = 50;

/** Further data for the panel, besides its subject. */
export interface DetailsContext {
  readonly from: number;
  readonly now: number;
  data(ids: readonly number[]): Promise<readonly EventData[]>;
  select(visit: Visit): void;
}

const badge = (outcome: string, text: string): HTMLElement =>
  element('span', { class: `badge ${outcome}` }, text);

function facts(...pairs: readonly (readonly [string, string | undefined])[]): HTMLElement {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== '');
  return element(
    'dl',
    { class: 'facts' },
    ...shown.flatMap(([name, value]) => [
      element('dt', { class: name === 'Lasts' ? 'lasts' : undefined }, name),
      element('dd', {}, value ?? ''),
    ]),
  );
}

/** A value as text; the rest of a long one is shown on request. */
function valueBlock(title: string, json: string | undefined): HTMLElement[] {
  if (json === undefined) return [];
  const text = pretty(json);
  const pre = element('pre', { tabindex: '0' }, text.slice(0, SHOWN_CHARACTERS));
  const made = [element('h3', {}, title), pre];
  if (text.length <= SHOWN_CHARACTERS) return made;
  const more = element(
    'button',
    { type: 'button' },
    `Show all ${text.length.toLocaleString('en-US')} characters`,
  );
  more.addEventListener('click', () => {
    pre.textContent = text;
    more.remove();
  });
  return [...made, more];
}

/** An error with its cause, which is often JSON. */
function errorBlock(error: string | undefined, cause: string | undefined): HTMLElement[] {
  if (error === undefined && cause === undefined) return [];
  return [
    element('h3', {}, 'Error'),
    element(
      'div',
      { class: 'error' },
      element('b', {}, error ?? 'no name'),
      ...(cause ? [element('pre', { tabindex: '0' }, pretty(cause).slice(0, SHOWN_CHARACTERS))] : []),
    ),
  ];
}

/** An execution as a whole. */
export function executionDetails(execution: ExecutionDescription): HTMLElement[] {
  return [
    element('h2', {}, 'Execution'),
    facts(
      ['Name', execution.name],
      ['State machine', `${execution.machine}, ${execution.type === 'EXPRESS' ? 'Express' : 'Standard'}`],
      ['Started', moment(execution.startDate)],
      ['Ended', execution.stopDate === undefined ? undefined : moment(execution.stopDate)],
      ['ARN', execution.arn],
    ),
    ...(execution.forgotten
      ? [element('p', { class: 'hint' }, 'Its events were forgotten for those of later executions.')]
      : []),
    ...errorBlock(execution.error, execution.cause),
    ...valueBlock('Input', execution.input),
    ...valueBlock('Output', execution.output),
    element('p', { class: 'hint' }, 'Choose a state or a visit for its input, output and variables.'),
  ];
}

/** Changes whenever the details of a visit change, except for its duration so far. */
export const signatureOf = ({ id, outcome, segments, exitId }: Visit): string =>
  [id, outcome, segments.length, segments.at(-1)?.to, exitId].join();

/** Shows the duration of a visit so far. */
export function showLasting(details: HTMLElement, visit: Visit, now: number): void {
  const shown = details.querySelector('dl.facts dt.lasts + dd');
  if (shown !== null) shown.textContent = duration((visit.to ?? now) - visit.from);
}

/** The visits of a state, from which the user chooses; a single visit is shown at once. */
export function stateDetails(
  name: string,
  type: string,
  visits: readonly Visit[],
  context: DetailsContext,
  isInMapRun: boolean,
): HTMLElement[] {
  const heading = element('h2', {}, name, ' ', element('small', {}, type));
  if (visits.length === 0) {
    const hint = isInMapRun
      ? 'The executions of the distributed Map visit this state, each with an item of its own. Choose one of its cells.'
      : 'This state was not visited.';
    return [heading, element('p', { class: 'hint' }, hint)];
  }
  const list = element('ol', { class: 'visits' });
  let shown = 0;
  const more = element('button', { type: 'button' }, 'Show more');
  const show = (): void => {
    list.append(...visits.slice(shown, shown + SHOWN_VISITS).map(visit => visitItem(visit, context)));
    shown = Math.min(visits.length, shown + SHOWN_VISITS);
    if (shown === visits.length) more.remove();
  };
  more.addEventListener('click', show);
  show();
  return [
    heading,
    element('p', { class: 'hint' }, `${count(visits.length, 'visit')}. Choose one.`),
    list,
    ...(shown < visits.length ? [more] : []),
  ];
}

function visitItem(visit: Visit, { from, now, select }: DetailsContext): HTMLElement {
  const took = duration((visit.to ?? now) - visit.from);
  return element(
    'li',
    {},
    element(
      'button',
      { type: 'button', onclick: () => select(visit) },
      element('i', { class: `dot ${visit.outcome}` }),
      `+${duration(visit.from - from)}`,
      element('small', {}, `${took}, ${OUTCOMES[visit.outcome]}${placeOf(visit)}`),
    ),
  );
}

/** `, #17` for a visit inside of an iteration. */
const placeOf = ({ line }: Visit): string => (line.parent?.type === 'Map' ? `, #${line.index}` : '');

/** A visit; its data are requested, and shown when they arrive. */
export function visitDetails(visit: Visit, context: DetailsContext): HTMLElement[] {
  const { from, now } = context;
  const { parent, index } = visit.line;
  const attempts = segmentsOf(visit, now).filter(({ kind }) => kind === 'attempt');
  const later = element('div', { class: 'later' }, element('p', { class: 'hint' }, '…'));
  void fill(later, visit, attempts, context);
  return [
    element('h2', {}, visit.name, ' ', element('small', {}, visit.type)),
    element('p', {}, badge(visit.outcome, OUTCOMES[visit.outcome])),
    facts(
      ['Entered', `+${duration(visit.from - from)}, ${moment(visit.from)}`],
      [visit.to === undefined ? 'Lasts' : 'Took', duration((visit.to ?? now) - visit.from)],
      ['Attempts', attempts.length > 1 ? String(attempts.length) : undefined],
      [
        parent?.type === 'Map' ? 'Iteration' : 'Branch',
        parent === undefined
          ? undefined
          : `${parent.type === 'Map' ? `#${index}` : index + 1} of ${parent.name}`,
      ],
      ['Items', visit.length?.toLocaleString('en-US')],
      ['Event', `${visit.id}${visit.exitId === undefined ? '' : ` to ${visit.exitId}`}`],
    ),
    ...(attempts.length > 1 ? [] : errorBlock(visit.error, visit.cause)),
    ...attemptList(visit, attempts, context),
    later,
  ];
}

function attemptList(visit: Visit, attempts: readonly Segment[], { now }: DetailsContext): HTMLElement[] {
  if (attempts.length < 2) return [];
  const items = attempts.map(attempt =>
    element(
      'li',
      {},
      element('i', { class: `dot ${attempt.failed ? 'failed' : visit.outcome}` }),
      `+${duration(attempt.from - visit.from)}`,
      element(
        'small',
        {},
        `${attempt.to === undefined ? 'lasts' : 'took'} ${duration((attempt.to ?? now) - attempt.from)}${attempt.error === undefined ? '' : `, ${attempt.error}`}`,
      ),
      ...(attempt.cause ? [element('pre', { tabindex: '0' }, pretty(attempt.cause).slice(0, 2_000))] : []),
    ),
  );
  return [element('h3', {}, 'Attempts'), element('ol', { class: 'attempts' }, ...items)];
}

async function fill(
  place: HTMLElement,
  visit: Visit,
  attempts: readonly Segment[],
  { data }: DetailsContext,
): Promise<void> {
  const seen = variablesAt(visit);
  const last = attempts.at(-1);
  const wanted = [visit.id, visit.exitId, last?.startEventId, last?.endEventId, ...seen.values()];
  let found: Map<number | undefined, EventData>;
  try {
    const ids = [...new Set(wanted.filter(id => id !== undefined))];
    found = new Map((await data(ids)).map(each => [each.id, each]));
  } catch (error) {
    place.replaceChildren(element('p', { class: 'hint' }, (error as Error).message));
    return;
  }
  const variables = [...seen].map(([name, id]) => [name, found.get(id)?.variables?.[name]] as const);
  const exit = found.get(visit.exitId);
  place.replaceChildren(
    ...valueBlock('Input', found.get(visit.id)?.input),
    ...valueBlock('Arguments', differs(found.get(last?.startEventId)?.input, found.get(visit.id)?.input)),
    ...valueBlock('Result', differs(found.get(last?.endEventId)?.output, exit?.output)),
    ...valueBlock('Output', exit?.output),
    ...variableTable('Variables on entry', variables),
    ...variableTable('Assigned', Object.entries(exit?.variables ?? {})),
  );
}

/** The text, unless it equals the one beside it. */
const differs = (text: string | undefined, other: string | undefined): string | undefined =>
  text === other ? undefined : text;

function variableTable(
  title: string,
  variables: readonly (readonly [string, string | undefined])[],
): HTMLElement[] {
  if (variables.length === 0) return [];
  const rows = variables.flatMap(([name, value]) => [
    element('dt', {}, `$${name}`),
    element('dd', {}, element('pre', {}, pretty(value ?? '').slice(0, SHOWN_CHARACTERS))),
  ]);
  return [element('h3', {}, title), element('dl', { class: 'variables' }, ...rows)];
}
