import type { ExecutionDescription, PageExecution, PageMachine } from '../../src/page/data.ts';
import { allStates, type Graph, graphWith, placesOf, readDefinition } from '../model/definition.ts';
import { HistoryModel, type Outcome, type Visit } from '../model/history.ts';
import { layOut } from '../model/layout.ts';
import { statesOf, takenTransitions } from '../model/path.ts';
import { firstOfInterest, rowsOf } from '../model/waterfall.ts';
import {
  type DetailsContext,
  executionDetails,
  showLasting,
  signatureOf,
  stateDetails,
  visitDetails,
} from './details.ts';
import { element } from './element.ts';
import { GraphView } from './graph.ts';
import { dotOf, Navigation, wordsOf } from './navigation.ts';
import { RefusedError, type Source } from './source.ts';
import { type CellItem, count, duration } from './text.ts';
import { Waterfall } from './waterfall.ts';

const POLL_MS = 1_000;

/** Whether the page is narrow; the width is the same as in style.css. */
const isNarrow = (): boolean => matchMedia('(max-width: 1000px)').matches;
/** Part of the height that the graph gets. It gets more if the visits need less. */
const GRAPH_SHARE = 0.62;
const GRAPH_PADDING = 18;

/** The subject of the panel at the side. */
type Selection = { readonly visit: Visit } | { readonly state: string } | undefined;

/** An execution that is shown. */
interface Opened {
  readonly arn: string;
  description: ExecutionDescription;
  readonly graph: Graph;
  readonly model: HistoryModel;
  view: GraphView | undefined;
  selection: Selection;
  /** The iteration of each Map that is shown, by the Map's id. */
  readonly chosen: Map<number, number>;
  /** The executions of Map Runs, by ARN. */
  readonly children: Map<string, readonly PageExecution[]>;
  now: number;
}

/** The page. It requests changes, and shows them. */
export class Page {
  readonly #source: Source;
  readonly #place: HTMLElement;
  readonly #header = element('header');
  readonly #graph = element('section', { class: 'graph', 'aria-label': 'Graph' });
  readonly #size = element('button', { type: 'button', class: 'size', hidden: true });
  readonly #main = element('main');
  readonly #details = element('aside', { class: 'details', 'aria-label': 'Details', 'aria-live': 'polite' });
  readonly #notice = element('p', { class: 'notice', role: 'status', hidden: true });
  readonly #navigation = new Navigation({
    chooseMachine: arn => void this.#chooseMachine(arn),
    chooseExecution: arn => void this.#open(arn),
  });
  readonly #waterfall = new Waterfall({
    select: visit => this.#select({ visit }),
    choose: (map, index) => this.#choose(map, index),
  });
  #machines: readonly PageMachine[] = [];
  #machine: string | undefined;
  #executions: readonly PageExecution[] = [];
  #version: number | undefined;
  /** The last content of the lists, to see whether it has changed. */
  #listed = '';
  #opened: Opened | undefined;
  /** The graph that is shown. */
  #view: GraphView | undefined;
  /** Whether the whole graph is shown, even if it is too small to be read. */
  #isWhole = false;
  /** How high the visits were when the graph got its size. */
  #fitted = 0;
  /** Text of the panel about a visit. */
  #detailed = '';

  constructor(source: Source, place: HTMLElement) {
    this.#source = source;
    this.#place = place;
  }

  async start(): Promise<void> {
    this.#place.className = this.#source.live ? 'live' : 'report';
    this.#size.addEventListener('click', () => this.#changeSize());
    this.#main.append(this.#notice, this.#size, this.#graph, this.#waterfall.element);
    this.#place.append(this.#header, this.#navigation.element, this.#main, this.#details);
    this.#navigation.element.open = !isNarrow();
    new ResizeObserver(() => this.#fit()).observe(this.#main);
    window.addEventListener('hashchange', () => void this.#openAddressed());
    document.addEventListener('visibilitychange', () => void this.#refresh());
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#select(undefined);
    });
    await this.#refresh();
    await this.#openAddressed();
    if (this.#source.live) this.#poll();
  }

  #poll(): void {
    setTimeout(async () => {
      await this.#refresh();
      this.#poll();
    }, POLL_MS);
  }

  /** Opens the execution that the address names, so that a link can be shared. */
  async #openAddressed(): Promise<void> {
    const arn = decoded(location.hash.slice(1));
    if (arn === this.#opened?.arn) return;
    if (arn !== '') return this.#open(arn);
    const [first] = this.#executions;
    if (first === undefined) await this.#showMachine();
    else await this.#open(first.arn);
  }

  /** Requests nothing while the page is hidden. */
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
    this.#machines = await this.#source.machines();
    this.#machine ??= (this.#machines.find(({ running }) => running > 0) ?? this.#machines[0])?.arn;
    if (this.#machine !== undefined) {
      const { version, executions } = await this.#source.executions(this.#machine, this.#version);
      this.#version = version;
      this.#executions = executions ?? this.#executions;
    }
    const listed = JSON.stringify([this.#machines, this.#machine, this.#version, this.#opened?.arn]);
    if (listed === this.#listed) return;
    this.#listed = listed;
    this.#showLists();
  }

  #showLists(): void {
    const machine = this.#machines.find(({ arn }) => arn === this.#machine);
    this.#navigation.showMachines(this.#machines, this.#machine);
    this.#navigation.showExecutions(this.#executions, {
      machine: machine?.name,
      chosen: this.#opened?.arn,
      hint: this.#hintFor(machine),
    });
    if (this.#opened === undefined) void this.#showMachine();
  }

  #hintFor(machine: PageMachine | undefined): string {
    if (machine === undefined) return 'No state machine yet. Clients of the API can create some.';
    if (this.#executions.length > 0) return '';
    if (machine.type === 'EXPRESS')
      return 'No execution yet. Of an Express state machine, the last 20 are shown.';
    return 'No execution yet.';
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

  /** Shows the graph alone, if there is no execution to show. */
  async #showMachine(): Promise<void> {
    const machine = this.#machine;
    const title = element(
      'h1',
      {},
      this.#machines.find(({ arn }) => arn === machine)?.name ?? 'Step Functions',
    );
    this.#header.replaceChildren(title, element('span', { class: 'facts' }, 'on this machine'));
    this.#waterfall.element.hidden = true;
    const hint = 'The path, the times and the data of an execution are shown as soon as there is one.';
    this.#details.replaceChildren(element('p', { class: 'hint' }, hint));
    this.#showGraph(undefined);
    if (machine === undefined) return;
    const definition = await this.#source.definition(machine);
    if (this.#opened !== undefined || machine !== this.#machine) return;
    const view = new GraphView(layOut(readDefinition(definition)), () => {});
    view.show({ states: new Map(), taken: new Set(), outcome: undefined });
    this.#showGraph(view);
  }

  async #open(arn: string): Promise<void> {
    if (arn === this.#opened?.arn) return;
    try {
      const description = await this.#source.execution(arn);
      const graph = readDefinition(description.definition);
      const model = new HistoryModel(placesOf(graph));
      const { startDate: now } = description;
      const opened = {
        ...{ arn, description, graph, model, now, view: undefined, selection: undefined },
        ...{ chosen: new Map(), children: new Map() },
      };
      this.#opened = opened;
      this.#setMachine(description.machineArn);
      history.replaceState(null, '', `#${encodeURIComponent(arn)}`);
      this.#waterfall.element.hidden = false;
      this.#say('');
      await this.#refreshOpened(true);
      if (this.#opened !== opened) return;
      this.#select(undefined);
      await this.#refreshLists();
    } catch (error) {
      this.#say((error as Error).message);
    }
  }

  /** Requests new events of the execution. */
  async #refreshOpened(first = false): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined || (!first && opened.description.status !== 'RUNNING')) return;
    for (let more = true; more; ) {
      const page = await this.#source.history(opened.arn, opened.model.events);
      if (opened !== this.#opened) return;
      for (const event of page.events) opened.model.add(event);
      opened.now = page.now;
      more = page.more;
      const ended = page.execution.status !== opened.description.status;
      if (ended && !more) opened.description = await this.#source.execution(opened.arn);
      // The first events are shown at once; later ones only when all of them have arrived.
      if (more && opened.view !== undefined) continue;
      await this.#refreshChildren(opened);
      if (opened !== this.#opened) return;
      this.#show(opened);
      if (ended && !more) this.#showDetails(opened);
    }
  }

  async #refreshChildren({ model, children }: Opened): Promise<void> {
    for (const { mapRunArn, outcome } of model.visits) {
      if (mapRunArn === undefined || (children.has(mapRunArn) && outcome !== 'running')) continue;
      children.set(mapRunArn, await this.#source.children(mapRunArn));
    }
  }

  #show(opened: Opened): void {
    const { model, description } = opened;
    opened.view ??= this.#draw(opened);
    const states = statesOf(model);
    const outcome = dotOf(description.status) as Outcome;
    opened.view?.show({ states, taken: takenTransitions(model), outcome });
    this.#showHeader(opened);
    this.#showWaterfall(opened);
    const { selection } = opened;
    if (selection === undefined || !('visit' in selection)) return;
    // The requested data stay, with their scroll position, until the visit changes.
    if (signatureOf(selection.visit) !== this.#detailed) this.#showDetails(opened);
    else showLasting(this.#details, selection.visit, opened.now);
  }

  /**
   * Draws the graph. Of an execution that a Map Run has started it draws only the states inside the Map; the first visited state says which
   * Map.
   */
  #draw({ graph, model, description }: Opened): GraphView | undefined {
    const first = model.visits[0];
    if (first === undefined && description.parentArn !== undefined) return undefined;
    const part = (first && graphWith(graph, first.name)) ?? graph;
    const view = new GraphView(layOut(part), state => this.#selectState(state));
    this.#showGraph(view);
    return view;
  }

  #showGraph(view: GraphView | undefined): void {
    this.#view = view;
    this.#graph.replaceChildren(...(view === undefined ? [] : [view.svg]));
    this.#fit();
  }

  /** Shows the whole graph, unless its texts would be too small to be read. A button shows it in any case. */
  #fit(): void {
    if (this.#view === undefined) return;
    const width = this.#graph.clientWidth - GRAPH_PADDING;
    const room = isNarrow() ? Number.POSITIVE_INFINITY : this.#graphRoom();
    this.#graph.style.maxHeight = isNarrow() ? '' : `${room}px`;
    const height = room - GRAPH_PADDING;
    this.#view.fit(width, height, this.#isWhole);
    this.#size.hidden = this.#view.fits(width, height);
    this.#size.textContent = this.#isWhole ? 'Readable size' : 'Whole graph';
  }

  /** While an execution runs it stays the same: visits come, and the graph does not jump. */
  #graphRoom(): number {
    const { clientHeight } = this.#main;
    const share = GRAPH_SHARE * clientHeight;
    if (this.#opened?.description.status === 'RUNNING') return share;
    const { element: visits, height } = this.#waterfall;
    return Math.max(share, clientHeight - (visits.hidden ? 0 : height));
  }

  #changeSize(): void {
    this.#isWhole = !this.#isWhole;
    this.#fit();
    if (this.#opened !== undefined) this.#revealState(this.#opened);
  }

  /** Scrolls to the most important state: the selected one, or else the one in which the execution is or has ended. */
  #revealState({ model, selection }: Opened): void {
    const { visits } = model;
    const last =
      visits.findLast(({ outcome }) => outcome === 'running' || outcome === 'failed') ?? visits.at(-1);
    const name =
      selection === undefined ? last?.name : 'visit' in selection ? selection.visit.name : selection.state;
    if (name !== undefined) this.#view?.reveal(name);
  }

  #showHeader({ description, model, now }: Opened): void {
    const { name, status, startDate, stopDate, machine, parentArn } = description;
    const facts = [
      machine,
      duration((stopDate ?? now) - startDate),
      count(model.visits.length, 'visit'),
      count(model.events, 'event'),
    ].join(' · ');
    this.#header.replaceChildren(
      element('h1', { title: name }, name),
      element('span', { class: `badge ${dotOf(status)}` }, wordsOf(status)),
      element('span', { class: 'facts' }, facts),
      ...(parentArn === undefined ? [] : [this.#parentButton(parentArn)]),
    );
    document.title = `${name} · ${wordsOf(status)}`;
  }

  #parentButton(arn: string): HTMLElement {
    return element(
      'button',
      { type: 'button', onclick: () => void this.#open(arn) },
      '↑ to the execution of the Map',
    );
  }

  #showWaterfall(opened: Opened): void {
    const { model, chosen, description, now, selection, children } = opened;
    const itemsOf = ({ mapRunArn, iterations, length = 0 }: Visit): readonly (CellItem | undefined)[] => {
      if (mapRunArn !== undefined)
        return (children.get(mapRunArn) ?? []).map(({ status }) => ({ outcome: dotOf(status) as Outcome }));
      return iterations.length >= length
        ? iterations
        : Array.from({ length }, (_none, index) => iterations[index]);
    };
    this.#waterfall.show({
      rows: rowsOf(model, chosen),
      from: description.startDate,
      to: Math.max(description.stopDate ?? now, model.lastTime, description.startDate + 1),
      selected: selection !== undefined && 'visit' in selection ? selection.visit.id : undefined,
      itemsOf,
      chosenOf: map =>
        chosen.get(map.id) ?? (map.mapRunArn === undefined ? firstOfInterest(map.iterations) : undefined),
    });
    if (this.#waterfall.height === this.#fitted) return;
    this.#fitted = this.#waterfall.height;
    this.#fit();
  }

  /** Shows an iteration below its Map, or opens an execution of a Map Run. */
  #choose(map: Visit, index: number): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    opened.chosen.set(map.id, index);
    const child = map.mapRunArn === undefined ? undefined : opened.children.get(map.mapRunArn)?.[index];
    if (child !== undefined) {
      void this.#open(child.arn);
      return;
    }
    this.#showWaterfall(opened);
    // Below many cells it may be out of sight.
    const [visit] = map.iterations[index]?.line.visits ?? [];
    if (visit !== undefined) this.#waterfall.reveal(visit.id);
  }

  #selectState(state: string): void {
    const visits = this.#opened?.model.visits.filter(({ name }) => name === state) ?? [];
    const [only] = visits;
    this.#select(visits.length === 1 && only !== undefined ? { visit: only } : { state });
  }

  #select(selection: Selection): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    opened.selection = selection;
    if (selection !== undefined && 'visit' in selection) this.#showIterationOf(opened, selection.visit);
    this.#showWaterfall(opened);
    this.#showDetails(opened);
    this.#revealState(opened);
    if (selection === undefined) return;
    if ('visit' in selection) this.#waterfall.reveal(selection.visit.id);
    // On a narrow page the panel is below everything else.
    if (isNarrow()) this.#details.scrollIntoView({ block: 'start' });
  }

  /** Shows the iteration that contains a visit, because the waterfall has only visits of shown iterations. */
  #showIterationOf({ chosen }: Opened, { line }: Visit): void {
    for (let { parent, index } = line; parent !== undefined; { parent, index } = parent.line)
      if (parent.type === 'Map') chosen.set(parent.id, index);
  }

  #showDetails(opened: Opened): void {
    const { selection, view, description } = opened;
    const name =
      selection === undefined ? undefined : 'visit' in selection ? selection.visit.name : selection.state;
    view?.mark(name);
    this.#detailed = selection !== undefined && 'visit' in selection ? signatureOf(selection.visit) : '';
    this.#details.replaceChildren(...this.#detailsOf(opened, name, description));
  }

  #detailsOf(opened: Opened, name: string | undefined, description: ExecutionDescription): HTMLElement[] {
    const { selection, model, graph, arn, now } = opened;
    if (selection === undefined || name === undefined) return executionDetails(description);
    const context: DetailsContext = {
      from: description.startDate,
      now,
      data: ids => this.#source.data(arn, ids),
      select: visit => this.#select({ visit }),
    };
    const visits = model.visits.filter(visit => visit.name === name);
    const all = this.#allVisitsButton(name, visits);
    const back = element('button', { type: 'button', onclick: () => this.#select(undefined) }, '← execution');
    const nav = element('nav', {}, back, ...('visit' in selection && all !== undefined ? [all] : []));
    if ('visit' in selection) return [nav, ...visitDetails(selection.visit, context)];
    const type = allStates(graph).find(state => state.name === name)?.type ?? '';
    return [nav, ...stateDetails(name, type, visits, context, isInMapRun(name, opened))];
  }

  #allVisitsButton(state: string, visits: readonly Visit[]): HTMLElement | undefined {
    if (visits.length < 2) return undefined;
    return element(
      'button',
      { type: 'button', onclick: () => this.#select({ state }) },
      count(visits.length, 'visit'),
    );
  }
}

/** Whether a state is inside of a distributed Map that this execution has visited: others visit that state. */
function isInMapRun(state: string, { graph, model }: Opened): boolean {
  const maps = new Set(
    model.visits.filter(({ mapRunArn }) => mapRunArn !== undefined).map(({ name }) => name),
  );
  const places = placesOf(graph);
  let parent = places.get(state)?.parent;
  while (parent !== undefined && !maps.has(parent)) parent = places.get(parent)?.parent;
  return parent !== undefined;
}

/** Somebody may have cut the address off. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
