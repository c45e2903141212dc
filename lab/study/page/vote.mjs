// @ts-check
// Shows the clips of a sheet one after the other and asks for a vote after each. Nothing leaves the machine: votes are downloaded.
import { csvOf, QUESTIONS, votesFile } from './votes.mjs';

/** Grey before each clip and between those of a pair, ms (ITU-T P.910). */
const GREY_MS = 2000;

/** @template {HTMLElement} Kind @param {string} id @param {new () => Kind} kind @returns {Kind} */
function byId(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`the page has no ${kind.name} with the id ${id}`);
}

const sections = ['welcome', 'show', 'scale', 'end'].map((id) => byId(id, HTMLElement));
const video = byId('video', HTMLVideoElement);
const caption = byId('caption', HTMLElement);
const method = byId('method', HTMLSelectElement);
const subject = byId('subject', HTMLInputElement);
const sitting = byId('sitting', HTMLInputElement);

/** @param {string} id */
function only(id) {
  for (const section of sections) section.hidden = section.id !== id;
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {EventTarget} target @param {string} type @returns {Promise<unknown>} */
const once = (target, type) => new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));

/** Until the video can be played. @returns {Promise<void>} */
const playable = () =>
  new Promise((resolve, reject) => {
    video.oncanplaythrough = () => resolve();
    video.onerror = () => reject(new Error(`a clip cannot be played: ${video.error?.message ?? 'no reason given'}`));
  });

/** The whole clip before it is shown: the study's stalls are in its pictures, there must be no others. @param {string} id */
async function clipUrl(id) {
  const response = await fetch(`clips/${id}.mp4`);
  if (!response.ok) throw new Error(`clip ${id}: HTTP ${response.status}`);
  return URL.createObjectURL(await response.blob());
}

/** @param {readonly string[]} urls one clip, or the reference and a clip */
async function present(urls) {
  only('show');
  for (const [index, url] of urls.entries()) {
    video.style.visibility = 'hidden';
    caption.textContent = urls.length > 1 ? (index === 0 ? 'Reference' : 'Video to judge') : '';
    const loaded = playable();
    video.src = url;
    await Promise.all([pause(GREY_MS), loaded]);
    caption.textContent = '';
    video.style.visibility = 'visible';
    const ended = once(video, 'ended');
    await video.play();
    await ended;
  }
  video.style.visibility = 'hidden';
}

/** @param {keyof typeof QUESTIONS} of @param {string} progress @returns {Promise<{ vote: number, ms: number }>} */
function ask(of, progress) {
  const { question, answers } = QUESTIONS[of];
  byId('question', HTMLElement).textContent = question;
  byId('progress', HTMLElement).textContent = progress;
  const shown = performance.now();
  only('scale');
  return new Promise((resolve) => {
    const listening = new AbortController();
    /** @param {number} vote */
    const take = (vote) => {
      listening.abort();
      resolve({ vote, ms: Math.round(performance.now() - shown) });
    };
    const rows = answers.map((text, index) => {
      const button = document.createElement('button');
      button.textContent = `${answers.length - index}  ${text}`;
      button.addEventListener('click', () => take(answers.length - index), { signal: listening.signal });
      const row = document.createElement('li');
      row.append(button);
      return row;
    });
    byId('answers', HTMLElement).replaceChildren(...rows);
    const onKey = (/** @type {KeyboardEvent} */ { key, repeat }) => {
      if (!repeat && /^[1-5]$/.test(key)) take(Number(key));
    };
    document.addEventListener('keydown', onKey, { signal: listening.signal });
  });
}

/** @param {import('./votes.mjs').Sheet} sheet @param {number} number of the sitting, from 1 on */
async function run(sheet, number) {
  const part = sheet.sittings[number - 1];
  if (!part) throw new Error(`there are ${sheet.sittings.length} parts, got ${number}`);
  const started = new Date().toISOString();
  const items = [
    ...part.training.map((clips) => ({ clips, isTraining: true })),
    ...part.rated.map((clips) => ({ clips, isTraining: false })),
  ];
  /** @type {import('./votes.mjs').Vote[]} */
  const votes = [];
  let next = Promise.all(items[0]?.clips.map(clipUrl) ?? []);
  for (const [index, { clips, isTraining }] of items.entries()) {
    const urls = await next;
    next = Promise.all(items[index + 1]?.clips.map(clipUrl) ?? []);
    await present(urls);
    for (const url of urls) URL.revokeObjectURL(url);
    const progress = `${isTraining ? 'Practice · ' : ''}${index + 1} of ${items.length}`;
    const { vote, ms } = await ask(sheet.method, progress);
    votes.push({ clips, vote, ms, training: isTraining });
  }
  finish(votesFile(sheet, number, votes, { started, width: screen.width, height: screen.height }));
}

/** @param {import('./votes.mjs').VotesFile} file */
function finish(file) {
  const name = `votes-${file.method}-${String(file.subject).padStart(2, '0')}-${file.sitting}`;
  const json = URL.createObjectURL(new Blob([JSON.stringify(file, null, 1)], { type: 'application/json' }));
  const again = Object.assign(byId('again', HTMLAnchorElement), { href: json, download: `${name}.json` });
  const csv = URL.createObjectURL(new Blob([csvOf(file)], { type: 'text/csv' }));
  Object.assign(byId('table', HTMLAnchorElement), { href: csv, download: `${name}.csv` });
  if (document.fullscreenElement) void document.exitFullscreen();
  only('end');
  again.click();
}

/** @param {unknown} error */
function fail(error) {
  if (document.fullscreenElement) void document.exitFullscreen();
  only('welcome');
  byId('problem', HTMLElement).textContent = error instanceof Error ? error.message : String(error);
}

/** @param {string} path @returns {Promise<unknown>} */
async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
  return response.json();
}

async function start() {
  byId('problem', HTMLElement).textContent = '';
  // Asked for at once: a browser allows it for a moment after the click. Without it the study goes on in the window.
  await document.documentElement.requestFullscreen().catch(() => undefined);
  const path = `sheets/${method.value}-${subject.value.padStart(2, '0')}.json`;
  await run(/** @type {import('./votes.mjs').Sheet} */ (await read(path)), Number(sitting.value));
}

const index = /** @type {{ methods: (keyof typeof QUESTIONS)[], subjects: number }} */ (
  await read('sheets/index.json').catch((/** @type {unknown} */ error) => (fail(error), { methods: [], subjects: 0 }))
);
method.append(...index.methods.map((name) => new Option(name.toUpperCase(), name)));
subject.max = String(index.subjects);
const describe = () => {
  const name = index.methods.find((one) => one === method.value);
  if (name) byId('task', HTMLElement).textContent = QUESTIONS[name].task;
};
method.addEventListener('change', describe);
const asked = new URLSearchParams(location.search);
method.value = asked.get('method') ?? index.methods[0] ?? '';
subject.value = asked.get('subject') ?? '';
sitting.value = asked.get('part') ?? '1';
describe();
byId('choice', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  start().catch(fail);
});
