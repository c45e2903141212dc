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

/** What is to be said where bars are missed; undefined where all hold. */
export function complaintOf(bars: readonly Bar[]): string | undefined {
  const missed = bars.filter(({ holds }) => !holds);
  return missed.length > 0 ? `${missed.length} of ${bars.length} bars missed` : undefined;
}
