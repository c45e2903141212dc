import { IndexedRepresentation } from '../../../src/manifest/indexed-representation.js';
import { PlayerError } from '../../api/errors.js';
import type { PlayerRepresentation } from '../../port/player-segment.js';
import { NO_PRESENTATION, type Presentation } from '../../port/presentation.js';
import type { IndexLoader } from './index-loader.js';

/** What is known of the segments that play: by the manifest's presentation, and by the indexes as they arrive. */
export class Content {
  presentation = NO_PRESENTATION;
  #unprepared: string | undefined;

  /** `onError`: told why a representation plays without its VOXEL data. */
  constructor(
    readonly indexes: IndexLoader,
    private readonly onError: (error: unknown, url: string) => void,
  ) {}

  /** Another presentation takes the place of the former. */
  load(presentation: Presentation, manifestUrl: string): void {
    this.indexes.stop();
    this.presentation = presentation;
    for (const error of presentation.errors) this.onError(error, manifestUrl);
  }

  /** Nothing of the presentation has VOXEL data, nor has anything tried to: told once, however often its manifest comes anew. */
  tellUnprepared(manifestUrl: string): void {
    const [file] = manifestUrl.split('?', 1);
    if (file === this.#unprepared || this.presentation.errors.length > 0) return;
    this.#unprepared = file;
    const message =
      'nothing in this manifest has VOXEL data: voxel-prepare makes it (of live streams voxel-live, for voxel-dash/live)';
    this.onError(new PlayerError('not-prepared', message), manifestUrl);
  }

  /** The media file has changed on the server: its index is loaded anew; without one it has no VOXEL data any more. */
  reload(representation: PlayerRepresentation): void {
    const map = this.presentation.representation(representation);
    if (map instanceof IndexedRepresentation) this.indexes.reload(map);
    else this.presentation.forget(representation);
  }
}
