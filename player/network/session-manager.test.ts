import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VoxelError, type VoxelSession } from '../../src/voxel-loader/index.js';
import { SessionManager, type SessionSource } from './session-manager.js';
import type { SessionEvent } from '../api/types.js';

const ORIGIN = 'https://media.example';

/** A source whose attempts the test ends by hand. */
function createSource() {
  const attempts: { resolve(session: VoxelSession): void; reject(error: unknown): void }[] = [];
  const source: SessionSource = {
    locate: () => Promise.resolve({ url: `${ORIGIN}/voxel`, certificateHashes: [] }),
    probe: () => Promise.resolve(),
    open: () => new Promise((resolve, reject) => void attempts.push({ resolve, reject })),
  };
  return { attempts, source };
}

function createSession() {
  let end!: (reason: VoxelError) => void;
  const closed = new Promise<VoxelError>((resolve) => (end = resolve));
  const close = vi.fn();
  const session: VoxelSession = {
    thread: 'page',
    closed,
    close,
    download: vi.fn(),
    fetchInto: vi.fn(),
    follow: vi.fn(),
    play: vi.fn(),
  };
  return { session, end, close };
}

/** Lets everything that is ready run. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('SessionManager', () => {
  let events: SessionEvent[];
  let setUp: ReturnType<typeof createSource>;
  let manager: SessionManager;

  beforeEach(async () => {
    vi.useFakeTimers();
    events = [];
    setUp = createSource();
    manager = new SessionManager(setUp.source, (event) => events.push(event));
    manager.start(ORIGIN);
    await settle();
  });

  afterEach(() => {
    manager.stop();
    vi.useRealTimers();
  });

  it('hands out the session once it is open', async () => {
    const { session } = createSession();
    const ready = manager.ready('soon');
    setUp.attempts[0]!.resolve(session);
    await expect(ready).resolves.toBe(session);
    expect(manager.isOpen).toBe(true);
    expect(events).toEqual([{ state: 'opened', url: `${ORIGIN}/voxel`, thread: 'page' }]);
  });

  it('keeps a segment waiting only shortly, and not at all later in the same attempt', async () => {
    const first = expect(manager.ready('soon')).rejects.toMatchObject({ code: 'session-opening' });
    await vi.advanceTimersByTimeAsync(1000);
    await first;
    const second = expect(manager.ready('soon')).rejects.toMatchObject({ code: 'session-opening' });
    await settle();
    await second;
  });

  it('tries again after a failure, ever more slowly, and says why it failed meanwhile', async () => {
    setUp.attempts[0]!.reject(new VoxelError('session-failed', 'UDP blocked'));
    await settle();
    await expect(manager.ready('soon')).rejects.toMatchObject({ code: 'session-failed' });
    await vi.advanceTimersByTimeAsync(1000);
    setUp.attempts[1]!.reject(new VoxelError('session-failed', 'UDP blocked'));
    await settle();
    expect(events.map((event) => 'retryIn' in event && event.retryIn)).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(1999);
    expect(setUp.attempts).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(setUp.attempts).toHaveLength(3);
  });

  it.each([
    new VoxelError('unsupported', 'no WebTransport'),
    new VoxelError('discovery-failed', 'no such file', { status: 404 }),
  ])('does not try again when that cannot help: $code', async (error) => {
    setUp.attempts[0]!.reject(error);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(setUp.attempts).toHaveLength(1);
    expect(events).toEqual([{ state: 'failed', code: error.code, message: error.message, retryIn: undefined }]);
    await expect(manager.ready('soon')).rejects.toBe(error);
  });

  it('opens another session with the next segment after one has closed, not before', async () => {
    const { session, end } = createSession();
    setUp.attempts[0]!.resolve(session);
    await vi.advanceTimersByTimeAsync(600_000);
    end(new VoxelError('session-closed', 'idle'));
    await vi.advanceTimersByTimeAsync(100_000);
    expect(setUp.attempts).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ state: 'closed', code: 'session-closed', retryIn: 0 });

    const next = createSession();
    const ready = manager.ready('soon');
    await settle();
    setUp.attempts[1]!.resolve(next.session);
    await expect(ready).resolves.toBe(next.session);
  });

  it('lets an urgent segment wait for nothing', async () => {
    await expect(manager.ready('now')).rejects.toMatchObject({ code: 'session-opening' });
  });

  it('is in no hurry to replace a session that did not last', async () => {
    for (const [attempt, retryIn] of [1, 2, 4].entries()) {
      const { session, end } = createSession();
      setUp.attempts[attempt]!.resolve(session);
      await settle();
      end(new VoxelError('session-closed', 'no'));
      await settle();
      expect(events.at(-1)).toMatchObject({ state: 'closed', retryIn });
      await expect(manager.ready('soon')).rejects.toMatchObject({ code: 'session-closed' });
      await vi.advanceTimersByTimeAsync(retryIn * 1000);
    }
    expect(setUp.attempts).toHaveLength(4);
  });

  it('closes a session over which nothing comes any more, and opens another later', async () => {
    const { session, end, close } = createSession();
    setUp.attempts[0]!.resolve(session);
    await vi.advanceTimersByTimeAsync(600_000);
    manager.abandon(session, new VoxelError('timeout', 'nothing arrived'));
    end(new VoxelError('session-closed', 'by us'));
    await settle();
    expect(close).toHaveBeenCalledOnce();
    expect(manager.isOpen).toBe(false);
    expect(events.slice(1)).toEqual([{ state: 'closed', code: 'timeout', message: 'nothing arrived', retryIn: 1 }]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(setUp.attempts).toHaveLength(2);
    // Long forgotten.
    manager.abandon(session, new VoxelError('timeout', 'nothing arrived'));
    expect(events).toHaveLength(2);
  });

  it('closes the session while the page is put aside, and lets segments wait until it is shown again', async () => {
    const { session, close } = createSession();
    setUp.attempts[0]!.resolve(session);
    await settle();
    manager.pause();
    manager.pause();
    expect(close).toHaveBeenCalledOnce();
    expect(manager.isPaused).toBe(true);
    expect(events.slice(1)).toEqual([
      { state: 'closed', code: 'session-closed', message: 'the page was put aside', retryIn: 0 },
    ]);
    const ready = manager.ready('soon');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(setUp.attempts).toHaveLength(1);
    manager.resume();
    manager.resume();
    await settle();
    const next = createSession();
    setUp.attempts[1]!.resolve(next.session);
    await expect(ready).resolves.toBe(next.session);
    expect(events.slice(2)).toMatchObject([{ state: 'opened' }]);
  });

  it('is in no need of a session while nothing plays, whatever becomes of the page', async () => {
    manager.stop();
    manager.pause();
    manager.resume();
    await settle();
    expect(setUp.attempts).toHaveLength(1);
    manager.start(ORIGIN);
    manager.pause();
    const waiting = expect(manager.ready('soon')).rejects.toMatchObject({ code: 'session-opening' });
    manager.stop();
    await waiting;
  });

  it('tries at once when the network is back, unless that cannot help', async () => {
    setUp.attempts[0]!.reject(new VoxelError('session-failed', 'no network'));
    await settle();
    manager.retryNow();
    manager.retryNow();
    await settle();
    expect(setUp.attempts).toHaveLength(2);
    setUp.attempts[1]!.reject(new VoxelError('unsupported', 'no WebTransport'));
    await settle();
    manager.retryNow();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(setUp.attempts).toHaveLength(2);
  });

  it('starts anew for another origin only', async () => {
    const { session, close } = createSession();
    setUp.attempts[0]!.resolve(session);
    await settle();
    manager.start(ORIGIN);
    expect(close).not.toHaveBeenCalled();
    manager.start('https://other.example');
    await settle();
    expect(close).toHaveBeenCalledOnce();
    expect(setUp.attempts).toHaveLength(2);
  });

  it('closes a session that opens after stop, and says nothing of it', async () => {
    const { session, close } = createSession();
    manager.stop();
    setUp.attempts[0]!.resolve(session);
    await settle();
    expect(close).toHaveBeenCalledOnce();
    expect(events).toEqual([]);
    expect(manager.isOpen).toBe(false);
  });
});
