import type { MediaInfo, MediaPlayerClass } from 'dashjs';
import { create } from './dom.js';
import { codecText } from './facts.js';

type TrackType = 'video' | 'audio' | 'text';

/** What a track menu reads of a track. */
export type Track = Pick<MediaInfo, 'lang' | 'codec'> & {
  readonly labels: readonly { readonly text: string }[] | null;
  readonly roles: readonly { readonly value: string }[] | null;
};

const TITLES: Readonly<Record<TrackType, string>> = { video: 'Video', audio: 'Audio', text: 'Subtitles' };

/** Of the entry that shows no subtitles; dash.js' number for it. */
const OFF = -1;

/** The name of a track as people know it: its label, else its language, else its codec; `place`: among its like, from 0. */
export function trackName(type: TrackType, { lang, labels, roles, codec }: Partial<Track>, place: number): string {
  const label = labels?.[0]?.text;
  const language = lang && lang !== 'und' ? (new Intl.DisplayNames(['en'], { type: 'language' }).of(lang) ?? lang) : '';
  const codecs = /codecs="([^"]*)"/.exec(codec ?? '')?.[1];
  const name = label ?? (language || (type === 'video' && codecs ? codecText(codecs) : `${TITLES[type]} ${place + 1}`));
  const role = roles?.map(({ value }) => value).find((value) => value && value !== 'main');
  return role ? `${name} (${role})` : name;
}

/** Menus of the player's tracks in `container`, each where there is something to choose from; made anew with every period. */
export function showTrackMenus(container: HTMLElement, player: MediaPlayerClass): void {
  const menus = () =>
    (['video', 'audio', 'text'] as const).flatMap((type) => {
      const tracks = player.getTracksFor(type);
      return tracks.length > (type === 'text' ? 0 : 1) ? menu(player, type, tracks) : [];
    });
  const update = (): void => container.replaceChildren(...menus());
  player.on('streamInitialized', update);
  player.on('allTextTracksAdded', update);
}

function menu(player: MediaPlayerClass, type: TrackType, tracks: readonly MediaInfo[]): HTMLElement {
  const select = create('select', { attributes: { id: `track-${type}` } });
  if (type === 'text') select.append(new Option('off', String(OFF)));
  select.append(...tracks.map((track, place) => new Option(trackName(type, track, place), String(place))));
  const current = player.getCurrentTrackFor(type);
  select.value = String(type === 'text' ? player.getCurrentTextTrackIndex() : indexOf(tracks, current));
  select.addEventListener('change', () => {
    const place = Number(select.value);
    if (type === 'text') player.setTextTrack(place);
    else player.setCurrentTrack(tracks[place]!);
  });
  return create('label', { text: TITLES[type], children: [select] });
}

function indexOf(tracks: readonly MediaInfo[], current: MediaInfo | null): number {
  return tracks.findIndex(({ id, index }) => id === current?.id && index === current.index);
}
