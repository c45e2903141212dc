/** What is wrong with a segment's VOXEL data, in attributes or in an index. */
export type ManifestErrorCode =
  /** An attribute is missing or does not have its syntax. */
  | 'syntax'
  /** `reliable` and `unreliable` do not make up the segment, each byte once. */
  | 'ranges'
  /** The scores (`ssims`…) do not fit the ranges. */
  | 'steps'
  /** The segment is larger than any real one. */
  | 'size'
  /** The index is damaged, or no index. */
  | 'index'
  /** The records of a live segment are damaged, or none. */
  | 'record';

/** Bad VOXEL data of one segment: the player then treats that segment as a plain one. The message is one line. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';

  constructor(
    readonly code: ManifestErrorCode,
    message: string,
  ) {
    super(message);
  }
}
