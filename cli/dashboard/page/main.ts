/** The dashboard's script in the browser: polls the server, and replaces the content of elements that have changed. */

const POLL_MS = 2_000;
/** For `ms` milliseconds after the start, the script polls every `pollMs`, so that the first data is shown soon. */
const OPENING = { ms: 5_000, pollMs: 200 } as const;
/** Time limit of a request: it can be short, because the server is on this machine. */
const LIMIT_MS = 4_000;

const shown = new Map<string, string>();
let lostAt: string | undefined;

async function poll(): Promise<void> {
  try {
    const query = location.hash.slice(1);
    const answer = await fetch(`view.html?${query}`, { signal: AbortSignal.timeout(LIMIT_MS) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    lostAt = undefined;
    show(await answer.text());
  } catch {
    lostAt ??= new Date().toISOString().slice(11, 19);
    show(
      `<div id="trouble"><p class="remark warning">No data since ${lostAt}Z: the command that serves this page has ended, or does not answer. What is shown is as of then.</p></div>`,
    );
  }
  document.body.classList.toggle('is-lost', lostAt !== undefined);
}

/** Replaces the content only of changed elements: text selected in others stays selected. @param html HTML with escaped values */
function show(html: string): void {
  const made = document.createElement('template');
  made.innerHTML = html;
  for (const { id, innerHTML, childNodes } of made.content.children) {
    const place = document.getElementById(id);
    if (place === null || shown.get(id) === innerHTML) continue;
    shown.set(id, innerHTML);
    const focused = place.contains(document.activeElement) ? document.activeElement?.id : undefined;
    place.replaceChildren(...childNodes);
    if (focused) document.getElementById(focused)?.focus();
  }
  const verdict = document.querySelector('.lead .badge')?.textContent;
  document.title = verdict ? `${verdict}: precise-ttl` : 'precise-ttl';
}

/** Shows the numbers of the chosen point of a plot, or of the newest point if none is chosen. */
function choose(plot: Element, point: Element | null | undefined): void {
  plot.querySelector('.chosen')?.classList.remove('chosen');
  point?.classList.add('chosen');
  const readout = plot.parentElement?.querySelector<HTMLElement>('.readout');
  const words = point instanceof SVGElement ? point.dataset['words'] : readout?.dataset['newest'];
  readout?.replaceChildren(words ?? '');
}

const plotOf = ({ target }: Event): Element | null =>
  target instanceof Element ? target.closest('.plot') : null;

addEventListener('pointermove', event => {
  const plot = plotOf(event);
  const chosen = plot ?? document.querySelector('.plot:has(.chosen):not(:focus)');
  if (chosen !== null) choose(chosen, plot && (event.target as Element).closest('.point'));
});
addEventListener('focusout', event => {
  const plot = plotOf(event);
  if (plot !== null) choose(plot, undefined);
});
addEventListener('keydown', event => {
  const plot = plotOf(event);
  if (plot === null) return;
  const points = [...plot.querySelectorAll('.point')];
  const at = points.findIndex(point => point.classList.contains('chosen'));
  const last = points.length - 1;
  const next = {
    ArrowLeft: (at === -1 ? last + 1 : at) - 1,
    ArrowRight: at === -1 ? last : at + 1,
    Home: 0,
    End: last,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  choose(plot, points[Math.min(last, Math.max(0, next))]);
});

/** Polls the server, except while the page is hidden. */
async function keepPolling(): Promise<void> {
  for (;;) {
    if (!document.hidden) await poll();
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, performance.now() < OPENING.ms ? OPENING.pollMs : POLL_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

let wake = (): void => undefined;
addEventListener('hashchange', () => wake());
document.addEventListener('visibilitychange', () => wake());
void keepPolling();
