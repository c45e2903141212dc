import { IndexedRepresentation } from '../../../src/manifest/indexed-representation.js';
import type { PlayerRepresentation } from '../../port/player-segment.js';
import { NO_PRESENTATION, type Presentation } from '../../port/presentation.js';
import type { IndexLoader } from './index-loader.js';

/** What is known of the segments that play: by the manifest's presentation, and by the indexes as they arrive. */
export class Content {
  presentation = NO_PRESENTATION;

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

  /** The media file has changed on the server: its index is loaded anew; without one it has no VOXEL data any more. */
  reload(representation: PlayerRepresentation): void {
    const map = this.presentation.representation(representation);
    if (map instanceof IndexedRepresentation) this.indexes.reload(map);
    else this.presentation.forget(representation);
  }
}
