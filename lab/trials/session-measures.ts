/**
 * Metrics in which a session can be measured beside the manifest's, which rules know and which is SSIM as a rule (thesis, Fig. 6.10). Each means
 * that every segment is decoded and compared, VMAF at a few hundred pictures a second.
 */
export const SESSION_MEASURES = ['psnr', 'vmaf'] as const;

export type SessionMeasure = (typeof SESSION_MEASURES)[number];
