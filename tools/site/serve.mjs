// @ts-check
import { preview } from 'vite';

/**
 * Serves a folder of static files on this machine, as any web server would.
 * @param {string} folder @param {number} port 0: any @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function serveSite(folder, port) {
  const server = await preview({
    ...{ root: folder, configFile: false, appType: 'mpa', logLevel: 'error' },
    build: { outDir: '.' },
    preview: { port, host: '127.0.0.1', strictPort: port !== 0 },
  });
  const { port: taken } = /** @type {import('node:net').AddressInfo} */ (server.httpServer.address());
  return { url: `http://127.0.0.1:${taken}/`, stop: () => server.close() };
}
