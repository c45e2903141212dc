const namespace = 'http://www.w3.org/2000/svg';

/** A new SVG element. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>> = {},
  children: readonly SVGElement[] = [],
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A path over the whole height at each stretch of x. */
export function blocks(stretches: readonly (readonly [number, number])[], top: number, bottom: number): string {
  return stretches.map(([start, end]) => `M${round(start)} ${top}H${round(end)}V${bottom}H${round(start)}z`).join('');
}

/** A path under steps: `[x, y]`, y holds from the x before up to this one. */
export function steps(points: readonly (readonly [number, number])[], bottom: number): string {
  const last = points.at(-1);
  if (!last) return '';
  return `M0 ${bottom}${points.map(([x, y]) => `V${round(y)}H${round(x)}`).join('')}V${bottom}z`;
}

const round = (value: number) => Math.round(value * 1000) / 1000;
