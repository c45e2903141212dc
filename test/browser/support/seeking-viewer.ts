import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { ContentKey } from '../../repair/cbcs.js';

const PATIENCE_MS = 30_000;

/** The pictures of a file that are looked at. */
export interface Frames {
  /** Per second. */
  readonly rate: number;
  readonly indexes: readonly number[];
}

/** A key as Clear Key takes it, in base64url, and the scheme that it is for. */
interface PageKey {
  readonly kid: string;
  readonly k: string;
  readonly scheme: string;
}

/**
 * SHA-256 of what the page's video element shows of a file at some frames. With a key the file is encrypted, and the browser's own
 * Clear Key decrypts it; Chromium keeps such pictures from canvases and `VideoFrame`, so the page is photographed. Rejects with the
 * element's error, or where it shows nothing for half a minute.
 */
export async function picturesOf(
  page: Page,
  file: Buffer,
  codec: string,
  frames: Frames,
  content?: ContentKey,
): Promise<string[]> {
  const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
  // A `schm` names it, behind its version and flags.
  const named = file.indexOf('schm') + 8;
  const scheme = file.toString('latin1', named, named + 4);
  const key = content && { kid: base64url(content.id), k: base64url(content.key), scheme };
  await shown(page.evaluate(loadInPage, file.toString('base64'), `video/mp4; codecs="${codec}"`, key ?? null));
  const video = (await page.$('video'))!;
  const digests: string[] = [];
  for (const frame of frames.indexes) {
    await shown(page.evaluate(seekInPage, (frame + 0.5) / frames.rate, 1 / frames.rate));
    digests.push(
      createHash('sha256')
        .update(await video.screenshot())
        .digest('hex'),
    );
  }
  return digests;
}

/** Of a file that cannot be decoded there may be neither a picture nor an error. */
function shown(picture: Promise<void>): Promise<void> {
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no picture within ${PATIENCE_MS / 1000} s`);
  });
  return Promise.race([picture, late]);
}

/** Runs in the page. */
async function loadInPage(base64: string, contentType: string, key: PageKey | null): Promise<void> {
  const video = document.querySelector('video')!;
  const once = (target: EventTarget, type: string): Promise<unknown> =>
    new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));

  const unlock = async ({ kid, k, scheme }: PageKey): Promise<void> => {
    const videoCapabilities = [{ contentType, encryptionScheme: scheme }];
    const configurations = [{ initDataTypes: ['keyids'], videoCapabilities }];
    const access = await navigator.requestMediaKeySystemAccess('org.w3.clearkey', configurations);
    const mediaKeys = await access.createMediaKeys();
    await video.setMediaKeys(mediaKeys);
    const session = mediaKeys.createSession();
    const json = (value: object): BufferSource => new TextEncoder().encode(JSON.stringify(value));
    const message = once(session, 'message');
    await session.generateRequest('keyids', json({ kids: [kid] }));
    await message;
    await session.update(json({ keys: [{ kty: 'oct', kid, k }], type: 'temporary' }));
  };

  const failed = once(video, 'error').then(() => {
    throw new Error(video.error!.message);
  });
  failed.catch(() => undefined);
  if (key) await unlock(key);
  const source = new MediaSource();
  video.src = URL.createObjectURL(source);
  await once(source, 'sourceopen');
  const buffer = source.addSourceBuffer(contentType);
  buffer.appendBuffer(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  await once(buffer, 'updateend');
  if (source.readyState === 'open') source.endOfStream();
  await Promise.race([failed, video.readyState >= video.HAVE_CURRENT_DATA ? null : once(video, 'loadeddata')]);
}

/** Runs in the page; ends when the picture of that time is on it, and not the one before, which may come late. */
async function seekInPage(seconds: number, duration: number): Promise<void> {
  const video = document.querySelector('video')!;
  if (video.error) throw new Error(video.error.message);
  const failed = new Promise<never>((_, reject) => {
    video.addEventListener('error', () => reject(new Error(video.error!.message)), { once: true });
  });
  const seeked = new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
  const presented = new Promise<void>((resolve) => {
    const look: VideoFrameRequestCallback = (_, { mediaTime }) => {
      if (Math.abs(mediaTime + duration / 2 - seconds) < duration) resolve();
      else video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
  });
  video.currentTime = seconds;
  await Promise.race([failed, Promise.all([seeked, presented])]);
}
