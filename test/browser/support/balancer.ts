import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root, venvProgram } from '../../../tools/setup/paths.mjs';

/** The UDP load balancer of the conformance suite, which finds servers by the server ID in connection IDs. */
export interface Balancer {
  readonly port: number;
  /** Gives it a server. */
  add(quicPort: number, serverId: string): void;
  /** Takes one away, as a health check does. */
  remove(quicPort: number): void;
  /** As a NAT does that forgets its mappings: all clients go on from other ports. */
  rebind(): void;
  /** Does so within the next response: the client waits for the rest, with nothing to send, while it is sent to the old port. */
  rebindAtResponse(): void;
  stop(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const program = join(root, 'server', 'conformance', 'balancer.py');
  const child = spawn(venvProgram('python'), [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  const say = (...words: (string | number)[]): void => void child.stdin.write(`${words.join(' ')}\n`);
  return {
    port,
    add: (quicPort, serverId) => say('server', quicPort, serverId),
    remove: (quicPort) => say('gone', quicPort),
    rebind: () => say('rebind'),
    rebindAtResponse: () => say('rebind-at-response'),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
