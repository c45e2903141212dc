import { describe, expect, it } from 'vitest';
import { abrNames } from '../rivals/registry.js';
import { UserError } from '../../tools/setup/process.mjs';
import { parseOptions } from './options.js';

const NEEDED = ['--traces', 't', '--out', 'o'];

describe('parseOptions', () => {
  it('has a default for all but traces and out', () => {
    expect(parseOptions(NEEDED)).toMatchObject({
      rules: abrNames,
      buffers: [1, 2, 3, 7],
      content: 'synthetic',
      segments: 75,
      shifts: 1,
      transport: { kind: 'quic', roundTrip: 0.03, queuePackets: 32, loss: 0, control: 'cubic' },
    });
  });

  it('takes the command line of the design', () => {
    const line =
      '--traces DIR --abr bola-e,abr-star --buffers 1,2,3,7 --content cbr --transport flat --latency 80 --segments 30 --shifts 5 --seed 9 --out DIR';
    expect(parseOptions(line.split(' '))).toMatchObject({
      rules: ['bola-e', 'abr-star'],
      transport: { kind: 'flat', latency: 0.08 },
      segments: 30,
      shifts: 5,
      seed: 9,
    });
  });

  it('knows the references, and rules sent otherwise', () => {
    const { rules } = parseOptions([
      ...NEEDED,
      '--abr',
      'optimum,lowest,bola-e@streams,abr-star@datagrams+clipstream',
    ])!;
    expect(rules).toHaveLength(4);
  });

  it('has losses in bursts and another congestion control', () => {
    const { transport } = parseOptions([...NEEDED, '--loss', '3', '--mean-burst', '4', '--control', 'bbr'])!;
    expect(transport).toMatchObject({ loss: 0.03, meanBurst: 4, control: 'bbr' });
  });

  it('has the manners of a server: with the player of a browser those of voxel-serve', () => {
    const serverOf = (...args: string[]) => {
      const { transport } = parseOptions([...NEEDED, ...args])!;
      return transport.kind === 'quic' ? transport.server : 'none';
    };
    expect(serverOf()).toBeUndefined();
    expect(serverOf('--player', 'browser')).toBe('aioquic');
    expect(serverOf('--player', 'browser', '--server', 'quiche')).toBe('quiche');
  });

  it('is undefined where help is wanted', () => {
    expect(parseOptions(['--help'])).toBeUndefined();
  });

  it.each([
    ['--out', 'o'],
    ['--traces', 't'],
    [...NEEDED, '--abr', 'magic'],
    [...NEEDED, '--abr', 'bola-e@pigeons'],
    [...NEEDED, '--abr', 'bola-e,'],
    [...NEEDED, '--abr', 'tput,tput'],
    [...NEEDED, '--buffers', '0'],
    [...NEEDED, '--buffers', '1.5'],
    [...NEEDED, '--segments', 'many'],
    [...NEEDED, '--transport', 'tcp'],
    [...NEEDED, '--transport', 'flat', '--loss', '1'],
    [...NEEDED, '--transport', 'flat', '--control', 'bbr'],
    [...NEEDED, '--control', 'fastest'],
    [...NEEDED, '--server', 'nginx'],
    [...NEEDED, '--player', 'robot'],
    [...NEEDED, '--loss', '3', '--mean-burst', '0'],
    [...NEEDED, '--loss', '60', '--mean-burst', '1'],
    [...NEEDED, '--latency', '-1'],
    [...NEEDED, '--abr', 'tput+pigeons'],
    [...NEEDED, '--abr', 'tput+voxel+voxel'],
    [...NEEDED, '--frobnicate'],
    [...NEEDED, 'stray'],
  ])('refuses %s %s %s %s %s %s in one line', (...args) => {
    const parse = () => parseOptions(args.filter((arg) => typeof arg === 'string'));
    expect(parse).toThrow(UserError);
    expect(parse).toThrow(/^.*$/);
  });
});
