import type { VoxelOptions } from '../index.js';

/** The plugin's options as the element's attributes have them; `attachVoxel` judges their values. */
export function optionsOf(element: Pick<Element, 'getAttribute'>): VoxelOptions {
  const bufferSegments = element.getAttribute('buffer-segments');
  const url = element.getAttribute('endpoint');
  const certificateHashes = element.getAttribute('certificate-hashes')?.split(/\s+/).filter(Boolean);
  return {
    abr: (element.getAttribute('abr') ?? undefined) as VoxelOptions['abr'],
    delivery: (element.getAttribute('delivery') ?? undefined) as VoxelOptions['delivery'],
    bufferSegments: bufferSegments === null ? undefined : Number(bufferSegments),
    workerUrl: element.getAttribute('worker-url') ?? undefined,
    endpoint: url === null ? undefined : { url, certificateHashes },
  };
}
