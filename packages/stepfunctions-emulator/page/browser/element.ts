type Child = Node | string;

export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined | ((event: Event) => void);
}

/** Makes an HTML element. A string becomes a text node, so the data of an execution is never parsed as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

export function drawn<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

function setAttributes(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice('on'.length), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
}

/** Makes a key handler for an element that is not an HTML button: Enter and the space bar press the element. */
export const whenPressed =
  (press: () => void) =>
  (event: Event): void => {
    const { key } = event as KeyboardEvent;
    if (key !== 'Enter' && key !== ' ') return;
    event.preventDefault();
    press();
  };

export const searchField = (label: string, search: () => void): HTMLInputElement =>
  element('input', { type: 'search', placeholder: label, 'aria-label': label, oninput: search });
