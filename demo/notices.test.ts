import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../player/api/errors.js';
import { catalogue, dashErrorNotice, fallbackNotice, sessionNotice } from './notices.js';

describe('dashErrorNotice', () => {
  it('tells a missing manifest from a server that is down', () => {
    const error = { code: 25, message: '/media/manifest.mpd is not available' };
    expect(dashErrorNotice({ ...error, status: 404 })).toMatchObject({
      key: 'manifest-missing',
      severity: 'error',
      detail: '/media/manifest.mpd is not available (HTTP status 404)',
    });
    expect(dashErrorNotice({ ...error, status: 0 })?.key).toBe('server-down');
    expect(dashErrorNotice(error)?.key).toBe('server-down');
  });

  it('tells a missing segment from a server that is down', () => {
    expect(dashErrorNotice({ code: 27, message: 'q00.mp4', status: 416 })?.key).toBe('segment-missing');
    expect(dashErrorNotice({ code: 27, message: 'q00.mp4', status: 0 })?.key).toBe('server-down');
  });

  it.each([10, 31, 32])('says that the manifest is at fault for code %i', (code) => {
    expect(dashErrorNotice({ code, message: 'parsing failed' })?.key).toBe('manifest-invalid');
  });

  it('says a failed manifest once, though dash.js says it twice', () => {
    expect(dashErrorNotice({ code: 11, message: 'Failed loading manifest' })).toBeUndefined();
  });

  it('shows an unknown error with its code', () => {
    expect(dashErrorNotice({ code: 110, message: 'key expired' })).toMatchObject({
      key: 'playback',
      detail: 'key expired (dash.js error 110)',
    });
  });
});

describe('sessionNotice', () => {
  it.each<[ErrorCode, number | undefined, string]>([
    ['unsupported', undefined, 'no-webtransport'],
    ['discovery-failed', undefined, 'no-voxel-server'],
    ['discovery-failed', 2, 'discovery-failed'],
    ['session-failed', 2, 'session-failed'],
    ['session-closed', 2, 'session-failed'],
  ])('takes %s (next attempt in %s s) for %s, a warning: the video plays', (code, retryIn, key) => {
    const problem = sessionNotice({ code, message: 'why', retryIn }, { secureContext: true });
    expect(problem).toMatchObject({ key, severity: 'warning', detail: 'why' });
  });

  it('blames an insecure page, not the browser, where the page is one', () => {
    const failure = { code: 'unsupported', message: 'why', retryIn: undefined } as const;
    expect(sessionNotice(failure, { secureContext: false }).key).toBe('no-secure-context');
  });
});

it('no warning says that the video comes or plays: the server may be down', () => {
  const warnings = Object.values(catalogue).filter(({ severity }) => severity === 'warning');
  expect(warnings.map(({ title, advice }) => `${title}. ${advice}`).join('\n')).not.toMatch(
    /(video|segments) (comes?|came) over|not affected/,
  );
});

describe('fallbackNotice', () => {
  it('names the segment and the reason', () => {
    expect(fallbackNotice({ index: 3, code: 'incomplete', message: 'the stream ended early' })).toMatchObject({
      key: 'fallback',
      severity: 'warning',
      detail: 'segment 3, incomplete: the stream ended early',
    });
  });

  it('says nothing of a session that is about to open, or whose failure has been told', () => {
    expect(fallbackNotice({ index: 0, code: 'session-opening', message: '' })).toBeUndefined();
    expect(fallbackNotice({ index: 0, code: 'session-failed', message: '' })).toBeUndefined();
  });
});
