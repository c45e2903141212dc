import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.mjs';

describe('options of npm start', () => {
  it('leaves the defaults to the page', () => {
    expect(parseOptions([])).toMatchObject({ headless: false, json: false, seed: 1, loss: undefined, rule: undefined });
  });

  it('fetches missing bytes again unless told not to', () => {
    expect(parseOptions([]).refetch).toBe(true);
    expect(parseOptions(['--no-refetch']).refetch).toBe(false);
  });

  it('leaves the codecs to voxel-prepare', () => {
    expect(parseOptions([]).codec).toBeUndefined();
    expect(parseOptions(['--codec', 'av1,h264']).codec).toBe('av1,h264');
  });

  it('takes a target latency with live streams', () => {
    expect(parseOptions(['--live'])).toMatchObject({ live: true, latency: undefined });
    expect(parseOptions(['--live', '--latency', '0.5', '--rule', 'dashjs', '--loss', '2'])).toMatchObject({
      ...{ live: true, latency: 0.5, rule: 'dashjs', loss: 2 },
    });
  });

  it.each([
    [['--loss', '101'], '--loss must be a number from 0 to 100'],
    [['--loss', ''], '--loss must be a number'],
    [['--buffer', '0'], '--buffer must be a whole number from 1 to 7'],
    [['--rule', 'fastest'], '--rule must be one of abr-star'],
    [['--delivery', 'udp'], '--delivery must be one of auto'],
    [['--server', 'nginx'], '--server must be one of aioquic'],
    [['--seconds', '5'], '--seconds can only be used with --headless'],
    [['--latency', '1'], '--latency can only be used with --live'],
    [['--live', '--latency', '0'], '--latency must be a number from 0.2 to 30'],
    [['--live', '--buffer', '3'], '--buffer cannot be used with --live'],
    [['--live', '--duration', '9'], '--duration cannot be used with --live'],
    [['--live', '--no-refetch'], '--no-refetch cannot be used with --live'],
    [['--live', '--rule', 'bola'], '--rule with --live must be dashjs'],
    [['--live', '--headless'], '--live --headless needs --seconds'],
    [['--frobnicate'], 'see --help'],
    [['file.mp4'], 'see --help'],
  ])('refuses %j with a line that names the option', (args, message) => {
    const complaint: unknown = expect.stringContaining(message);
    expect(() => parseOptions(args)).toThrow(expect.objectContaining({ message: complaint, exitCode: 2 }));
  });
});
