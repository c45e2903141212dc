import { loadRemoval } from './parts/load-removal.js';
import { startHost } from './start-host.js';

startHost({ repair: loadRemoval });
