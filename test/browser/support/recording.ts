import type { Page } from 'puppeteer-core';

/** A segment as dash.js appended it. */
export interface RecordedSegment {
  readonly index: number;
  readonly representation: string;
  readonly data: Uint8Array;
}

/** One picture as Chromium's decoder gave it. */
export interface RecordedPicture {
  /** s on the media time line. */
  readonly mediaTime: number;
  readonly width: number;
  readonly height: number;
  /** SHA-256 of its tightly packed I420 planes, hexadecimal. */
  readonly digest: string;
}

export interface Recording {
  /** The latest delivery of each, which is what was played. */
  readonly segments: RecordedSegment[];
  readonly pictures: RecordedPicture[];
}

/**
 * Call before the demo page is opened: records every segment that the plugin delivers, and about four pictures a second
 * straight from the decoder (`VideoFrame.copyTo`).
 */
export async function recordPlayback(page: Page): Promise<Recording> {
  const recording: Recording = { segments: [], pictures: [] };
  await page.exposeFunction('recordSegment', (index: number, representation: string, base64: string) => {
    const earlier = recording.segments.findIndex((segment) => segment.index === index);
    if (earlier >= 0) recording.segments.splice(earlier, 1);
    recording.segments.push({ index, representation, data: Buffer.from(base64, 'base64') });
  });
  await page.exposeFunction('recordPicture', (picture: RecordedPicture) => {
    recording.pictures.push(picture);
  });
  await page.evaluateOnNewDocument(installRecorder);
  return recording;
}

/** Runs in the page, before its own scripts. */
function installRecorder(): void {
  const secondsBetweenPictures = 0.25;
  const hooks = window as unknown as {
    recordSegment(index: number, representation: string, base64: string): Promise<void>;
    recordPicture(picture: RecordedPicture): Promise<void>;
  };

  function base64Of(bytes: Uint8Array): string {
    let text = '';
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
  }

  async function capture(video: HTMLVideoElement): Promise<void> {
    const frame = new VideoFrame(video);
    // The callback's own time may be that of the picture before: the compositor goes on.
    const mediaTime = frame.timestamp / 1e6;
    const { width, height } = frame.visibleRect ?? { width: 0, height: 0 };
    const sizes = [
      [width, height],
      [width / 2, height / 2],
      [width / 2, height / 2],
    ] as const;
    const layout: PlaneLayout[] = [];
    let bytes = 0;
    for (const [planeWidth, planeHeight] of sizes) {
      layout.push({ offset: bytes, stride: planeWidth });
      bytes += planeWidth * planeHeight;
    }
    const planes = new Uint8Array(bytes);
    await frame.copyTo(planes, { layout });
    frame.close();
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', planes));
    const digest = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
    await hooks.recordPicture({ mediaTime, width, height, digest });
  }

  function watch(video: HTMLVideoElement): void {
    let next = 0;
    video.requestVideoFrameCallback(function callback(_now, { mediaTime }) {
      if (mediaTime >= next) {
        next = mediaTime + secondsBetweenPictures;
        void capture(video);
      }
      video.requestVideoFrameCallback(callback);
    });
  }

  let demo: Window['voxelDemo'] | undefined;
  Object.defineProperty(window, 'voxelDemo', {
    get: () => demo,
    set(value: Window['voxelDemo']) {
      demo = value;
      watch(value.video);
      value.handle?.on('delivered', ({ record, data }) => {
        void hooks.recordSegment(record.index, record.representation, base64Of(data));
      });
    },
  });
}
