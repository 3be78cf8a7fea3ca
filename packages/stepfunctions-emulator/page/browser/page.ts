import type { ExecutionDescription, PageExecution, PageMachine } from '../../src/page/data.ts';
import { type Graph, graphWith, placesOf, readDefinition } from '../model/definition.ts';
import { failedVisit, HistoryModel, type VisitEvent } from '../model/history.ts';
import { layOut } from '../model/layout.ts';
import { statesOf, takenTransitions } from '../model/path.ts';
import { executionDetails, signatureOf, visitDetails } from './details.ts';
import { element } from './element.ts';
import { EventTable } from './events.ts';
import { GraphView } from './graph.ts';
import { Navigation } from './navigation.ts';
import { RefusedError, server } from './server.ts';
import { count, duration, outcomeOf, wordsOf } from './text.ts';

const POLL_MS = 1_000;

/** Whether the window is narrow. The media query in style.css has the same width. */
const isNarrow = (): boolean => matchMedia('(max-width: 1000px)').matches;

interface Opened {
  readonly arn: string;
  description: ExecutionDescription;
  readonly graph: Graph;
  readonly model: HistoryModel;
  view: GraphView | undefined;
  /** The details panel shows the visit of this event; without an event or a visit, it shows the execution. */
  chosen: VisitEvent | undefined;
  readonly children: Map<string, readonly PageExecution[]>;
  now: number;
}

export class Page {
  readonly #place: HTMLElement;
  readonly #header = element('header');
  readonly #graph = element('section', { class: 'graph', 'aria-label': 'Graph' });
  readonly #details = element('aside', { class: 'details', 'aria-label': 'Details', 'aria-live': 'polite' });
  readonly #notice = element('p', { class: 'notice', role: 'status', hidden: true });
  readonly #navigation = new Navigation({
    chooseMachine: arn => void this.#chooseMachine(arn),
    chooseExecution: arn => void this.#open(arn),
  });
  readonly #events = new EventTable(chosen => this.#chooseByHand(chosen));
  #machines: readonly PageMachine[] = [];
  #machine: string | undefined;
  #executions: readonly PageExecution[] = [];
  #version: number | undefined;
  #listed = '';
  #opened: Opened | undefined;
  #detailed = '';

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  async start(): Promise<void> {
    const main = element('main', {}, this.#notice, this.#graph, this.#events.element);
    this.#place.append(this.#header, this.#navigation.element, main, this.#details);
    this.#navigation.element.open = !isNarrow();
    window.addEventListener('hashchange', () => void this.#openAddressed());
    document.addEventListener('visibilitychange', () => void this.#refresh());
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#choose(undefined);
    });
    await this.#refresh();
    await this.#openAddressed();
    this.#poll();
  }

  #poll(): void {
    setTimeout(async () => {
      await this.#refresh();
      this.#poll();
    }, POLL_MS);
  }

  /** Opens the execution whose ARN stands after `#` in the page's address; without an ARN, the first execution of the list. */
  async #openAddressed(): Promise<void> {
    const arn = decoded(location.hash.slice(1)) || this.#executions[0]?.arn;
    if (arn === undefined) await this.#showMachine();
    else await this.#open(arn);
  }

  /** Loads the lists and the opened execution. A hidden page loads nothing, because nobody sees the page. */
  async #refresh(): Promise<void> {
    if (document.hidden) return;
    try {
      await this.#refreshLists();
      await this.#refreshOpened();
      this.#say('');
    } catch (error) {
      const gone = 'The server does not answer. The page goes on when it is back.';
      this.#say(error instanceof RefusedError ? error.message : gone);
    }
  }

  #say(notice: string): void {
    this.#notice.textContent = notice;
    this.#notice.hidden = notice === '';
  }

  async #refreshLists(): Promise<void> {
    this.#machines = await server.machines();
    this.#machine ??= (this.#machines.find(({ running }) => running > 0) ?? this.#machines[0])?.arn;
    if (this.#machine !== undefined) {
      const { version, executions } = await server.executions(this.#machine, this.#version);
      this.#version = version;
      this.#executions = executions ?? this.#executions;
    }
    const opened = this.#opened?.arn;
    const listed = JSON.stringify([this.#machines, this.#machine, this.#version, opened]);
    if (listed === this.#listed) return;
    this.#listed = listed;
    const machine = this.#machines.find(({ arn }) => arn === this.#machine);
    this.#navigation.show({ machines: this.#machines, machine, executions: this.#executions, opened });
    if (opened === undefined) void this.#showMachine();
  }

  async #chooseMachine(arn: string): Promise<void> {
    if (arn === this.#machine) return;
    this.#setMachine(arn);
    this.#opened = undefined;
    history.replaceState(null, '', '#');
    await this.#refresh();
    const [first] = this.#executions;
    if (first !== undefined) await this.#open(first.arn);
  }

  #setMachine(arn: string): void {
    if (arn === this.#machine) return;
    this.#machine = arn;
    this.#version = undefined;
    this.#executions = [];
  }

  async #showMachine(): Promise<void> {
    const machine = this.#machine;
    const name = this.#machines.find(({ arn }) => arn === machine)?.name ?? 'Step Functions';
    const where = element('span', { class: 'facts' }, 'on this machine');
    this.#header.replaceChildren(element('h1', {}, name), where);
    this.#events.element.hidden = true;
    const hint = 'The path, the events and the data of an execution are shown as soon as there is one.';
    this.#details.replaceChildren(element('p', { class: 'hint' }, hint));
    this.#graph.replaceChildren();
    if (machine === undefined) return;
    const definition = await server.definition(machine);
    if (this.#opened !== undefined || machine !== this.#machine) return;
    const view = new GraphView(layOut(readDefinition(definition)), () => {});
    view.show({ states: new Map(), taken: new Set(), outcome: undefined });
    this.#graph.replaceChildren(view.svg);
  }

  async #open(arn: string): Promise<void> {
    if (arn === this.#opened?.arn) return;
    try {
      const description = await server.execution(arn);
      const graph = readDefinition(description.definition);
      const opened: Opened = {
        ...{ arn, description, graph, model: new HistoryModel(placesOf(graph)) },
        ...{ view: undefined, chosen: undefined, children: new Map(), now: description.startDate },
      };
      this.#opened = opened;
      this.#setMachine(description.machineArn);
      history.replaceState(null, '', `#${encodeURIComponent(arn)}`);
      this.#events.element.hidden = false;
      this.#events.search('');
      this.#say('');
      await this.#refreshOpened(true);
      if (this.#opened !== opened) return;
      this.#choose(failureOf(opened));
      await this.#refreshLists();
    } catch (error) {
      this.#say((error as Error).message);
    }
  }

  async #refreshOpened(first = false): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined || (!first && opened.description.status !== 'RUNNING')) return;
    for (let more = true; more; ) {
      const page = await server.history(opened.arn, opened.model.events.length);
      if (opened !== this.#opened) return;
      for (const event of page.events) opened.model.add(event);
      opened.now = page.now;
      more = page.more;
      const ended = page.execution.status !== opened.description.status;
      if (ended && !more) opened.description = await server.execution(opened.arn);
      // A long history needs several answers. The first is shown immediately, the others together after the last.
      if (more && opened.view !== undefined) continue;
      await this.#refreshChildren(opened);
      if (opened !== this.#opened) return;
      this.#show(opened);
      if (ended && !more) this.#choose(opened.chosen ?? failureOf(opened));
    }
  }

  async #refreshChildren({ model, children }: Opened): Promise<void> {
    for (const { mapRunArn, outcome } of model.visits) {
      if (mapRunArn === undefined || (children.has(mapRunArn) && outcome !== 'running')) continue;
      children.set(mapRunArn, await server.children(mapRunArn));
    }
  }

  #show(opened: Opened): void {
    const { model, description, chosen } = opened;
    opened.view ??= this.#draw(opened);
    const outcome = outcomeOf(description.status);
    opened.view?.show({ states: statesOf(model), taken: takenTransitions(model), outcome });
    this.#showHeader(opened);
    this.#events.show(model, description.startDate, chosen);
    // Drawing the details again loses the scroll position. So they are drawn again only after the visit has changed.
    if (chosen?.visit !== undefined && signatureOf(chosen.visit) !== this.#detailed)
      this.#showDetails(opened);
  }

  /** Draws the graph; for a child execution of a Map Run, only the states inside of the Map. Undefined before the child's first visit. */
  #draw(opened: Opened): GraphView | undefined {
    const { graph, model, description } = opened;
    const first = model.visits[0];
    if (first === undefined && description.parentArn !== undefined) return undefined;
    const part = (first && graphWith(graph, first.name)) ?? graph;
    const view = new GraphView(layOut(part), state => this.#chooseState(opened, state));
    this.#graph.replaceChildren(view.svg);
    return view;
  }

  #showHeader({ description, model, now }: Opened): void {
    const { name, status, startDate, stopDate, machine, parentArn } = description;
    const took = duration((stopDate ?? now) - startDate);
    const facts = [machine, took, count(model.visits.length, 'visit'), count(model.events.length, 'event')];
    const title = description.summary || name;
    this.#header.replaceChildren(
      element('h1', { title: name }, title),
      element('span', { class: `badge ${outcomeOf(status)}` }, wordsOf(status)),
      element('span', { class: 'facts' }, facts.join(' · ')),
      ...(parentArn === undefined
        ? []
        : [this.#button('↑ to the execution of the Map', () => void this.#open(parentArn))]),
    );
    document.title = `${title} · ${wordsOf(status)}`;
  }

  #button(text: string, press: () => void): HTMLElement {
    return element('button', { type: 'button', onclick: press }, text);
  }

  /** Searches the events for the name of a state. Shows the details of the last visit whose outcome gives the state its colour. */
  #chooseState({ model }: Opened, state: string): void {
    const outcome = statesOf(model).get(state)?.outcome;
    this.#events.search(state);
    this.#chooseByHand(
      model.events.findLast(({ visit }) => visit?.name === state && visit.outcome === outcome),
    );
  }

  #chooseByHand(chosen: VisitEvent | undefined): void {
    this.#choose(chosen);
    // In a narrow window, the details panel is below everything else, so the window scrolls to the panel.
    if (isNarrow()) this.#details.scrollIntoView({ block: 'start' });
  }

  /** Shows the details of the event's visit or, without an event or a visit, of the execution. */
  #choose(chosen: VisitEvent | undefined): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    if (chosen === undefined) this.#events.search('');
    opened.chosen = chosen;
    this.#events.show(opened.model, opened.description.startDate, chosen);
    this.#events.reveal();
    this.#showDetails(opened);
  }

  #showDetails({ chosen, view, description, children, arn }: Opened): void {
    const visit = chosen?.visit;
    view?.mark(visit?.name);
    this.#detailed = visit === undefined ? '' : signatureOf(visit);
    if (visit === undefined) {
      this.#details.replaceChildren(...executionDetails(description));
      return;
    }
    const details = visitDetails(visit, {
      from: description.startDate,
      data: ids => server.data(arn, ids),
      children: children.get(visit.mapRunArn ?? '') ?? [],
      open: child => void this.#open(child),
    });
    const back = this.#button('← execution', () => this.#choose(undefined));
    this.#details.replaceChildren(element('nav', {}, back), ...details);
  }
}

/** The event at which an execution failed: the last event of the failed visit that was entered last. */
function failureOf({ model, description }: Opened): VisitEvent | undefined {
  if (outcomeOf(description.status) !== 'failed') return undefined;
  const failed = failedVisit(model);
  return failed && model.events.findLast(({ visit }) => visit === failed);
}

/** Decodes a text from the page's address. A text that was cut inside of an escape such as `%3A` stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
