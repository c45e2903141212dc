import { full } from './full.js';
import { startHost } from './start-host.js';

startHost(full);
