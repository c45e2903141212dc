import type { LinkMoment, PresetInfo } from './types.js';

/** What the command says of itself. */
export interface Content {
  readonly commit: string;
  readonly server: string;
  readonly presets: readonly PresetInfo[];
  /** Whether recordings are taken. */
  readonly records: boolean;
}

/** What plays over the links. */
export interface Program {
  /** Where the media are, off the emulated links: for what is not part of playback. */
  readonly media: string;
  readonly isLive: boolean;
  /** Of a comparison, s. */
  readonly duration: number;
  readonly segmentDuration: number;
}

/** Where a player finds its server, over links of its own: one address of QUIC for each. */
export interface LanePlace {
  readonly http: string;
  readonly endpoints: readonly string[];
}

export interface Started {
  readonly lanes: readonly LanePlace[];
  readonly certificateHashes: readonly string[];
}

export function loadContent(): Promise<Content> {
  return request<Content>('api/content');
}

/** Ends the comparison that runs. A live stream is started. */
export function openProgram(preset: string): Promise<Program> {
  return request<Program>('api/program', { method: 'POST', body: JSON.stringify({ preset }) });
}

/** New links, whose traces begin at once. */
export function startLinks(settings: { preset: string; scale: number; seed: number }): Promise<Started> {
  return request<Started>('api/start', { method: 'POST', body: JSON.stringify(settings) });
}

export async function rescaleLinks(scale: number): Promise<void> {
  await request('api/scale', { method: 'POST', body: JSON.stringify({ scale }) });
}

/** Hears of the links until the function returned is called. */
export function listenToLinks(listener: (moment: LinkMoment) => void): () => void {
  const source = new EventSource('api/events');
  source.addEventListener('message', ({ data }) => listener(JSON.parse(data as string) as LinkMoment));
  return () => source.close();
}

/** Gives the command a file of the recording. */
export async function saveRecorded(name: string, body: Blob): Promise<void> {
  await request(`api/recording/${name}`, { method: 'PUT', body });
}

async function request<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(path, init);
  const answer = (await response.json()) as Answer & { readonly error?: string };
  if (!response.ok) throw new Error(answer.error ?? `${path}: ${response.status}`);
  return answer;
}
