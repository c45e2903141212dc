/** The members of a video beside those that every element has, and those that `<voxel-video>` has in a way of its own. */
export type MediaMembers = Omit<HTMLVideoElement, keyof HTMLElement | 'src' | 'srcObject' | 'load' | 'play'>;

/** Properties that attributes of the element itself have, too: whoever sets one sets both. */
const REFLECTED: Readonly<Record<string, string>> = {
  autoplay: 'autoplay',
  controls: 'controls',
  crossOrigin: 'crossorigin',
  loop: 'loop',
  playsInline: 'playsinline',
  poster: 'poster',
  preload: 'preload',
};

/** Events of a video; none of them bubbles. Its `error` is not among them: dash.js reports it, with more in it. */
export const MEDIA_EVENTS = [
  ...['abort', 'canplay', 'canplaythrough', 'durationchange', 'emptied', 'encrypted', 'ended', 'loadeddata'],
  ...['loadedmetadata', 'loadstart', 'pause', 'play', 'playing', 'progress', 'ratechange', 'resize', 'seeked'],
  ...['seeking', 'stalled', 'suspend', 'timeupdate', 'volumechange', 'waiting', 'waitingforkey'],
  ...['enterpictureinpicture', 'leavepictureinpicture'],
] as const;

interface HasVideo extends HTMLElement {
  readonly video: HTMLVideoElement;
}

/** Gives a class of elements every member of a video that it has not: those of `element.video`. Where there is no DOM it does nothing. */
export function addMediaMembers(target: object): void {
  const { HTMLVideoElement: Video, HTMLMediaElement: Media } = globalThis as Partial<typeof globalThis>;
  for (const source of [Video, Media]) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(source?.prototype ?? {}))) {
      if (!(name in target) && name !== 'srcObject') Object.defineProperty(target, name, forwarded(name, member));
    }
  }
}

function forwarded(name: string, member: PropertyDescriptor): PropertyDescriptor {
  const value: unknown = member.value;
  if (typeof value === 'number') return { value };
  if (typeof value === 'function') {
    return {
      value(this: HasVideo, ...args: unknown[]): unknown {
        return (value as (...of: unknown[]) => unknown).apply(this.video, args);
      },
    };
  }
  return {
    get(this: HasVideo): unknown {
      return Reflect.get(this.video, name);
    },
    set(this: HasVideo, to: unknown) {
      Reflect.set(this.video, name, to);
      const attribute = REFLECTED[name];
      if (attribute !== undefined) copyAttribute(this.video, this, attribute);
    },
  };
}

function copyAttribute(from: Element, to: Element, name: string): void {
  const value = from.getAttribute(name);
  if (value === null) to.removeAttribute(name);
  else if (value !== to.getAttribute(name)) to.setAttribute(name, value);
}

/** The same event for another element. */
export function copyOf(event: Event): Event {
  return Reflect.construct(event.constructor, [event.type, event]) as Event;
}
