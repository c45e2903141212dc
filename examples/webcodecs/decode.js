import { createFile, DataStream, Endianness, MP4BoxBuffer } from 'mp4box';

/** Chunks under way in the decoder: enough to keep it busy, few enough not to fill the memory with pictures. */
const UNDER_WAY = 4;

/** What a `VideoDecoder` is configured with and fed: the video of an initialization segment and one segment. */
export function demux(init, segment) {
  const file = createFile();
  let config;
  const chunks = [];
  file.onReady = ({ videoTracks: [track] }) => {
    config = { codec: track.codec, description: configurationOf(file, track.id) };
    file.setExtractionOptions(track.id, undefined, { nbSamples: Infinity });
    file.start();
  };
  file.onSamples = (id, user, samples) => {
    for (const { is_sync, cts, duration, timescale, data } of samples) {
      const microseconds = (time) => Math.round((1e6 * time) / timescale);
      const type = is_sync ? 'key' : 'delta';
      chunks.push({ type, timestamp: microseconds(cts), duration: microseconds(duration), data });
    }
  };
  const bytes = new Uint8Array(init.length + segment.length);
  bytes.set(init);
  bytes.set(segment, init.length);
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(bytes.buffer, 0));
  file.flush();
  return { config, chunks: chunks.map((chunk) => new EncodedVideoChunk(chunk)) };
}

/** The track's avcC box without its header. */
function configurationOf(file, track) {
  const [entry] = file.getTrackById(track).mdia.minf.stbl.stsd.entries;
  const stream = new DataStream(undefined, 0, Endianness.BIG_ENDIAN);
  entry.avcC.write(stream);
  return new Uint8Array(stream.buffer, 8);
}

/** A decoder that hands out pictures as they are asked for. Its errors are thrown by `pictures`. */
export class Pictures {
  #ready = [];
  #error;
  #decoder = new VideoDecoder({
    output: (picture) => this.#ready.push(picture),
    error: (error) => (this.#error = error),
  });

  configure(config) {
    if (this.#decoder.state === 'unconfigured') this.#decoder.configure(config);
  }

  /** The pictures of a segment in display order; each must be closed. */
  async *of(chunks) {
    for (const chunk of chunks) {
      this.#throwError();
      this.#decoder.decode(chunk);
      while (this.#decoder.decodeQueueSize > UNDER_WAY) await this.#progress();
      while (this.#ready.length > 0) yield this.#ready.shift();
    }
    await this.#decoder.flush();
    this.#throwError();
    while (this.#ready.length > 0) yield this.#ready.shift();
  }

  close() {
    for (const picture of this.#ready) picture.close();
    if (this.#decoder.state !== 'closed') this.#decoder.close();
  }

  #progress() {
    return new Promise((resolve) => this.#decoder.addEventListener('dequeue', resolve, { once: true }));
  }

  #throwError() {
    if (this.#error) throw this.#error;
  }
}
