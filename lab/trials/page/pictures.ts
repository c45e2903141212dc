import type { ShownPicture } from './types.js';

/** Returns the list to which every picture is added that the browser says it shows. */
export function watchPictures(video: HTMLVideoElement): readonly ShownPicture[] {
  const pictures: ShownPicture[] = [];
  const look = (_: number, picture: VideoFrameCallbackMetadata): void => {
    const { expectedDisplayTime, mediaTime, presentedFrames } = picture;
    pictures.push([performance.timeOrigin + expectedDisplayTime, mediaTime, presentedFrames]);
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  return pictures;
}
