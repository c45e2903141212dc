/** The page's element with that id. Throws if the markup has none of that kind: the two belong together. */
export function byId<Kind extends Element>(id: string, kind: abstract new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`index.html has no ${kind.name} with the id ${id}`);
}

interface ElementContent {
  readonly class?: string;
  readonly text?: string;
  readonly children?: readonly Node[];
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A new HTML element. Texts go in as text, never as markup: manifests and servers are not trusted. */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { class: className, text, children = [], attributes = {} }: ElementContent = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== undefined) element.className = className;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
