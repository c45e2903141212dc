import { fullBuffer } from '../../src/delivery/index.js';
import type { PlayerSettings, RuleOwner } from '../port/player-segment.js';
import { configOf, type HlsConfig, type HlsPlayer } from './hls-types.js';

type Changed = Pick<HlsConfig, 'testBandwidth' | 'maxBufferLength' | 'maxMaxBufferLength'>;

/** The settings of hls.js that VOXEL video needs; `restore` puts back what was there. */
export class HlsPlayerSettings implements PlayerSettings {
  readonly #hls: HlsPlayer;
  readonly #bufferSegments: number;
  readonly #ruleOwner: RuleOwner;
  #saved: Partial<Changed> = {};
  #segmentDuration: number | undefined;
  #heldMoreThan = 0;

  constructor(hls: HlsPlayer, options: { readonly bufferSegments: number; readonly ruleOwner: RuleOwner }) {
    this.#hls = hls;
    this.#bufferSegments = options.bufferSegments;
    this.#ruleOwner = options.ruleOwner;
  }

  get isVideoPinned(): boolean {
    return !this.#hls.autoLevelEnabled;
  }

  get isApplied(): boolean {
    return this.#segmentDuration !== undefined;
  }

  get secondsHeld(): number {
    return fullBuffer(this.#bufferSegments, this.#segmentDuration ?? 0);
  }

  /** Before the first segment: hls.js would load one of the lowest level to measure the link, and play none of it. */
  begin(): void {
    if (this.#ruleOwner === 'voxel') this.#change({ testBandwidth: false });
  }

  apply(segmentDuration: number): void {
    if (segmentDuration === this.#segmentDuration) return;
    this.#segmentDuration = segmentDuration;
    // Of the two hls.js takes what the bitrate allows: N segments held, and one in flight.
    this.#change({ maxBufferLength: this.secondsHeld, maxMaxBufferLength: this.secondsHeld });
  }

  holdMoreThan(seconds: number): void {
    const duration = this.#segmentDuration;
    if (duration === undefined || seconds === this.#heldMoreThan) return;
    this.#heldMoreThan = seconds;
    const wanted = Math.max(this.secondsHeld, seconds + duration);
    this.#change({ maxBufferLength: wanted, maxMaxBufferLength: wanted });
  }

  restore(): void {
    this.#heldMoreThan = 0;
    Object.assign(configOf(this.#hls), this.#saved);
    this.#saved = {};
    this.#segmentDuration = undefined;
  }

  #change(settings: Partial<Changed>): void {
    const config = configOf(this.#hls);
    const former = Object.keys(settings).map((name) => [name, config[name as keyof Changed]]);
    this.#saved = { ...(Object.fromEntries(former) as Partial<Changed>), ...this.#saved };
    Object.assign(config, settings);
  }
}
