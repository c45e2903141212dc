import type {} from './voxel-compare.js';
import { byId, create } from '../dom.js';
import { downloadJson } from '../download.js';
import { loadCatalogue } from './catalogue.js';
import { loadContent, openProgram, rescaleLinks, saveRecorded, type Content, type Program } from './control.js';
import { LiveComparison } from './live-comparison.js';
import { Recorder } from './recording/recorder.js';
import { parseSettings, toQuery, type CompareSettings } from './settings.js';
import type { Catalogue, PresetInfo } from './types.js';
import type { CompareReport } from './voxel-compare.js';
import { listenForClips } from './view/clip-button.js';
import { Inspector } from './view/inspector.js';
import { ComparisonView, showNotice } from './view/page.js';

/** Of the sample. */
const FRAME_RATE = 25;

/** What plays, and what is known of it. */
interface OpenProgram {
  readonly program: Program;
  readonly catalogue: Catalogue;
}

/** The page that plays three at once. */
class LivePage {
  readonly #content: Content;
  readonly #view: ComparisonView;
  readonly #recorder: Recorder | undefined;
  readonly #inspector: Inspector;
  readonly #preset = byId('preset', HTMLSelectElement);
  readonly #scale = byId('scale', HTMLInputElement);
  readonly #start = byId('start', HTMLButtonElement);
  #settings: CompareSettings;
  #open: OpenProgram | undefined;
  #comparison: LiveComparison | undefined;
  #startedAt = new Date();

  constructor(content: Content) {
    this.#content = content;
    if (content.records) this.#recorder = new Recorder();
    const presets = content.presets.map(({ id }) => id);
    this.#settings = parseSettings(new URLSearchParams(location.search), presets);
    this.#view = new ComparisonView((place, frame) => {
      const lane = this.#comparison?.lanes[place];
      if (lane) void this.#inspector.open(place, lane, frame);
    });
    this.#inspector = new Inspector(async (place, { representation, index }) => {
      const { catalogue } = this.#open!;
      return {
        codecs: catalogue.ladder.find(({ id }) => id === representation)!.codecs,
        initialization: await catalogue.initialization(representation),
        original: await catalogue.segment(representation, index),
        repaired: this.#comparison?.lanes[place]?.repaired(index),
      };
    });
    this.#fillForm();
    this.#listen();
  }

  /** What the address asks for. A live stream is made when somebody starts it. */
  async begin(): Promise<void> {
    if (this.#settings.autoplay) await this.start();
    else if (!this.#presetInfo.isLive) await this.openProgram();
  }

  get comparison(): LiveComparison | undefined {
    return this.#comparison;
  }

  report(): CompareReport | undefined {
    if (!this.#comparison || !this.#open) return undefined;
    const { preset, scale, buffer, seed } = this.#settings;
    const { commit, server } = this.#content;
    return {
      preset: this.#presetInfo,
      ...{ settings: { preset, scale, buffer, seed }, commit, server, duration: this.#open.program.duration },
      browser: navigator.userAgent,
      date: this.#startedAt.toISOString(),
      elapsed: this.#comparison.elapsed(),
      players: this.#comparison.reports(),
    };
  }

  /** Gives the command the files of what was just played. */
  async saveRecording(): Promise<void> {
    const report = this.report();
    if (!this.#recorder || !this.#comparison || !this.#open || !report) throw new Error('nothing was recorded');
    const { program, catalogue } = this.#open;
    const known = { report, catalogue, segmentDuration: program.segmentDuration };
    const files = await this.#recorder.files(this.#comparison, this.#view.videos, known);
    for (const [name, file] of files) await saveRecorded(name, file);
  }

  async start(): Promise<void> {
    this.#comparison?.stop();
    this.#start.textContent = 'Start again';
    this.#start.disabled = true;
    try {
      const { program, catalogue } = await this.openProgram();
      const score = catalogue.score.bind(catalogue);
      this.#startedAt = new Date();
      this.#comparison = await LiveComparison.start(this.#view.videos, this.#settings, {
        ...{ program, knowledge: { frameRate: FRAME_RATE, score } },
        onEnd: () => this.#view.draw(),
      });
      showNotice('');
      this.#view.show({ comparison: this.#comparison, ladder: catalogue.ladder, duration: program.duration });
    } catch (error) {
      showNotice(`The comparison could not be started: ${String(error)}. Is "npm run compare" still running?`);
    }
    this.#start.disabled = false;
  }

  /** Makes ready what plays over the chosen link. */
  async openProgram(): Promise<OpenProgram> {
    const program = await openProgram(this.#settings.preset);
    this.#open = { program, catalogue: await loadCatalogue(program.media, program.isLive) };
    this.#showSettings();
    return this.#open;
  }

  get #presetInfo(): PresetInfo {
    return this.#content.presets.find(({ id }) => id === this.#settings.preset)!;
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
    const { scale } = this.#settings;
    byId('about', HTMLElement).textContent = this.#presetInfo.about;
    byId('scale-value', HTMLElement).textContent = `${Math.round(100 * scale)} %`;
    byId('facts', HTMLElement).textContent = this.#facts();
    history.replaceState(null, '', `?${toQuery(this.#settings)}`);
  }

  #facts(): string {
    const { server, commit } = this.#content;
    const made = `server: ${server}; commit ${commit}`;
    if (this.#presetInfo.isLive !== this.#open?.program.isLive) return made;
    const { program, catalogue } = this.#open;
    const ladder = catalogue.ladder
      .map(({ height, bandwidth }) => `${height}p at ${(bandwidth / 1e6).toFixed(1)}`)
      .join(', ');
    const length = `${program.duration} s of ${program.isLive ? 'a live stream' : 'video'}`;
    const buffer = program.isLive ? '' : `buffer: ${this.#settings.buffer} segments and one under way; `;
    return `${length} in segments of ${program.segmentDuration} s (${ladder} Mbit/s); ${buffer}${made}`;
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
  page = new LivePage(await loadContent());
  await page.begin();
} catch (error) {
  failure = String(error);
  showNotice(`The page could not be set up: ${failure}`);
}
