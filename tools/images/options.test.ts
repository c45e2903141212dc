import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.mjs';

describe('npm run images', () => {
  it('builds all images on Debian, or those that are named', () => {
    expect(parseOptions([], {})).toMatchObject({
      images: ['quiche', 'serve', 'prepare'],
      base: 'docker.io/library/debian:bookworm-slim',
      ca: undefined,
      tried: false,
    });
    expect(parseOptions(['serve'], { SSL_CERT_FILE: '/ca.pem' })).toMatchObject({ images: ['serve'], ca: '/ca.pem' });
  });

  it('makes its own base where it is asked to', () => {
    expect(parseOptions(['--mmdebstrap'], {}).base).toBeUndefined();
    expect(parseOptions(['--base', 'debian:trixie'], {}).base).toBe('debian:trixie');
  });

  it('tries the images of servers', () => {
    expect(parseOptions(['--try'], {})).toMatchObject({ images: ['quiche', 'serve'], tried: true, limit: 60 });
  });

  it.each([
    [['everything'], "IMAGE must be one of quiche, serve, prepare, got 'everything'"],
    [['--try', 'prepare'], "IMAGE must be one of quiche, serve, got 'prepare'"],
    [['--base', 'a', '--mmdebstrap'], '--base and --mmdebstrap exclude each other'],
    [['--try', '--limit', 'soon'], "--limit must be a number of seconds, got 'soon'"],
    [['--fast'], "Unknown option '--fast'"],
  ])('says what is wrong with %s', (args, message) => {
    expect(() => parseOptions(args, {})).toThrow(message);
  });
});
