import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../../tools/setup/process.mjs';
import { prepareVideo } from '../../tools/start/prepare.mjs';
import { preparedContent } from '../sim/content/prepared.js';
import { videoName, type VideoSpec } from './config.js';
import type { LiveSpec } from './live/live-spec.js';
import { recordLive } from './live/recording.js';
import type { Media } from './media.js';

/**
 * Prepares a configuration's video, or the sample where the file is absent and the configuration allows that; with `live`, records how it is
 * encoded in real time.
 */
export async function prepareMedia(spec: VideoSpec, live?: LiveSpec): Promise<Media> {
  const used = usable(spec);
  if (live) return recordLive(used, live);
  const { file, start, levels, segment, metric, codec } = used;
  const prepare = (representations: string | undefined, codec?: string): Promise<string> =>
    prepareVideo({
      video: file,
      duration: spec.duration,
      ...(start !== undefined && { start }),
      ...(representations !== undefined && { representations }),
      ...(segment !== undefined && { segment }),
      ...(metric !== undefined && { metric }),
      ...(codec !== undefined && { codec }),
    });
  const folder = await prepare(levels, codec);
  const reference = used.reference === undefined ? undefined : await prepare(used.reference);
  const digest = createHash('sha256');
  for (const one of reference === undefined ? [folder] : [folder, reference])
    digest.update(readFileSync(join(one, 'manifest.mpd')));
  return {
    name: videoName(used),
    folder,
    metric: metric ?? 'ssim',
    digest: digest.digest('hex'),
    content: preparedContent(folder),
    ...(reference !== undefined && { reference }),
  };
}

function usable(spec: VideoSpec): VideoSpec {
  if (spec.file === undefined || existsSync(spec.file) || spec.otherwise === undefined) return spec;
  say(`${spec.file} is absent: playing the sample instead`);
  return { ...spec, file: undefined, start: undefined, levels: undefined };
}
