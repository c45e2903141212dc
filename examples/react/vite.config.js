import { defineConfig } from 'vite';

export default defineConfig({
  esbuild: { jsx: 'automatic' },
  build: {
    // dash.js declares functions inside a block. Without an export esbuild takes the bundle for a script, moves them out of the
    // block and lets their names collide with others (esbuild issue 2809).
    rollupOptions: { output: { footer: 'export {};' } },
  },
});
