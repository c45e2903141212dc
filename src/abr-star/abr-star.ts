import type { AbrSettings } from './registry.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Review } from './types.js';

export class AbrStar implements Abr {
  readonly name: string;

  constructor(name: string, _abandonment: 'keep-or-restart' | 'never', _settings: Required<AbrSettings>) {
    this.name = name;
  }

  choose(state: DecisionState): Choice {
    return { option: state.options[0]!, delay: 0 };
  }

  review(_progress: DownloadProgress): Review {
    return { action: 'continue' };
  }

  reset(): void {
    // Nothing remembered yet.
  }
}
