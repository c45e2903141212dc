import type {} from './voxel-compare.js';
import { byId } from '../dom.js';
import { downloadJson } from '../download.js';
import { showEmbedded } from './recording/embedded.js';
import { readRecording, type Piece, type Recording } from './recording/format.js';
import { ReplayedLane } from './recording/recorded-lane.js';
import { ReplayedVideo } from './recording/replayed-video.js';
import type { Comparison } from './types.js';
import { listenForClips } from './view/clip-button.js';
import { Inspector } from './view/inspector.js';
import { ComparisonView, showNotice } from './view/page.js';

/** Where the files of the recording are, relative to the page. */
const FOLDER = 'run/';

/** The time in a recording: it runs, stands, and is moved. */
class Clock {
  readonly #end: number;
  #time = 0;
  #since: number | undefined;

  constructor(end: number) {
    this.#end = end;
  }

  get isRunning(): boolean {
    return this.#since !== undefined && this.time < this.#end;
  }

  get time(): number {
    const more = this.#since === undefined ? 0 : (performance.now() - this.#since) / 1000;
    return Math.min(this.#end, this.#time + more);
  }

  set time(time: number) {
    this.#time = time;
    if (this.#since !== undefined) this.#since = performance.now();
  }

  toggle(): void {
    const { time, isRunning } = this;
    this.#time = time >= this.#end ? 0 : time;
    this.#since = isRunning ? undefined : performance.now();
  }
}

/** The page that plays a recorded comparison: static files, and no player but the browser's. */
function replay(recording: Recording): void {
  const { report, ladder, lanes: recorded } = recording;
  const end = Math.max(report.elapsed, ...recorded.map(({ moments }) => moments.at(-1)![0]));
  const clock = new Clock(end);
  const lanes = recorded.map(
    (lane, place) => new ReplayedLane(lane, report.players[place]!.hasEnded, () => clock.time),
  );
  const comparison: Comparison = { lanes, elapsed: () => clock.time, link: () => recording.link };
  const pictures = memoized(() => fetchBytes(recording.pictures.file));
  const inspector = new Inspector(async (lane, { index, representation }) => {
    const bytes = await pictures();
    const cut = ({ offset, length }: Piece) => bytes.subarray(offset, offset + length);
    const { original, repaired } = recorded[lane]!.segments.find((segment) => segment.index === index)!;
    return {
      codecs: ladder.find(({ id }) => id === representation)!.codecs,
      initialization: cut(recording.pictures.initializations[representation]!),
      original: cut(original),
      repaired: repaired && cut(repaired),
    };
  });
  const view = new ComparisonView((lane, frame) => void inspector.open(lane, lanes[lane]!, frame));
  // Megabytes, and not every reader of a page wants them: they wait until something is to be seen.
  const load = memoized(async () => {
    const bytes = await Promise.all(recorded.map(({ file }) => fetchBytes(file)));
    const videos = recorded.map((lane, place) => new ReplayedVideo(view.videos[place]!, lane, bytes[place]!));
    const follow = (): void => {
      lanes.forEach((lane, place) => videos[place]!.follow(lane.now(), clock.isRunning));
      requestAnimationFrame(follow);
    };
    follow();
  });
  view.show({ comparison, ladder, duration: report.duration });
  const toggle = control(clock, end, load);
  describe(recording);
  if (new URLSearchParams(location.search).has('embedded')) showEmbedded(byId('lanes', HTMLElement), toggle);
  listenForClips(() => ({ comparison, videos: view.videos }), say);
}

/** Buttons and the time's slider. `load` brings what is played. Returns what a click on the button does. */
function control(clock: Clock, end: number, load: () => Promise<void>): () => void {
  const start = byId('start', HTMLButtonElement);
  const slider = byId('time', HTMLInputElement);
  slider.max = String(end);
  const show = (): void => {
    start.textContent = clock.isRunning ? 'Pause' : clock.time >= end ? 'Play again' : 'Play';
    if (document.activeElement !== slider || clock.isRunning) slider.value = String(clock.time);
    const seconds = Math.floor(clock.time);
    byId('time-value', HTMLElement).textContent =
      `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  };
  const toggle = (): void => {
    void loaded().then(() => {
      clock.toggle();
      show();
    });
  };
  const loaded = async (): Promise<void> => {
    start.disabled = true;
    try {
      await load();
    } catch (error) {
      showNotice(`The recording cannot be played: ${String(error)}`);
      throw error;
    } finally {
      start.disabled = false;
    }
  };
  byId('controls', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    toggle();
  });
  slider.addEventListener('input', () => {
    clock.time = Number(slider.value);
    void loaded();
  });
  setInterval(show, 100);
  return toggle;
}

function describe(recording: Recording): void {
  const { report, segmentDuration } = recording;
  const { preset, commit, server, settings, date, duration } = report;
  const choice = byId('preset', HTMLSelectElement);
  choice.append(new Option(preset.title));
  choice.disabled = true;
  byId('about', HTMLElement).textContent =
    `${preset.about}. A real run, recorded: the bytes, the waits and the link are those of ${date.slice(0, 10)}.`;
  byId('facts', HTMLElement).textContent =
    `${duration} s of ${preset.isLive ? 'a live stream' : 'video'} in segments of ${segmentDuration} s; ` +
    (preset.isLive ? '' : `buffer: ${settings.buffer} segments and one under way; `) +
    `server: ${server}; commit ${commit}; recorded by npm run compare -- --record`;
  byId('export', HTMLButtonElement).addEventListener('click', () => downloadJson('voxel-compare.json', report));
  byId('share', HTMLButtonElement).addEventListener('click', () => {
    void navigator.clipboard.writeText(location.href).then(() => say('Link copied'));
  });
}

function say(text: string): void {
  byId('said', HTMLOutputElement).textContent = text;
}

async function fetchBytes(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(`${FOLDER}${file}`);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function memoized<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => (value ??= make());
}

document.body.classList.add('recorded');
try {
  const response = await fetch(`${FOLDER}run.json`);
  if (!response.ok) throw new Error(`run.json: ${response.status}`);
  replay(readRecording(await response.json()));
} catch (error) {
  showNotice(`The recording cannot be played: ${String(error)}`);
}
