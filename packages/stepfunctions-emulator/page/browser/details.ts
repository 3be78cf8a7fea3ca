import type { EventData, ExecutionDescription, PageExecution } from '../../src/page/data.ts';
import { type Outcome, type Visit, variablesAt } from '../model/history.ts';
import { element } from './element.ts';
import { count, duration, moment, OUTCOMES, outcomeOf, pretty, wordsOf } from './text.ts';

/** Maximum number of shown characters: of a cause, or of a value before the user presses `Show all`. */
const SHOWN_CHARACTERS = 20_000;
/** Maximum number of child executions of a Map Run in the list. */
const SHOWN_CHILDREN = 100;

export interface DetailsContext {
  readonly from: number;
  data(ids: readonly number[]): Promise<readonly EventData[]>;
  readonly children: readonly PageExecution[];
  open(arn: string): void;
}

const badge = (outcome: string, text: string): HTMLElement =>
  element('span', { class: `badge ${outcome}` }, text);

function facts(...pairs: readonly (readonly [string, string | undefined])[]): HTMLElement {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== '');
  return element(
    'dl',
    { class: 'facts' },
    ...shown.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value ?? '')]),
  );
}

/** Shows a value as text. A button shows the rest of a long value. */
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
    element(
      'p',
      { class: 'hint' },
      'Choose a state or an event for the input, output and variables of a visit.',
    ),
  ];
}

/** A text that changes with the visit's outcome, attempts and exit event. The details are not drawn again while this text is the same. */
export const signatureOf = ({ id, outcome, attempts, exitId }: Visit): string =>
  [id, outcome, attempts.length, attempts.at(-1)?.to, exitId].join();

export function visitDetails(visit: Visit, context: DetailsContext): HTMLElement[] {
  const { from } = context;
  const { parent, index } = visit.line;
  const { attempts } = visit;
  const later = element('div', { class: 'later' }, element('p', { class: 'hint' }, '…'));
  void fill(later, visit, context);
  return [
    element('h2', {}, visit.name, ' ', element('small', {}, visit.type)),
    element('p', {}, badge(visit.outcome, OUTCOMES[visit.outcome])),
    facts(
      ['Entered', `+${duration(visit.from - from)}, ${moment(visit.from)}`],
      ['Took', visit.to === undefined ? undefined : duration(visit.to - visit.from)],
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
    ...errorBlock(visit.error, visit.cause),
    ...childList(context),
    later,
  ];
}

/** The child executions of a Map Run as a list of buttons, failed executions first. */
function childList({ children, open }: DetailsContext): HTMLElement[] {
  if (children.length === 0) return [];
  const order: readonly Outcome[] = ['failed', 'running', 'cutOff', 'succeeded'];
  const groups = order.map(outcome => children.filter(({ status }) => outcomeOf(status) === outcome));
  const sorted = groups.flat();
  const numbers = groups.flatMap(({ length }, index) =>
    length === 0 ? [] : [`${length.toLocaleString('en-US')} ${OUTCOMES[order[index] ?? 'failed']}`],
  );
  const shown = sorted
    .slice(0, SHOWN_CHILDREN)
    .map(({ arn, name, summary, status }) =>
      element(
        'button',
        { type: 'button', class: 'child', onclick: () => open(arn) },
        element('i', { class: `dot ${outcomeOf(status)}` }),
        `${summary || name} `,
        element('small', {}, wordsOf(status)),
      ),
    );
  return [
    element('h3', {}, `${count(children.length, 'execution')}: ${numbers.join(', ')}`),
    ...shown,
    ...(sorted.length > shown.length ? [element('p', { class: 'hint' }, `The first ${shown.length}.`)] : []),
  ];
}

async function fill(place: HTMLElement, visit: Visit, { data }: DetailsContext): Promise<void> {
  const seen = variablesAt(visit);
  const last = visit.attempts.at(-1);
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
    ...valueBlock('Variables on entry', objectOf(variables)),
    ...valueBlock('Assigned', objectOf(Object.entries(exit?.variables ?? {}))),
  );
}

const differs = (text: string | undefined, other: string | undefined): string | undefined =>
  text === other ? undefined : text;

function objectOf(
  variables: readonly (readonly [name: string, json: string | undefined])[],
): string | undefined {
  const members = variables.map(([name, json = 'null']) => `${JSON.stringify(`$${name}`)}:${json}`);
  return members.length === 0 ? undefined : `{${members.join()}}`;
}
