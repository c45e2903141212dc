import { attachVoxel, PlayerError, type DashPlayer, type VoxelEventMap, type VoxelHandle } from '../index.js';
import { addMediaMembers, copyOf, MEDIA_EVENTS, type MediaMembers } from './media-members.js';
import { optionsOf } from './options.js';

/** What the element needs of dash.js: the package as it is imported, or the page's global `dashjs`. */
export interface DashNamespace {
  MediaPlayer(): { create(): ElementPlayer };
}

export interface ElementPlayer extends DashPlayer {
  initialize(view: HTMLMediaElement, source: string, autoPlay: boolean): void;
  destroy(): void;
}

/** Attributes that the inner video has, too. */
const VIDEO_ATTRIBUTES = ['autoplay', 'controls', 'crossorigin', 'loop', 'muted', 'playsinline', 'poster', 'preload'];

const VOXEL_EVENTS = [
  'session',
  'decision',
  'delivered',
  'lost',
  'repaired',
  'fallback',
  'summary',
] as const satisfies readonly (keyof VoxelEventMap)[];

const STYLE = ':host { display: inline-block } video { display: block; width: 100%; height: 100% }';

/** Nothing to extend where there is no DOM: importing this on a server does no harm. */
const Base = ((globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ??
  Object) as unknown as new () => HTMLElement & MediaMembers;

/**
 * `<voxel-video src="manifest.mpd">`: a video, a dash.js player and the plugin in one element. `abr`, `delivery`,
 * `buffer-segments`, `endpoint`, `certificate-hashes` and `worker-url` are the plugin's options, read when `src` is loaded.
 *
 * It has the properties and methods of a video, but for `srcObject`, so that whatever drives one drives this. It repeats the events of its video and, as `voxel` + their name, those of the plugin with the event as `detail`.
 * `error` is an `ErrorEvent` with the error of dash.js or, without dash.js, a `PlayerError`.
 */
export class VoxelVideoElement extends Base {
  static readonly observedAttributes: readonly string[] = ['src', ...VIDEO_ATTRIBUTES];

  /** The dash.js to play with; undefined: the page's global `dashjs`. */
  static dashjs: DashNamespace | undefined;

  readonly video: HTMLVideoElement;
  #player: ElementPlayer | undefined;
  #voxel: VoxelHandle | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    // Neither text that becomes elements nor an inline style: strict policies forbid both.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.video = root.appendChild(document.createElement('video'));
    this.video.part.add('video');
    for (const type of MEDIA_EVENTS) this.video.addEventListener(type, (event) => this.dispatchEvent(copyOf(event)));
  }

  /** The dash.js player; undefined while nothing is loaded. */
  get player(): ElementPlayer | undefined {
    return this.#player;
  }

  /** The plugin; undefined while nothing is loaded. */
  get voxel(): VoxelHandle | undefined {
    return this.#voxel;
  }

  get src(): string {
    return this.getAttribute('src') ?? '';
  }

  set src(url: string) {
    this.setAttribute('src', url);
  }

  /** Starts over. */
  load(): void {
    this.#unload();
    if (this.isConnected) this.#load();
  }

  /** Once there is something to play: to attach it would end what a video has begun to do. Rejects as a video does. */
  async play(): Promise<void> {
    if (this.#player && this.video.readyState === 0)
      await new Promise((resolve) => this.video.addEventListener('loadedmetadata', resolve, { once: true }));
    return this.video.play();
  }

  connectedCallback(): void {
    if (!this.#player) this.#load();
  }

  disconnectedCallback(): void {
    // Moving an element within a page takes it out and puts it in again: that is no reason to start over.
    queueMicrotask(() => {
      if (!this.isConnected) this.#unload();
    });
  }

  attributeChangedCallback(name: string, previous: string | null, value: string | null): void {
    if (name !== 'src') {
      if (value === null) this.video.removeAttribute(name);
      else this.video.setAttribute(name, value);
      // The attribute is only the default of an element that the parser makes.
      if (name === 'muted') this.video.muted = value !== null;
    } else if (previous !== value) {
      this.load();
    }
  }

  #load(): void {
    if (!this.src) return;
    const dashjs = VoxelVideoElement.dashjs ?? (globalThis as { dashjs?: DashNamespace }).dashjs;
    if (!dashjs) return this.#report(new PlayerError('no-dashjs', 'voxel-video finds no dash.js: load it first'));
    const player = dashjs.MediaPlayer().create();
    try {
      const voxel = attachVoxel(player, optionsOf(this));
      for (const type of VOXEL_EVENTS)
        voxel.on(type, (detail) => this.dispatchEvent(new CustomEvent(`voxel${type}`, { detail })));
      this.#voxel = voxel;
    } catch (error) {
      // An attribute that is no option: plain dash.js plays all the same.
      this.#report(error);
    }
    player.on('error', (event) => this.#report((event as { error: unknown }).error));
    this.#player = player;
    player.initialize(this.video, this.src, this.hasAttribute('autoplay'));
  }

  #unload(): void {
    this.#voxel?.detach();
    this.#player?.destroy();
    this.#voxel = undefined;
    this.#player = undefined;
  }

  #report(error: unknown): void {
    const { message } = Object(error) as { message?: unknown };
    this.dispatchEvent(
      new ErrorEvent('error', { error, message: typeof message === 'string' ? message : String(error) }),
    );
  }
}

addMediaMembers(VoxelVideoElement.prototype);
