import type {} from './voxel-compare.js';
import { byId, create } from '../dom.js';
import { downloadJson } from '../download.js';
import { Catalogue } from './catalogue.js';
import { loadContent, rescaleLinks, saveRecorded, type Content } from './control.js';
import { LiveComparison } from './live-comparison.js';
import { Recorder } from './recording/recorder.js';
import { parseSettings, toQuery, type CompareSettings } from './settings.js';
import type { CompareReport } from './voxel-compare.js';
import { listenForClips } from './view/clip-button.js';
import { Inspector } from './view/inspector.js';
import { ComparisonView, showNotice } from './view/page.js';

/** Of the sample. */
const FRAME_RATE = 25;

/** The page that plays three at once. */
class LivePage {
  readonly #content: Content;
  readonly #catalogue: Catalogue;
  readonly #view: ComparisonView;
  readonly #recorder: Recorder | undefined;
  readonly #inspector: Inspector;
  readonly #preset = byId('preset', HTMLSelectElement);
  readonly #scale = byId('scale', HTMLInputElement);
  readonly #start = byId('start', HTMLButtonElement);
  #settings: CompareSettings;
  #comparison: LiveComparison | undefined;
  #startedAt = new Date();

  constructor(content: Content, catalogue: Catalogue) {
    this.#content = content;
    this.#catalogue = catalogue;
    if (content.records) this.#recorder = new Recorder();
    const presets = content.presets.map(({ id }) => id);
    this.#settings = parseSettings(new URLSearchParams(location.search), presets);
    this.#view = new ComparisonView({
      duration: content.duration,
      ladder: catalogue.ladder,
      onFrame: (place, frame) => {
        const lane = this.#comparison?.lanes[place];
        if (lane) void this.#inspector.open(place, lane, frame);
      },
    });
    this.#inspector = new Inspector(async (place, { representation, index }) => ({
      codecs: catalogue.ladder.find(({ id }) => id === representation)!.codecs,
      initialization: await catalogue.initialization(representation),
      original: await catalogue.segment(representation, index),
      repaired: this.#comparison?.lanes[place]?.repaired(index),
    }));
    this.#fillForm();
    this.#listen();
    if (this.#settings.autoplay) void this.start();
  }

  get comparison(): LiveComparison | undefined {
    return this.#comparison;
  }

  report(): CompareReport | undefined {
    if (!this.#comparison) return undefined;
    const { preset, scale, buffer, seed } = this.#settings;
    const { presets, commit, server, duration } = this.#content;
    return {
      preset: presets.find(({ id }) => id === preset)!,
      ...{ settings: { preset, scale, buffer, seed }, commit, server, duration },
      browser: navigator.userAgent,
      date: this.#startedAt.toISOString(),
      elapsed: this.#comparison.elapsed(),
      players: this.#comparison.reports(),
    };
  }

  /** Gives the command the files of what was just played. */
  async saveRecording(): Promise<void> {
    const report = this.report();
    if (!this.#recorder || !this.#comparison || !report) throw new Error('nothing was recorded');
    const known = { report, catalogue: this.#catalogue, segmentDuration: this.#content.segmentDuration };
    const files = await this.#recorder.files(this.#comparison, this.#view.videos, known);
    for (const [name, file] of files) await saveRecorded(name, file);
  }

  async start(): Promise<void> {
    this.#comparison?.stop();
    this.#start.textContent = 'Start again';
    this.#startedAt = new Date();
    const { frameRate, score } = { frameRate: FRAME_RATE, score: this.#catalogue.score.bind(this.#catalogue) };
    try {
      this.#comparison = await LiveComparison.start(this.#view.videos, this.#settings, {
        content: this.#content,
        knowledge: { frameRate, score },
        onEnd: () => this.#view.draw(),
      });
      showNotice('');
      this.#view.show(this.#comparison);
    } catch (error) {
      showNotice(`The links could not be started: ${String(error)}. Is "npm run compare" still running?`);
    }
  }

  #fillForm(): void {
    const { preset, scale } = this.#settings;
    this.#preset.append(
      ...this.#content.presets.map(({ id, title }) => create('option', { text: title, attributes: { value: id } })),
    );
    this.#preset.value = preset;
    this.#scale.value = String(Math.log2(scale));
    this.#showSettings();
  }

  #showSettings(): void {
    const { preset, scale, buffer } = this.#settings;
    const { presets, segmentDuration, duration, server, commit } = this.#content;
    byId('about', HTMLElement).textContent = presets.find(({ id }) => id === preset)?.about ?? '';
    byId('scale-value', HTMLElement).textContent = `${Math.round(100 * scale)} %`;
    const ladder = this.#catalogue.ladder
      .map(({ height, bandwidth }) => `${height}p at ${(bandwidth / 1e6).toFixed(1)}`)
      .join(', ');
    byId('facts', HTMLElement).textContent =
      `${duration} s of video in segments of ${segmentDuration} s (${ladder} Mbit/s); ` +
      `buffer: ${buffer} segments and one under way; server: ${server}; commit ${commit}`;
    history.replaceState(null, '', `?${toQuery(this.#settings)}`);
  }

  #listen(): void {
    byId('controls', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      void this.start();
    });
    this.#preset.addEventListener('change', () => {
      this.#settings = { ...this.#settings, preset: this.#preset.value };
      this.#showSettings();
    });
    this.#scale.addEventListener('input', () => {
      const scale = Number((2 ** Number(this.#scale.value)).toFixed(2));
      this.#settings = { ...this.#settings, scale };
      this.#showSettings();
      void rescaleLinks(scale);
    });
    byId('share', HTMLButtonElement).addEventListener('click', () => {
      void navigator.clipboard.writeText(location.href).then(() => say('Link copied'));
    });
    byId('export', HTMLButtonElement).addEventListener('click', () => {
      const report = this.report();
      if (report) downloadJson('voxel-compare.json', report);
      else say('Start a comparison first');
    });
    listenForClips(() => this.#comparison && { comparison: this.#comparison, videos: this.#view.videos }, say);
  }
}

function say(text: string): void {
  byId('said', HTMLOutputElement).textContent = text;
}

let page: LivePage | undefined;
let failure: string | undefined;

window.voxelCompare = {
  report: () => page?.report(),
  get hasEnded() {
    return page?.comparison?.hasEnded ?? false;
  },
  get failure() {
    return failure;
  },
  saveRecording: () => page?.saveRecording() ?? Promise.reject(new Error('there is no page')),
};

try {
  const content = await loadContent();
  page = new LivePage(content, await Catalogue.load(new URL('manifest.mpd', content.media).href));
} catch (error) {
  failure = String(error);
  showNotice(`The page could not be set up: ${failure}`);
}
