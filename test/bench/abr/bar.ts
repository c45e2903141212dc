/** One demand on a figure, and whether it holds. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly demand: string;
  readonly holds: boolean;
}

export function atMost(name: string, value: number, limit: number): Bar {
  return { name, value, demand: `≤ ${limit}`, holds: value <= limit };
}

export function atLeast(name: string, value: number, limit: number): Bar {
  return { name, value, demand: `≥ ${limit}`, holds: value >= limit };
}

export function barLine({ name, value, demand, holds }: Bar): string {
  return `${holds ? 'holds ' : 'MISSED'}  ${name}: ${Number(value.toPrecision(4))} (${demand})`;
}
