declare global {
  interface Window {
    /** Hears of what is appended to buffers for video. */
    onAppend: (bytes: Uint8Array) => void;
  }
}

/** Has `window.onAppend` hear of what players append that start from now on. Runs in the page. */
export function watchAppends(): void {
  const addSourceBuffer = Object.getOwnPropertyDescriptor(MediaSource.prototype, 'addSourceBuffer')!.value as (
    this: MediaSource,
    type: string,
  ) => SourceBuffer;
  MediaSource.prototype.addSourceBuffer = function (type) {
    const buffer = addSourceBuffer.call(this, type);
    if (!type.startsWith('video')) return buffer;
    const append = buffer.appendBuffer.bind(buffer);
    buffer.appendBuffer = (data) => {
      window.onAppend(
        ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data),
      );
      append(data);
    };
    return buffer;
  };
}
