import { describe, expect, it } from 'vitest';
import { playsOf, systemOf } from './system.js';

describe('systemOf', () => {
  it('knows the systems that trials are mostly about', () => {
    expect(systemOf('voxel')).toMatchObject({ label: 'VOXEL', delivery: 'datagrams', player: { rule: 'abr-star' } });
    expect(systemOf('voxel-reliable')).toMatchObject({ delivery: 'streams', player: { rule: 'abr-star' } });
    expect(systemOf('bola')).toMatchObject({ delivery: 'http3', player: { kind: 'stock', rule: 'bola' } });
    expect(systemOf('dynamic')).toMatchObject({ delivery: 'http3', player: { kind: 'stock', rule: 'dynamic' } });
  });

  it('knows those of live streams', () => {
    expect(systemOf('voxel-live')).toMatchObject({ delivery: 'datagrams', player: { kind: 'live' } });
    expect(systemOf('voxel-live-streams')).toMatchObject({ delivery: 'streams', player: { kind: 'live' } });
    expect(systemOf('groups')).toMatchObject({ delivery: 'streams', player: { kind: 'live', strategy: 'groups' } });
    expect(() => systemOf('voxel+groups')).toThrow("unknown system 'voxel+groups'");
    expect(() => systemOf('voxel-live=1.1')).toThrow("unknown system 'voxel-live=1.1'");
    expect(systemOf('l2a-mended')).toMatchObject({ delivery: 'http3', player: { kind: 'stock', rule: 'l2a-mended' } });
    expect(() => systemOf('voxel-live+clipstream')).toThrow("unknown system 'voxel-live+clipstream'");
    expect(playsOf(systemOf('dynamic'))).toEqual({ live: true, onDemand: true });
    expect(playsOf(systemOf('bola'))).toEqual({ live: false, onDemand: true });
    expect(playsOf(systemOf('lolp'))).toEqual({ live: true, onDemand: false });
    expect(playsOf(systemOf('voxel'))).toEqual({ live: false, onDemand: true });
  });

  it('puts any rule on any delivery, with a bandwidth safety', () => {
    expect(systemOf('mpc@datagrams').player).toEqual({ kind: 'voxel', rule: 'mpc', strategy: 'voxel' });
    expect(systemOf('beta@streams').delivery).toBe('streams');
    expect(systemOf('voxel=0.8')).toMatchObject({
      label: 'VOXEL, safety 0.8',
      player: { rule: 'abr-star', bandwidthSafety: 0.8 },
    });
  });

  it('puts a strategy behind what is ours', () => {
    expect(systemOf('tput@datagrams+clipstream=0.8')).toMatchObject({
      label: 'tput over datagrams, clipstream, safety 0.8',
      player: { rule: 'tput', strategy: 'clipstream', bandwidthSafety: 0.8 },
    });
    expect(systemOf('voxel-reliable+hollywood')).toMatchObject({
      delivery: 'streams',
      player: { strategy: 'hollywood' },
    });
  });

  it('has controls: dash.js with the player settings of the plugin, and a rule that plans over whole segments', () => {
    expect(systemOf('dynamic+voxel-settings')).toMatchObject({
      ...{ label: 'Dynamic (dash.js, HTTP/3), our settings', delivery: 'http3' },
      player: { kind: 'stock', rule: 'dynamic', settings: 'voxel' },
    });
    expect(systemOf('abr-star@whole')).toMatchObject({
      ...{ label: 'abr-star over whole segments', delivery: 'streams' },
      player: { kind: 'voxel', rule: 'abr-star', segments: 'whole' },
    });
  });

  it('takes one path of a bundle alone', () => {
    expect(systemOf('voxel+clipstream=0.8:wlan')).toMatchObject({
      name: 'voxel+clipstream=0.8:wlan',
      label: 'VOXEL, clipstream, safety 0.8, wlan alone',
      ...{ delivery: 'datagrams', path: 'wlan' },
    });
    expect(systemOf('bola:lte')).toMatchObject({ delivery: 'http3', path: 'lte' });
    expect(systemOf('bola')).not.toHaveProperty('path');
    for (const name of ['bola:', 'bola:a:b', ':a']) expect(() => systemOf(name)).toThrow(`unknown system '${name}'`);
  });

  it('names stock dash.js and a rule of ours as kept results have them', () => {
    expect(systemOf('dynamic').player).toEqual({ kind: 'stock', rule: 'dynamic' });
    expect(systemOf('voxel').player).toEqual({ kind: 'voxel', rule: 'abr-star', strategy: 'voxel' });
  });

  it.each([
    'voxel+voxel-settings',
    'bola@whole=0',
    'dashjs-bola@whole',
    'nonsense@datagrams',
    'bola-e',
    'bola-e@pigeons',
    'bola-e@streams@streams',
    'voxel=',
    'voxel=-1',
    'voxel=1=2',
    'constructor@streams',
    'voxel+pigeons',
    'voxel+voxel+voxel',
    'bola+clipstream',
    'bola-e@constructor',
  ])("refuses '%s' and says what there is", (name) => {
    expect(() => systemOf(name)).toThrow(/unknown system .* expected one of voxel/);
  });

  it('has stock dash.js on plain requests only, and with its own safety, and nothing else on them', () => {
    expect(() => systemOf('dashjs-bola@datagrams')).toThrow('unknown system');
    expect(() => systemOf('bola=0.9')).toThrow('unknown system');
    expect(() => systemOf('beta@http3')).toThrow('unknown system');
  });
});
