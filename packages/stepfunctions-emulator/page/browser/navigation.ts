import type { PageExecution, PageMachine } from '../../src/page/data.ts';
import { element, whenPressed } from './element.ts';
import { LazyList } from './lazy-list.ts';
import { count, duration, moment, shortMoment } from './text.ts';

const ROW_PX = 46;

export interface NavigationEvents {
  readonly chooseMachine: (arn: string) => void;
  readonly chooseExecution: (arn: string) => void;
}

/** The state machines, and the executions of the chosen one. */
export class Navigation {
  readonly element: HTMLDetailsElement;
  readonly #events: NavigationEvents;
  readonly #summary = element('summary', {}, 'Executions');
  readonly #machines = element('div', { class: 'machines', role: 'group', 'aria-label': 'State machines' });
  readonly #hint = element('p', { class: 'hint' });
  readonly #list: LazyList;

  constructor(events: NavigationEvents) {
    this.#events = events;
    const executions = element('div', { class: 'executions', role: 'group', 'aria-label': 'Executions' });
    this.element = element('details', { class: 'navigation', open: true });
    this.element.append(this.#summary, this.#machines, this.#hint, executions);
    this.#list = new LazyList(executions);
  }

  showMachines(machines: readonly PageMachine[], chosen: string | undefined): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['machine'];
    this.#machines.replaceChildren(
      ...machines.map(({ arn, name, type, running }) =>
        element(
          'button',
          {
            ...{ type: 'button', 'data-machine': arn, 'aria-pressed': String(arn === chosen) },
            onclick: () => this.#events.chooseMachine(arn),
          },
          element('span', { title: name }, name),
          element('small', {}, running > 0 ? `${running} running` : type === 'EXPRESS' ? 'Express' : ''),
        ),
      ),
    );
    if (focused === undefined) return;
    this.#machines.querySelector<HTMLElement>(`[data-machine="${CSS.escape(focused)}"]`)?.focus();
  }

  showExecutions(
    executions: readonly PageExecution[],
    { machine, chosen, hint }: { machine: string | undefined; chosen: string | undefined; hint: string },
  ): void {
    const number = count(executions.length, 'execution');
    this.#summary.textContent = machine === undefined ? number : `${machine}: ${number}`;
    this.#hint.textContent = hint;
    this.#hint.hidden = hint === '';
    this.#list.set(
      executions.map(execution => ({ height: ROW_PX, draw: () => this.#row(execution, chosen) })),
    );
  }

  #row(execution: PageExecution, chosen: string | undefined): HTMLElement {
    const { arn, name, status, startDate, stopDate } = execution;
    const press = () => this.#events.chooseExecution(arn);
    const took = stopDate === undefined ? 'running' : duration(stopDate - startDate);
    const outcome = status === 'RUNNING' || status === 'SUCCEEDED' ? '' : `${wordsOf(status)}, `;
    return element(
      'div',
      {
        ...{ class: 'row execution', role: 'button', tabindex: '0', 'data-execution': name },
        'aria-label': `${name}, ${status}, ${took}`,
        'aria-pressed': String(arn === chosen),
        onclick: press,
        onkeydown: whenPressed(press),
      },
      element('span', { class: 'name', title: name }, element('i', { class: `dot ${dotOf(status)}` }), name),
      element('small', { title: moment(startDate) }, `${outcome}${took} · ${shortMoment(startDate)}`),
    );
  }
}

/** `timed out` */
export const wordsOf = (status: PageExecution['status']): string => status.toLowerCase().replace('_', ' ');

/** The colour of a status: as that of a visit. */
export const dotOf = (status: PageExecution['status']): string =>
  ({ RUNNING: 'running', SUCCEEDED: 'succeeded', FAILED: 'failed', TIMED_OUT: 'failed', ABORTED: 'cutOff' })[
    status
  ];
