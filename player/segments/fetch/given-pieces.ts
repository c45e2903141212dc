import type { DeliveredPiece } from '../../../src/voxel-loader/index.js';
import type { PlayerRequest } from '../../port/player-request.js';

/** The pieces of a segment that the player has been given, or that are held back from it. */
export class GivenPieces {
  /** What the player has, in order: with the first one the download is committed. */
  readonly given: Uint8Array<ArrayBuffer>[] = [];
  /** Position in the file at which those end that the player has. */
  end = 0;
  /** Seconds of the segment that are with the player, or held back. */
  seconds = 0;
  #held: DeliveredPiece[] = [];

  constructor(private readonly answer: Pick<PlayerRequest, 'piece'>) {}

  take(piece: DeliveredPiece, isHeld: boolean): void {
    this.seconds += piece.duration;
    if (isHeld) this.#held.push(piece);
    else this.#give(piece);
  }

  /** Gives the player what is held back. False: nothing was. */
  release(): boolean {
    const held = this.#held;
    this.#held = [];
    for (const piece of held) this.#give(piece);
    return held.length > 0;
  }

  #give({ bytes, range }: DeliveredPiece): void {
    this.given.push(bytes);
    this.end = range.end;
    this.answer.piece!(bytes);
  }
}
