import { describe, expect, it } from 'vitest';
import { checkSupport, supportItems } from './support.js';

const everything = {
  isSecureContext: true,
  WebTransport: () => undefined,
  MediaSource: { isTypeSupported: (type: string) => type.startsWith('video/mp4') },
};

describe('checkSupport', () => {
  it('finds everything in a browser that has it', () => {
    expect(supportItems(checkSupport(everything)).every((item) => item.present)).toBe(true);
  });

  it('finds what is missing', () => {
    expect(checkSupport({ isSecureContext: false })).toEqual({
      secureContext: false,
      webTransport: false,
      mediaSource: false,
      h264: false,
    });
  });

  it('asks Media Source itself for the codec', () => {
    const support = checkSupport({ ...everything, MediaSource: { isTypeSupported: () => false } });
    expect(support).toMatchObject({ mediaSource: true, h264: false });
  });
});
