import type { PageExecution, PageMachine } from '../../src/page/data.ts';
import { element, searchField } from './element.ts';
import { LazyList } from './lazy-list.ts';
import { count, duration, moment, outcomeOf, shortMoment, wordsOf } from './text.ts';

export interface NavigationEvents {
  readonly chooseMachine: (arn: string) => void;
  readonly chooseExecution: (arn: string) => void;
}

export interface Listed {
  readonly machines: readonly PageMachine[];
  readonly machine: PageMachine | undefined;
  readonly executions: readonly PageExecution[];
  readonly opened: string | undefined;
}

export class Navigation {
  readonly element = element('details', { class: 'navigation', open: true });
  readonly #summary = element('summary', {}, 'Executions');
  readonly #machines = element('select', { 'aria-label': 'State machine' });
  readonly #hint = element('p', { class: 'hint' });
  readonly #search = searchField('Search executions', () => this.#showExecutions());
  readonly #list: LazyList<PageExecution>;
  #listed: Listed | undefined;

  constructor(events: NavigationEvents) {
    this.#machines.addEventListener('change', () => events.chooseMachine(this.#machines.value));
    this.#list = new LazyList<PageExecution>({
      ...{ label: 'Executions', itemPx: 46, fill: fillExecution },
      choose: ({ arn }) => events.chooseExecution(arn),
    });
    this.element.append(this.#summary, this.#machines, this.#search, this.#hint, this.#list.element);
  }

  show(listed: Listed): void {
    const { machines, machine: chosen } = listed;
    this.#listed = listed;
    const options = machines.map(({ arn, name, type, running }) => {
      const note = running > 0 ? `, ${running} running` : type === 'EXPRESS' ? ', Express' : '';
      return element('option', { value: arn }, `${name}${note}`);
    });
    this.#machines.replaceChildren(...options);
    this.#machines.value = chosen?.arn ?? '';
    this.#showExecutions();
  }

  #showExecutions(): void {
    if (this.#listed === undefined) return;
    const { executions, machine, opened } = this.#listed;
    const wanted = this.#search.value.toLowerCase();
    const found = executions.filter(each => textOf(each).includes(wanted));
    this.#summary.textContent = count(found.length, 'execution');
    this.#hint.textContent =
      machine === undefined
        ? 'No state machine yet. Clients of the API can create some.'
        : executions.length === 0
          ? 'No execution yet.'
          : '';
    this.#list.set(
      found,
      found.find(({ arn }) => arn === opened),
    );
  }
}

const textOf = ({ name, summary = '', status }: PageExecution): string =>
  `${name} ${summary} ${wordsOf(status)}`.toLowerCase();

/** Labels an execution with the summary of its input, because its name is often a random id; without a summary, with its name. */
function fillExecution(place: HTMLElement, execution: PageExecution): void {
  const { name, summary, status, startDate, stopDate } = execution;
  const took = stopDate === undefined ? 'running' : duration(stopDate - startDate);
  const outcome = status === 'RUNNING' || status === 'SUCCEEDED' ? '' : `${wordsOf(status)}, `;
  place.dataset['execution'] = name;
  place.title = `${name}, ${moment(startDate)}`;
  place.append(
    element('span', { class: 'name' }, element('i', { class: `dot ${outcomeOf(status)}` }), summary || name),
    element('small', {}, `${outcome}${took} · ${shortMoment(startDate)}`),
  );
}
