/** What can be wrong when a rule is made; the decision itself never throws. */
export type AbrErrorCode = 'unknown-rule' | 'bad-setting';

export class AbrError extends Error {
  override readonly name = 'AbrError';
  readonly code: AbrErrorCode;

  constructor(code: AbrErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
