/** What was appended to a video's source buffer. */
export interface Append {
  readonly video: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Hears of everything that is appended to any source buffer for video on the page from now on. Players append by themselves and tell nobody; so the
 * browser's own functions are wrapped. `video`: the `src` of the media element.
 */
export function watchAppends(listener: (append: Append) => void): void {
  const addresses = new WeakMap<MediaSource, string>();
  const sources = new WeakMap<SourceBuffer, MediaSource>();
  const createUrl = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (object) => {
    const url = createUrl(object);
    if (object instanceof MediaSource) addresses.set(object, url);
    return url;
  };
  /* oxlint-disable typescript/unbound-method -- called with their own objects */
  const { addSourceBuffer } = MediaSource.prototype;
  const { appendBuffer } = SourceBuffer.prototype;
  /* oxlint-enable typescript/unbound-method */
  MediaSource.prototype.addSourceBuffer = function (type) {
    const buffer = addSourceBuffer.call(this, type);
    // Sound is not heard, and so not kept.
    if (type.startsWith('video/')) sources.set(buffer, this);
    return buffer;
  };
  SourceBuffer.prototype.appendBuffer = function (data) {
    const source = sources.get(this);
    const video = source && addresses.get(source);
    const view = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    appendBuffer.call(this, data);
    if (video !== undefined) listener({ video, bytes: view.slice() });
  };
}
