import { createRepairer } from 'voxel-repair';
import { demux, Pictures } from './decode.js';
import { lose, seeded } from './loss.js';
import { openPresentation } from './presentation.js';

const manifest = 'http://localhost:8080/media/manifest.mpd';
const HEIGHT = 360;

const element = (id) => document.querySelector(`#${id}`);
const log = (line) => element('log').append(line, '\n');

/** Those of the ranges that lie in frames of these types. */
function inFrames(types, frames, ranges) {
  const chosen = frames.filter(({ type }) => types.includes(type));
  return ranges.filter(({ start }) =>
    chosen.some((frame) => frame.start <= start && start < frame.start + frame.bytes),
  );
}

/** A segment as encoded and as it is after losses and repair, ready to be decoded. */
function damageAndRepair(init, segment, { types, loss, random }) {
  const repairer = createRepairer(init);
  const whole = repairer.repair(segment, []);
  const losable = inFrames(types, whole.frames, repairer.unreliableRanges(segment));
  const missing = lose(losable, loss, random);
  const arrived = segment.slice();
  for (const { start, end } of missing) arrived.fill(0, start, end);
  const { bytes, frames } = repairer.repair(arrived, missing);
  const lost = missing.reduce((sum, { start, end }) => sum + end - start, 0);
  return { frames, lost: lost / segment.length, original: demux(init, segment), repaired: demux(init, bytes) };
}

/** Draws a picture on the canvas of that name. */
function draw(id, picture) {
  const canvas = element(id);
  const { displayWidth: width, displayHeight: height } = picture;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  canvas.getContext('2d').drawImage(picture, 0, 0, width, height);
}

function drawDifference() {
  const { width, height } = element('original');
  const canvas = Object.assign(element('difference'), { width, height });
  const context = canvas.getContext('2d');
  context.drawImage(element('original'), 0, 0);
  context.globalCompositeOperation = 'difference';
  context.drawImage(element('repaired'), 0, 0);
}

/** A bar for each frame in the order in which they are shown: `chunks` and `frames` are in decode order. */
function showFrames(frames, chunks) {
  const inOrder = frames.map((frame, index) => ({ ...frame, at: chunks[index].timestamp }));
  inOrder.sort((left, right) => left.at - right.at);
  const bars = inOrder.map(({ repairedSlices }) => {
    const bar = document.createElement('i');
    bar.classList.toggle('repaired', repairedSlices > 0);
    return bar;
  });
  element('frames').replaceChildren(...bars);
  return bars;
}

/** Decodes a segment twice and shows both, picture by picture, at the video's own pace; returns the number of pictures. */
async function show({ frames, original, repaired }, decoders, clock) {
  const bars = showFrames(frames, original.chunks);
  const other = decoders.repaired.of(repaired.chunks);
  let shown = 0;
  for await (const picture of decoders.original.of(original.chunks)) {
    const { value: repairedPicture } = await other.next();
    if (repairedPicture?.timestamp !== picture.timestamp) throw new Error(`no picture at ${picture.timestamp} µs`);
    await clock(picture.timestamp);
    draw('original', picture);
    draw('repaired', repairedPicture);
    drawDifference();
    bars[shown - 1]?.classList.remove('shown');
    bars[shown++].classList.add('shown');
    picture.close();
    repairedPicture.close();
  }
  // Runs it to its end; pictures beyond those of the original would be an error of the decoder's.
  if (!(await other.next()).done) throw new Error('more pictures than there were');
  return shown;
}

/** Waits until the picture of a time (µs) is due, the first one at once. */
function startClock() {
  let origin;
  return (timestamp) => {
    origin ??= performance.now() - timestamp / 1000;
    const wait = origin + timestamp / 1000 - performance.now();
    return wait > 0 ? new Promise((resolve) => setTimeout(resolve, wait)) : undefined;
  };
}

async function play({ types, loss, seed }) {
  const decoders = { original: new Pictures(), repaired: new Pictures() };
  const total = { segments: 0, pictures: 0, repaired: 0 };
  try {
    const losses = { types, loss, random: seeded(seed) };
    const clock = startClock();
    const { init, segments } = await openPresentation(manifest, HEIGHT);
    for (const [index, fetchSegment] of segments.entries()) {
      const segment = damageAndRepair(init, await fetchSegment(), losses);
      const { config } = segment.original;
      const { supported } = await VideoDecoder.isConfigSupported(config);
      if (!supported) throw new Error(`this browser does not decode ${config.codec}`);
      for (const decoder of Object.values(decoders)) decoder.configure(config);
      const repaired = segment.frames.filter(({ repairedSlices }) => repairedSlices > 0).length;
      const share = Math.round(100 * segment.lost);
      log(`segment ${index}: ${share} % of the bytes lost, ${repaired} of ${segment.frames.length} frames repaired`);
      total.pictures += await show(segment, decoders, clock);
      total.repaired += repaired;
      total.segments++;
    }
    log(`played ${total.segments} segments, ${total.pictures} pictures, ${total.repaired} of them repaired`);
  } catch (error) {
    log(`failed: ${error.message}`);
  } finally {
    for (const decoder of Object.values(decoders)) decoder.close();
  }
}

element('settings').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { types, loss, seed } = Object.fromEntries(new FormData(event.target));
  const button = event.target.querySelector('button');
  button.disabled = true;
  element('log').replaceChildren();
  await play({ types, loss: loss / 100, seed: Number(seed) });
  button.disabled = false;
});
