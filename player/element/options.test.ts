import { expect, test } from 'vitest';
import { optionsOf } from './options.js';

function elementWith(attributes: Record<string, string>): Pick<Element, 'getAttribute'> {
  return { getAttribute: (name) => attributes[name] ?? null };
}

test('an element without attributes leaves every option to the plugin', () => {
  expect(Object.values(optionsOf(elementWith({})))).toEqual(new Array(5).fill(undefined));
});

test('attributes become options', () => {
  const attributes = {
    abr: 'dashjs',
    delivery: 'streams',
    'buffer-segments': '3',
    endpoint: 'https://media.example/voxel',
    'certificate-hashes': ' AAAA  BBBB ',
    'worker-url': '/voxel-worker.js',
  };
  expect(optionsOf(elementWith(attributes))).toEqual({
    abr: 'dashjs',
    delivery: 'streams',
    bufferSegments: 3,
    workerUrl: '/voxel-worker.js',
    endpoint: { url: 'https://media.example/voxel', certificateHashes: ['AAAA', 'BBBB'] },
  });
});

test('a buffer that is no number reaches the plugin as one that it refuses', () => {
  expect(optionsOf(elementWith({ 'buffer-segments': 'many' })).bufferSegments).toBeNaN();
});
