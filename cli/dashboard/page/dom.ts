type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Makes an element. Strings become text nodes: no data is ever parsed as HTML. */
export function element(
  tag: string,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElement {
  return filled(document.createElement(tag), attributes, children);
}

/** Makes an SVG element in the same way. */
export function shape(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  return filled(
    document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement,
    attributes,
    children,
  );
}

function filled<Made extends Element>(made: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

/** The part of the page with this id. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new TypeError(`expected the page to have #${id}`);
  return found;
}

const drawn = new Map<string, string>();

/** Draws a part of the page again only if its data has changed, so that a selection and the focus are kept. */
export function draw(id: string, data: unknown, make: () => readonly Child[]): void {
  const text = JSON.stringify(data) ?? '';
  if (drawn.get(id) === text) return;
  drawn.set(id, text);
  const place = part(id);
  const focused = place.contains(document.activeElement) ? document.activeElement?.id : undefined;
  place.replaceChildren(...make().filter(child => child !== null && child !== undefined && child !== false));
  if (focused) document.getElementById(focused)?.focus();
}
