import { execFileSync } from 'node:child_process';

/** For every route of this network, one for each path. A network's default would have to be one that the machine allows to everybody. */
export function setTcpControl(name: string): void {
  const routes = execFileSync('ip', ['-4', 'route', 'show'], { encoding: 'utf8' }).trim().split('\n');
  for (const route of routes) execFileSync('ip', ['route', 'replace', ...route.trim().split(/\s+/), 'congctl', name]);
}
